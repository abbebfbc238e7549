// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/scene_input.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "model/contact_model.h"

namespace cenic::cli {
namespace {

// What a setting is about; its name is without the prefix then.
enum class Subject { kScene, kIntegrator, kExternal, kHydroelastic };

struct Setting {
  std::string name, value;
  Subject subject = Subject::kScene;
};

Setting parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(fmt::format("--set {}: give name=value", text));
  }
  Setting s{text.substr(0, equals), text.substr(equals + 1)};
  for (const auto& [prefix, subject] :
       {std::pair<std::string_view, Subject>{"integrator.", Subject::kIntegrator},
        {"external.", Subject::kExternal},
        {"hydroelastic.", Subject::kHydroelastic}}) {
    if (!s.name.starts_with(prefix)) continue;
    s.subject = subject;
    s.name.erase(0, prefix.size());
  }
  return s;
}

double parse_number(const Setting& s) {
  double x = 0;
  const char* end = s.value.data() + s.value.size();
  const auto [stop, status] = std::from_chars(s.value.data(), end, x);
  if (status != std::errc() || stop != end) {
    throw Error(fmt::format("parameter '{}' is '{}'; give a number", s.name, s.value));
  }
  return x;
}

bool is_file_name(const std::string& scene) {
  static constexpr std::string_view kEndings[] = {".xml", ".mjcf", ".urdf",
                                                  ".sdf", ".yaml", ".yml"};
  return scene.find('/') != std::string::npos ||
         std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) {
           return scene.ends_with(ending);
         });
}

constexpr const char* kQuadrature = "quadrature";  // a setting of the run, not of the model

void apply_hydroelastic_setting(const Setting& s, HydroelasticOverrides* overrides) {
  if (s.name == kQuadrature) return;
  for (const auto& [name, member] :
       {std::pair{"modulus", &HydroelasticOverrides::modulus},
        std::pair{"resolution", &HydroelasticOverrides::resolution},
        std::pair{"slab_thickness", &HydroelasticOverrides::slab_thickness}}) {
    if (s.name != name) continue;
    overrides->*member = parse_number(s);
    return;
  }
  throw Error(fmt::format(
      "unknown option hydroelastic.{}; known are modulus, resolution, slab_thickness, {}", s.name,
      kQuadrature));
}

ModelSpec make_spec(const SceneInput& input) {
  SceneParameters overrides;
  SceneFiles files;
  HydroelasticOverrides hydroelastic;
  const std::vector<SceneFile>& known = find_scene(input.scene).files;
  for (const std::string& text : input.settings) {
    const Setting s = parse_setting(text);
    const bool is_file = std::ranges::find(known, s.name, &SceneFile::name) != known.end();
    if (s.subject == Subject::kScene && is_file) {
      files[s.name] = s.value;
    } else if (s.subject == Subject::kScene) {
      overrides[s.name] = parse_number(s);
    }
    if (s.subject == Subject::kHydroelastic) apply_hydroelastic_setting(s, &hydroelastic);
  }
  ModelSpec spec = make_scene(input.scene, overrides, input.seed, files);
  const ContactModel contact = input.contact == "point"          ? ContactModel::kPoint
                               : input.contact == "hydroelastic" ? ContactModel::kHydroelastic
                                                                 : ContactModel::kDeclared;
  set_contact_model(&spec, contact, hydroelastic);
  return spec;
}

Error at_scene(const std::string& scene, const std::string& text) {
  return Error(fmt::format("{}: error: {}", scene, text));
}

}  // namespace

void add_scene_options(CLI::App* app, SceneInput* input, bool integrator_settings) {
  app->add_option("SCENE", input->scene, "Name of a built-in scene, see 'cenic list'")->required();
  const char* about = integrator_settings
                          ? "Set a parameter of the scene (name=value), an option of the "
                            "integrator (integrator.name=value), how external systems are treated "
                            "(external.treatment=implicit|diagonal|explicit) or a number of all "
                            "pressure fields (hydroelastic.modulus=1e6); may be repeated"
                          : "Set a parameter of the scene (name=value); may be repeated";
  app->add_option("--set", input->settings, about)
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  app->add_option("--seed", input->seed, "Chooses among random worlds")
      ->capture_default_str()
      ->type_name("N");
  app->add_option("--contact", input->contact,
                  "Contact model of all geometries: point or hydroelastic (default: what the "
                  "scene says of each)")
      ->check(CLI::IsMember({"point", "hydroelastic"}))
      ->type_name("MODEL");
}

const SceneInfo& find_scene(const std::string& scene) {
  const std::vector<SceneInfo>& scenes = list_scenes();
  const auto found = std::find_if(scenes.begin(), scenes.end(), [&](const SceneInfo& info) {
    return info.name == scene;
  });
  if (found != scenes.end()) return *found;
  if (is_file_name(scene)) {
    throw at_scene(scene,
                   "scenes cannot be loaded from files yet; 'cenic list' shows the built-in ones");
  }
  try {
    make_scene(scene);  // knows which names are near
  } catch (const Error& e) {
    throw at_scene(scene, e.what());
  }
  throw at_scene(scene, "unknown scene");
}

std::shared_ptr<const Model> make_model(const SceneInput& input) {
  find_scene(input.scene);
  try {
    return compile(make_spec(input));
  } catch (const FileError&) {
    throw;
  } catch (const Error& e) {
    throw at_scene(input.scene, e.what());
  }
}

void apply_integrator_settings(const SceneInput& input, IntegratorOptions* options) {
  for (const std::string& text : input.settings) {
    const Setting s = parse_setting(text);
    if (s.subject == Subject::kIntegrator) set_option(options, s.name, s.value);
    if (s.subject == Subject::kExternal) set_external_option(options, s.name, s.value);
    if (s.subject == Subject::kHydroelastic && s.name == kQuadrature) {
      set_quadrature(options, s.value);
    }
  }
}

}  // namespace cenic::cli

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/scene_input.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cli/recording_input.h"
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

constexpr std::uint64_t kSeed = 1;
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

// --contact, or else what a scenario says, and --set hydroelastic.*.
void set_contact(const SceneInput& input, LoadedModel* loaded) {
  HydroelasticOverrides overrides;
  for (const std::string& text : input.settings) {
    const Setting s = parse_setting(text);
    if (s.subject == Subject::kHydroelastic) apply_hydroelastic_setting(s, &overrides);
  }
  const ContactModel contact = input.contact == "point" ? ContactModel::kPoint
                               : input.contact == "hydroelastic"
                                   ? ContactModel::kHydroelastic
                                   : loaded->run.contact.value_or(ContactModel::kDeclared);
  set_contact_model(&loaded->spec, contact, overrides);
}

ModelSpec make_spec(const SceneInput& input, const SceneInfo& info) {
  SceneParameters overrides;
  SceneFiles files;
  for (const std::string& text : input.settings) {
    const Setting s = parse_setting(text);
    if (s.subject != Subject::kScene) continue;
    if (std::ranges::find(info.files, s.name, &SceneFile::name) != info.files.end()) {
      files[s.name] = s.value;
    } else {
      overrides[s.name] = parse_number(s);
    }
  }
  return make_scene(input.scene, overrides, input.seed.value_or(kSeed), files);
}

Error at_scene(const std::string& scene, const std::string& text) {
  return Error(fmt::format("{}: error: {}", scene, text));
}

// What runs leave behind is no scene.
void refuse_results(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return;
  if (is_recording(path)) {
    throw at_scene(path, "this is a recording: 'cenic view' plays it back, 'cenic plot' draws it");
  }
  if (is_unreadable_recording(path)) {
    throw at_scene(path, "this is a recording for other programs; give a scene");
  }
  if (path.ends_with(".html")) throw at_scene(path, "this is a page: open it in a browser");
}

const SceneInfo& find_scene(const std::string& scene) {
  const std::vector<SceneInfo>& scenes = list_scenes();
  const auto found = std::find_if(scenes.begin(), scenes.end(), [&](const SceneInfo& info) {
    return info.name == scene;
  });
  if (found != scenes.end()) return *found;
  refuse_results(scene);
  try {
    make_scene(scene);  // knows which names are near
  } catch (const Error& e) {
    throw at_scene(scene, e.what());
  }
  throw at_scene(scene, "unknown scene");
}

LoadedModel load_file(const SceneInput& input) {
  refuse_results(input.scene);
  for (const std::string& text : input.settings) {
    const Setting s = parse_setting(text);
    if (s.subject != Subject::kScene) continue;
    throw at_scene(input.scene, fmt::format("a file has no parameter '{}'; edit the file", s.name));
  }
  LoadOptions options = input.load;
  options.seed = input.seed;
  for (const std::string& text : input.packages) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      throw UsageError(fmt::format("--package {}: give name=folder", text));
    }
    options.packages[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return load_model(input.scene, options);
}

Scene open_file(const SceneInput& input) {
  constexpr double kDuration = 2;  // s
  Scene scene;
  scene.loaded = load_file(input);
  scene.info = {.name = input.scene,
                .description = scene.loaded.spec.name,
                .duration = scene.loaded.run.duration.value_or(kDuration),
                .parameters = {}};
  scene.seed = input.seed.value_or(scene.loaded.run.seed.value_or(0));
  return scene;
}

Scene open_built_in(const SceneInput& input) {
  Scene scene;
  scene.info = find_scene(input.scene);
  if (!input.load.keyframe.empty()) {
    throw at_scene(input.scene, "built-in scenes have no keyframes; leave --keyframe out");
  }
  try {
    scene.loaded.spec = make_spec(input, scene.info);
  } catch (const FileError&) {
    throw;
  } catch (const Error& e) {
    throw at_scene(input.scene, e.what());
  }
  scene.seed = input.seed.value_or(kSeed);
  return scene;
}

}  // namespace

void add_scene_options(CLI::App* app, SceneInput* input, bool integrator_settings) {
  app->add_option("SCENE", input->scene,
                  "Name of a built-in scene, see 'cenic list', or a file (scenario .yaml, "
                  "MuJoCo .xml, .urdf, .sdf)")
      ->required();
  const char* about = integrator_settings
                          ? "Set a parameter of the scene (name=value), an option of the "
                            "integrator (integrator.name=value), how external systems are treated "
                            "(external.treatment=implicit|diagonal|explicit) or a number of all "
                            "pressure fields (hydroelastic.modulus=1e6); may be repeated"
                          : "Set a parameter of the scene (name=value); may be repeated";
  app->add_option("--set", input->settings, about)
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  app->add_option("--seed", input->seed,
                  "Chooses among random worlds and noises (default: 1, of a file its own)")
      ->type_name("N");
  app->add_option("--contact", input->contact,
                  "Contact model of all geometries: point or hydroelastic (default: what the "
                  "scene says of each)")
      ->check(CLI::IsMember({"point", "hydroelastic"}))
      ->type_name("MODEL");
  app->add_option("--keyframe", input->load.keyframe, "Start from this keyframe of the file")
      ->type_name("NAME");
  app->add_flag("--mocap", input->load.mocap, "Mocap bodies of an MJCF file can be moved");
  app->add_option("--allow-path", input->load.allowed_folders,
                  "Folder outside of the file's own from which it may read; may be repeated")
      ->allow_extra_args(false)
      ->type_name("DIR");
  app->add_option("--package", input->packages,
                  "Folder that package://NAME and model://NAME of a file mean; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME=DIR");
}

bool is_file_name(const std::string& scene) {
  static constexpr std::string_view kEndings[] = {".xml", ".mjcf",  ".urdf", ".xacro",
                                                  ".sdf", ".world", ".yaml", ".yml"};
  return scene.find('/') != std::string::npos ||
         std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) {
           return scene.ends_with(ending);
         });
}

Scene open_scene(const SceneInput& input) {
  IntegratorOptions unused;  // settings of a run are welcome everywhere, as long as they are right
  apply_integrator_settings(input, &unused);
  Scene scene = is_file_name(input.scene) ? open_file(input) : open_built_in(input);
  try {
    set_contact(input, &scene.loaded);
    scene.model = compile(scene.loaded.spec);
  } catch (const FileError&) {
    throw;
  } catch (const Error& e) {
    throw at_scene(input.scene, e.what());
  }
  return scene;
}

void print_fidelity_summary(const SceneInput& input, const Scene& scene) {
  if (scene.loaded.diagnostics.list().empty()) return;
  fmt::print(stderr, "{}: {}; 'cenic info' lists them\n", input.scene,
             scene.loaded.diagnostics.summary());
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

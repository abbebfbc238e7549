// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/scene_input.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic::cli {
namespace {

// What a setting is about; its name is without the prefix then.
enum class Subject { kScene, kIntegrator, kExternal };

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
        {"external.", Subject::kExternal}}) {
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

ModelSpec make_spec(const SceneInput& input) {
  SceneParameters overrides;
  for (const std::string& text : input.settings) {
    const Setting s = parse_setting(text);
    if (s.subject == Subject::kScene) overrides[s.name] = parse_number(s);
  }
  return make_scene(input.scene, overrides, input.seed);
}

Error at_scene(const std::string& scene, const std::string& text) {
  return Error(fmt::format("{}: error: {}", scene, text));
}

}  // namespace

void add_scene_options(CLI::App* app, SceneInput* input, bool integrator_settings) {
  app->add_option("SCENE", input->scene, "Name of a built-in scene, see 'cenic list'")->required();
  const char* about = integrator_settings
                          ? "Set a parameter of the scene (name=value), an option of the "
                            "integrator (integrator.name=value) or how external systems are treated "
                            "(external.treatment=implicit|diagonal|explicit); may be repeated"
                          : "Set a parameter of the scene (name=value); may be repeated";
  app->add_option("--set", input->settings, about)
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  app->add_option("--seed", input->seed, "Chooses among random worlds")
      ->capture_default_str()
      ->type_name("N");
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
  } catch (const Error& e) {
    throw at_scene(input.scene, e.what());
  }
}

void apply_integrator_settings(const SceneInput& input, IntegratorOptions* options) {
  for (const std::string& text : input.settings) {
    const Setting s = parse_setting(text);
    if (s.subject == Subject::kIntegrator) set_option(options, s.name, s.value);
    if (s.subject == Subject::kExternal) set_external_option(options, s.name, s.value);
  }
}

}  // namespace cenic::cli

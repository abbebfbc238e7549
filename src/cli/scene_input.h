// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// SCENE, --set, --seed and --contact of the command line: from words to a compiled model and
// options.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/verbs.h"
#include "integrators/options.h"
#include "loaders/load.h"
#include "model/model.h"
#include "scenes/scenes.h"

namespace cenic::cli {

struct SceneInput {
  std::string scene;
  std::vector<std::string> settings;  // "name=value"; names may begin with a subject: "external."
  std::optional<std::uint64_t> seed;  // none: 1; of files what a scenario says, or 0
  std::string contact;                // "point", "hydroelastic"; empty: as the scene says
  LoadOptions load;                   // of files
  std::vector<std::string> packages;  // "name=folder"
};

// A built-in scene or a file, ready to run. Of a built-in scene `loaded` has the spec alone.
struct Scene {
  SceneInfo info;
  LoadedModel loaded;
  std::shared_ptr<const Model> model;
  std::uint64_t seed = 1;
};

// Adds SCENE, --set, --seed, --contact, --keyframe, --allow-path and --package. Whoever accepts
// integrator.* says so.
void add_scene_options(CLI::App* app, SceneInput* input, bool integrator_settings);

// SCENE is a file, not the name of a built-in scene.
bool is_file_name(const std::string& scene);
// Throws Error "SCENE: error: ..." when the scene, a parameter or the model is wrong, or Error
// "file:line: error: ..." for a file, UsageError when a setting is not name=value.
Scene open_scene(const SceneInput& input);
// One line on standard error when a file does not mean here all that it meant elsewhere.
void print_fidelity_summary(const SceneInput& input, const Scene& scene);
// The settings that begin with "integrator." or "external.", and hydroelastic.quadrature; throws
// Error for an unknown name or a bad value.
void apply_integrator_settings(const SceneInput& input, IntegratorOptions* options);

}  // namespace cenic::cli

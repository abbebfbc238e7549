// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// SCENE, --set, --seed and --contact of the command line: from words to a compiled model and
// options.
#pragma once

#include <cstdint>
#include <memory>
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
  std::uint64_t seed = 1;
  std::string contact;                // "point", "hydroelastic"; empty: as the scene says
  LoadOptions load;                   // of files
  std::vector<std::string> packages;  // "name=folder"
};

// A built-in scene or a file, ready to run.
struct Scene {
  SceneInfo info;
  ModelSpec spec;
  std::shared_ptr<const Model> model;  // of the spec
  // Of files:
  Diagnostics diagnostics;
  std::vector<std::string> controls;
  std::vector<SensorOutput> sensors;
  std::vector<Keyframe> keyframes;
};

// Adds SCENE, --set, --seed, --contact, --keyframe, --allow-path and --package. Whoever accepts
// integrator.* says so.
void add_scene_options(CLI::App* app, SceneInput* input, bool integrator_settings);

// Throws Error "SCENE: error: ..." when the scene, a parameter or the model is wrong, or Error
// "file:line: error: ..." for a file, UsageError when a setting is not name=value.
Scene open_scene(const SceneInput& input);
// One line on standard error when a file does not mean here all that it meant elsewhere.
void print_fidelity_summary(const SceneInput& input, const Scene& scene);
// The settings that begin with "integrator." or "external.", and hydroelastic.quadrature; throws
// Error for an unknown name or a bad value.
void apply_integrator_settings(const SceneInput& input, IntegratorOptions* options);

}  // namespace cenic::cli

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
#include "model/model.h"
#include "scenes/scenes.h"

namespace cenic::cli {

struct SceneInput {
  std::string scene;
  std::vector<std::string> settings;  // "name=value"; names may begin with a subject: "external."
  std::uint64_t seed = 1;
  std::string contact;  // "point", "hydroelastic"; empty: as the scene says
};

// Adds SCENE, --set, --seed and --contact. Whoever accepts integrator.* says so.
void add_scene_options(CLI::App* app, SceneInput* input, bool integrator_settings);

// The scene's entry in the list; throws Error "SCENE: error: ..." for an unknown one and for files.
const SceneInfo& find_scene(const std::string& scene);
// Throws Error "SCENE: error: ..." when the scene, a parameter or the model is wrong, UsageError
// when a setting is not name=value.
std::shared_ptr<const Model> make_model(const SceneInput& input);
// The settings that begin with "integrator." or "external.", and hydroelastic.quadrature; throws
// Error for an unknown name or a bad value.
void apply_integrator_settings(const SceneInput& input, IntegratorOptions* options);

}  // namespace cenic::cli

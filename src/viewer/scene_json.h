// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The scene as the page reads it once: bodies, geometries, joints and inputs, as JSON.
#pragma once

#include <string>
#include <vector>

#include "integrators/options.h"
#include "model/model.h"
#include "recording/recording.h"

namespace cenic {

// Of the run that the scene is shown in.
struct SceneRun {
  double accuracy = 0;    // bound of the error of steps; 0: none
  std::string failure{};  // why it ended early; empty: it did not
};

// Zero where steps have no error.
inline double find_accuracy(const IntegratorOptions& options) {
  return options.fixed_step > 0 ? 0 : options.accuracy;
}

// Meshes stand in it once each, under their hash. `title` is for people.
std::string make_scene_json(const Model& model, const std::string& title, bool interactive,
                            const SceneRun& run = {});

// Of a recorded run, whose model is not known.
std::string make_scene_json(const Recording& recording, const std::string& title);

// The systems whose numbers a page may set, in the order of the scene's inputs.
std::vector<int> find_inputs(const Model& model);

std::string encode_base64(const void* data, std::size_t size);

}  // namespace cenic

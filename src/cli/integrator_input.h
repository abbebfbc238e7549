// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// --accuracy, --step, --integrator and the like: from words to options of the integrator.
#pragma once

#include <optional>
#include <string>

#include "cli/scene_input.h"
#include "cli/verbs.h"
#include "integrators/options.h"

namespace cenic::cli {

struct IntegratorInput {
  std::optional<double> accuracy, step, max_step;
  std::string integrator = "cenic";
  std::string error_norm = "position";
  int threads = 1;
};

void add_integrator_options(CLI::App* app, IntegratorInput* input);

// With the --set of the scene that are about the integrator. Throws Error for a bad value.
IntegratorOptions make_options(const IntegratorInput& input, const SceneInput& scene);

// "hard_clutter, cenic at accuracy 0.001".
std::string make_title(const std::string& scene, const IntegratorOptions& options);

}  // namespace cenic::cli

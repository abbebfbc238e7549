// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// --accuracy, --step, --integrator and the like: from words to options of the integrator.
#pragma once

#include <optional>
#include <string>

#include "cli/scene_input.h"
#include "cli/verbs.h"
#include "integrators/options.h"
#include "recording/recording.h"

namespace cenic::cli {

struct IntegratorInput {
  std::optional<double> accuracy, step, max_step;
  std::string integrator, error_norm;  // empty: not given
  int threads = 1;
};

void add_integrator_options(CLI::App* app, IntegratorInput* input);

// The command line first, with the --set of the scene that are about the integrator, then what a
// scenario says. Throws Error for a bad value.
IntegratorOptions make_options(const IntegratorInput& input, const SceneInput& scene,
                               const RunSettings& scenario);

// "hard_clutter, cenic at accuracy 0.001"; of a file its name and folder.
std::string make_title(const std::string& path, const IntegratorOptions& options);
std::string make_title(const RecordingInfo& info);

}  // namespace cenic::cli

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Dense output: the state between the two ends of a step.
#pragma once

#include <vector>

#include "model/model.h"
#include "systems/evaluator.h"

namespace cenic {

// Coordinates by the cubic that has the positions and velocities of both ends, in the displacement
// δ with q = q0 ⊕ δ, so that joints stay joined and rotations are rotations; its error is of fourth
// order in the step. States of external systems likewise by their rates.
class DenseOutput {
 public:
  // The model must outlive it. `measurements`: what the last step measured, for external systems.
  DenseOutput(const Model& model, const Measurements* measurements);

  // The state at t, before.t <= t <= after.t.
  void interpolate(const State& before, const State& after, double t, State* out);

 private:
  void interpolate_states(const State& before, const State& after, double t, State* out);

  const Model& model_;
  SystemEvaluator systems_;
  std::vector<double> delta_, slope_, rate0_;
};

}  // namespace cenic

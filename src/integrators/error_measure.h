// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How far two solutions are apart, in metres: e = ‖S (q_a ⊖ q_b)‖.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "integrators/options.h"
#include "model/model.h"

namespace cenic {

struct ErrorEstimate {
  double value = 0;
  int velocity = -1;  // the one that limits
  int state = -1;     // or the state of an external system

  // What is not finite is worse than all that is.
  bool is_worse_than(const ErrorEstimate& e) const {
    return std::isfinite(e.value) && !(value <= e.value);
  }
};

// S for every velocity: 1 for translations, max(reach, accuracy/0.1 rad) for rotations, so that no
// step may turn a body by more than about 0.1 rad wrongly however small it is; or the user's
// weights.
std::vector<double> make_error_weights(const Model& model, const IntegratorOptions& options);

class ErrorMeasure {
 public:
  ErrorMeasure(const Model& model, const IntegratorOptions& options);
  // For the solver's stopping tests: a coordinate that the user does not want to be measured must
  // still be solved for, so zero weights are replaced by the default.
  std::vector<double> solver_weights() const;

  // The estimate for the ends a and b of a step. In the position norm velocities count by what they
  // do to the coordinates in `time`: nothing, or the step size for methods whose coordinates do not
  // feel the velocities at the end of the step. States of external systems count by their weights.
  ErrorEstimate calc(const State& a, const State& b, double time = 0);
  // The same of one tree, and of the external systems.
  ErrorEstimate calc_tree(const Tree& tree, const State& a, const State& b, double time = 0);
  ErrorEstimate calc_states(const State& a, const State& b) const;

 private:
  ErrorEstimate calc_raw(const Tree& tree, std::span<const double> qa,
                         std::span<const double> qb) const;
  ErrorEstimate calc_weighted(const Tree& tree, std::span<const double> qa,
                              std::span<const double> qb);

  const Model& model_;
  ErrorNorm norm_;
  bool size_weighted_;
  std::vector<double> weights_;
  std::vector<double> difference_;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Step-size control, apart from any method: from the error of a step of size h, taken to be
// proportional to h^order, to the size of the next.
#pragma once

#include "core/archive.h"

namespace cenic {

struct StepDecision {
  bool accepted = false;
  double next = 0;  // size of the next try, s
};

class StepController {
 public:
  struct Options {
    bool proportional_integral = true;
    double accuracy = 1e-3;
    double max_step = 0.1;
    int order = 2;
  };
  explicit StepController(const Options& options) : options_(options) {}

  // What to do after a try of size h with the estimated error (NaN and infinity reject). A step cut
  // short by an output time has an error too small to learn from.
  StepDecision decide(double h, double error, bool learn = true);
  // The solver failed: no error to go by.
  StepDecision decide_after_failure(double h) const { return {false, 0.25 * h}; }
  void set_order(int order) { options_.order = order; }
  void reset() { previous_error_ = 0; }
  void exchange(Archive* archive) {
    (*archive)(&options_.order);
    (*archive)(&previous_error_);
  }

 private:
  double root(double x) const;  // of the error's order
  StepDecision decide_standard(double h, double error) const;
  StepDecision decide_proportional_integral(double h, double error, bool learn);

  Options options_;
  double previous_error_ = 0;  // of the last accepted step, relative to the accuracy; 0: none
};

}  // namespace cenic

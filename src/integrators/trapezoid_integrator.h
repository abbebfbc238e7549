// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The paper's second-order scheme (section V-B): a full first-order step to (q̂, v̂), then the
// trapezoid rule with the impulses at its end implicit. Two solves, two geometry queries; the
// difference of the two solutions is the error. It conserves energy well and is not L-stable: stiff
// contact forces small steps on it. Constraints and joint limits are of first order in it.
#pragma once

#include <vector>

#include "integrators/convex_integrator.h"

namespace cenic {

class TrapezoidIntegrator : public ConvexIntegrator {
 public:
  using ConvexIntegrator::ConvexIntegrator;

  void report_path(const State& before, StepPath* path) const override;

 private:
  const StepDynamics& last_dynamics() const override { return *second_; }
  Trial try_step(const State& state, double h, bool fresh) override;

  State hat_;
  std::vector<double> mean_v_, limit_forces_;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// CENIC: step doubling over the convex step (paper, section V-A). From (q0, v0), three solves:
//
//   full:  one step of h              → (q̂, v̂)
//   half:  two steps of h/2           → (q, v)     geometry is queried again at the middle
//   error: e = ‖S (q ⊖ q̂)‖∞, accepted when e ≤ accuracy
//
// Propagated is the half solution, or, for islands whose contacts stayed the same in all three
// solves, 2 (q, v) − (q̂, v̂), which is of second order and L-stable.
#pragma once

#include <cstdint>
#include <vector>

#include "core/union_find.h"
#include "integrators/convex_integrator.h"

namespace cenic {

class CenicIntegrator : public ConvexIntegrator {
 public:
  CenicIntegrator(std::shared_ptr<const Model> model, const IntegratorOptions& options);

 private:
  using Signatures = std::vector<std::uint64_t>;  // of the contacts that carried force, per tree

  // The last half step's: forces as applied.
  const StepDynamics& last_dynamics() const override {
    return options_.fixed_step > 0 ? *first_ : *second_;
  }
  Trial try_step(const State& state, double h, bool fresh) override;
  void finish_step() override;
  bool solve_and_sign(StepDynamics* dynamics, const StepForm& form, std::span<double> v,
                      Signatures* signatures);
  void extrapolate_tree(const Tree& tree);

  Solution full_, half_;  // of the last try; its end is next_
  Signatures full_signatures_, half_signatures_, end_signatures_;
  UnionFind coupled_;
  std::vector<char> changed_;
};

}  // namespace cenic

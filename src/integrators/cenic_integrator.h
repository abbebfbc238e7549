// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// CENIC: step doubling over the convex step (paper, section V-A). From (q0, v0), three solves:
//
//   full:  one step of h              → (q̂, v̂)
//   half:  two steps of h/2           → (q, v)     geometry is queried again at the middle
//   error: e = ‖S (q ⊖ q̂)‖∞, accepted when e ≤ accuracy
//
// Propagated is the half solution, or, for islands whose contacts stayed the same in all three
// solves, 2 (q, v) − (q̂, v̂), which is of second order and L-stable. Where motion is calm, three
// steps of h/3 are taken as well, and the next column of extrapolation, of third order, is
// propagated and judged instead.
#pragma once

#include <cstdint>
#include <vector>

#include "core/union_find.h"
#include "integrators/convex_integrator.h"

namespace cenic {

class CenicIntegrator : public ConvexIntegrator {
 public:
  CenicIntegrator(std::shared_ptr<const Model> model, const IntegratorOptions& options);
  void exchange(Archive* archive) override;

 private:
  static constexpr int kCalm = 3;        // steps without a change of contacts
  static constexpr int kLookAgain = 16;  // steps after which a rejected order gets another chance
  using Signatures = std::vector<std::uint64_t>;  // of the contacts that carried force, per tree

  // The last part of the step: forces as applied.
  const StepDynamics& last_dynamics() const override {
    return options_.fixed_step > 0 ? *first_ : *second_;
  }
  void restart() override;
  Trial try_step(const State& state, double h, bool fresh) override;
  void finish_step() override;
  bool advance(const State& state, double h, int parts, State* end);
  bool solve_and_compare(StepDynamics* dynamics, const StepForm& form, State* end, bool first);
  bool couple_changed_trees();
  void estimate_third_order(double h);
  bool wants_third_order() const;
  void combine_states(const std::vector<int>& states, const State& a, const State& b, double s,
                      State* c) const;
  void combine(const Tree& tree, const State& a, const State& b, double s, State* c) const;

  State full_, half_, third_;  // ends of the last try: whole, in two parts, in three
  State extrapolated_;
  Signatures signatures_, other_signatures_;
  UnionFind coupled_;
  std::vector<char> changed_;  // trees whose contacts changed during the step
  std::vector<double> constraint_errors_;

  // Order selection: see wants_third_order().
  bool third_ok_ = false;   // the last try was of third order
  double step2_ = 0;        // and the step that would do in second order
  int calm_steps_ = kCalm;  // accepted in a row without a change of contacts
  int wait_ = 0;            // steps until the third order is worth another look
};

}  // namespace cenic

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

#include <memory>

#include "core/thread_pool.h"
#include "core/union_find.h"
#include "integrators/integrator.h"

namespace cenic {

class CenicIntegrator : public Integrator {
 public:
  CenicIntegrator(std::shared_ptr<const Model> model, const IntegratorOptions& options);
  void report_contacts(std::vector<ContactReport>* reports) const override {
    last_dynamics().report_contacts(reports);
  }
  void report_constraints(std::vector<ConstraintReport>* reports) const override {
    last_dynamics().report_constraints(reports);
  }
  void report_limits(std::vector<double>* forces) const override {
    last_dynamics().report_limits(forces);
  }

 private:
  using Signatures = std::vector<std::uint64_t>;  // of the contacts that carried force, per tree

  // The last half step's: forces as applied.
  const StepDynamics& last_dynamics() const { return options_.fixed_step > 0 ? *start_ : *middle_; }
  Trial try_step(const State& state, double h, bool fresh) override;
  void finish_step() override;

  // Solves the step of size h; false when it failed, for the reason in trial_.
  bool solve(StepDynamics* dynamics, const StepForm& form, Solution* solution,
             Signatures* signatures);
  void build(StepDynamics* dynamics, double t, std::span<const double> q, std::span<const double> v,
             double h);
  void extrapolate_tree(const Tree& tree);

  DynamicsOptions dynamics_options_;
  SolverOptions solver_options_;
  ThreadPool pool_;
  std::unique_ptr<StepDynamics> start_, middle_;
  Solution full_, half_;  // of the last try; its end is next_
  Signatures full_signatures_, half_signatures_, end_signatures_;
  UnionFind coupled_;
  std::vector<char> changed_;
  Trial trial_;
};

}  // namespace cenic

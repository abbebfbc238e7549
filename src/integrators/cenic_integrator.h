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
#include "integrators/error_measure.h"
#include "integrators/options.h"
#include "integrators/step_controller.h"

namespace cenic {

enum class StepStatus { kAccepted, kTooSmall };

struct StepResult {
  StepStatus status = StepStatus::kAccepted;
  double h = 0;                                 // size taken (accepted) or last tried
  double error = 0;                             // estimate of the taken step; 0 for a fixed step
  int rejections = 0;                           // tries before
  int velocity = -1;                            // coordinate that limited the step (or is at fault)
  SolveStatus solve = SolveStatus::kConverged;  // of the last try that failed
};

struct IntegratorStatistics {
  long steps = 0, rejected_steps = 0;
  long solves = 0, solver_iterations = 0, factorizations = 0, linesearch_iterations = 0;
  long geometry_queries = 0;
  double contacts_sum = 0;  // over geometry queries
  int contacts_max = 0;
  double step_first = 0, step_min = 0, step_max = 0, step_sum = 0;
  double max_penetration = 0;  // over the states at the starts of steps after the first
  double initial_penetration = 0;
  PhaseTicks phases;
  std::vector<long> limited_by;  // how often each velocity limited a step (nv)
};

class CenicIntegrator {
 public:
  CenicIntegrator(std::shared_ptr<const Model> model, const IntegratorOptions& options);

  // Takes one step towards t_limit (> state->t) and never beyond it. On failure the state is
  // untouched.
  StepResult step(State* state, double t_limit);

  // Forget what was remembered of the last state (call when the user changed it); the step size is
  // kept.
  void restart();

  const IntegratorOptions& options() const { return options_; }
  const IntegratorStatistics& statistics() const { return statistics_; }
  // The last half step's dynamics: contacts and their forces as applied.
  const StepDynamics& last_dynamics() const { return options_.fixed_step > 0 ? *start_ : *middle_; }

 private:
  struct Solution {
    std::vector<double> q, v;
    std::vector<std::uint64_t> signatures;  // of the contacts that carried force, per tree
  };
  bool try_step(const State& state, double h, bool fresh);
  bool solve(StepDynamics* dynamics, double h, Solution* solution);
  void build(StepDynamics* dynamics, std::span<const double> q, std::span<const double> v,
             double h);
  void extrapolate();
  void extrapolate_tree(const Tree& tree);
  void record(double h, double h_limit, const StepResult& result);

  std::shared_ptr<const Model> model_;
  IntegratorOptions options_;
  DynamicsOptions dynamics_options_;
  SolverOptions solver_options_;
  ErrorMeasure measure_;
  StepController controller_;
  ThreadPool pool_;
  std::unique_ptr<StepDynamics> start_, middle_;
  Solution full_, half_, end_;
  UnionFind coupled_;
  std::vector<char> changed_;
  SolveResult last_solve_;
  int failed_tree_ = -1;
  double ideal_step_ = 0;
  IntegratorStatistics statistics_;
};

}  // namespace cenic

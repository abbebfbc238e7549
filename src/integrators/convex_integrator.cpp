// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/convex_integrator.h"

namespace cenic {

ConvexIntegrator::ConvexIntegrator(std::shared_ptr<const Model> model,
                                   const IntegratorOptions& options)
    : Integrator(std::move(model), options),
      solver_(std::make_shared<ConvexSolver>()),
      first_(std::make_unique<StepDynamics>(*model_, solver_)),
      second_(std::make_unique<StepDynamics>(*model_, solver_)),
      dynamics_options_(options.dynamics()),
      solver_options_(options.solver()),
      pool_(options.threads) {
  for (StepDynamics* dynamics : {first_.get(), second_.get()}) {
    dynamics->set_error_weights(measure_.solver_weights());
    dynamics->set_measurements(&measurements());
  }
}

void ConvexIntegrator::begin_try(const State& state, double h, bool fresh) {
  trial_ = {};
  if (!fresh) return;
  build(first_.get(), state, h);
  record_penetration(first_->max_penetration());
}

void ConvexIntegrator::build(StepDynamics* dynamics, const State& state, double h) {
  dynamics->build(state, h, dynamics_options_, &statistics_.phases);
  record_contacts(*dynamics);
}

bool ConvexIntegrator::solve(StepDynamics* dynamics, const StepForm& form, State* end) {
  const SolveResult result = dynamics->solve(
      form, solver_options_, options_.fixed_step > 0 ? 0 : options_.accuracy, &pool_, end->v);
  ++statistics_.solves;
  statistics_.solver_iterations += result.iterations;
  statistics_.factorizations += result.factorizations;
  statistics_.linesearch_iterations += result.line_search_evaluations;
  statistics_.phases += result.phases;
  trial_.status = result.status;
  if (result.status == SolveStatus::kConverged) {
    dynamics->advance_states(end->v, end->z);
    return true;
  }
  if (result.status == SolveStatus::kBadForce) trial_.fault = dynamics->system_fault();
  if (result.tree >= 0) trial_.velocity = model_->trees[result.tree].v_start;
  return false;
}

}  // namespace cenic

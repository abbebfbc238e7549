// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the integrators over the convex step share: the dynamics at two points of a step, solves
// with their statistics, reports of forces.
#pragma once

#include <memory>

#include "core/thread_pool.h"
#include "dynamics/step_dynamics.h"
#include "integrators/integrator.h"

namespace cenic {

class ConvexIntegrator : public Integrator {
 public:
  ConvexIntegrator(std::shared_ptr<const Model> model, const IntegratorOptions& options);
  void restart() override;
  void exchange(Archive* archive) override;
  void report_contacts(std::vector<ContactReport>* reports) const override {
    if (restored_) {
      *reports = restored_->contacts;
    } else {
      last_dynamics().report_contacts(reports);
    }
  }
  void report_forces(std::vector<ContactForce>* forces) const override {
    if (!restored_) return last_dynamics().report_forces(forces);
    forces->clear();
    for (const ContactReport& c : restored_->contacts) {
      forces->push_back({&c.point, to_contact_frame(c.point.nhat_AB_W, c.force_B_W)});
    }
  }
  void report_constraints(std::vector<ConstraintReport>* reports) const override {
    if (restored_) {
      *reports = restored_->constraints;
    } else {
      last_dynamics().report_constraints(reports);
    }
  }
  void report_limits(std::vector<double>* forces) const override {
    if (restored_) {
      *forces = restored_->limits;
    } else {
      last_dynamics().report_limits(forces);
    }
  }
  void report_efforts(std::vector<double>* forces) const override {
    if (restored_) {
      *forces = restored_->efforts;
    } else {
      last_dynamics().report_efforts(forces);
    }
  }
  std::optional<double> find_point_energy() const override {
    return ahead_step_ > 0 ? std::optional(ahead_->calc_point_energy()) : std::nullopt;
  }

 protected:
  // The dynamics whose forces moved the state last.
  virtual const StepDynamics& last_dynamics() const = 0;
  // Did the last step know of contacts between two geometries?
  virtual bool knows_pair(int a, int b) const;

  // Solves the step from the guess in end->v, and advances the states of external systems to
  // end->z; false when it failed, for the reason in trial_.
  bool solve(StepDynamics* dynamics, const StepForm& form, State* end);
  void build(StepDynamics* dynamics, const State& state, double h);
  // At the start of a try: builds first_ at the state unless it was built there already. A rejected
  // step keeps geometry, Jacobians, M and k.
  void begin_try(const State& state, double h, bool fresh);
  // Contacts that close by acceleration can escape the full step and its parts alike: does anything
  // overlap at the end that the last part knew nothing of?
  bool verify_end(double h) override;

  std::shared_ptr<ConvexSolver> solver_;
  std::unique_ptr<StepDynamics> first_, second_;  // at the start of the step, and further on
  std::unique_ptr<StepDynamics> ahead_;           // at its end: first_ of the next step
  Trial trial_;

  void forget_ahead() { ahead_step_ = 0; }
  // The part of exchange() that is kept from state to state.
  void exchange_kept(Archive* archive);

 private:
  struct Reports {
    std::vector<ContactReport> contacts;
    std::vector<ConstraintReport> constraints;
    std::vector<double> limits, efforts;
  };
  void exchange_reports(Archive* archive);
  double calc_border_step() const;

  std::vector<int> curved_links_;    // those that follow a path
  std::optional<Reports> restored_;  // from a checkpoint, until the next step
  double ahead_step_ = 0;            // for which ahead_ was built, at next_; 0: it was not
  DynamicsOptions dynamics_options_;
  SolverOptions solver_options_;
  ThreadPool pool_;
};

}  // namespace cenic

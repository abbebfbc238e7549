// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Error-controlled stepping, apart from any method: try a step, compare its error with the
// accuracy, accept it or try a smaller one. A method says how one try goes (try_step); the loop,
// the landing on output times, the step-size controller and the statistics are shared by all.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "convex/solve_status.h"
#include "core/archive.h"
#include "core/phase_timer.h"
#include "dynamics/reports.h"
#include "integrators/error_measure.h"
#include "integrators/options.h"
#include "integrators/step_controller.h"
#include "integrators/step_path.h"
#include "model/model.h"
#include "systems/evaluator.h"

namespace cenic {

class StepDynamics;

enum class StepStatus {
  kAccepted,
  kTooSmall,  // no step down to the smallest works
  kRunaway,   // something would move faster than light: the model is unstable
};

struct StepResult {
  StepStatus status = StepStatus::kAccepted;
  double h = 0;                                 // size taken (accepted) or last tried
  double error = 0;                             // estimate of the taken step; 0 for a fixed step
  int rejections = 0;                           // tries before
  int velocity = -1;                            // coordinate that limited the step (or is at fault)
  int state = -1;                               // or state of an external system
  SolveStatus solve = SolveStatus::kConverged;  // of the last try that failed
  SystemFault fault{};                          // why, when a system is to blame
};

struct IntegratorStatistics {
  long steps = 0, rejected_steps = 0;
  long local_steps = 0;  // of islands on their own
  long solves = 0, solver_iterations = 0, factorizations = 0, linesearch_iterations = 0;
  long geometry_queries = 0;
  double contacts_sum = 0;  // over geometry queries
  int contacts_max = 0;
  SurfaceCounters surfaces{};  // of hydroelastic contact
  double step_first = 0, step_min = 0, step_max = 0, step_sum = 0;
  double max_penetration = 0;  // over the states at the starts of steps after the first
  double initial_penetration = 0;
  PhaseTicks phases;
  std::vector<long> limited_by;        // how often each velocity limited a step (nv)
  std::vector<long> limited_by_state;  // and each state of an external system (nz)
};

class Integrator {
 public:
  // Throws Error for options that make no sense.
  Integrator(std::shared_ptr<const Model> model, const IntegratorOptions& options);
  virtual ~Integrator() = default;
  Integrator(const Integrator&) = delete;
  Integrator& operator=(const Integrator&) = delete;

  // Takes one step towards t_limit (> state->t) and never beyond it. On failure the state is
  // untouched.
  StepResult step(State* state, double t_limit);

  // Forget what was remembered of the last state (call when the user changed it); the step size is
  // kept.
  virtual void restart() {
    controller_.reset();
    measurements_.resize(*model_);
    has_reports_ = false;
  }

  // Saves or loads all that the next steps depend on besides the state, and the statistics. Throws
  // Error for a method that cannot.
  virtual void exchange(Archive* archive);

  const IntegratorOptions& options() const { return options_; }
  // Is there an accepted step, the last thing that happened, to report of?
  bool has_reports() const { return has_reports_; }
  const IntegratorStatistics& statistics() const { return statistics_; }
  // Contacts and constraints with their forces as applied in the last accepted step.
  virtual void report_contacts(std::vector<ContactReport>* reports) const = 0;
  virtual void report_forces(std::vector<ContactForce>* forces) const = 0;  // of the same contacts
  virtual void report_constraints(std::vector<ConstraintReport>* reports) const {
    reports->clear();
  }
  // Generalised forces of the joint limits (nv).
  virtual void report_limits(std::vector<double>* forces) const { forces->assign(model_->nv, 0.0); }
  // Generalised forces of external systems (nv).
  virtual void report_efforts(std::vector<double>* forces) const = 0;
  // Elastic energy of contacts between points (not surfaces) at the end of the last accepted step,
  // J, when it is at hand.
  virtual std::optional<double> find_point_energy() const { return {}; }
  // How the last accepted step went from `before` to where the state is now: straight, unless an
  // integrator knows better.
  virtual void report_path(const State& /*before*/, StepPath* path) const { path->clear(); }
  // What the last accepted step measured, for external systems that read it.
  const Measurements& measurements() const { return measurements_; }

 protected:
  struct Trial {
    SolveStatus status = SolveStatus::kConverged;  // anything else rejects the step
    int velocity = -1;                             // at fault when it failed
    int state = -1;                                // or a state of an external system
    SystemFault fault{};                           // or a system
    ErrorEstimate error{};                         // 0 for a fixed step
    double h = 0;  // size taken by a method that may stop short of what was asked; 0: as asked
  };
  // Tries a step of size h from `state` and leaves its end in next_. `fresh` says that the state is
  // new: after a rejection what was computed at it still holds.
  virtual Trial try_step(const State& state, double h, bool fresh) = 0;
  // The try was accepted: last chance to improve next_.
  virtual void finish_step() {}
  // And a last look at next_, where the next step will be of size h: false when something happened
  // during the step that its error does not show. The step is then rejected after all.
  virtual bool verify_end(double /*h*/) { return true; }

  // Of the trees that are integrated (and of external systems, when that is all).
  void copy_state(const State& from, State* to) const;
  bool is_same_state(const State& a, const State& b) const;
  // Starts afresh with a step of this size.
  void begin_with_step(double h) {
    controller_.reset();
    ideal_step_ = h;
  }
  // In finish_step(): the next step shall not be longer.
  void limit_next_step(double h) { ideal_step_ = std::min(ideal_step_, h); }
  void record_contacts(StepDynamics* dynamics);                      // after a geometry query
  void record_contacts(int contacts);                                // the same, by number
  void record_penetration(double depth);                             // at the start of a step
  void set_error_order(int order) { controller_.set_order(order); }  // error ~ h^order

  std::shared_ptr<const Model> model_;
  IntegratorOptions options_;
  ErrorMeasure measure_;
  std::vector<int> active_;  // trees that are integrated: all, or those of a part of the scene
  State next_;
  IntegratorStatistics statistics_;
  bool measures_;  // fill in measurements() after each step

 private:
  void record_step(double room, const StepResult& result);
  void measure(const State& before, double h);
  int find_runaway() const;

  StepController controller_;
  double ideal_step_ = 0;
  bool has_reports_ = false;
  Measurements measurements_;
  std::vector<ContactReport> contacts_;
  std::vector<ConstraintReport> constraints_;
};

// The integrator that options.name asks for.
std::unique_ptr<Integrator> make_integrator(std::shared_ptr<const Model> model,
                                            const IntegratorOptions& options);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Simulator: a compiled model, a state and an integrator, advanced to the times you ask for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "integrators/integrator.h"
#include "model/model.h"
#include "sim/checkpoint.h"
#include "systems/evaluator.h"

namespace cenic {

// The accuracy could not be reached even at the smallest step. The simulator keeps the last good
// state.
class AccuracyError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A step that was taken.
struct StepEvent {
  const State& before;
  const State& after;
  const StepResult& result;
};

struct Statistics : IntegratorStatistics {
  double wall_seconds = 0;  // spent in steps
  double step_mean() const { return steps > 0 ? step_sum / static_cast<double>(steps) : 0; }
  double contacts_mean() const {
    return geometry_queries > 0 ? contacts_sum / static_cast<double>(geometry_queries) : 0;
  }
};

class Simulator {
 public:
  // Starts at the model's initial state. Throws Error for options that make no sense, and for
  // constraints that cannot hold (see check_assembly()).
  explicit Simulator(std::shared_ptr<const Model> model, const IntegratorOptions& options = {});
  Simulator(Simulator&&) noexcept;
  ~Simulator();

  // Advances to time t exactly, never beyond. Throws AccuracyError when the accuracy cannot be
  // reached.
  void advance_to(double t);
  // One step, at most to time t. Never throws: look at the status.
  StepResult step(double t);
  // Why a step failed, who is at fault and what to do.
  std::string describe_failure(const StepResult& result) const;

  const Model& model() const { return *model_; }
  const State& state() const { return state_; }
  // Replaces the state (sizes must fit the model; throws Error).
  void set_state(State state);

  // Sets the numbers of a HeldInput, from the next step on; the step size is kept. Throws Error for
  // a name that does not exist or another kind of system, and for numbers that do not fit.
  void set_input(const std::string& name, std::span<const double> values);

  // Everything that the rest of the run depends on, and the statistics: after restore(), here or in
  // another simulator of the same model and options, the run goes on bit for bit. Saving changes
  // nothing. What systems remember is in their states; a law of your own that hides memory is not
  // saved. Reports such as contacts() are those of the moment of saving.
  // Both throw Error: the integrator knows no checkpoints; the model or an option is another. After
  // a failed restore() the simulator is as before.
  Checkpoint checkpoint();
  void restore(const Checkpoint& checkpoint);

  // Contacts of the last accepted step, with the forces that moved the bodies over the last part of
  // the step (a half or a third; at the end of a trapezoid). None after set_state() until the next
  // step.
  std::vector<ContactReport> contacts() const;
  void report_contacts(std::vector<ContactReport>* reports) const;  // the same, memory reused
  void report_forces(std::vector<ContactForce>* forces) const;      // of the same, for little
  // Constraints likewise, and the generalised forces of the joint limits (nv).
  std::vector<ConstraintReport> constraints() const;
  std::vector<double> limit_forces() const;
  // Generalised forces of external systems as applied in the last accepted step (nv).
  std::vector<double> efforts() const;
  // An output signal of an external system at the present state: "system.output", or "system" where
  // it has only one. Throws Error for a name that does not exist.
  std::vector<double> output(const std::string& name);
  // All of them, in the order of the model's systems (ny).
  const std::vector<double>& outputs();
  const std::vector<double>& last_outputs() const { return outputs_; }  // of the last call
  // Kinetic, gravitational, spring and contact energy at the present state, J.
  double calc_energy();
  // The part of it of contacts between points (not surfaces), when the last step left it behind.
  std::optional<double> find_point_energy() const;
  // Deepest overlap at the present state, m.
  double calc_penetration();
  Statistics statistics() const;
  double wall_seconds() const { return wall_seconds_; }  // spent in steps
  const IntegratorOptions& options() const { return integrator_->options(); }
  // What the last accepted step measured, for external systems evaluated elsewhere.
  const Measurements& measurements() const { return integrator_->measurements(); }

  // From the monitor, of the step it is told of: what dense output (recording/dense_output.h) knows
  // of it besides its ends.
  void report_path(const StepEvent& event, StepPath* path) const {
    integrator_->report_path(event.before, path);
  }

  // Called after every accepted step.
  void set_monitor(std::function<void(const StepEvent&)> monitor) { monitor_ = std::move(monitor); }

 private:
  void exchange(Archive* archive);
  std::uint64_t model_hash();
  void build_here();
  bool take_samples(StepResult* result);
  std::string describe_pusher(int velocity) const;

  std::shared_ptr<const Model> model_;
  std::unique_ptr<Integrator> integrator_;
  State state_, before_;
  SystemEvaluator systems_;
  std::vector<double> outputs_;
  std::unique_ptr<StepDynamics> observer_;  // for energy and penetration, made when first asked for
  std::function<void(const StepEvent&)> monitor_;
  double wall_seconds_ = 0;
  std::optional<std::uint64_t> model_hash_;  // when first asked for
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Evaluates and linearises the external systems of a model at one state. Signals pass from system
// to system in the model's order; derivatives pass along the same wires by the chain rule, so that
// each system is differentiated by itself, in what it declared to read and in nothing else.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "systems/system_io.h"
#include "systems/system_view.h"

namespace cenic {

// A number that a system computed and that is not finite.
struct SystemFault {
  enum class Kind { kNone, kRate, kState, kSignal, kEffort, kForce };
  Kind kind = Kind::kNone;
  int system = -1;
  int index = 0;
  double value = 0;
};
// "output 'y' of system 'policy' is nan".
std::string describe_fault(const Model& model, const SystemFault& fault);

class SystemEvaluator {
 public:
  explicit SystemEvaluator(const Model& model);
  bool empty() const { return model_.systems.empty(); }

  // The state at which everything below is evaluated, until the next call.
  void set_state(const State& state);
  // The same with its kinematics, where they are known.
  void set_state(const State& state, const Kinematics& kin);
  void set_measurements(const Measurements* measurements) { view_.measurements = measurements; }

  // Signals, forces and rates at time t; false when a number is not finite, see fault(). Sensors
  // that nothing in a step needs are left out unless `all`.
  bool evaluate(double t, bool all = false);
  // Output signals alone, of all systems: who has none is not asked.
  bool evaluate_outputs(double t);
  // And derivatives at the same time, of every group.
  bool linearize(double t);
  // Runs the systems whose samples are due at t, and writes what they remember and hold to z.
  bool sample(double t, std::span<double> z);
  const SystemFault& fault() const { return fault_; }

  std::span<const double> y() const { return y_; }        // (ny)
  std::span<const double> zdot() const { return zdot_; }  // (nz); zero for sampled systems
  // tau (nv) += generalised forces of all systems, efforts within their limits.
  void add_forces(std::span<double> tau);
  // tau (nv) += those of sampled systems alone: constant between samples.
  void add_held_forces(std::span<double> tau);

  // For messages: ", driven by system 'x' with a force of 1e+09 there", the system with the largest
  // force on a velocity; empty when there is none.
  std::string describe_largest_force(int velocity);

  // A group: values of rows (ż of its states, forces on its driven velocities, limited efforts) and
  // their derivatives in columns (coordinates of its dofs, velocities of its dofs, its states).
  struct Group {
    int nd = 0, nz = 0, driven = 0, limited = 0;  // sizes
    std::vector<double> value;                    // (rows)
    std::vector<double> jacobian;                 // rows × columns, row by row
    int rows() const { return nz + driven + limited; }
    int columns() const { return 2 * nd + nz; }
    const double* row(int i) const { return jacobian.data() + columns() * i; }
    double* row(int i) { return jacobian.data() + columns() * i; }
  };
  const std::vector<Group>& groups() const { return groups_; }
  long evaluations() const { return evaluations_; }  // of laws, since the start

 private:
  // A system's own arrays.
  struct Slot {
    std::vector<double> q, v, z, u;
    std::vector<double> zdot, y, tau;
    std::vector<Spatial> F;
    SystemJacobian jacobian;
    std::vector<double> base;         // its outputs flattened, while differences are taken
    std::vector<double> sensitivity;  // ∂y/∂(columns of the group), ny × columns
    std::vector<int> dof_column;      // of its dofs in the group
    int z_column = 0;                 // of its first state
    bool late_inputs = false;         // some input is computed after it
  };
  void gather_signals(const System& s, Slot* slot) const;
  void gather_coordinates(const System& s, Slot* slot) const;
  SystemInput make_input(int index, double t);
  void call(int index, double t);
  enum class Purpose { kStep, kAll, kSamples, kOutputs };
  bool pass_signals(double t, Purpose purpose);
  static double* store_outputs(const Slot& slot, double* to);
  static void load_outputs(const double* from, Slot* slot);
  bool is_due(const System& s, double t) const;
  bool check(int index, bool outputs_alone);
  void take_differences(int index, double t);
  void chain(int index, int row, double scale, std::span<double> target) const;
  void collect(int group);
  template <class Body>
  void for_each_push(const System& s, Body body);
  void add_forces_of(std::size_t i, std::span<double> tau);
  void add_body_forces(const System& s, const Slot& slot, std::span<double> tau);

  const Model& model_;
  SystemView view_;
  std::vector<double> z_, next_z_, y_, zdot_, scratch_;
  std::vector<double> tau_;  // (nv)
  std::vector<Slot> slots_;
  std::vector<Group> groups_;
  std::vector<int> source_system_;  // of each output signal (ny)
  SystemFault fault_;
  long evaluations_ = 0;
};

// The next time at which a sampled system runs, one due at present included; infinite when there is
// none.
double calc_next_sample_time(const Model& model, std::span<const double> z);
// Is one due at the state's time?
bool is_sample_due(const Model& model, const State& state);
// Sets the number of samples that each system has taken to what the state's time says.
void count_samples(const Model& model, State* state);

}  // namespace cenic

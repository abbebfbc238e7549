// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// ExternalSystem: a controller, actuator, sensor, filter or force law written by a user.
//
//   ż = h(t, z, u, q, v)            its own state
//   (y, τ, F) = g(t, z, u, q, v)    output signals, generalised forces, forces on bodies
//
// A system says once what it reads and gives (declare) and then computes it (evaluate). Both are
// const: all memory is z, so steps can be tried again, and one system may serve many worlds.
// systems/system_io.h has what evaluate() sees; docs/systems.md shows how to write one.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace cenic {

struct Model;
class SystemInput;
struct SystemOutput;
class SystemJacobian;

// What a system reads and gives. Names are resolved at once; an unknown one throws Error.
class Ports {
 public:
  Ports(const Model& model, double period) : model_(model), period_(period) {}

  // ---- reads ----
  // Coordinates and velocities of a joint: appended to SystemInput's q and v.
  void read_joint(const std::string& name);
  // Pose and velocity of a body ("world" too); returns the index for X_WB() and V_WB().
  int read_body(const std::string& name);
  // Forces of contacts on a geometry; returns the index for contact_force() and contact_normal().
  int read_geometry(const std::string& name);
  // The same for each geometry of the body of that name ("world" too); returns the index of the
  // first.
  int read_geometries_of(const std::string& name);
  // The force of a constraint; returns the index for constraint_force().
  int read_constraint(const std::string& name);
  // A signal of another system, to be wired; returns the index for SystemInput::input().
  int add_input(const std::string& name, int size = 1);

  // ---- gives ----
  // Reads the joint and drives it: its velocities are appended to SystemOutput's tau. The force is
  // held within ± effort_limit by the solver: give the law without the limit.
  void drive_joint(const std::string& name,
                   double effort_limit = std::numeric_limits<double>::infinity());
  // Reads the body and pushes it; returns the index for SystemOutput's F.
  int push_body(const std::string& name);
  int add_output(const std::string& name, int size = 1);
  // A state that starts at `value`. It enters the error control times `error_weight` (metres per
  // unit; zero: not at all).
  void add_state(const std::string& name, double value = 0, double error_weight = 1);

  // ---- how ----
  // Do y, τ or ż depend on time itself? Then they are evaluated at the end of each step, too.
  bool depends_on_time = true;
  // Do the outputs y depend on the inputs u at the same instant? If not (a filter, a delay) the
  // system may close a loop of signals.
  bool feedthrough = true;
  // Does it read what is measured by the last step: accelerations, efforts? Reading contacts or
  // constraints sets it.
  bool reads_measurements = false;

  const Model& model() const { return model_; }
  double period() const { return period_; }  // s; 0: continuous
  int num_velocities() const { return static_cast<int>(velocities.size()); }

  // ---- the result ----
  struct Signal {
    std::string name;
    int start = 0, size = 0;
  };
  struct Effort {
    int velocity = -1;
    double limit = 0;
  };
  std::vector<int> coordinates, velocities;  // of the joints read, in order
  std::vector<int> bodies;                   // read, −1: world
  std::vector<int> pushed;                   // indices into bodies
  std::vector<int> geometries, constraints;  // whose forces are read
  std::vector<Effort> efforts;
  std::vector<Signal> inputs, outputs;
  std::vector<std::string> state_names;
  std::vector<double> initial, weight;  // of the states

 private:
  int find_joint(const std::string& name) const;
  int find_body(const std::string& name) const;  // −1: world

  const Model& model_;
  double period_;
};

class ExternalSystem {
 public:
  virtual ~ExternalSystem() = default;

  virtual void declare(Ports* ports) const = 0;
  // Everything in `out` is zero at first. Must depend on `in` alone; called many times a step.
  virtual void evaluate(const SystemInput& in, SystemOutput* out) const = 0;
  // Derivatives, if the system knows them; everything is zero at first. They may be approximate:
  // they decide how stable a step is, not what it converges to. Without them differences are taken.
  virtual bool differentiate(const SystemInput& /*in*/, SystemJacobian* /*jacobian*/) const {
    return false;
  }
  // A sampled system's state after the sample at in.t, from its state in.z before. Given is
  // z + period · ż, the step of a digital controller; change it where it should be another.
  virtual void update(const SystemInput& /*in*/, const SystemOutput& /*out*/,
                      std::span<double> /*z*/) const {}
};

}  // namespace cenic

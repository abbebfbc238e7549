// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What an external system sees and what it gives back. All indices are its own: joints and bodies
// in the order it declared them.
#pragma once

#include <span>
#include <vector>

#include "model/external_system.h"
#include "model/model.h"
#include "systems/system_view.h"

namespace cenic {

class SystemInput {
 public:
  SystemInput(const System& system, SystemView* view) : system_(system), view_(*view) {}

  double t = 0;
  std::span<const double> z{};  // own state
  std::span<const double> u{};  // input signals one after another
  std::span<const double> q{};  // coordinates of the joints read, one after another
  std::span<const double> v{};  // their velocities

  double period() const { return system_.period; }
  std::span<const double> input(int i) const {
    return u.subspan(system_.inputs[i].start, system_.inputs[i].size);
  }
  const Model& model() const { return view_.model(); }

  // Pose and velocity (at the body's origin, world axes) of the i-th body read.
  const RigidTransform& X_WB(int i) const;
  const Spatial& V_WB(int i) const;
  // ∂V_WB/∂v of that body, over dofs() (6 × num_dofs, column by column).
  void calc_body_jacobian(int i, std::span<Spatial> columns) const;
  // The same in scratch memory, valid until the next call for the same body.
  std::span<const Spatial> calc_body_jacobian(int i) const;

  // Over the joints read: tau = M(q) vdot + k(q, v), where joints not read have no acceleration,
  // and k holds Coriolis forces and gravity.
  void calc_inverse_dynamics(std::span<const double> vdot, std::span<double> tau) const;
  // M(q) over the joints read, n × n, armature included; zero between trees. Valid until the next
  // call.
  std::span<const double> calc_mass_matrix() const;
  // Gravity's generalised forces on the joints read, to be overcome by −tau.
  void calc_gravity(std::span<double> tau) const;

  // The velocities that the system depends on (those of the joints read come first), by index in
  // the model.
  std::span<const int> dofs() const { return system_.dofs; }
  const System& system() const { return system_; }

  // What the last step measured; declare reads_measurements.
  const Measurements& measured() const { return *view_.measurements; }
  // Accelerations (angular, and of its origin; world axes) of the i-th body read.
  Spatial calc_body_acceleration(int i) const;
  // Force of contacts on the i-th geometry read, at the world's origin, and the sum of its normal
  // parts.
  const Spatial& contact_force(int i) const {
    return measured().F_contact_W[system_.geometries[i]];
  }
  double contact_normal(int i) const { return measured().contact_normal[system_.geometries[i]]; }
  // Force of the i-th constraint read on its B, at the point it acts at.
  const Spatial& constraint_force(int i) const {
    return measured().F_constraint_W[system_.constraints[i]];
  }

 private:
  int link_of(int i) const {
    return system_.bodies[i] < 0 ? -1 : view_.model().bodies[system_.bodies[i]].link;
  }
  const System& system_;
  SystemView& view_;
};

// All zero before evaluate().
struct SystemOutput {
  const System* system = nullptr;
  std::span<double> zdot{};
  std::span<double> y{};    // output signals one after another
  std::span<double> tau{};  // generalised forces on the joints driven, in order
  std::span<Spatial> F{};   // (torque, force) on the bodies pushed, at their origins, world axes

  std::span<double> output(int i) const {
    return y.subspan(system->outputs[i].start, system->outputs[i].size);
  }
};

// ∂(ż, y, τ, F)/∂(q, v, z, u). Rows by zdot(i), y(i), tau(i), F(body, component); columns by q(i)
// and v(i), over SystemInput::dofs(), z(i) and u(i). A change of q(i) is along its velocity, so
// that rotations have three.
class SystemJacobian {
 public:
  void resize(const System& s);
  double& operator()(int row, int column) { return values_[columns_ * row + column]; }
  double operator()(int row, int column) const { return values_[columns_ * row + column]; }
  int rows() const { return rows_; }
  int columns() const { return columns_; }

  int zdot(int i) const { return i; }
  int y(int i) const { return nz_ + i; }
  int tau(int i) const { return nz_ + ny_ + i; }
  int F(int body, int component) const { return nz_ + ny_ + ntau_ + 6 * body + component; }
  int q(int i) const { return i; }
  int v(int i) const { return nd_ + i; }
  int z(int i) const { return 2 * nd_ + i; }
  int u(int i) const { return 2 * nd_ + nz_ + i; }

 private:
  int nz_ = 0, ny_ = 0, ntau_ = 0, nd_ = 0, rows_ = 0, columns_ = 0;
  std::vector<double> values_;
};

}  // namespace cenic

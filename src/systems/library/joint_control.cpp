// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/joint_control.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

using detail::check_gains;

double at(const std::vector<double>& list, int i) { return detail::entry(list, i); }

void declare_targets(const JointTargets& targets, Ports* ports) {
  detail::drive_joints(targets.joints, targets.effort_limits, ports);
  const int n = ports->num_velocities();
  for (const std::string& name : targets.joints) {
    const Joint& joint = *std::ranges::find(ports->model().joints, name, &Joint::name);
    if (joint.nq == joint.nv) continue;
    throw Error(
        fmt::format("joint '{}' has rotations in space, which have no such coordinates; "
                    "drive joints with one coordinate for each velocity",
                    name));
  }
  if (targets.reference_input) {
    ports->add_input("reference", 2 * n);
  } else if (!targets.reference.empty()) {
    check_gains("reference", targets.reference, n);
  }
  ports->depends_on_time = false;
}

double reference_position(const JointTargets& targets, const SystemInput& in, int i) {
  if (targets.reference_input) return in.u[i];
  return targets.reference.empty() ? 0 : at(targets.reference, i);
}

double reference_velocity(const JointTargets& targets, const SystemInput& in, int i) {
  return targets.reference_input ? in.u[in.v.size() + i] : 0;
}

}  // namespace

PidControl::PidControl(JointTargets targets, PidGains gains)
    : targets_(std::move(targets)), gains_(std::move(gains)) {}

bool PidControl::has_integral() const {
  return std::ranges::any_of(gains_.ki, [](double k) {
    return k != 0;
  });
}

void PidControl::declare(Ports* ports) const {
  declare_targets(targets_, ports);
  const int n = ports->num_velocities();
  check_gains("kp", gains_.kp, n);
  check_gains("ki", gains_.ki, n);
  check_gains("kd", gains_.kd, n);
  detail::check_list("integral_limit", gains_.integral_limit, n);
  for (const double limit : gains_.integral_limit) {
    if (!(limit >= 0)) {
      throw Error(fmt::format("integral_limit holds {}; give zero or a positive number", limit));
    }
  }
  for (int i = 0; i < n && has_integral(); ++i) {
    ports->add_state(fmt::format("integral{}", i), 0, gains_.error_weight);
  }
}

// The integral stops where its effort is at the limit and the error would drive it further.
bool PidControl::winds_up(const SystemInput& in, int i, double error) const {
  const double ki = at(gains_.ki, i), effort = -ki * in.z[i];
  return std::abs(effort) >= at(gains_.integral_limit, i) && effort * (-ki * error) > 0;
}

void PidControl::evaluate(const SystemInput& in, SystemOutput* out) const {
  const int n = static_cast<int>(in.v.size());
  for (int i = 0; i < n; ++i) {
    const double error = in.q[i] - reference_position(targets_, in, i);
    const double rate = in.v[i] - reference_velocity(targets_, in, i);
    out->tau[i] = -at(gains_.kp, i) * error - at(gains_.kd, i) * rate;
    if (in.z.empty()) continue;
    out->tau[i] -= std::clamp(at(gains_.ki, i) * in.z[i], -at(gains_.integral_limit, i),
                              at(gains_.integral_limit, i));
    out->zdot[i] = winds_up(in, i, error) ? 0 : error;
  }
}

bool PidControl::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const int n = static_cast<int>(in.v.size());
  for (int i = 0; i < n; ++i) {
    (*J)(J->tau(i), J->q(i)) = -at(gains_.kp, i);
    (*J)(J->tau(i), J->v(i)) = -at(gains_.kd, i);
    if (targets_.reference_input) {
      (*J)(J->tau(i), J->u(i)) = at(gains_.kp, i);
      (*J)(J->tau(i), J->u(n + i)) = at(gains_.kd, i);
    }
    if (in.z.empty()) continue;
    if (std::abs(at(gains_.ki, i) * in.z[i]) <= at(gains_.integral_limit, i)) {
      (*J)(J->tau(i), J->z(i)) = -at(gains_.ki, i);
    }
    if (winds_up(in, i, in.q[i] - reference_position(targets_, in, i))) continue;
    (*J)(J->zdot(i), J->q(i)) = 1;
    if (targets_.reference_input) (*J)(J->zdot(i), J->u(i)) = -1;
  }
  return true;
}

InverseDynamicsControl::InverseDynamicsControl(JointTargets targets, std::vector<double> kp,
                                               std::vector<double> kd)
    : targets_(std::move(targets)), kp_(std::move(kp)), kd_(std::move(kd)) {}

void InverseDynamicsControl::declare(Ports* ports) const {
  declare_targets(targets_, ports);
  check_gains("kp", kp_, ports->num_velocities());
  check_gains("kd", kd_, ports->num_velocities());
}

void InverseDynamicsControl::evaluate(const SystemInput& in, SystemOutput* out) const {
  // tau holds the accelerations first.
  for (int i = 0; i < static_cast<int>(in.v.size()); ++i) {
    out->tau[i] = -at(kp_, i) * (in.q[i] - reference_position(targets_, in, i)) -
                  at(kd_, i) * (in.v[i] - reference_velocity(targets_, in, i));
  }
  in.calc_inverse_dynamics(out->tau, out->tau);
}

bool InverseDynamicsControl::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const int n = static_cast<int>(in.v.size());
  const std::span<const double> M = in.calc_mass_matrix();
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double m = M[n * i + j];
      (*J)(J->tau(i), J->q(j)) = -m * at(kp_, j);
      (*J)(J->tau(i), J->v(j)) = -m * at(kd_, j);
      if (!targets_.reference_input) continue;
      (*J)(J->tau(i), J->u(j)) = m * at(kp_, j);
      (*J)(J->tau(i), J->u(n + j)) = m * at(kd_, j);
    }
  }
  return true;
}

JointImpedance::JointImpedance(JointTargets targets, std::vector<double> stiffness,
                               std::vector<double> damping)
    : targets_(std::move(targets)),
      stiffness_(std::move(stiffness)),
      damping_(std::move(damping)) {}

void JointImpedance::declare(Ports* ports) const {
  declare_targets(targets_, ports);
  check_gains("stiffness", stiffness_, ports->num_velocities());
  check_gains("damping", damping_, ports->num_velocities());
}

void JointImpedance::evaluate(const SystemInput& in, SystemOutput* out) const {
  detail::compensate_gravity(in, out->tau);
  for (int i = 0; i < static_cast<int>(in.v.size()); ++i) {
    out->tau[i] -= at(stiffness_, i) * (in.q[i] - reference_position(targets_, in, i)) +
                   at(damping_, i) * (in.v[i] - reference_velocity(targets_, in, i));
  }
}

bool JointImpedance::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const int n = static_cast<int>(in.v.size());
  for (int i = 0; i < n; ++i) {
    (*J)(J->tau(i), J->q(i)) = -at(stiffness_, i);
    (*J)(J->tau(i), J->v(i)) = -at(damping_, i);
    if (!targets_.reference_input) continue;
    (*J)(J->tau(i), J->u(i)) = at(stiffness_, i);
    (*J)(J->tau(i), J->u(n + i)) = at(damping_, i);
  }
  return true;
}

GravityCompensation::GravityCompensation(std::vector<std::string> joints,
                                         std::vector<double> effort_limits)
    : joints_(std::move(joints)), effort_limits_(std::move(effort_limits)) {}

void GravityCompensation::declare(Ports* ports) const {
  detail::drive_joints(joints_, effort_limits_, ports);
  ports->depends_on_time = false;
}

void GravityCompensation::evaluate(const SystemInput& in, SystemOutput* out) const {
  detail::compensate_gravity(in, out->tau);
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/actuators.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

double affine(const std::array<double, 3>& c, double l, double ldot) {
  return c[0] + c[1] * l + c[2] * ldot;
}

}  // namespace

ActuatorParameters make_motor(std::string joint, double gear) {
  return {.joint = std::move(joint), .gear = gear};
}

ActuatorParameters make_position_servo(std::string joint, double kp, double kv) {
  return {.joint = std::move(joint), .gain = {kp, 0, 0}, .bias = {0, -kp, -kv}};
}

ActuatorParameters make_velocity_servo(std::string joint, double kv) {
  return {.joint = std::move(joint), .gain = {kv, 0, 0}, .bias = {0, 0, -kv}};
}

ActuatorModel::ActuatorModel(ActuatorParameters parameters) : p_(std::move(parameters)) {}

void ActuatorModel::declare(Ports* ports) const {
  detail::check_finite("gear", p_.gear);
  if (p_.gear == 0) throw Error("gear is 0, so it moves nothing; give another number");
  detail::check_finite("gain", p_.gain);
  detail::check_finite("bias", p_.bias);
  if (!(p_.ctrl_min <= p_.ctrl_max)) {
    throw Error(
        fmt::format("ctrl_min is {} and ctrl_max {}; give a range", p_.ctrl_min, p_.ctrl_max));
  }
  if (!(p_.force_limit >= 0)) {
    throw Error(fmt::format("force_limit is {}; give zero or a positive number", p_.force_limit));
  }
  ports->drive_joint(p_.joint, std::abs(p_.gear) * p_.force_limit);
  if (ports->num_velocities() != 1) {
    throw Error(fmt::format("joint '{}' has {} velocities; drive a joint with one", p_.joint,
                            ports->num_velocities()));
  }
  if (p_.dynamics != ActuatorDynamics::kNone) {
    ports->add_state("activation", p_.activation, p_.error_weight);
  }
  if (p_.dynamics == ActuatorDynamics::kFilter) {
    detail::check_positive("time_constant", p_.time_constant);
  }
  ports->add_input("ctrl");
  ports->depends_on_time = false;
}

void ActuatorModel::evaluate(const SystemInput& in, SystemOutput* out) const {
  const double ctrl = std::clamp(in.u[0], p_.ctrl_min, p_.ctrl_max);
  const double a = in.z.empty() ? ctrl : in.z[0];
  const double l = p_.gear * in.q[0], ldot = p_.gear * in.v[0];
  out->tau[0] = p_.gear * (affine(p_.gain, l, ldot) * a + affine(p_.bias, l, ldot));
  if (in.z.empty()) return;
  out->zdot[0] = p_.dynamics == ActuatorDynamics::kFilter ? (ctrl - a) / p_.time_constant : ctrl;
}

bool ActuatorModel::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const double ctrl = std::clamp(in.u[0], p_.ctrl_min, p_.ctrl_max);
  const double inside = in.u[0] > p_.ctrl_min && in.u[0] < p_.ctrl_max ? 1 : 0;
  const double a = in.z.empty() ? ctrl : in.z[0];
  const double slope = p_.gear * affine(p_.gain, p_.gear * in.q[0], p_.gear * in.v[0]);
  (*J)(J->tau(0), J->q(0)) = p_.gear * p_.gear * (p_.gain[1] * a + p_.bias[1]);
  (*J)(J->tau(0), J->v(0)) = p_.gear * p_.gear * (p_.gain[2] * a + p_.bias[2]);
  if (in.z.empty()) {
    (*J)(J->tau(0), J->u(0)) = slope * inside;
    return true;
  }
  const bool filter = p_.dynamics == ActuatorDynamics::kFilter;
  (*J)(J->tau(0), J->z(0)) = slope;
  (*J)(J->zdot(0), J->z(0)) = filter ? -1 / p_.time_constant : 0;
  (*J)(J->zdot(0), J->u(0)) = filter ? inside / p_.time_constant : inside;
  return true;
}

}  // namespace cenic

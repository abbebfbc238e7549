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

double calc_free_rate(const ActuatorParameters& p, double ctrl, double z) {
  return p.dynamics == ActuatorDynamics::kFilter ? (ctrl - z) / p.time_constant : ctrl;
}

bool leaves_range(const ActuatorParameters& p, double rate, double z) {
  return (z >= p.activation_max && rate > 0) || (z <= p.activation_min && rate < 0);
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

double calc_activation_rate(const ActuatorParameters& p, double ctrl, double z) {
  const double rate = calc_free_rate(p, ctrl, z);
  return leaves_range(p, rate, z) ? 0 : rate;
}

ActuatorModel::ActuatorModel(ActuatorParameters parameters) : p_(std::move(parameters)) {
  parts_ = p_.tendon.empty() ? std::vector<TendonPart>{{p_.joint, 1}} : p_.tendon;
}

void ActuatorModel::declare(Ports* ports) const {
  detail::check_finite("gear", p_.gear);
  if (p_.gear == 0) throw Error("gear is 0, so it moves nothing; give another number");
  detail::check_finite("gain", p_.gain);
  detail::check_finite("bias", p_.bias);
  if (!(p_.ctrl_min <= p_.ctrl_max)) {
    throw Error(
        fmt::format("ctrl_min is {} and ctrl_max {}; give a range", p_.ctrl_min, p_.ctrl_max));
  }
  if (!(p_.activation_min <= p_.activation_max)) {
    throw Error(fmt::format("activation_min is {} and activation_max {}; give a range",
                            p_.activation_min, p_.activation_max));
  }
  if (!(p_.force_limit >= 0)) {
    throw Error(fmt::format("force_limit is {}; give zero or a positive number", p_.force_limit));
  }
  int count = 0;
  for (const TendonPart& part : parts_) {
    detail::check_finite("coefficient", part.coefficient);
    // 0 · ∞ is no number: what is not moved takes no force.
    const double arm = std::abs(p_.gear * part.coefficient);
    ports->drive_joint(part.joint, arm > 0 ? arm * p_.force_limit : 0);
    if (ports->num_velocities() != ++count) {
      throw Error(fmt::format("joint '{}' has {} velocities; drive a joint with one", part.joint,
                              ports->num_velocities() - count + 1));
    }
  }
  if (p_.dynamics != ActuatorDynamics::kNone) {
    if (!p_.has_input) throw Error("an activation has an input to follow; set has_input");
    ports->add_state("activation", p_.activation, p_.error_weight);
  }
  if (p_.dynamics == ActuatorDynamics::kFilter) {
    detail::check_positive("time_constant", p_.time_constant);
  }
  if (p_.has_input) ports->add_input("ctrl");
  ports->add_output("force");
  ports->depends_on_time = false;
}

ActuatorModel::Length ActuatorModel::calc_length(const SystemInput& in) const {
  Length length;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    length.l += p_.gear * parts_[i].coefficient * in.q[i];
    length.ldot += p_.gear * parts_[i].coefficient * in.v[i];
  }
  return length;
}

double ActuatorModel::calc_ctrl(const SystemInput& in) const {
  return p_.has_input ? std::clamp(in.u[0], p_.ctrl_min, p_.ctrl_max) : 0;
}

void ActuatorModel::evaluate(const SystemInput& in, SystemOutput* out) const {
  const double ctrl = calc_ctrl(in);
  const double a = in.z.empty() ? ctrl : in.z[0];
  const auto [l, ldot] = calc_length(in);
  const double force = affine(p_.gain, l, ldot) * a + affine(p_.bias, l, ldot);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    out->tau[i] = p_.gear * parts_[i].coefficient * force;
  }
  out->output(0)[0] = std::clamp(force, -p_.force_limit, p_.force_limit);
  if (!in.z.empty()) out->zdot[0] = calc_activation_rate(p_, ctrl, in.z[0]);
}

bool ActuatorModel::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const double ctrl = calc_ctrl(in);
  const double inside = p_.has_input && in.u[0] > p_.ctrl_min && in.u[0] < p_.ctrl_max ? 1 : 0;
  const double a = in.z.empty() ? ctrl : in.z[0];
  const auto [l, ldot] = calc_length(in);
  const double gain = affine(p_.gain, l, ldot);
  const int n = static_cast<int>(parts_.size());
  const double force = gain * a + affine(p_.bias, l, ldot);
  const double output = std::abs(force) < p_.force_limit ? 1 : 0;
  if (!in.z.empty()) {
    (*J)(J->y(0), J->z(0)) = output * gain;
  } else if (p_.has_input) {
    (*J)(J->y(0), J->u(0)) = output * gain * inside;
  }
  for (int i = 0; i < n; ++i) {
    const double arm = p_.gear * parts_[i].coefficient;
    (*J)(J->y(0), J->q(i)) = output * arm * (p_.gain[1] * a + p_.bias[1]);
    (*J)(J->y(0), J->v(i)) = output * arm * (p_.gain[2] * a + p_.bias[2]);
    for (int k = 0; k < n; ++k) {
      const double arms = arm * p_.gear * parts_[k].coefficient;
      (*J)(J->tau(i), J->q(k)) = arms * (p_.gain[1] * a + p_.bias[1]);
      (*J)(J->tau(i), J->v(k)) = arms * (p_.gain[2] * a + p_.bias[2]);
    }
    if (!in.z.empty()) {
      (*J)(J->tau(i), J->z(0)) = arm * gain;
    } else if (p_.has_input) {
      (*J)(J->tau(i), J->u(0)) = arm * gain * inside;
    }
  }
  if (in.z.empty()) return true;
  if (leaves_range(p_, calc_free_rate(p_, ctrl, a), a)) return true;  // it stays
  const bool filter = p_.dynamics == ActuatorDynamics::kFilter;
  (*J)(J->zdot(0), J->z(0)) = filter ? -1 / p_.time_constant : 0;
  (*J)(J->zdot(0), J->u(0)) = filter ? inside / p_.time_constant : inside;
  return true;
}

}  // namespace cenic

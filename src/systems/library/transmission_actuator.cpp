// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <array>

#include "core/error.h"
#include "systems/library/parameters.h"
#include "systems/library/transmission.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

double affine(const std::array<double, 3>& c, double l, double ldot) {
  return c[0] + c[1] * l + c[2] * ldot;
}

}  // namespace

void TransmissionActuator::declare(Ports* ports) const {
  const ActuatorParameters& law = p_.law;
  detail::check_finite("gear", law.gear);
  detail::check_finite("gain", law.gain);
  detail::check_finite("bias", law.bias);
  if (!(law.ctrl_min <= law.ctrl_max) || !(p_.force_min <= p_.force_max)) {
    throw Error("a range of the actuator has its lower end above the upper one; swap them");
  }
  port_.declare(ports);
  if (p_.muscle && p_.pid) throw Error("an actuator is a muscle or a PID servo; give one");
  if (law.dynamics != ActuatorDynamics::kNone || p_.muscle) {
    ports->add_state("activation", law.activation, law.error_weight);
  }
  if (law.dynamics == ActuatorDynamics::kFilter) {
    detail::check_positive("time_constant", law.time_constant);
  }
  if (law.has_input) ports->add_input("ctrl");
  if (p_.pid) {
    check_pid_servo(*p_.pid);
    if (p_.pid->has_setpoint()) ports->add_state("setpoint", 0, law.error_weight);
    if (p_.pid->has_integral()) ports->add_state("integral", 0, law.error_weight);
    if (p_.pid->velocity_input) ports->add_input("velocity");
    if (p_.pid->feedforward_input) ports->add_input("feedforward");
  }
  ports->add_output("force");
}

double TransmissionActuator::evaluate_pid(const SystemInput& in, double l, double ldot,
                                          SystemOutput* out) const {
  const ActuatorParameters& law = p_.law;
  const PidServo& pid = *p_.pid;
  std::size_t u = 0, z = 0;  // inputs and states so far
  PidTarget target;
  if (law.has_input) target.position = std::clamp(in.u[u++], law.ctrl_min, law.ctrl_max);
  if (law.dynamics != ActuatorDynamics::kNone) {
    target.rate = calc_activation_rate(law, target.position, in.z[z]);
    target.position = in.z[z];
    out->zdot[z++] = target.rate;
  }
  if (pid.velocity_input) {
    target.rate += std::clamp(in.u[u++], pid.velocity_min, pid.velocity_max);
  }
  if (pid.feedforward_input) {
    target.force = std::clamp(in.u[u], pid.feedforward_min, pid.feedforward_max);
  }
  const std::size_t i = z + (pid.has_setpoint() ? 1 : 0);  // of the integral
  const PidForce result =
      calc_pid_force(pid, target, l, ldot, pid.has_setpoint() ? in.z[z] : target.position,
                     pid.has_integral() ? in.z[i] : 0);
  if (pid.has_setpoint()) out->zdot[z] = result.setpoint_rate;
  if (pid.has_integral()) out->zdot[i] = result.integral_rate;
  return result.force;
}

void TransmissionActuator::evaluate(const SystemInput& in, SystemOutput* out) const {
  const ActuatorParameters& law = p_.law;
  const double ctrl = law.has_input ? std::clamp(in.u[0], law.ctrl_min, law.ctrl_max) : 0;
  const double a = in.z.empty() ? ctrl : in.z[0];
  const auto length = port_.calc_length(in);
  const double l = law.gear * length.l, ldot = law.gear * length.ldot;
  double force = 0;
  if (p_.pid) {
    force = evaluate_pid(in, l, ldot, out);
  } else if (p_.muscle) {
    const MuscleForce muscle = calc_muscle_force(*p_.muscle, l, ldot);
    force = muscle.gain * a + muscle.bias;
    out->zdot[0] = calc_muscle_rate(*p_.muscle, ctrl, a);
  } else {
    force = affine(law.gain, l, ldot) * a + affine(law.bias, l, ldot);
    if (!in.z.empty()) out->zdot[0] = calc_activation_rate(law, ctrl, a);
  }
  force = std::clamp(force, p_.force_min, p_.force_max);
  out->output(0)[0] = force;
  port_.add_force(in, law.gear * force, out);
}

}  // namespace cenic

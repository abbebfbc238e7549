// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/pid_servo.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "systems/library/parameters.h"

namespace cenic {

PidForce calc_pid_force(const PidServo& p, const PidTarget& target, double l, double ldot, double s,
                        double I) {
  PidForce result;
  double setpoint = target.position;
  if (p.has_setpoint()) {
    const double most = p.slew * p.setpoint_time;
    setpoint = std::clamp(target.position, s - most, s + most);
    result.setpoint_rate = (setpoint - s) / p.setpoint_time;
  }
  const double error = setpoint - l;
  result.force = p.kp * error + p.kv * (target.rate - ldot) + target.force;
  if (!p.has_integral()) return result;
  double integral = I;
  if (p.integral_time > 0) {
    integral = std::clamp(I + p.integral_time * error, -p.integral_limit, p.integral_limit);
    result.integral_rate = (integral - I) / p.integral_time;
  } else {
    const bool leaves =
        (I >= p.integral_limit && error > 0) || (I <= -p.integral_limit && error < 0);
    result.integral_rate = leaves ? 0 : error;
  }
  result.force += p.ki * integral;
  return result;
}

void check_pid_servo(const PidServo& p) {
  detail::check_finite("kp, kv or ki", std::array{p.kp, p.kv, p.ki});
  detail::check_not_negative("integral_time", p.integral_time);
  detail::check_positive("setpoint_time", p.setpoint_time);
  if (!(p.integral_limit >= 0) || !(p.slew >= 0)) {
    throw Error("integral_limit and slew of a PID servo are not negative; give such numbers");
  }
  if (!(p.velocity_min <= p.velocity_max) || !(p.feedforward_min <= p.feedforward_max)) {
    throw Error("a range of the PID servo has its lower end above the upper one; swap them");
  }
}

}  // namespace cenic

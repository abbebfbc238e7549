// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// PidServo: the force law of a PID actuator along a transmission of length l, as MuJoCo's plugin
// `mujoco.pid` and its actuator `pid` have it. With the target u, its rate u̇ and a feedforward f,
//
//   s⁺ = u within s ± slew T_s,  ṡ = (s⁺ − s)/T_s     set-point (without a limit of its rate: u)
//   e  = s⁺ − l,  I⁺ = I + T_i e within ± limit,  İ = (I⁺ − I)/T_i   (T_i = 0: e, or 0 at the
//   limit) force = kp e + kv (u̇ − l̇) + ki I⁺ + f
//
// T_s and T_i are how far a digital controller looks ahead: one of its samples, or nothing.
#pragma once

#include <limits>

namespace cenic {

struct PidServo {
  double kp = 0, kv = 0, ki = 0;
  double integral_limit = std::numeric_limits<double>::infinity();  // of I
  double integral_time = 0;                                         // T_i, s
  double slew = std::numeric_limits<double>::infinity();            // largest |ṡ|
  double setpoint_time = 2e-3;                                      // T_s, s
  // Inputs besides the target, and their ranges.
  bool velocity_input = false, feedforward_input = false;
  double velocity_min = -std::numeric_limits<double>::infinity();
  double velocity_max = std::numeric_limits<double>::infinity();
  double feedforward_min = -std::numeric_limits<double>::infinity();
  double feedforward_max = std::numeric_limits<double>::infinity();

  bool has_setpoint() const { return slew < std::numeric_limits<double>::infinity(); }
  bool has_integral() const { return ki != 0; }
};

struct PidTarget {
  double position = 0, rate = 0, force = 0;  // u, u̇, f
};
struct PidForce {
  double force = 0, setpoint_rate = 0, integral_rate = 0;
};
// s and I count where the servo has them.
PidForce calc_pid_force(const PidServo& p, const PidTarget& target, double l, double ldot, double s,
                        double I);

// Throws Error when a number of it is none.
void check_pid_servo(const PidServo& p);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// ActuatorModel: a motor or servo behind a gear on a joint with one velocity, or on several that a
// tendon couples, as MuJoCo's actuator `general` has it. With l = gear · q, or gear · Σ c_i q_i,
//
//   force = (g0 + g1 l + g2 l̇) a + b0 + b1 l + b2 l̇,   τ_i = gear c_i force,   |force| ≤
//   force_limit
//
// The output `force` is that force. There a is the input `ctrl` within its range, or the activation
// z that follows it:
//   kIntegrator  ż = ctrl
//   kFilter      ż = (ctrl − z)/time_constant; MuJoCo's `filter` and `filterexact`, which differ in
//                how a fixed step integrates it
#pragma once

#include <array>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "model/external_system.h"
#include "model/tendon_path.h"

namespace cenic {

enum class ActuatorDynamics { kNone, kIntegrator, kFilter };

struct ActuatorParameters {
  std::string joint{};
  std::vector<TendonPart> tendon{};  // instead of the joint
  double gear = 1;
  std::array<double, 3> gain{1, 0, 0};  // g: one, l, l̇
  std::array<double, 3> bias{};         // b: one, l, l̇
  ActuatorDynamics dynamics = ActuatorDynamics::kNone;
  double time_constant = 0;  // kFilter, s
  double activation = 0;     // at first
  // The activation does not leave this range.
  double activation_min = -std::numeric_limits<double>::infinity();
  double activation_max = std::numeric_limits<double>::infinity();
  double error_weight = 1;  // of the activation in the error control, metres per unit
  double ctrl_min = -std::numeric_limits<double>::infinity();
  double ctrl_max = std::numeric_limits<double>::infinity();
  double force_limit = std::numeric_limits<double>::infinity();  // before the gear
  bool has_input = true;  // false: a = 0, a passive spring, damper or weight without `ctrl`
};

// force = ctrl
ActuatorParameters make_motor(std::string joint, double gear = 1);
// force = kp (ctrl − l) − kv l̇
ActuatorParameters make_position_servo(std::string joint, double kp, double kv = 0);
// force = kv (ctrl − l̇)
ActuatorParameters make_velocity_servo(std::string joint, double kv);

// ż of the activation z that follows ctrl.
double calc_activation_rate(const ActuatorParameters& p, double ctrl, double z);

class ActuatorModel : public ExternalSystem {
 public:
  explicit ActuatorModel(ActuatorParameters parameters);
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  struct Length {
    double l = 0, ldot = 0;
  };
  Length calc_length(const SystemInput& in) const;
  double calc_ctrl(const SystemInput& in) const;
  ActuatorParameters p_;
  std::vector<TendonPart> parts_;
};

}  // namespace cenic

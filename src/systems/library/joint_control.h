// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Controllers of joints with one coordinate for each velocity. All follow the same reference: a
// fixed one, or the input `reference` of 2 n numbers, positions and then velocities, when
// `reference_input` is set. A PD controller is PidControl without ki.
#pragma once

#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "model/external_system.h"

namespace cenic {

// The joints a controller drives and what they follow. Lists have one entry for each velocity, or
// one for all; an empty reference is the zero position.
struct JointTargets {
  std::vector<std::string> joints{};
  std::vector<double> reference{};  // positions
  std::vector<double> effort_limits{std::numeric_limits<double>::infinity()};
  bool reference_input = false;
};

struct PidGains {
  std::vector<double> kp{0.0}, ki{0.0}, kd{0.0};
  // The integral is held within ± this effort (anti-windup), N m or N.
  std::vector<double> integral_limit{std::numeric_limits<double>::infinity()};
  double error_weight = 1;  // of the integral in the error control, metres per unit
};

// τ = −K_p (q − q_d) − K_d (v − v_d) − K_i ∫ (q − q_d) dt
class PidControl : public ExternalSystem {
 public:
  PidControl(JointTargets targets, PidGains gains);
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(targets_, gains_); }

 private:
  bool has_integral() const;
  bool winds_up(const SystemInput& in, int i, double error) const;
  JointTargets targets_;
  PidGains gains_;
};

// τ = M(q) v̇_d + k(q, v),  v̇_d = −K_p (q − q_d) − K_d (v − v_d): the same closed loop whatever
// the arm's inertia (paper, section VII-D.1). Joints of the tree that it does not drive count as
// not accelerating.
class InverseDynamicsControl : public ExternalSystem {
 public:
  InverseDynamicsControl(JointTargets targets, std::vector<double> kp, std::vector<double> kd);
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  // Without the derivatives of M and k, which do not grow with the gains.
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(targets_, kp_, kd_); }

 private:
  JointTargets targets_;
  std::vector<double> kp_, kd_;
};

// τ = −g(q) − K (q − q_d) − D (v − v_d), g the generalised forces of gravity: the joints feel like
// springs and dampers about the reference, with the inertia that they have.
class JointImpedance : public ExternalSystem {
 public:
  JointImpedance(JointTargets targets, std::vector<double> stiffness, std::vector<double> damping);
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  // Without the derivative of g, which does not grow with the gains.
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(targets_, stiffness_, damping_); }

 private:
  JointTargets targets_;
  std::vector<double> stiffness_, damping_;
};

// τ = −g(q) over the joints named, of any kind.
class GravityCompensation : public ExternalSystem {
 public:
  explicit GravityCompensation(std::vector<std::string> joints,
                               std::vector<double> effort_limits = {
                                   std::numeric_limits<double>::infinity()});
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(joints_, effort_limits_); }

 private:
  std::vector<std::string> joints_;
  std::vector<double> effort_limits_;
};

}  // namespace cenic

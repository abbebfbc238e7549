// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// TaskSpaceControl: a frame P on a body is drawn to a target pose T by a spring and a damper in
// space, which joints exert.
//
//   F = K_p e − K_d (V_WP − V_WT),   e = (log(R_WT R_WPᵀ), p_WT − p_WP),   τ = Jᵀ F (− g(q))
//
// Gains are along world axes, rotation first. J is over the driven joints alone.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "math/spatial.h"
#include "model/external_system.h"

namespace cenic {

// Rotation (N m/rad) first, then translation (N/m), along each world axis.
using TaskGains = std::array<double, 6>;
inline TaskGains make_task_gains(double rotation, double translation) {
  return {rotation, rotation, rotation, translation, translation, translation};
}

struct TaskSpaceParameters {
  std::string body{};
  RigidTransform X_BP{};
  std::vector<std::string> joints{};
  std::vector<double> effort_limits{std::numeric_limits<double>::infinity()};
  TaskGains kp{}, kd{};
  bool compensate_gravity = false;  // of the joints driven
  RigidTransform target{};          // X_WT
  // Instead the input `target`: quaternion and position, 7 numbers; and with target_velocity the
  // input `target_velocity`: angular and linear velocity in world axes, 6 numbers.
  bool target_input = false;
  bool target_velocity = false;
};

class TaskSpaceControl : public ExternalSystem {
 public:
  explicit TaskSpaceControl(TaskSpaceParameters parameters);
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  // −Jᵀ K J: exact where the frame is at rest on its target, without gravity; elsewhere it leaves
  // out how J and the axis of rotation change, which does not grow with the gains alone.
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  TaskSpaceParameters p_;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/task_space_control.h"

#include <fmt/format.h>

#include "core/error.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

Spatial scale(const TaskGains& k, const Spatial& A) {
  return {{k[0] * A.w.x, k[1] * A.w.y, k[2] * A.w.z}, {k[3] * A.v.x, k[4] * A.v.y, k[5] * A.v.z}};
}

}  // namespace

TaskSpaceControl::TaskSpaceControl(TaskSpaceParameters parameters) : p_(std::move(parameters)) {}

void TaskSpaceControl::declare(Ports* ports) const {
  detail::drive_joints(p_.joints, p_.effort_limits, ports);
  ports->read_body(p_.body);
  if (p_.body == kWorldName) throw Error("the world does not move; name a body that joints move");
  detail::check_finite("kp", p_.kp);
  detail::check_finite("kd", p_.kd);
  detail::check_finite("X_BP", p_.X_BP);
  if (p_.target_input) {
    ports->add_input("target", 7);
    if (p_.target_velocity) ports->add_input("target_velocity", 6);
  } else {
    detail::check_finite("target", p_.target);
    if (p_.target_velocity) {
      throw Error("target_velocity is an input beside the input target; set target_input, too");
    }
  }
  ports->depends_on_time = false;
}

void TaskSpaceControl::evaluate(const SystemInput& in, SystemOutput* out) const {
  if (p_.compensate_gravity) detail::compensate_gravity(in, out->tau);
  const RigidTransform& X_WB = in.X_WB(0);
  const RigidTransform X_WP = X_WB * p_.X_BP;
  const Vec3 p_BoP_W = X_WP.p - X_WB.p;
  RigidTransform X_WT = p_.target;
  if (p_.target_input) {
    X_WT = {to_matrix(normalized(detail::load_quaternion(in.input(0)))),
            detail::load(in.input(0).subspan(4))};
  }
  Spatial V = shift_motion(in.V_WB(0), p_BoP_W);
  if (p_.target_velocity) {
    V -= {detail::load(in.input(1)), detail::load(in.input(1).subspan(3))};
  }
  const Spatial e{log_map(to_quaternion(X_WT.R * transpose(X_WP.R))), X_WT.p - X_WP.p};
  const Spatial F = scale(p_.kp, e) - scale(p_.kd, V);
  const std::span<const Spatial> J_B = in.calc_body_jacobian(0);
  for (std::size_t i = 0; i < in.v.size(); ++i) {
    out->tau[i] += dot(shift_motion(J_B[i], p_BoP_W), F);
  }
}

bool TaskSpaceControl::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const RigidTransform& X_WB = in.X_WB(0);
  const Vec3 p_BoP_W = X_WB.R * p_.X_BP.p;
  const std::span<const Spatial> J_B = in.calc_body_jacobian(0);
  const Quat target = p_.target_input ? detail::load_quaternion(in.input(0)) : Quat{};
  const double target_norm = norm(target);
  for (int i = 0; i < static_cast<int>(in.v.size()); ++i) {
    const Spatial row = shift_motion(J_B[i], p_BoP_W);
    const Spatial Kp = scale(p_.kp, row), Kd = scale(p_.kd, row);
    for (int j = 0; j < static_cast<int>(J_B.size()); ++j) {
      const Spatial column = shift_motion(J_B[j], p_BoP_W);
      (*J)(J->tau(i), J->q(j)) = -dot(Kp, column);
      (*J)(J->tau(i), J->v(j)) = -dot(Kd, column);
    }
    if (!p_.target_input) continue;
    // A change dQ of the target's quaternion Q turns it by 2 Im(dQ Q*)/|Q|².
    const Quat units[] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int k = 0; k < 4; ++k) {
      const Quat turn = units[k] * conjugate(target);
      (*J)(J->tau(i), J->u(k)) =
          2 * dot(Kp.w, {turn.x, turn.y, turn.z}) / (target_norm * target_norm);
    }
    for (int k = 0; k < 3; ++k) {
      (*J)(J->tau(i), J->u(4 + k)) = Kp.v[k];
    }
    for (int k = 0; k < 6 && p_.target_velocity; ++k) {
      (*J)(J->tau(i), J->u(7 + k)) = k < 3 ? Kd.w[k] : Kd.v[k - 3];
    }
  }
  return true;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/sensors.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

// Acceleration at the point displaced by p from where A is taken, on a body that turns with w.
Spatial shift_acceleration(const Spatial& A, const Vec3& w, const Vec3& p) {
  return {A.w, A.v + cross(A.w, p) + cross(w, cross(w, p))};
}

void store_spatial(const Spatial& A, std::span<double> to) {
  detail::store(A.w, to);
  detail::store(A.v, to.subspan(3));
}

}  // namespace

void JointSensor::declare(Ports* ports) const {
  if (joints_.empty()) throw Error("reads no joint; name at least one");
  for (const std::string& joint : joints_) {
    ports->read_joint(joint);
  }
  ports->add_output("position", static_cast<int>(ports->coordinates.size()));
  ports->add_output("velocity", ports->num_velocities());
  if (effort_) ports->add_output("effort", ports->num_velocities());
  ports->reads_measurements = effort_;
  ports->depends_on_time = false;
}

void JointSensor::evaluate(const SystemInput& in, SystemOutput* out) const {
  std::ranges::copy(in.q, out->output(0).begin());
  std::ranges::copy(in.v, out->output(1).begin());
  for (std::size_t i = 0; i < in.v.size() && effort_; ++i) {
    out->output(2)[i] = in.measured().effort[in.system().velocities[i]];
  }
}

bool JointSensor::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const int n = static_cast<int>(in.v.size());
  if (n != static_cast<int>(in.q.size())) return false;  // quaternions: by differences
  for (int i = 0; i < n; ++i) {
    (*J)(J->y(i), J->q(i)) = 1;
    (*J)(J->y(n + i), J->v(i)) = 1;
  }
  return true;
}

void BodySensor::declare(Ports* ports) const {
  detail::check_finite("X_BP", X_BP_);
  ports->read_body(body_);
  ports->add_output("pose", 7);
  ports->add_output("twist", 6);
  if (acceleration_) ports->add_output("acceleration", 6);
  ports->reads_measurements = acceleration_;
  ports->depends_on_time = false;
}

void BodySensor::evaluate(const SystemInput& in, SystemOutput* out) const {
  const RigidTransform X_WP = in.X_WB(0) * X_BP_;
  const Vec3 p_BoP_W = X_WP.p - in.X_WB(0).p;
  const Quat q = to_quaternion(X_WP.R);
  const std::span<double> pose = out->output(0);
  pose[0] = q.w, pose[1] = q.x, pose[2] = q.y, pose[3] = q.z;
  detail::store(X_WP.p, pose.subspan(4));
  const Spatial& V = in.V_WB(0);
  store_spatial(shift_motion(V, p_BoP_W), out->output(1));
  if (!acceleration_) return;
  store_spatial(shift_acceleration(in.calc_body_acceleration(0), V.w, p_BoP_W), out->output(2));
}

void Imu::declare(Ports* ports) const {
  detail::check_finite("X_BS", X_BS_);
  ports->read_body(body_);
  ports->add_output("gyro", 3);
  ports->add_output("accelerometer", 3);
  ports->reads_measurements = true;
  ports->depends_on_time = false;
}

void Imu::evaluate(const SystemInput& in, SystemOutput* out) const {
  const Mat3& R_WB = in.X_WB(0).R;
  const Mat3 R_WS = R_WB * X_BS_.R;
  const Vec3 w = in.V_WB(0).w;
  const Vec3 a = shift_acceleration(in.calc_body_acceleration(0), w, R_WB * X_BS_.p).v;
  detail::store(transpose_times(R_WS, w), out->output(0));
  detail::store(transpose_times(R_WS, a - in.model().gravity), out->output(1));
}

void ContactForceSensor::declare(Ports* ports) const {
  if (p_.geometry.empty() == p_.body.empty()) {
    throw Error("needs a geometry or a body; name one of the two");
  }
  if (p_.body.empty()) {
    ports->read_geometry(p_.geometry);
  } else {
    ports->read_geometries_of(p_.body);
  }
  ports->add_output("force", 3);
  ports->add_output("normal", 1);
  ports->depends_on_time = false;
}

void ContactForceSensor::evaluate(const SystemInput& in, SystemOutput* out) const {
  Vec3 force;
  double& normal = out->output(1)[0];
  for (int i = 0; i < static_cast<int>(in.system().geometries.size()); ++i) {
    force += in.contact_force(i).v;
    normal += in.contact_normal(i);
  }
  detail::store(force, out->output(0));
}

void ConstraintForceSensor::declare(Ports* ports) const {
  ports->read_constraint(constraint_);
  const ConstraintKind kind = ports->model().constraints[ports->constraints.back()].kind;
  if (kind == ConstraintKind::kCoupler || kind == ConstraintKind::kTendon) {
    throw Error(fmt::format("'{}' is a {}, which acts between {}; name a constraint between bodies",
                            constraint_, to_string(kind),
                            kind == ConstraintKind::kCoupler ? "joints" : "tendons"));
  }
  ports->add_output("torque", 3);
  ports->add_output("force", 3);
  ports->depends_on_time = false;
}

void ConstraintForceSensor::evaluate(const SystemInput& in, SystemOutput* out) const {
  detail::store(in.constraint_force(0).w, out->output(0));
  detail::store(in.constraint_force(0).v, out->output(1));
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/transmission.h"

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

// Position and velocity in world of a point of the i-th body read.
struct MovingPoint {
  Vec3 p, v;
};

MovingPoint calc_point(const SystemInput& in, int i, const Vec3& p_B) {
  const RigidTransform& X = in.X_WB(i);
  const Vec3 arm = X.R * p_B;
  return {X.p + arm, shift_motion(in.V_WB(i), arm).v};
}

void push(const SystemInput& in, int i, const Vec3& p, const Vec3& force, SystemOutput* out) {
  out->F[i] += {cross(p - in.X_WB(i).p, force), force};
}

}  // namespace

void TransmissionPort::declare(Ports* ports) const {
  const int kinds =
      (t_.joints.empty() ? 0 : 1) + (t_.branches.empty() ? 0 : 1) + (t_.wrench.empty() ? 0 : 1);
  if (kinds != 1) throw Error("a transmission is of joints, of branches or a wrench; give one");
  for (const TendonPart& part : t_.joints) {
    detail::check_finite("coefficient", part.coefficient);
    const int before = ports->num_velocities();
    ports->drive_joint(part.joint);
    if (ports->num_velocities() != before + 1) {
      throw Error(fmt::format("joint '{}' has {} velocities; a tendon takes joints with one",
                              part.joint, ports->num_velocities() - before));
    }
  }
  // Every point is read and pushed by itself, so that indices are positions in the path.
  for (const PathBranch& branch : t_.branches) {
    if (branch.points.size() < 2) throw Error("a path has fewer than two points; give two");
    detail::check_positive("divisor", branch.divisor);
    for (const PathPoint& point : branch.points) {
      detail::check_finite("a point of the path", point.p_B);
      ports->push_body(point.body);
    }
  }
  for (const WrenchFrame& frame : t_.wrench) {
    detail::check_finite("the frame of the wrench", frame.X_BS);
    ports->push_body(frame.body);
  }
  ports->depends_on_time = false;
}

TransmissionPort::Length TransmissionPort::calc_length(const SystemInput& in) const {
  Length length;
  for (std::size_t i = 0; i < t_.joints.size(); ++i) {
    length.l += t_.joints[i].coefficient * in.q[i];
    length.ldot += t_.joints[i].coefficient * in.v[i];
  }
  int k = 0;
  for (const PathBranch& branch : t_.branches) {
    for (std::size_t i = 0; i + 1 < branch.points.size(); ++i, ++k) {
      const MovingPoint a = calc_point(in, k, branch.points[i].p_B);
      const MovingPoint b = calc_point(in, k + 1, branch.points[i + 1].p_B);
      const double distance = norm(b.p - a.p);
      length.l += distance / branch.divisor;
      if (distance > 0) length.ldot += dot(b.p - a.p, b.v - a.v) / (distance * branch.divisor);
    }
    ++k;
  }
  for (const WrenchFrame& frame : t_.wrench) {
    const Mat3 R_WS = in.X_WB(0).R * frame.X_BS.R;
    const Spatial V = shift_motion(in.V_WB(0), in.X_WB(0).R * frame.X_BS.p);
    length.ldot += dot(R_WS * frame.w.w, V.w) + dot(R_WS * frame.w.v, V.v);
  }
  return length;
}

void TransmissionPort::add_force(const SystemInput& in, double f, SystemOutput* out) const {
  for (std::size_t i = 0; i < t_.joints.size(); ++i) {
    out->tau[i] += t_.joints[i].coefficient * f;
  }
  int k = 0;
  for (const PathBranch& branch : t_.branches) {
    for (std::size_t i = 0; i + 1 < branch.points.size(); ++i, ++k) {
      const Vec3 a = calc_point(in, k, branch.points[i].p_B).p;
      const Vec3 b = calc_point(in, k + 1, branch.points[i + 1].p_B).p;
      const double distance = norm(b - a);
      if (!(distance > 0)) continue;
      const Vec3 force = f / (distance * branch.divisor) * (b - a);
      push(in, k, a, -force, out);
      push(in, k + 1, b, force, out);
    }
    ++k;
  }
  for (const WrenchFrame& frame : t_.wrench) {
    const Mat3 R_WS = in.X_WB(0).R * frame.X_BS.R;
    push(in, 0, in.X_WB(0) * frame.X_BS.p, f * (R_WS * frame.w.v), out);
    out->F[0].w += f * (R_WS * frame.w.w);
  }
}

void TransmissionSpring::declare(Ports* ports) const {
  for (const double x : {p_.stiffness, p_.damping, p_.limit_stiffness, p_.limit_damping}) {
    detail::check_not_negative("stiffness or damping", x);
  }
  if (!(p_.slack_lower <= p_.slack_upper) || !(p_.lower <= p_.upper)) {
    throw Error("a range of the spring has its lower end above the upper one; swap them");
  }
  port_.declare(ports);
}

TransmissionSpring::Force TransmissionSpring::calc_force(double l, double ldot) const {
  Force force{.f = -p_.damping * ldot, .rate_slope = -p_.damping};
  const double stretch = l < p_.slack_lower   ? l - p_.slack_lower
                         : l > p_.slack_upper ? l - p_.slack_upper
                                              : 0;
  force.f -= p_.stiffness * stretch;
  if (stretch != 0) force.slope -= p_.stiffness;
  // A limit pushes back, or not at all.
  const double beyond = l < p_.lower ? l - p_.lower : (l > p_.upper ? l - p_.upper : 0);
  const double push_back = -p_.limit_stiffness * beyond - p_.limit_damping * ldot;
  if (push_back * beyond < 0) {
    force.f += push_back;
    force.slope -= p_.limit_stiffness;
    force.rate_slope -= p_.limit_damping;
  }
  return force;
}

void TransmissionSpring::evaluate(const SystemInput& in, SystemOutput* out) const {
  const auto [l, ldot] = port_.calc_length(in);
  port_.add_force(in, calc_force(l, ldot).f, out);
}

bool TransmissionSpring::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const std::vector<TendonPart>& joints = port_.transmission().joints;
  if (joints.empty()) return false;
  const auto [l, ldot] = port_.calc_length(in);
  const Force force = calc_force(l, ldot);
  for (int i = 0; i < static_cast<int>(joints.size()); ++i) {
    for (int k = 0; k < static_cast<int>(joints.size()); ++k) {
      const double c = joints[i].coefficient * joints[k].coefficient;
      (*J)(J->tau(i), J->q(k)) = c * force.slope;
      (*J)(J->tau(i), J->v(k)) = c * force.rate_slope;
    }
  }
  return true;
}

void TransmissionActuator::declare(Ports* ports) const {
  const ActuatorParameters& law = p_.law;
  detail::check_finite("gear", law.gear);
  detail::check_finite("gain", law.gain);
  detail::check_finite("bias", law.bias);
  if (!(law.ctrl_min <= law.ctrl_max) || !(p_.force_min <= p_.force_max)) {
    throw Error("a range of the actuator has its lower end above the upper one; swap them");
  }
  port_.declare(ports);
  if (law.dynamics != ActuatorDynamics::kNone) {
    ports->add_state("activation", law.activation, law.error_weight);
  }
  if (law.dynamics == ActuatorDynamics::kFilter) {
    detail::check_positive("time_constant", law.time_constant);
  }
  ports->add_input("ctrl");
}

void TransmissionActuator::evaluate(const SystemInput& in, SystemOutput* out) const {
  const ActuatorParameters& law = p_.law;
  const double ctrl = std::clamp(in.u[0], law.ctrl_min, law.ctrl_max);
  const double a = in.z.empty() ? ctrl : in.z[0];
  const auto length = port_.calc_length(in);
  const double l = law.gear * length.l, ldot = law.gear * length.ldot;
  const double force = affine(law.gain, l, ldot) * a + affine(law.bias, l, ldot);
  port_.add_force(in, law.gear * std::clamp(force, p_.force_min, p_.force_max), out);
  if (in.z.empty()) return;
  const bool filter = law.dynamics == ActuatorDynamics::kFilter;
  out->zdot[0] = filter ? (ctrl - a) / law.time_constant : ctrl;
}

}  // namespace cenic

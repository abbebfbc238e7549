// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/transmission.h"

#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "multibody/walk_path.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

// Velocity in world of the point of the i-th body read that is at p.
Vec3 calc_velocity(const SystemInput& in, int i, const Vec3& p) {
  return shift_motion(in.V_WB(i), p - in.X_WB(i).p).v;
}

void push(const SystemInput& in, int i, const Vec3& p, const Vec3& force, SystemOutput* out) {
  out->F[i] += {cross(p - in.X_WB(i).p, force), force};
}

// The axes in which a wrench is given: those of S, or of the frame R it is relative to.
Mat3 calc_wrench_axes(const SystemInput& in, const WrenchFrame& frame) {
  return frame.reference.empty() ? in.X_WB(0).R * frame.X_BS.R : in.X_WB(1).R * frame.X_AR.R;
}

// Relative to R, the velocity is that of S against the point of R's body at the same place: the
// exact rate of where S is in R.
TransmissionPort::Length calc_wrench_length(const SystemInput& in, const WrenchFrame& frame) {
  const Mat3 R_W = calc_wrench_axes(in, frame);
  const RigidTransform X_WS = in.X_WB(0) * frame.X_BS;
  Spatial V = shift_motion(in.V_WB(0), X_WS.p - in.X_WB(0).p);
  TransmissionPort::Length length;
  if (!frame.reference.empty()) {
    V -= shift_motion(in.V_WB(1), X_WS.p - in.X_WB(1).p);
    const RigidTransform X_RS = inverse(in.X_WB(1) * frame.X_AR) * X_WS;
    length.l = dot(frame.w.v, X_RS.p) + dot(frame.w.w, log_map(to_quaternion(X_RS.R)));
  }
  length.ldot = dot(R_W * frame.w.w, V.w) + dot(R_W * frame.w.v, V.v);
  return length;
}

// Of a unit force on a ball or free joint, in the axes of its velocities: the joint's frame F, or
// the world.
struct JointForce {
  Vec3 torque, force;
};
JointForce calc_joint_force(const JointWrench& joint, const Quat& e) {
  return {joint.in_parent ? joint.torque : to_matrix(e) * joint.torque, joint.force};
}

// With d from the slider's frame to the pin, and a = d · axis, the rod's end is at
// l = a − √(a² + rod² − d²) on the axis.
struct CrankState {
  Vec3 p_WP, p_WS, axis;
  double length = 0;
  Vec3 by_offset, by_axis;  // ∂l/∂d, ∂l/∂axis
};
CrankState calc_crank(const SystemInput& in, const SliderCrank& crank) {
  CrankState s;
  s.p_WP = in.X_WB(0) * crank.p_BP;
  s.p_WS = in.X_WB(1) * crank.X_BS.p;
  s.axis = (in.X_WB(1).R * crank.X_BS.R) * Vec3{0, 0, 1};
  const Vec3 d = s.p_WP - s.p_WS;
  const double a = dot(d, s.axis), square = a * a + crank.rod * crank.rod - dot(d, d);
  s.length = a;
  s.by_offset = s.axis;
  s.by_axis = d;
  if (square <= 0) return s;  // the rod is too short: its end is nearest to the pin
  const double root = std::sqrt(square);
  s.length -= root;
  s.by_offset = (1 - a / root) * s.axis + d / root;
  s.by_axis = (1 - a / root) * d;
  return s;
}

}  // namespace

void TransmissionPort::declare(Ports* ports, bool acts) const {
  const int kinds = (t_.joints.empty() ? 0 : 1) + (t_.branches.empty() ? 0 : 1) +
                    (t_.wrench.empty() ? 0 : 1) + (t_.joint.empty() ? 0 : 1) +
                    (t_.crank.empty() ? 0 : 1);
  if (kinds != 1) {
    throw Error("a transmission is of joints, of branches, a wrench or a crank; give one");
  }
  const auto use_body = [&](const std::string& body) {
    acts ? ports->push_body(body) : ports->read_body(body);
  };
  const auto use_joint = [&](const std::string& joint) {
    acts ? ports->drive_joint(joint) : ports->read_joint(joint);
  };
  for (const TendonPart& part : t_.joints) {
    detail::check_finite("coefficient", part.coefficient);
    const int before = ports->num_velocities();
    use_joint(part.joint);
    if (ports->num_velocities() != before + 1) {
      throw Error(fmt::format("joint '{}' has {} velocities; a tendon takes joints with one",
                              part.joint, ports->num_velocities() - before));
    }
  }
  declare_branches(ports, acts);
  for (const WrenchFrame& frame : t_.wrench) {
    detail::check_finite("the frame of the wrench", frame.X_BS);
    detail::check_finite("the frame of reference", frame.X_AR);
    use_body(frame.body);
    if (!frame.reference.empty()) use_body(frame.reference);
  }
  for (const JointWrench& joint : t_.joint) {
    detail::check_finite("torque", joint.torque);
    detail::check_finite("force", joint.force);
    use_joint(joint.joint);
    const bool ball = ports->num_velocities() == 3 && ports->coordinates.size() == 4;
    const bool free = ports->num_velocities() == 6 && ports->coordinates.size() == 7;
    if (!ball && !free) {
      throw Error(fmt::format("joint '{}' is neither ball nor free; name one", joint.joint));
    }
  }
  for (const SliderCrank& crank : t_.crank) {
    detail::check_finite("the pin of the crank", crank.p_BP);
    detail::check_finite("the frame of the slider", crank.X_BS);
    detail::check_positive("rod", crank.rod);
    use_body(crank.crank);
    use_body(crank.slider);
  }
  ports->depends_on_time = false;
}

// Every point is read and pushed by itself, so that indices are positions in the path.
void TransmissionPort::declare_branches(Ports* ports, bool acts) const {
  const auto use_body = [&](const std::string& body) {
    acts ? ports->push_body(body) : ports->read_body(body);
  };
  for (const PathBranch& branch : t_.branches) {
    if (branch.points.size() < 2) throw Error("a path has fewer than two points; give two");
    detail::check_positive("divisor", branch.divisor);
    for (const PathPoint& point : branch.points) {
      detail::check_finite("a point of the path", point.p_B);
      use_body(point.body);
    }
    for (const PathObstacle& o : branch.obstacles) {
      detail::check_finite("X_BG", o.X_BG);
      detail::check_positive("radius", o.obstacle.radius);
      if (o.after < 0 || o.after + 1 >= static_cast<int>(branch.points.size())) {
        throw Error("an obstacle does not stand between two points of the path");
      }
      use_body(o.body);
    }
  }
}

template <typename F>
double TransmissionPort::walk(const SystemInput& in, const F& f) const {
  const auto pose = [&](int i) -> const RigidTransform& {
    return in.X_WB(i);
  };
  return walk_path(t_.branches, pose, f);
}

TransmissionPort::Length TransmissionPort::calc_length(const SystemInput& in) const {
  Length length;
  for (std::size_t i = 0; i < t_.joints.size(); ++i) {
    length.l += t_.joints[i].coefficient * in.q[i];
    length.ldot += t_.joints[i].coefficient * in.v[i];
  }
  // The string touches obstacles along their surface: sliding there does not change its length.
  length.l += walk(in, [&](int ia, const Vec3& a, int ib, const Vec3& b, double divisor) {
    const double distance = norm(b - a);
    length.l += distance / divisor;
    if (!(distance > 0)) return;
    const Vec3 v = calc_velocity(in, ib, b) - calc_velocity(in, ia, a);
    length.ldot += dot(b - a, v) / (distance * divisor);
  });
  for (const WrenchFrame& frame : t_.wrench) {
    length = calc_wrench_length(in, frame);
  }
  for (const JointWrench& joint : t_.joint) {
    const Quat e = detail::load_quaternion(in.q);
    const JointForce unit = calc_joint_force(joint, e);
    if (in.v.size() == 3) length.l = dot(joint.torque, log_map(e));
    length.ldot = dot(unit.torque, detail::load(in.v));
    if (in.v.size() == 6) length.ldot += dot(unit.force, detail::load(in.v.subspan(3)));
  }
  for (const SliderCrank& crank : t_.crank) {
    const CrankState s = calc_crank(in, crank);
    const Vec3 v = calc_velocity(in, 0, s.p_WP) - calc_velocity(in, 1, s.p_WS);
    length.l = s.length;
    length.ldot = dot(s.by_offset, v) + dot(s.by_axis, cross(in.V_WB(1).w, s.axis));
  }
  return length;
}

void TransmissionPort::add_force(const SystemInput& in, double f, SystemOutput* out) const {
  for (std::size_t i = 0; i < t_.joints.size(); ++i) {
    out->tau[i] += t_.joints[i].coefficient * f;
  }
  walk(in, [&](int ia, const Vec3& a, int ib, const Vec3& b, double divisor) {
    const double distance = norm(b - a);
    if (!(distance > 0)) return;
    const Vec3 force = f / (distance * divisor) * (b - a);
    push(in, ia, a, -force, out);
    push(in, ib, b, force, out);
  });
  for (const WrenchFrame& frame : t_.wrench) {
    const Mat3 R_W = calc_wrench_axes(in, frame);
    const Vec3 p_WS = in.X_WB(0) * frame.X_BS.p, force = f * (R_W * frame.w.v);
    const Vec3 torque = f * (R_W * frame.w.w);
    push(in, 0, p_WS, force, out);
    out->F[0].w += torque;
    if (frame.reference.empty()) continue;
    push(in, 1, p_WS, -force, out);
    out->F[1].w -= torque;
  }
  for (const JointWrench& joint : t_.joint) {
    const JointForce unit = calc_joint_force(joint, detail::load_quaternion(in.q));
    for (int i = 0; i < 3; ++i) {
      out->tau[i] += f * unit.torque[i];
      if (out->tau.size() == 6) out->tau[3 + i] += f * unit.force[i];
    }
  }
  for (const SliderCrank& crank : t_.crank) {
    const CrankState s = calc_crank(in, crank);
    push(in, 0, s.p_WP, f * s.by_offset, out);
    push(in, 1, s.p_WS, -f * s.by_offset, out);
    out->F[1].w += f * cross(s.axis, s.by_axis);
  }
}

void LengthSensor::declare(Ports* ports) const {
  port_.declare(ports, false);
  ports->add_output("length");
  ports->add_output("velocity");
}

void LengthSensor::evaluate(const SystemInput& in, SystemOutput* out) const {
  const auto [l, ldot] = port_.calc_length(in);
  out->output(0)[0] = gear_ * l;
  out->output(1)[0] = gear_ * ldot;
}

void TransmissionSpring::declare(Ports* ports) const {
  for (const double x :
       {p_.stiffness, p_.damping, p_.limit_stiffness, p_.limit_damping, p_.friction}) {
    detail::check_not_negative("stiffness, damping or friction", x);
  }
  detail::check_finite("more_stiffness", p_.more_stiffness);
  detail::check_finite("more_damping", p_.more_damping);
  detail::check_positive("slip", p_.slip);
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
  double power = stretch, speed = std::abs(ldot);
  int order = 2;
  for (const double k : p_.more_stiffness) {
    force.slope -= order * k * power;
    power *= stretch;
    force.f -= k * power;
    ++order;
  }
  power = 1;
  order = 2;
  for (const double d : p_.more_damping) {
    power *= speed;
    force.f -= d * power * ldot;
    force.rate_slope -= order * d * power;
    ++order;
  }
  const double smooth = std::hypot(ldot, p_.slip);
  force.f -= p_.friction * ldot / smooth;
  force.rate_slope -= p_.friction * p_.slip * p_.slip / (smooth * smooth * smooth);
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

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/transmission.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/error.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

double affine(const std::array<double, 3>& c, double l, double ldot) {
  return c[0] + c[1] * l + c[2] * ldot;
}

// Velocity in world of the point of the i-th body read that is at p.
Vec3 calc_velocity(const SystemInput& in, int i, const Vec3& p) {
  return shift_motion(in.V_WB(i), p - in.X_WB(i).p).v;
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
    for (const PathObstacle& o : branch.obstacles) {
      detail::check_finite("X_BG", o.X_BG);
      detail::check_positive("radius", o.obstacle.radius);
      if (o.after < 0 || o.after + 1 >= static_cast<int>(branch.points.size())) {
        throw Error("an obstacle does not stand between two points of the path");
      }
      ports->push_body(o.body);
    }
  }
  for (const WrenchFrame& frame : t_.wrench) {
    detail::check_finite("the frame of the wrench", frame.X_BS);
    ports->push_body(frame.body);
  }
  ports->depends_on_time = false;
}

template <typename F>
double TransmissionPort::walk(const SystemInput& in, const F& f) const {
  double on_obstacles = 0;
  int first = 0;  // body of the branch's first point
  for (const PathBranch& branch : t_.branches) {
    const int num_points = static_cast<int>(branch.points.size());
    for (int i = 0; i + 1 < num_points; ++i) {
      const int ia = first + i, ib = ia + 1;
      const Vec3 a = in.X_WB(ia) * branch.points[i].p_B;
      const Vec3 b = in.X_WB(ib) * branch.points[i + 1].p_B;
      std::optional<Wrap> wrap;
      for (std::size_t k = 0; k < branch.obstacles.size() && !wrap; ++k) {
        const PathObstacle& o = branch.obstacles[k];
        if (o.after != i) continue;
        const int io = first + num_points + static_cast<int>(k);
        const RigidTransform X_WG = in.X_WB(io) * o.X_BG;
        wrap = calc_wrap(o.obstacle, inverse_times(X_WG, a), inverse_times(X_WG, b));
        if (!wrap) continue;
        f(ia, a, io, X_WG * wrap->a_G, branch.divisor);
        f(io, X_WG * wrap->b_G, ib, b, branch.divisor);
        on_obstacles += wrap->length / branch.divisor;
      }
      if (!wrap) f(ia, a, ib, b, branch.divisor);
    }
    first += num_points + static_cast<int>(branch.obstacles.size());
  }
  return on_obstacles;
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
  walk(in, [&](int ia, const Vec3& a, int ib, const Vec3& b, double divisor) {
    const double distance = norm(b - a);
    if (!(distance > 0)) return;
    const Vec3 force = f / (distance * divisor) * (b - a);
    push(in, ia, a, -force, out);
    push(in, ib, b, force, out);
  });
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
  if (law.dynamics != ActuatorDynamics::kNone || p_.muscle) {
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
  double force = 0;
  if (p_.muscle) {
    const MuscleForce muscle = calc_muscle_force(*p_.muscle, l, ldot);
    force = muscle.gain * a + muscle.bias;
    out->zdot[0] = calc_muscle_rate(*p_.muscle, ctrl, a);
  } else {
    force = affine(law.gain, l, ldot) * a + affine(law.bias, l, ldot);
    if (!in.z.empty()) out->zdot[0] = calc_activation_rate(law, ctrl, a);
  }
  port_.add_force(in, law.gear * std::clamp(force, p_.force_min, p_.force_max), out);
}

}  // namespace cenic

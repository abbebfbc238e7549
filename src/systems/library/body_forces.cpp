// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/body_forces.h"

#include "core/error.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

void add_to_column(const Spatial& F, int body, int column, SystemJacobian* J) {
  for (int c = 0; c < 3; ++c) {
    (*J)(J->F(body, c), column) += F.w[c];
    (*J)(J->F(body, 3 + c), column) += F.v[c];
  }
}

}  // namespace

// The line from P to Q.
struct SpringDamper::Line {
  Vec3 p_AoP_W, p_BoQ_W;
  Vec3 direction;  // unit
  Vec3 v_PQ;       // velocity of Q relative to P
  double length = 0, rate = 0;
  double force = 0;  // that pulls them together
};

void SpringDamper::declare(Ports* ports) const {
  if (p_.a == p_.b) throw Error("both ends are on the same body; name two");
  detail::check_finite("p_AP", p_.p_AP);
  detail::check_finite("p_BQ", p_.p_BQ);
  detail::check_not_negative("rest_length", p_.rest_length);
  detail::check_not_negative("stiffness", p_.stiffness);
  detail::check_not_negative("damping", p_.damping);
  ports->push_body(p_.a);
  ports->push_body(p_.b);
  ports->depends_on_time = false;
}

SpringDamper::Line SpringDamper::calc_line(const SystemInput& in) const {
  Line line;
  line.p_AoP_W = in.X_WB(0).R * p_.p_AP;
  line.p_BoQ_W = in.X_WB(1).R * p_.p_BQ;
  const Vec3 p_PQ = in.X_WB(1).p + line.p_BoQ_W - in.X_WB(0).p - line.p_AoP_W;
  line.direction = normalized(p_PQ);
  line.length = norm(p_PQ);
  line.v_PQ = shift_motion(in.V_WB(1), line.p_BoQ_W).v - shift_motion(in.V_WB(0), line.p_AoP_W).v;
  line.rate = dot(line.direction, line.v_PQ);
  line.force = p_.stiffness * (line.length - p_.rest_length) + p_.damping * line.rate;
  return line;
}

void SpringDamper::evaluate(const SystemInput& in, SystemOutput* out) const {
  const Line line = calc_line(in);
  const Vec3 pull = line.force * line.direction;
  out->F[0] = {cross(line.p_AoP_W, pull), pull};
  out->F[1] = {-cross(line.p_BoQ_W, pull), -pull};
}

// With d the vector from P to Q, n = d/l and f the force, a change of d and of its rate changes
//   δ(f n) = n (k n·δd + c (v − l̇ n)·δd/l + c n·δv) + f/l (δd − n n·δd)
// and the moments also because the arms turn with their bodies.
bool SpringDamper::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const Line line = calc_line(in);
  const Vec3 n = line.direction, pull = line.force * n;
  const double over_length = line.length > 0 ? 1 / line.length : 0;
  const Vec3 slope = p_.stiffness * n + (p_.damping * over_length) * (line.v_PQ - line.rate * n);
  const std::span<const Spatial> J_A = in.calc_body_jacobian(0), J_B = in.calc_body_jacobian(1);
  for (int j = 0; j < static_cast<int>(in.dofs().size()); ++j) {
    const Vec3 dP = cross(J_A[j].w, line.p_AoP_W), dQ = cross(J_B[j].w, line.p_BoQ_W);
    const Vec3 dd = J_B[j].v + dQ - J_A[j].v - dP;
    const Vec3 by_q = dot(slope, dd) * n + line.force * over_length * (dd - dot(n, dd) * n);
    const Vec3 by_v = p_.damping * dot(n, dd) * n;
    add_to_column({cross(dP, pull) + cross(line.p_AoP_W, by_q), by_q}, 0, J->q(j), J);
    add_to_column({-cross(dQ, pull) - cross(line.p_BoQ_W, by_q), -by_q}, 1, J->q(j), J);
    add_to_column({cross(line.p_AoP_W, by_v), by_v}, 0, J->v(j), J);
    add_to_column({-cross(line.p_BoQ_W, by_v), -by_v}, 1, J->v(j), J);
  }
  return true;
}

void BodyForce::declare(Ports* ports) const {
  detail::check_finite("p_BP", p_.p_BP);
  detail::check_finite("the torque", p_.F.w);
  detail::check_finite("the force", p_.F.v);
  ports->push_body(p_.body);
  ports->depends_on_time = static_cast<bool>(p_.script);
}

Spatial BodyForce::calc_force_at_origin(const SystemInput& in) const {
  const Mat3& R_WB = in.X_WB(0).R;
  const Spatial F = p_.script ? p_.script(in.t) : p_.F;
  const Spatial F_W = p_.body_axes ? Spatial{R_WB * F.w, R_WB * F.v} : F;
  return shift_force(F_W, -(R_WB * p_.p_BP));
}

void BodyForce::evaluate(const SystemInput& in, SystemOutput* out) const {
  out->F[0] = calc_force_at_origin(in);
}

// What turns with the body: force and torque, or the arm of the force alone.
bool BodyForce::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const Spatial F = calc_force_at_origin(in);
  const std::span<const Spatial> J_B = in.calc_body_jacobian(0);
  for (int j = 0; j < static_cast<int>(J_B.size()); ++j) {
    const Vec3 w = J_B[j].w;
    const Spatial turned{cross(w, F.w), cross(w, F.v)};
    const Spatial armed{cross(cross(w, in.X_WB(0).R * p_.p_BP), F.v), {}};
    add_to_column(p_.body_axes ? turned : armed, 0, J->q(j), J);
  }
  return true;
}

}  // namespace cenic

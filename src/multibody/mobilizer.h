// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The formulas of each mobilizer: pose, hinge axes and their derivative. Private to the multibody
// module.
#pragma once

#include "model/model.h"

namespace cenic::detail {

inline Quat load_quaternion(const double* q) { return {q[0], q[1], q[2], q[3]}; }
inline void store_quaternion(const Quat& e, double* q) {
  q[0] = e.w, q[1] = e.x, q[2] = e.y, q[3] = e.z;
}
inline Vec3 load_vector(const double* v) { return {v[0], v[1], v[2]}; }
inline void store_vector(const Vec3& a, double* v) { v[0] = a.x, v[1] = a.y, v[2] = a.z; }

// Rotation by the angle about the unit axis a: cos 1 + sin [a]× + (1 − cos) a aᵀ.
inline Mat3 make_axis_rotation(const Vec3& a, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), t = 1 - c;
  return {{{c + t * a.x * a.x, t * a.x * a.y - s * a.z, t * a.x * a.z + s * a.y},
           {t * a.y * a.x + s * a.z, c + t * a.y * a.y, t * a.y * a.z - s * a.x},
           {t * a.z * a.x - s * a.y, t * a.z * a.y + s * a.x, c + t * a.z * a.z}}};
}

// X_FM(q). The quaternions of ball and free need not be exactly of unit length.
inline RigidTransform calc_X_FM(const Link& link, const double* q) {
  switch (link.kind) {
    case MobilizerKind::kFixed:
      return {};
    case MobilizerKind::kRevolute:
      return {make_axis_rotation(link.axis_F, q[0]), {}};
    case MobilizerKind::kPrismatic:
      return RigidTransform::translation(q[0] * link.axis_F);
    case MobilizerKind::kScrew:
      return {make_axis_rotation(link.axis_F, q[0]), link.pitch * q[0] * link.axis_F};
    case MobilizerKind::kCurvilinear: {
      const PlanarCurve::Point at = link.curve->at(q[0]);
      return {make_axis_rotation(link.axis_F, at.angle), at.position};
    }
    case MobilizerKind::kBall:
      return {to_matrix(normalized(load_quaternion(q))), {}};
    case MobilizerKind::kFree:
      return {to_matrix(normalized(load_quaternion(q))), load_vector(q + 4)};
  }
  return {};
}

// Hinge axes at Bo in world axes, H[0..nv). A rotation w about Mo moves Bo by w × p_MoBo.
// Free is not here: its axes are the unit vectors, constant (see Kinematics::resize).
inline void calc_H_W(const Link& link, const double* q, const Mat3& R_WF, const Vec3& p_MoBo_W,
                     Spatial* H) {
  if (link.kind == MobilizerKind::kBall) {
    for (int i = 0; i < 3; ++i) {
      const Vec3 e = R_WF.column(i);
      H[i] = {e, cross(e, p_MoBo_W)};
    }
    return;
  }
  if (link.nv != 1) return;
  const Vec3 a = R_WF * link.axis_F;
  if (link.kind == MobilizerKind::kPrismatic) {
    H[0] = {{}, a};
  } else if (link.kind == MobilizerKind::kCurvilinear) {
    const PlanarCurve::Point at = link.curve->at(q[0]);
    const Vec3 tangent = R_WF * Vec3{std::cos(at.angle), std::sin(at.angle), 0};
    H[0] = {at.curvature * a, tangent + cross(at.curvature * a, p_MoBo_W)};
  } else {
    H[0] = {a, cross(a, p_MoBo_W) + link.pitch * a};  // pitch is zero for a revolute
  }
}

// V_PB_W = Σ H_i v_i over the link's own velocities.
inline Spatial calc_V_PB_W(const Link& link, const Spatial* H, const double* v) {
  if (link.kind == MobilizerKind::kFree) return {load_vector(v), load_vector(v + 3)};
  Spatial V;
  for (int i = 0; i < link.nv; ++i) {
    V += v[i] * H[i];
  }
  return V;
}

// What the acceleration of B has at vdot = 0 beyond A_WP shifted rigidly to Bo, for every kind but
// free. With p from Po to Bo, (w_rel, v_rel) = V_PB_W and the axis of the turn fixed in P:
//   angular: d(w_rel)/dt = w_WP × w_rel
//   linear:  w_WP × (w_WP × p) + 2 w_WP × v_rel + w_rel × v_rel
// The last term is the centripetal one: v_rel is a velocity that turns with B. For a turn about the
// joint's axis it is w_rel × (w_rel × p_MoBo); of a screw, the product drops the travel along the
// axis; on a curve the tangent turns with B; a prismatic joint has no w_rel.
inline Spatial calc_velocity_terms(const Vec3& w_WP, const Spatial& V_PB_W, const Vec3& p_PoBo_W) {
  return {cross(w_WP, V_PB_W.w),
          cross(w_WP, cross(w_WP, p_PoBo_W) + 2 * V_PB_W.v) + cross(V_PB_W.w, V_PB_W.v)};
}

// dv (nv) with qb = qa ⊕ dv; rotations as rotation vectors: exp(dv) R_a = R_b.
inline void calc_difference(const Link& link, const double* qa, const double* qb, double* dv) {
  switch (link.kind) {
    case MobilizerKind::kFixed:
      return;
    case MobilizerKind::kFree:
      store_vector(load_vector(qb + 4) - load_vector(qa + 4), dv + 3);
      [[fallthrough]];
    case MobilizerKind::kBall:
      store_vector(log_map(load_quaternion(qb) * conjugate(load_quaternion(qa))), dv);
      return;
    default:
      dv[0] = qb[0] - qa[0];
  }
}

}  // namespace cenic::detail

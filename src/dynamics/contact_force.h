// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The force of a contact in the continuous model, at a given state:
//   f_n = f_e₊ (1 − d v_n)₊,   f_e = −k φ between points, ∫ p dA on a surface
//   f_t = −μ(s) f_n v_t/√(|v_t|² + v_s²),   s = |v_t|/v_s
// and the torques of spin_friction.cpp.
#pragma once

#include <algorithm>

#include "convex/contact_law.h"
#include "dynamics/contact_finder.h"

namespace cenic {

inline double calc_normal_force(const ContactPoint& c, double vn) {
  // In this order max() passes NaN on.
  return std::max(c.elastic_force, 0.0) * std::max(1 - c.dissipation * vn, 0.0);
}

// On B at C, in world, for the velocity v_AB_W of B relative to A there.
inline Vec3 calc_contact_force(const ContactPoint& c, const Vec3& v_AB_W, const Model& model) {
  const double stiction_velocity = model.stiction_velocity;
  const double vn = dot(v_AB_W, c.nhat_AB_W);
  const double fn = calc_normal_force(c, vn);
  const Vec3 vt = v_AB_W - vn * c.nhat_AB_W;
  const double slip = norm(vt);
  Vec3 force = fn * c.nhat_AB_W;
  if (slip > 0 && !(fn <= 0)) {
    const double mu = friction_coefficient(c.mu_static, c.mu_dynamic, slip / stiction_velocity,
                                           model.friction_transition);
    force -= (friction_slope(mu * fn, slip, stiction_velocity) / slip) * vt;
  }
  return force;
}

// Angular velocity of B relative to A, in world.
inline Vec3 calc_spin(const Kinematics& kin, const ContactPoint& c) {
  const auto w = [&](int link) {
    return link < 0 ? Vec3{} : kin.V_WB[link].w;
  };
  return w(c.link_b) - w(c.link_a);
}

// The rate of turning below which a contact counts as sticking: where the surface of the smaller
// geometry moves with v_s.
inline double calc_spin_slip(const Model& model, const ContactPoint& c) {
  const auto radius = [&](int geometry) {
    const double r = model.geometries[geometry].bounding_radius;
    return r > 0 ? r : INFINITY;  // a half space has none
  };
  const double r = std::min(radius(c.geometry_a), radius(c.geometry_b));
  return model.stiction_velocity / (std::isfinite(r) ? r : 1);
}

// Torque of torsional and rolling friction on B, in world, for its turning w_AB_W relative to A
// and the normal force fn.
inline Vec3 calc_spin_torque(const ContactPoint& c, const Vec3& w_AB_W, double fn,
                             const Model& model) {
  if (!(c.torsional_friction > 0 || c.rolling_friction > 0)) return {};
  const double w_s = calc_spin_slip(model, c), wn = dot(w_AB_W, c.nhat_AB_W);
  const Vec3 w_t = w_AB_W - wn * c.nhat_AB_W;
  return -friction_slope(c.torsional_friction * fn, wn, w_s) * c.nhat_AB_W -
         (c.rolling_friction * fn / std::hypot(norm(w_t), w_s)) * w_t;
}

// Velocity of a geometry's surface relative to its body at time t, in world.
inline Vec3 calc_surface_velocity(const Model& model, const Kinematics& kin, int geometry,
                                  double t) {
  const Geometry& g = model.geometries[geometry];
  if (!g.surface_velocity) return {};
  const Vec3 v_L = g.X_LG.R * g.surface_velocity(t);
  return g.link >= 0 ? kin.X_WB[g.link].R * v_L : v_L;
}

// What moving surfaces add to the slip of B on A at time t.
inline Vec3 calc_belt_velocity(const Model& model, const Kinematics& kin, const ContactPoint& c,
                               double t) {
  const Vec3 v = calc_surface_velocity(model, kin, c.geometry_b, t) -
                 calc_surface_velocity(model, kin, c.geometry_a, t);
  return v - dot(v, c.nhat_AB_W) * c.nhat_AB_W;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The force of a contact in the continuous model, at a given state:
//   f_n = f_e₊ (1 − d v_n)₊,   f_e = −k φ between points, ∫ p dA on a surface
//   f_t = −μ(s) f_n v_t/√(|v_t|² + v_s²),   s = |v_t|/v_s
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

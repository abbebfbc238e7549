// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The force of a contact in the continuous model, at a given state:
//   f_n = k (−φ)₊ (1 − d v_n)₊
//   f_t = −μ(s) f_n v_t/√(|v_t|² + v_s²),   s = |v_t|/v_s
#pragma once

#include <algorithm>

#include "convex/contact_law.h"
#include "dynamics/contact_finder.h"

namespace cenic {

inline double calc_normal_force(const ContactPoint& c, double vn) {
  return std::max(0.0, -c.stiffness * c.phi) * std::max(0.0, 1 - c.dissipation * vn);
}

// On B at C, in world, for the velocity v_AB_W of B relative to A there.
inline Vec3 calc_contact_force(const ContactPoint& c, const Vec3& v_AB_W,
                               double stiction_velocity) {
  const double vn = dot(v_AB_W, c.nhat_AB_W);
  const double fn = calc_normal_force(c, vn);
  const Vec3 vt = v_AB_W - vn * c.nhat_AB_W;
  const double slip = norm(vt);
  Vec3 force = fn * c.nhat_AB_W;
  if (slip > 0 && fn > 0) {
    const double mu = friction_coefficient(c.mu_static, c.mu_dynamic, slip / stiction_velocity);
    force -= (friction_slope(mu * fn, slip, stiction_velocity) / slip) * vt;
  }
  return force;
}

}  // namespace cenic

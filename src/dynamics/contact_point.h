// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A contact as dynamics and reports know it.
#pragma once

#include <array>
#include <cstdint>

#include "math/vec3.h"

namespace cenic {

// One contact point, in world, with the pair's combined material.
struct ContactPoint {
  int geometry_a = -1, geometry_b = -1;
  int link_a = -1, link_b = -1;  // −1: anchored to the world
  Vec3 p_WC;                     // between the two surfaces, weighted by stiffness
  Vec3 nhat_AB_W;                // from A into B
  double phi = 0;  // signed distance, m: negative when overlapping, positive when speculative
  double elastic_force = 0;  // at phi, N: −stiffness · phi between points; negative across a gap
  double stiffness = 0;      // of this point, N/m
  double dissipation = 0;    // s/m
  double mu_static = 0, mu_dynamic = 0;
  double torsional_friction = 0, rolling_friction = 0;  // m
  Vec3 v_AB_W;                // velocity of B relative to A at C at the start of the step
  std::uint64_t key = 0;      // the same while the same features of the same geometries touch
  bool hydroelastic = false;  // part of a contact surface
};

// Normal and two tangents: the axes in which a contact's velocity and force are written.
inline std::array<Vec3, 3> make_contact_frame(const Vec3& nhat) {
  const Vec3 t1 = any_orthogonal(nhat);
  return {nhat, t1, cross(nhat, t1)};
}
inline Vec3 to_contact_frame(const Vec3& nhat, const Vec3& x_W) {
  const auto [n, t1, t2] = make_contact_frame(nhat);
  return {dot(x_W, n), dot(x_W, t1), dot(x_W, t2)};
}
inline Vec3 from_contact_frame(const Vec3& nhat, const Vec3& x_C) {
  const auto [n, t1, t2] = make_contact_frame(nhat);
  return x_C.x * n + x_C.y * t1 + x_C.z * t2;
}

}  // namespace cenic

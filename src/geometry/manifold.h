// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Point contact between two posed shapes: where, how deep, in which direction.
#pragma once

#include <cstdint>

#include "geometry/shape.h"

namespace cenic {

// One point of a manifold between the geometries A and B.
struct ManifoldPoint {
  Vec3 p_WA;          // witness point on the surface of A
  Vec3 p_WB;          // witness point on the surface of B
  double phi = 0;     // signed distance (p_WB − p_WA)·nhat, m: negative when the shapes overlap
  double weight = 1;  // how many contact points' stiffness this one carries (see docs/contact.md)
  std::uint32_t feature = 0;  // the same number as long as the same features touch
};

// All points share one normal. A capacity of 16 holds every pair of shapes; what does not fit is
// reduced, not lost.
struct Manifold {
  static constexpr int kCapacity = 16;
  Vec3 nhat_AB_W;  // unit normal from A into B
  int count = 0;
  ManifoldPoint points[kCapacity];
};

struct ManifoldOptions {
  double margin = 0;      // report points with phi < margin, m
  bool face_bias = true;  // prefer face contact over a nearly tied edge-edge axis (no chatter)
};

// Contact between shape A at X_WA and shape B at X_WB, any two convex kinds but two half spaces (no
// points); for height fields see height_field_contact.h. Never throws, never allocates. The result
// does not depend on which shape is called A, except for the sign of the normal and the exchange of
// p_WA and p_WB.
void calc_manifold(const Shape& A, const RigidTransform& X_WA, const Shape& B,
                   const RigidTransform& X_WB, const ManifoldOptions& options, Manifold* manifold);

}  // namespace cenic

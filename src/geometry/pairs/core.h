// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The core of a posed shape: what is left when a ball is taken away (sphere → point, capsule →
// segment). Distances between cores, less the radii of the balls, are distances between the shapes,
// with round parts exact.
#pragma once

#include "geometry/convex_hull.h"
#include "geometry/shape.h"

namespace cenic::detail {

struct Core {
  ShapeKind kind = ShapeKind::kSphere;
  Vec3 size;
  const ConvexHull* hull = nullptr;
  RigidTransform X;   // pose in the frame in which the pair is worked out
  double radius = 0;  // of the ball
  Vec3 center;        // a point inside, in the same frame
};

inline Core make_core(const Shape& shape, const RigidTransform& X) {
  Core core{shape.kind, shape.size, shape.hull.get(), X, 0, X.p};
  if (shape.kind == ShapeKind::kSphere || shape.kind == ShapeKind::kCapsule) {
    core.radius = shape.size.x;
  }
  if (core.hull != nullptr) core.center = X * core.hull->center;
  return core;
}

// The point of the core furthest along d (any length, not zero).
Vec3 calc_core_support(const Core& core, const Vec3& d);

// A length that stands for the size of the core.
double calc_core_extent(const Core& core);

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Signed distance from a point to a shape, in the shape's frame. Closed forms, Newton for the
// ellipsoid, GJK for a hull.
#pragma once

#include "geometry/shape.h"

namespace cenic {

struct PointDistance {
  double distance = 0;  // negative inside
  Vec3 gradient;        // outward unit normal of the surface at the closest point
  Vec3 closest;         // point of the surface: p = closest + distance gradient
};

// Half extents h, semi-axes e.
PointDistance calc_box_distance(const Vec3& h, const Vec3& p);
PointDistance calc_cylinder_distance(double radius, double half_length, const Vec3& p);
PointDistance calc_capsule_distance(double radius, double half_length, const Vec3& p);
PointDistance calc_ellipsoid_distance(const Vec3& e, const Vec3& p);
PointDistance calc_point_distance(const Shape& shape, const Vec3& p);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A sphere A against any bounded shape B: φ = distance(centre, B) − r, one point.
#include "geometry/pairs/pairs.h"
#include "geometry/point_distance.h"

namespace cenic::detail {
namespace {

// g: outward normal of B in world at its closest point b to the centre.
void set_sphere_point(const Posed& A, const Vec3& g, const Vec3& b, double phi,
                      Manifold* manifold) {
  manifold->nhat_AB_W = -g;
  manifold->count = 1;
  manifold->points[0] = {A.X_WG.p - A.shape.size.x * g, b, phi, 1, 0};
}

}  // namespace

void calc_sphere_sphere(const Posed& A, const Posed& B, const ManifoldOptions& options,
                        Manifold* manifold) {
  const Vec3 d = A.X_WG.p - B.X_WG.p;
  const double radii = A.shape.size.x + B.shape.size.x;
  const double reach = radii + options.margin;
  const double distance_squared = norm_squared(d);
  if (!(distance_squared < reach * reach) || reach <= 0) return;
  const double distance = std::sqrt(distance_squared);
  const Vec3 g = distance > 0 ? d / distance : Vec3{0, 0, 1};
  set_sphere_point(A, g, B.X_WG.p + B.shape.size.x * g, distance - radii, manifold);
}

void calc_sphere_box(const Posed& A, const Posed& B, const ManifoldOptions& options,
                     Manifold* manifold) {
  const PointDistance near = calc_box_distance(B.shape.size, inverse_times(B.X_WG, A.X_WG.p));
  const double phi = near.distance - A.shape.size.x;
  if (!(phi < options.margin)) return;
  set_sphere_point(A, B.X_WG.R * near.gradient, B.X_WG * near.closest, phi, manifold);
}

void calc_sphere_any(const Posed& A, const Posed& B, const ManifoldOptions& options,
                     Manifold* manifold) {
  const PointDistance near = calc_point_distance(B.shape, inverse_times(B.X_WG, A.X_WG.p));
  const double phi = near.distance - A.shape.size.x;
  if (!(phi < options.margin)) return;
  set_sphere_point(A, B.X_WG.R * near.gradient, B.X_WG * near.closest, phi, manifold);
}

}  // namespace cenic::detail

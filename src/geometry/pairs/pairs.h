// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The pair functions behind calc_manifold, one for each natural family of shapes. Private to
// geometry. Each fills the manifold of A and B in world, and is only called in the order of kinds
// it names.
#pragma once

#include "geometry/convex_hull.h"
#include "geometry/manifold.h"

namespace cenic::detail {

struct Posed {
  const Shape& shape;
  const RigidTransform& X_WG;
};

using PairFunction = void (*)(const Posed& A, const Posed& B, const ManifoldOptions& options,
                              Manifold* manifold);

// A is any bounded shape, B the half space.
void calc_sphere_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                            Manifold* manifold);
void calc_box_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                         Manifold* manifold);
void calc_cylinder_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                              Manifold* manifold);
void calc_capsule_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                             Manifold* manifold);
void calc_ellipsoid_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                               Manifold* manifold);
void calc_convex_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                            Manifold* manifold);

// Weight of a hull's vertex on a plane with the outward normal d in the hull's frame: see
// calc_convex_half_space.
double calc_vertex_weight(const ConvexHull& hull, int vertex, const Vec3& d);

// A is a sphere.
void calc_sphere_sphere(const Posed& A, const Posed& B, const ManifoldOptions& options,
                        Manifold* manifold);
void calc_sphere_box(const Posed& A, const Posed& B, const ManifoldOptions& options,
                     Manifold* manifold);
void calc_sphere_any(const Posed& A, const Posed& B, const ManifoldOptions& options,
                     Manifold* manifold);

void calc_box_box(const Posed& A, const Posed& B, const ManifoldOptions& options,
                  Manifold* manifold);
void calc_capsule_capsule(const Posed& A, const Posed& B, const ManifoldOptions& options,
                          Manifold* manifold);

// Any two bounded shapes that are not spheres.
void calc_convex_convex(const Posed& A, const Posed& B, const ManifoldOptions& options,
                        Manifold* manifold);

// The next point, to be filled in place. Pairs that can exceed the capacity go through
// PointReducer.
inline ManifoldPoint* add_point(Manifold* manifold) { return &manifold->points[manifold->count++]; }

}  // namespace cenic::detail

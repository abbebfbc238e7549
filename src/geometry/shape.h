// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The collision shapes, in their own frame G, and what the rest of the program asks of a shape.
#pragma once

#include <memory>
#include <string>

#include "geometry/aabb.h"
#include "math/spatial.h"

namespace cenic {

struct ConvexHull;
struct HeightField;
struct SolidMesh;
struct TriangleMesh;

enum class ShapeKind {
  kSphere,
  kBox,
  kCylinder,
  kCapsule,
  kEllipsoid,
  kHalfSpace,
  kConvex,
  kHeightField,  // ground, touched by bounded convex shapes
  kSurface,      // triangles to look at; nothing touches them, and they have no mass
};
// The first seven are convex: calc_manifold serves any two of them.
inline constexpr int kNumShapeKinds = 7;

// A closed set of shapes. Build them with the functions below, which check their arguments.
struct Shape {
  ShapeKind kind = ShapeKind::kSphere;
  // Sphere: (radius, -, -). Box: half extents. Cylinder and capsule: (radius, -, half length along
  // z; a capsule's caps come on top). Ellipsoid: semi-axes. Half space: none, the solid is z <= 0.
  // Convex: none.
  Vec3 size;
  std::shared_ptr<const ConvexHull> hull;  // kConvex only
  // Set when the solid is this mesh and the hull only stands in for it, in all that needs a convex
  // solid: contact points, boxes, support. kConvex only.
  std::shared_ptr<const SolidMesh> mesh = nullptr;
  std::shared_ptr<const HeightField> height_field = nullptr;  // kHeightField only
  // kSurface: all there is. kConvex: what is drawn, when that is not the hull.
  std::shared_ptr<const TriangleMesh> surface = nullptr;
};

// Each throws Error when a size is not finite and positive.
Shape make_sphere(double radius);
Shape make_box(const Vec3& half_extents);
Shape make_cylinder(double radius, double half_length);
Shape make_capsule(double radius, double half_length);
Shape make_ellipsoid(const Vec3& semi_axes);
Shape make_half_space();
// The convex hull of the vertices; throws Error when they do not span a volume.
Shape make_convex(std::shared_ptr<const ConvexHull> hull);
// The solid of make_solid_mesh (solid_mesh.h).
Shape make_mesh(std::shared_ptr<const SolidMesh> mesh);
// The ground of make_height_field_data (height_field.h).
Shape make_height_field(std::shared_ptr<const HeightField> field);
// Triangles for the eye alone. Throws Error when there are none, or one names a vertex that is not
// there.
Shape make_surface(std::shared_ptr<const TriangleMesh> surface);

const char* to_string(ShapeKind kind);
const char* kind_name(const Shape& shape);  // the same, but "mesh" for a mesh

// Mass properties of the solid of unit density about G's origin: mass is the volume. Zero for a
// half space, a height field and a surface; those of the hull for a mesh that is not closed, as it
// has no inside of its own.
SpatialInertia calc_unit_density_inertia(const Shape& shape);

// Bounding box in world of the shape posed at X_WG; not defined for a half space.
Aabb calc_aabb(const Shape& shape, const RigidTransform& X_WG);

// Largest distance of a point of the shape from G's origin; infinite for a half space.
double calc_bounding_radius(const Shape& shape);

// The point of a bounded convex shape (in G) furthest along dir_G (any length, not zero).
Vec3 calc_support(const Shape& shape, const Vec3& dir_G);

}  // namespace cenic

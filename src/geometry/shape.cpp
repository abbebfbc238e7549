// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/shape.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "geometry/convex_hull.h"
#include "geometry/height_field.h"
#include "geometry/solid_mesh.h"
#include "geometry/triangle_mesh.h"

namespace cenic {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_size(double value, const char* shape, const char* what) {
  if (std::isfinite(value) && value > 0) return;
  throw Error(std::string(shape) + ": " + what + " is " + std::to_string(value) +
              "; give a finite number greater than zero, in metres");
}

double support_sign(double d) { return d < 0 ? -1.0 : 1.0; }

// The rim point of a disc of the given radius in the xy-plane furthest along d; the x-axis when d
// is along z.
Vec3 disc_support(double radius, const Vec3& d) {
  const double rho = std::sqrt(d.x * d.x + d.y * d.y);
  return rho > 0 ? Vec3{radius * (d.x / rho), radius * (d.y / rho), 0} : Vec3{radius, 0, 0};
}

Vec3 ellipsoid_support(const Vec3& e, const Vec3& d) {
  // argmax d·x on |E⁻¹x| = 1 is E²d/|Ed|. The division by the largest entry keeps tiny d from
  // underflow.
  const double scale = std::max({std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)});
  const Vec3 u{e.x * (d.x / scale), e.y * (d.y / scale), e.z * (d.z / scale)};
  const double length = norm(u);
  return {e.x * u.x / length, e.y * u.y / length, e.z * u.z / length};
}

Aabb centered_box(const Vec3& center, const Vec3& half) { return {center - half, center + half}; }

Aabb hull_aabb(const ConvexHull& hull, const RigidTransform& X_WG) {
  Vec3 lower, upper;
  for (int i = 0; i < 3; ++i) {
    const Vec3& axis = X_WG.R.row[i];
    upper[i] = dot(axis, hull.vertices[find_support_vertex(hull, axis)]);
    lower[i] = dot(axis, hull.vertices[find_support_vertex(hull, -axis)]);
  }
  return {X_WG.p + lower, X_WG.p + upper};
}

// The box of a field at rest in its own frame, posed.
Aabb field_aabb(const HeightField& field, const RigidTransform& X_WG) {
  const Vec3 half{field.half_x, field.half_y, 0.5 * (field.highest + field.base)};
  const Vec3 center = X_WG * Vec3{0, 0, 0.5 * (field.highest - field.base)};
  Vec3 extent;
  for (int i = 0; i < 3; ++i) {
    extent[i] = dot(cwise_abs(X_WG.R.row[i]), half);
  }
  return centered_box(center, extent);
}

Aabb points_aabb(const std::vector<Vec3>& points, const RigidTransform& X_WG) {
  Aabb box{X_WG * points.front(), X_WG * points.front()};
  for (const Vec3& p : points) {
    box.lower = cwise_min(box.lower, X_WG * p), box.upper = cwise_max(box.upper, X_WG * p);
  }
  return box;
}

double largest_norm(const std::vector<Vec3>& points) {
  double squared = 0;
  for (const Vec3& p : points) {
    squared = std::max(squared, norm_squared(p));
  }
  return std::sqrt(squared);
}

}  // namespace

Shape make_sphere(double radius) {
  check_size(radius, "sphere", "radius");
  return {ShapeKind::kSphere, {radius, 0, 0}, nullptr};
}

Shape make_box(const Vec3& half_extents) {
  check_size(half_extents.x, "box", "half extent x");
  check_size(half_extents.y, "box", "half extent y");
  check_size(half_extents.z, "box", "half extent z");
  return {ShapeKind::kBox, half_extents, nullptr};
}

Shape make_cylinder(double radius, double half_length) {
  check_size(radius, "cylinder", "radius");
  check_size(half_length, "cylinder", "half length");
  return {ShapeKind::kCylinder, {radius, 0, half_length}, nullptr};
}

Shape make_capsule(double radius, double half_length) {
  check_size(radius, "capsule", "radius");
  check_size(half_length, "capsule", "half length");
  return {ShapeKind::kCapsule, {radius, 0, half_length}, nullptr};
}

Shape make_ellipsoid(const Vec3& semi_axes) {
  check_size(semi_axes.x, "ellipsoid", "semi-axis x");
  check_size(semi_axes.y, "ellipsoid", "semi-axis y");
  check_size(semi_axes.z, "ellipsoid", "semi-axis z");
  return {ShapeKind::kEllipsoid, semi_axes, nullptr};
}

Shape make_half_space() { return {ShapeKind::kHalfSpace, {}, nullptr}; }

Shape make_convex(std::shared_ptr<const ConvexHull> hull) {
  if (hull == nullptr || hull->vertices.size() < 4 || hull->face_normals.size() < 4) {
    throw Error(
        "convex: no hull is given; build one with make_convex_hull from at least four points");
  }
  return {ShapeKind::kConvex, {}, std::move(hull)};
}

Shape make_mesh(std::shared_ptr<const SolidMesh> mesh) {
  if (mesh == nullptr) throw Error("mesh: none is given; build one with make_solid_mesh");
  // The hull lives as long as the mesh it is part of.
  Shape shape = make_convex(std::shared_ptr<const ConvexHull>(mesh, &mesh->hull));
  shape.mesh = std::move(mesh);
  return shape;
}

Shape make_height_field(std::shared_ptr<const HeightField> field) {
  if (field == nullptr) {
    throw Error("height field: none is given; build one with make_height_field_data");
  }
  Shape shape{ShapeKind::kHeightField, {}, nullptr};
  shape.height_field = std::move(field);
  return shape;
}

Shape make_surface(std::shared_ptr<const TriangleMesh> surface) {
  if (surface == nullptr || surface->triangles.empty()) throw Error("surface: it has no triangles");
  const int n = static_cast<int>(surface->vertices.size());
  for (const auto& triangle : surface->triangles) {
    for (const int v : triangle) {
      if (v < 0 || v >= n) {
        throw Error("surface: a triangle names vertex " + std::to_string(v) + " of " +
                    std::to_string(n));
      }
    }
  }
  Shape shape{ShapeKind::kSurface, {}, nullptr};
  shape.surface = std::move(surface);
  return shape;
}

const char* kind_name(const Shape& shape) {
  return shape.mesh != nullptr ? "mesh" : to_string(shape.kind);
}

const char* to_string(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::kSphere:
      return "sphere";
    case ShapeKind::kBox:
      return "box";
    case ShapeKind::kCylinder:
      return "cylinder";
    case ShapeKind::kCapsule:
      return "capsule";
    case ShapeKind::kEllipsoid:
      return "ellipsoid";
    case ShapeKind::kHalfSpace:
      return "half space";
    case ShapeKind::kConvex:
      return "convex";
    case ShapeKind::kHeightField:
      return "height field";
    case ShapeKind::kSurface:
      return "surface";
  }
  return "unknown";
}

Aabb calc_aabb(const Shape& shape, const RigidTransform& X_WG) {
  const Mat3& R = X_WG.R;
  const Vec3& s = shape.size;
  Vec3 half{kInfinity, kInfinity, kInfinity};
  switch (shape.kind) {
    case ShapeKind::kSphere:
      half = {s.x, s.x, s.x};
      break;
    case ShapeKind::kBox:
      for (int i = 0; i < 3; ++i) {
        half[i] = dot(cwise_abs(R.row[i]), s);
      }
      break;
    case ShapeKind::kCylinder:
      // A disc of normal z has the extent r √(R_ix² + R_iy²) along world axis i.
      for (int i = 0; i < 3; ++i) {
        half[i] = s.z * std::fabs(R(i, 2)) + s.x * std::sqrt(R(i, 0) * R(i, 0) + R(i, 1) * R(i, 1));
      }
      break;
    case ShapeKind::kCapsule:
      for (int i = 0; i < 3; ++i) {
        half[i] = s.z * std::fabs(R(i, 2)) + s.x;
      }
      break;
    case ShapeKind::kEllipsoid:
      for (int i = 0; i < 3; ++i) {
        half[i] = norm(Vec3{R(i, 0) * s.x, R(i, 1) * s.y, R(i, 2) * s.z});
      }
      break;
    case ShapeKind::kHalfSpace:
      break;
    case ShapeKind::kConvex:
      return hull_aabb(*shape.hull, X_WG);
    case ShapeKind::kHeightField:
      return field_aabb(*shape.height_field, X_WG);
    case ShapeKind::kSurface:
      return points_aabb(shape.surface->vertices, X_WG);
  }
  return centered_box(X_WG.p, half);
}

double calc_bounding_radius(const Shape& shape) {
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return s.x;
    case ShapeKind::kBox:
      return norm(s);
    case ShapeKind::kCylinder:
      return std::hypot(s.x, s.z);
    case ShapeKind::kCapsule:
      return s.x + s.z;
    case ShapeKind::kEllipsoid:
      return std::max({s.x, s.y, s.z});
    case ShapeKind::kHalfSpace:
      return kInfinity;
    case ShapeKind::kConvex:
      return largest_norm(shape.hull->vertices);
    case ShapeKind::kHeightField: {
      const HeightField& f = *shape.height_field;
      return norm(Vec3{f.half_x, f.half_y, std::max(std::fabs(f.highest), f.base)});
    }
    case ShapeKind::kSurface:
      return largest_norm(shape.surface->vertices);
  }
  return kInfinity;
}

Vec3 calc_support(const Shape& shape, const Vec3& dir_G) {
  const Vec3& s = shape.size;
  const Vec3& d = dir_G;
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return s.x * normalized(d);
    case ShapeKind::kBox:
      return {std::copysign(s.x, d.x), std::copysign(s.y, d.y), std::copysign(s.z, d.z)};
    case ShapeKind::kCylinder:
      return disc_support(s.x, d) + Vec3{0, 0, support_sign(d.z) * s.z};
    case ShapeKind::kCapsule:
      return s.x * normalized(d) + Vec3{0, 0, support_sign(d.z) * s.z};
    case ShapeKind::kEllipsoid:
      return ellipsoid_support(s, d);
    case ShapeKind::kHalfSpace:
    case ShapeKind::kHeightField:
    case ShapeKind::kSurface:
      break;
    case ShapeKind::kConvex:
      return shape.hull->vertices[find_support_vertex(*shape.hull, d)];
  }
  return {};
}

}  // namespace cenic

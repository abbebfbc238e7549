// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/ray.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "geometry/convex_hull.h"
#include "geometry/height_field.h"
#include "geometry/solid_mesh.h"
#include "geometry/triangle_distance.h"

namespace cenic {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Ray {
  Vec3 x, dir;
  Vec3 at(double t) const { return x + t * dir; }
};

// Both solutions of a t² + 2 b t + c = 0, in order; infinite when there are none.
struct Roots {
  double first = kInfinity, second = kInfinity;
};
Roots solve(double a, double b, double c) {
  const double d = b * b - a * c;
  if (!(a > 0) || d < 0) return {};
  const double root = std::sqrt(d);
  return {(-b - root) / a, (-b + root) / a};
}

// The smaller one that lies ahead.
double first_ahead(const Roots& t) {
  return t.first >= 0 ? t.first : (t.second >= 0 ? t.second : kInfinity);
}

Roots meet_sphere(const Ray& ray, const Vec3& center, double radius) {
  const Vec3 x = ray.x - center;
  return solve(norm_squared(ray.dir), dot(x, ray.dir), norm_squared(x) - radius * radius);
}

// Of unit length in its own scale.
double cast_on_ellipsoid(const Ray& ray, const Vec3& s) {
  const Ray scaled{{ray.x.x / s.x, ray.x.y / s.y, ray.x.z / s.z},
                   {ray.dir.x / s.x, ray.dir.y / s.y, ray.dir.z / s.z}};
  return first_ahead(meet_sphere(scaled, {}, 1));
}

// What is left of a line when half spaces n · p <= offset cut it, one after the other.
struct Span {
  double enter = -kInfinity, leave = kInfinity;
  void cut(const Ray& ray, const Vec3& n, double offset) {
    const double speed = dot(n, ray.dir), above = dot(n, ray.x) - offset;
    if (speed > 0) {
      leave = std::min(leave, -above / speed);
    } else if (speed < 0) {
      enter = std::max(enter, -above / speed);
    } else if (above > 0) {
      leave = -kInfinity;
    }
  }
  double first() const { return enter <= leave ? first_ahead({enter, leave}) : kInfinity; }
};

Span cut_by_box(const Ray& ray, const Vec3& half) {
  Span span;
  for (int k = 0; k < 3; ++k) {
    Vec3 n;
    n[k] = 1;
    span.cut(ray, n, half[k]);
    span.cut(ray, -n, half[k]);
  }
  return span;
}

// The side of a cylinder about z between z = ±half, from outside or from inside.
double cast_on_tube(const Ray& ray, double radius, double half) {
  const Vec3 x{ray.x.x, ray.x.y, 0}, dir{ray.dir.x, ray.dir.y, 0};
  const Roots t = solve(norm_squared(dir), dot(x, dir), norm_squared(x) - radius * radius);
  double best = kInfinity;
  for (const double s : {t.first, t.second}) {
    if (s >= 0 && std::isfinite(s) && std::fabs(ray.at(s).z) <= half) best = std::min(best, s);
  }
  return best;
}

double cast_on_cylinder(const Ray& ray, double radius, double half) {
  double best = cast_on_tube(ray, radius, half);
  if (ray.dir.z == 0) return best;
  for (const double cap : {-half, half}) {
    const double t = (cap - ray.x.z) / ray.dir.z;
    const Vec3 p = ray.at(t);
    if (t >= 0 && p.x * p.x + p.y * p.y <= radius * radius) best = std::min(best, t);
  }
  return best;
}

double cast_on_capsule(const Ray& ray, double radius, double half) {
  double best = cast_on_tube(ray, radius, half);
  for (const double end : {-half, half}) {
    const Roots t = meet_sphere(ray, {0, 0, end}, radius);
    for (const double s : {t.first, t.second}) {
      // The half of the ball that sticks out.
      const bool out = s >= 0 && std::isfinite(s) && (ray.at(s).z - end) * end >= 0;
      if (out) best = std::min(best, s);
    }
  }
  return best;
}

double cast_on_hull(const Ray& ray, const ConvexHull& hull) {
  Span span;
  for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
    const Vec3& corner = hull.vertices[hull.face_vertices[hull.face_start[f]]];
    span.cut(ray, hull.face_normals[f], dot(hull.face_normals[f], corner));
  }
  return span.first();
}

double cast_on_triangles(const Ray& ray, const TriangleMesh& mesh) {
  double best = kInfinity;
  for (const auto& [a, b, c] : mesh.triangles) {
    best = std::min(best, calc_hit_distance(ray.x, ray.dir, mesh.vertices[a], mesh.vertices[b],
                                            mesh.vertices[c], kInfinity));
  }
  return best;
}

// The two facets of a cell.
double cast_on_cell(const Ray& ray, const HeightField& field, int r, int c) {
  const Vec3 p00 = field.vertex(r, c), p01 = field.vertex(r, c + 1);
  const Vec3 p10 = field.vertex(r + 1, c), p11 = field.vertex(r + 1, c + 1);
  return std::min(calc_hit_distance(ray.x, ray.dir, p00, p01, p11, kInfinity),
                  calc_hit_distance(ray.x, ray.dir, p00, p11, p10, kInfinity));
}

// The ground from above or below, its sides, and its bottom.
double cast_on_height_field(const Ray& ray, const HeightField& field) {
  Span span = cut_by_box(ray, {field.half_x, field.half_y, kInfinity});
  span.enter = std::max(span.enter, 0.0);
  if (!(span.enter <= span.leave)) return kInfinity;
  double best = kInfinity;
  const double border = 1e-12 * (field.half_x + field.half_y);
  for (const double t : {span.enter, span.leave}) {
    if (t == 0 || !std::isfinite(t)) continue;
    const Vec3 p = ray.at(t);
    Facet facet;
    const double x = std::clamp(p.x, -field.half_x + border, field.half_x - border);
    const double y = std::clamp(p.y, -field.half_y + border, field.half_y - border);
    if (!find_facet(field, x, y, &facet)) continue;
    const double height = facet.v.z + facet.gx * (x - facet.v.x) + facet.gy * (y - facet.v.y);
    if (p.z >= -field.base && p.z <= height) best = std::min(best, t);
  }
  const double bottom = (-field.base - ray.x.z) / ray.dir.z;
  if (std::isfinite(bottom) && bottom >= span.enter && bottom <= span.leave) {
    best = std::min(best, bottom);
  }
  // Only where the ray is between the lowest and the highest point.
  span.cut(ray, {0, 0, 1}, field.highest);
  span.cut(ray, {0, 0, -1}, -field.lowest);
  if (!(span.enter <= span.leave)) return best;
  const Vec3 p = ray.at(span.enter), q = ray.at(span.leave);
  const CellRange cells =
      find_cells(field, std::min(p.x, q.x) - border, std::min(p.y, q.y) - border,
                 std::max(p.x, q.x) + border, std::max(p.y, q.y) + border);
  for (int r = cells.r0; r < cells.r1; ++r) {
    for (int c = cells.c0; c < cells.c1; ++c) {
      best = std::min(best, cast_on_cell(ray, field, r, c));
    }
  }
  return best;
}

}  // namespace

double cast_ray(const Shape& shape, const Vec3& x, const Vec3& dir) {
  const Ray ray{x, dir};
  const Vec3& size = shape.size;
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return first_ahead(meet_sphere(ray, {}, size.x));
    case ShapeKind::kBox:
      return cut_by_box(ray, size).first();
    case ShapeKind::kCylinder:
      return cast_on_cylinder(ray, size.x, size.z);
    case ShapeKind::kCapsule:
      return cast_on_capsule(ray, size.x, size.z);
    case ShapeKind::kEllipsoid:
      return cast_on_ellipsoid(ray, size);
    case ShapeKind::kHalfSpace:
      return x.z >= 0 && dir.z < 0 ? x.z / -dir.z : kInfinity;
    case ShapeKind::kConvex:
      if (shape.surface) return cast_on_triangles(ray, *shape.surface);
      return shape.mesh ? cast_on_triangles(ray, shape.mesh->surface)
                        : cast_on_hull(ray, *shape.hull);
    case ShapeKind::kHeightField:
      return cast_on_height_field(ray, *shape.height_field);
    case ShapeKind::kSurface:
      return cast_on_triangles(ray, *shape.surface);
  }
  return kInfinity;
}

}  // namespace cenic

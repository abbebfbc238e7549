// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/point_distance.h"

#include <algorithm>
#include <limits>

#include "geometry/convex_hull.h"
#include "geometry/pairs/gjk.h"

namespace cenic {
namespace {

PointDistance hull_distance(const Shape& shape, const Vec3& p) {
  const ConvexHull& hull = *shape.hull;
  PointDistance result{-std::numeric_limits<double>::infinity(), {}, {}};
  for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
    const Vec3& normal = hull.face_normals[f];
    const double distance = dot(normal, p - hull.vertices[hull.face_vertices[hull.face_start[f]]]);
    if (distance > result.distance) result = {distance, normal, p - distance * normal};
  }
  if (result.distance <= 0) return result;
  // Outside: the nearest feature may be an edge or a corner.
  const RigidTransform X_GP = RigidTransform::translation(p);
  const Shape point{ShapeKind::kSphere, {}, nullptr};
  const detail::GjkResult gjk =
      detail::calc_gjk(detail::make_core(shape, RigidTransform{}), detail::make_core(point, X_GP),
                       std::numeric_limits<double>::infinity());
  if (gjk.status == detail::GjkStatus::kSeparated && gjk.distance > result.distance) {
    return {gjk.distance, gjk.nhat, gjk.p_A};
  }
  return result;
}

}  // namespace

PointDistance calc_box_distance(const Vec3& h, const Vec3& p) {
  const Vec3 clamped = cwise_max(-h, cwise_min(h, p));
  const Vec3 out = p - clamped;
  const double distance_squared = norm_squared(out);
  if (distance_squared > 0) {
    const double distance = std::sqrt(distance_squared);
    return {distance, out / distance, clamped};
  }
  // Inside: the nearest face.
  const Vec3 room = h - cwise_abs(p);
  const int axis = room.x <= room.y ? (room.x <= room.z ? 0 : 2) : (room.y <= room.z ? 1 : 2);
  const double sign = p[axis] < 0 ? -1 : 1;
  PointDistance result{-room[axis], {}, p};
  result.gradient[axis] = sign;
  result.closest[axis] = sign * h[axis];
  return result;
}

PointDistance calc_cylinder_distance(double radius, double half_length, const Vec3& p) {
  const double rho = std::sqrt(p.x * p.x + p.y * p.y);
  const Vec3 radial = rho > 0 ? Vec3{p.x / rho, p.y / rho, 0} : Vec3{1, 0, 0};
  const double sign = p.z < 0 ? -1 : 1;
  const double side = rho - radius, cap = std::fabs(p.z) - half_length;  // outside when positive
  if (side > 0 && cap > 0) {
    const double distance = std::sqrt(side * side + cap * cap);
    const Vec3 out = side / distance * radial + Vec3{0, 0, sign * cap / distance};
    return {distance, out, radius * radial + Vec3{0, 0, sign * half_length}};
  }
  if (side > cap) return {side, radial, radius * radial + Vec3{0, 0, p.z}};
  return {cap, {0, 0, sign}, {p.x, p.y, sign * half_length}};
}

PointDistance calc_capsule_distance(double radius, double half_length, const Vec3& p) {
  const Vec3 on_axis{0, 0, std::clamp(p.z, -half_length, half_length)};
  const Vec3 out = p - on_axis;
  const double length = norm(out);
  const Vec3 gradient = length > 0 ? out / length : Vec3{1, 0, 0};
  return {length - radius, gradient, on_axis + radius * gradient};
}

// The closest point x to p has p − x = t E⁻²x, so x_i = e_i² p_i/(e_i² + t) with F(t) = Σ (e_i
// p_i/(e_i² + t))² = 1. With σ = 1 + t/e_min², r_i = (e_i/e_min)² and z_i = p_i/e_i: F(σ) = Σ (r_i
// z_i/(r_i − 1 + σ))² = 1 on σ ≥ 0, where F falls and is convex: Newton from any σ with F ≥ 1 goes
// up to the root and never past it. Such a start is where the largest single term is 1. (D. Eberly,
// "Distance from a Point to an Ellipse, an Ellipsoid", same equation.)
PointDistance calc_ellipsoid_distance(const Vec3& e, const Vec3& p) {
  const double e_min = std::min({e.x, e.y, e.z});
  double r[3], z[3], x[3], sigma = 0;
  for (int i = 0; i < 3; ++i) {
    r[i] = (e[i] / e_min) * (e[i] / e_min);
    z[i] = std::fabs(p[i]) / e[i];
    sigma = std::max(sigma, r[i] * z[i] - (r[i] - 1));
  }
  for (int iteration = 0; iteration < 60; ++iteration) {
    double F = -1, slope = 0;
    for (int i = 0; i < 3; ++i) {
      if (z[i] == 0) continue;
      const double q = r[i] * z[i] / (r[i] - 1 + sigma);
      F += q * q;
      slope -= 2 * q * q / (r[i] - 1 + sigma);
    }
    if (!(F > 0)) break;
    const double step = -F / slope;
    sigma += step;
    if (!(step > 1e-16 * sigma)) break;
  }
  // σ = 0: the point lies in the middle plane of the shortest axis, and that axis takes what the
  // others leave.
  double rest = 1;
  int shortest = -1;
  for (int i = 0; i < 3; ++i) {
    const double denominator = r[i] - 1 + sigma;
    if (denominator > 0) {
      x[i] = r[i] * z[i] / denominator;  // in units of e_i
      rest -= x[i] * x[i];
    } else {
      x[i] = 0;
      shortest = i;
    }
  }
  if (shortest >= 0) x[shortest] = std::sqrt(std::max(0.0, rest));
  Vec3 closest, gradient;
  for (int i = 0; i < 3; ++i) {
    closest[i] = std::copysign(e[i] * x[i], p[i]);
    gradient[i] = std::copysign(x[i] * e_min / e[i], p[i]);
  }
  gradient = normalized(gradient);
  return {dot(p - closest, gradient), gradient, closest};
}

PointDistance calc_point_distance(const Shape& shape, const Vec3& p) {
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case ShapeKind::kBox:
      return calc_box_distance(s, p);
    case ShapeKind::kCylinder:
      return calc_cylinder_distance(s.x, s.z, p);
    case ShapeKind::kCapsule:
      return calc_capsule_distance(s.x, s.z, p);
    case ShapeKind::kEllipsoid:
      return calc_ellipsoid_distance(s, p);
    case ShapeKind::kConvex:
      return hull_distance(shape, p);
    case ShapeKind::kSphere:
      return calc_capsule_distance(s.x, 0, p);
    case ShapeKind::kHalfSpace:
      return {p.z, {0, 0, 1}, {p.x, p.y, 0}};
    case ShapeKind::kHeightField:
    case ShapeKind::kSurface:
      break;
  }
  return {std::numeric_limits<double>::infinity(), {1, 0, 0}, {}};
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/pairs/patch.h"

#include <algorithm>
#include <numbers>

namespace cenic::detail {
namespace {

constexpr int kDiscSides = 16;
// Faces of more corners are thinned out to this many (the corners of such a face are close to each
// other).
constexpr int kMaxCorners = 40;

void set_sides(Polygon* polygon) {
  for (int k = 0; k < polygon->count; ++k) {
    polygon->in[k] = static_cast<std::uint16_t>((k + polygon->count - 1) % polygon->count);
    polygon->out[k] = static_cast<std::uint16_t>(k);
  }
}

void set_hull_face(const Core& core, const Vec3& n, FlatFace* face) {
  const ConvexHull& hull = *core.hull;
  const Vec3 d = transpose_times(core.X.R, n);
  const int v = find_support_vertex(hull, d);
  int best = hull.corners[hull.corner_start[v]].face;
  for (int c = hull.corner_start[v] + 1; c < hull.corner_start[v + 1]; ++c) {
    const int f = hull.corners[c].face;
    if (dot(d, hull.face_normals[f]) > dot(d, hull.face_normals[best])) best = f;
  }
  face->normal = core.X.R * hull.face_normals[best];
  face->offset = dot(face->normal, core.X * hull.vertices[v]);
  face->id = static_cast<std::uint32_t>(best);
}

}  // namespace

bool find_flat_face(const Core& core, const Vec3& n, FlatFace* face) {
  *face = {};
  switch (core.kind) {
    case ShapeKind::kBox: {
      const Vec3 d = transpose_times(core.X.R, n);
      const Vec3 a = cwise_abs(d);
      const int i = a.x >= a.y ? (a.x >= a.z ? 0 : 2) : (a.y >= a.z ? 1 : 2);
      face->normal = (d[i] < 0 ? -1.0 : 1.0) * core.X.R.column(i);
      face->offset = dot(face->normal, core.X.p) + core.size[i];
      face->id = static_cast<std::uint32_t>(2 * i + (d[i] < 0 ? 1 : 0));
      return true;
    }
    case ShapeKind::kConvex:
      set_hull_face(core, n, face);
      return true;
    case ShapeKind::kCylinder: {
      const Vec3 axis = core.X.R.column(2);
      const bool down = dot(axis, n) < 0;
      face->normal = down ? -axis : axis;
      face->center = core.X.p + core.size.z * face->normal;
      face->offset = dot(face->normal, face->center);
      face->radius = core.size.x;
      face->direction = core.X.R.column(0);
      face->id = down ? 1 : 0;
      return true;
    }
    default:
      return false;
  }
}

void collect_polygon(const Core& core, const FlatFace& face, Polygon* polygon) {
  polygon->count = 0;
  if (core.kind == ShapeKind::kBox) {
    const int i = static_cast<int>(face.id / 2), j = (i + 1) % 3, k = (i + 2) % 3;
    const double sign = face.id % 2 == 0 ? 1 : -1;
    const Vec3 center = core.X.p + core.size[i] * face.normal;
    // For the negative face the turn is reversed to stay counter-clockwise about the normal.
    const Vec3 e1 = sign * core.size[j] * core.X.R.column(j),
               e2 = core.size[k] * core.X.R.column(k);
    for (const Vec3& corner :
         {center - e1 - e2, center + e1 - e2, center + e1 + e2, center - e1 + e2}) {
      polygon->p[polygon->count++] = corner;
    }
  } else if (core.kind == ShapeKind::kConvex) {
    const ConvexHull& hull = *core.hull;
    const int start = hull.face_start[face.id], size = hull.face_start[face.id + 1] - start;
    polygon->count = std::min(size, kMaxCorners);
    for (int k = 0; k < polygon->count; ++k) {
      polygon->p[k] = core.X * hull.vertices[hull.face_vertices[start + k * size / polygon->count]];
    }
  }
  set_sides(polygon);
}

void collect_disc_polygon(const FlatFace& disc, const Vec3& first, Polygon* polygon) {
  const Vec3 x = disc.radius * first, y = cross(disc.normal, x);
  polygon->count = kDiscSides;
  const double c = std::cos(2 * std::numbers::pi / kDiscSides),
               s = std::sin(2 * std::numbers::pi / kDiscSides);
  double u = 1, v = 0;
  for (int k = 0; k < kDiscSides; ++k) {
    polygon->p[k] = disc.center + u * x + v * y;
    const double turned = c * u - s * v;
    v = s * u + c * v, u = turned;
  }
  set_sides(polygon);
}

bool find_line(const Core& core, const Vec3& n, Segment* line) {
  if (core.kind != ShapeKind::kCapsule && core.kind != ShapeKind::kCylinder) return false;
  const Vec3 axis = core.X.R.column(2);
  Vec3 middle = core.X.p;
  if (core.kind == ShapeKind::kCylinder) {
    const Vec3 out = n - dot(n, axis) * axis;
    const double length = norm(out);
    middle += core.size.x * (length > 0 ? out / length : core.X.R.column(0));
  }
  line->p[0] = middle - core.size.z * axis;
  line->p[1] = middle + core.size.z * axis;
  return true;
}

}  // namespace cenic::detail

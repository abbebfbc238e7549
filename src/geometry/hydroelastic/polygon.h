// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Kernels on convex polygons in space: cut, split, moments.
#pragma once

#include <cmath>

#include "geometry/hydroelastic/pressure_field.h"

namespace cenic::detail {

struct Polygon {
  static constexpr int kCapacity = 160;  // ends of two cylinders of 64 sides share 128 corners
  int count = 0;
  Vec3 p[kCapacity];

  void add(const Vec3& x) {
    if (count < kCapacity) p[count++] = x;
  }
};

// The part of a polygon with f ≤ 0, f(x) = slope·x + offset. Returns the polygon that holds it:
// `in` itself when nothing is cut off, else `out`, which is empty when nothing is left.
inline const Polygon* clip(const Polygon* in, const Vec3& slope, double offset, Polygon* out) {
  double f[Polygon::kCapacity];
  int inside = 0;
  for (int i = 0; i < in->count; ++i) {
    f[i] = dot(slope, in->p[i]) + offset;
    inside += f[i] <= 0 ? 1 : 0;
  }
  if (inside == in->count) return in;
  out->count = 0;
  if (inside == 0) return out;
  for (int i = 0, previous = in->count - 1; i < in->count; previous = i++) {
    if ((f[i] <= 0) != (f[previous] <= 0)) {
      const double t = f[previous] / (f[previous] - f[i]);
      out->add(in->p[previous] + t * (in->p[i] - in->p[previous]));
    }
    if (f[i] <= 0) out->add(in->p[i]);
  }
  return out;
}

// The cut of a cell, its outer face moved outwards by `margin`, with the plane slope·x + offset =
// 0: counter-clockwise about the slope. Empty when all vertices lie on one side.
void slice_cell(const PressureField& field, const PressureCell& cell, double margin,
                const Vec3& slope, double offset, Polygon* polygon);

// Axes in the plane of a unit normal, t1 × t2 = nhat, without a square root (Duff et al., 2017).
inline void make_plane_axes(const Vec3& nhat, Vec3* t1, Vec3* t2) {
  const double sign = std::copysign(1.0, nhat.z), a = -1 / (sign + nhat.z), b = nhat.x * nhat.y * a;
  *t1 = {1 + sign * nhat.x * nhat.x * a, sign * b, -sign * nhat.x};
  *t2 = {b, sign + nhat.y * nhat.y * a, -nhat.y};
}

// Area, centroid and second moments of a polygon in the plane of the unit normal.
struct PolygonMoments {
  double area = 0;
  Vec3 centroid;
  Vec3 t1, t2;                       // axes in the plane; t1 × t2 = normal
  double sxx = 0, sxy = 0, syy = 0;  // mean of (x − c)(x − c)ᵀ in those axes
};
PolygonMoments calc_moments(const Polygon& polygon, const Vec3& nhat);

// √(2 S): three points c + √(2S) u, u unit vectors 120° apart, have the second moments S.
struct Root2 {
  double xx = 0, xy = 0, yy = 0;
};
inline Root2 calc_root_of_double(double sxx, double sxy, double syy) {
  const double det = sxx * syy - sxy * sxy;
  const double s = det > 0 ? std::sqrt(det) : 0;
  const double t = std::sqrt(sxx + syy + 2 * s);
  if (!(t > 0)) return {};
  const double f = std::sqrt(2.0) / t;
  return {f * (sxx + s), f * sxy, f * (syy + s)};
}

}  // namespace cenic::detail

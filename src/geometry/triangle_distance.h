// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The point of a triangle nearest to a given one, and the one that a ray meets.
#pragma once

#include <algorithm>
#include <cmath>

#include "math/vec3.h"

namespace cenic {

// The nearest point of the segment from a to b; a when it has no length.
inline Vec3 find_nearest_on_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const double length_squared = norm_squared(ab);
  const double s = length_squared > 0 ? dot(x - a, ab) / length_squared : 0;
  return a + std::clamp(s, 0.0, 1.0) * ab;
}

// The foot of x on the plane when that is inside, else the best of the edges. Corners may coincide.
inline Vec3 find_nearest_on_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = cross(b - a, c - a);
  // Twice the signed areas that the foot spans with the edges, times |n|.
  const double u = dot(cross(c - b, x - b), n);
  const double v = dot(cross(a - c, x - c), n);
  const double w = dot(cross(b - a, x - a), n);
  const double sum = u + v + w;  // |n|²
  if (u >= 0 && v >= 0 && w >= 0 && sum > 0) return (u / sum) * a + (v / sum) * b + (w / sum) * c;
  Vec3 best = find_nearest_on_segment(x, a, b);
  for (const Vec3& p : {find_nearest_on_segment(x, b, c), find_nearest_on_segment(x, c, a)}) {
    if (norm_squared(p - x) < norm_squared(best - x)) best = p;
  }
  return best;
}

// How far it is from x along dir to the triangle, met from either side; `bound` when it is not met.
// An edge counts as part of both its triangles.
inline double calc_hit_distance(const Vec3& x, const Vec3& dir, const Vec3& p, const Vec3& q,
                                const Vec3& r, double bound) {
  const Vec3 a = p - x, b = q - x, c = r - x;
  // The volumes the ray spans with the edges are of one sign when it passes between them.
  const double u = dot(dir, cross(b, c)), v = dot(dir, cross(c, a)), w = dot(dir, cross(a, b));
  const double sum = u + v + w, tiny = 1e-9 * (std::fabs(u) + std::fabs(v) + std::fabs(w));
  const bool between = sum > 0 ? std::min({u, v, w}) >= -tiny : std::max({u, v, w}) <= tiny;
  if (!between || sum == 0) return bound;
  const double distance = dot(dir, (u / sum) * a + (v / sum) * b + (w / sum) * c);
  return distance >= 0 ? distance : bound;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The point of a triangle nearest to a given one.
#pragma once

#include <algorithm>

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

}  // namespace cenic

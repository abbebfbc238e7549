// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Axis-aligned bounding box in world.
#pragma once

#include "math/vec3.h"

namespace cenic {

struct Aabb {
  Vec3 lower, upper;
};

inline bool overlap(const Aabb& a, const Aabb& b) {
  return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
         b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}
// Is b inside a? Never when a number is not finite.
inline bool contains(const Aabb& a, const Aabb& b) {
  return a.lower.x <= b.lower.x && b.upper.x <= a.upper.x && a.lower.y <= b.lower.y &&
         b.upper.y <= a.upper.y && a.lower.z <= b.lower.z && b.upper.z <= a.upper.z;
}
inline Aabb inflated(const Aabb& a, double margin) {
  const Vec3 m{margin, margin, margin};
  return {a.lower - m, a.upper + m};
}

}  // namespace cenic

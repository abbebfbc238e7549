// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The shortest way of a string from one point to another around a sphere, or around a cylinder
// along z, at the origin of its frame G; as MuJoCo's tendons take it.
#pragma once

#include <optional>

#include "math/vec3.h"

namespace cenic {

struct WrapObstacle {
  double radius = 0;
  bool cylinder = false;
  // A point outside of the obstacle on the side where the string passes; none: the shorter way.
  std::optional<Vec3> side_G{};
  // The string passes through it, as through a ring: it goes straight where it crosses the obstacle
  // anyway, else to the surface and on by the shortest way.
  bool inside = false;
};

// Where the string touches the obstacle first and last, and how long it lies on it.
struct Wrap {
  Vec3 a_G{}, b_G{};
  double length = 0;
};

// None: the string goes straight.
std::optional<Wrap> calc_wrap(const WrapObstacle& obstacle, const Vec3& from_G, const Vec3& to_G);

}  // namespace cenic

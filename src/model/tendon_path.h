// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What a length may run along: joints, each with a share, or a path through points of bodies.
#pragma once

#include <string>
#include <vector>

#include "geometry/wrapping.h"
#include "math/rigid_transform.h"

namespace cenic {

// A joint that a tendon passes, and how much of the tendon one unit of the joint takes.
struct TendonPart {
  std::string joint{};
  double coefficient = 1;
};

struct PathPoint {
  std::string body{};
  Vec3 p_B{};
};

// A sphere or cylinder around which the path may lie, between two of its points.
struct PathObstacle {
  int after = 0;  // index of the point before it
  std::string body{};
  RigidTransform X_BG{};
  WrapObstacle obstacle{};
};

struct PathBranch {
  std::vector<PathPoint> points{};  // at least two
  std::vector<PathObstacle> obstacles{};
  double divisor = 1;  // of its length, as behind pulleys
};

}  // namespace cenic

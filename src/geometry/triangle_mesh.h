// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Surface mesh of triangles.
#pragma once

#include <array>
#include <vector>

#include "math/vec3.h"

namespace cenic {

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
};

}  // namespace cenic

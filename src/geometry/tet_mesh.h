// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Solid mesh of tetrahedra.
#pragma once

#include <array>
#include <vector>

#include "math/vec3.h"

namespace cenic {

struct TetMesh {
  std::vector<Vec3> vertices;
  // Corners (a, b, c, d) with ((b−a)×(c−a))·(d−a) > 0.
  std::vector<std::array<int, 4>> tets;
};

// The corners of the face opposite each corner, counter-clockwise seen from outside.
inline constexpr int kTetFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

// Six times the volume.
inline double calc_six_volumes(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return dot(cross(b - a, c - a), d - a);
}

}  // namespace cenic

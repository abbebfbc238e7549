// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Surface mesh of triangles.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "math/vec3.h"

namespace cenic {

struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;  // counter-clockwise seen from outside
  // Where the corners of each triangle are in a picture, (0, 0) at its lower left and (1, 1) at its
  // upper right (num_triangles); empty: not said.
  std::vector<std::array<std::array<float, 2>, 3>> uv{};
};

// All triangles seen from their other side.
inline void turn_inside_out(TriangleMesh* mesh) {
  for (auto& t : mesh->triangles) {
    std::swap(t[1], t[2]);
  }
  for (auto& t : mesh->uv) {
    std::swap(t[1], t[2]);
  }
}

}  // namespace cenic

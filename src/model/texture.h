// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// TextureSpec: a picture on a geometry, for the eye alone.
#pragma once

#include <array>
#include <memory>
#include <string>

namespace cenic {

struct TextureSpec {
  std::shared_ptr<const std::string> image{};  // bytes of a PNG or JPEG file; null: no picture
  std::string file{};                          // its path in a scenario file, when it has one
  // Triangles that say where in the picture they are (TriangleMesh::uv) are painted so. Others are
  // seen along z, or have the picture once on each of six sides.
  bool cube = false;
  // How often it is repeated along x and y: over the shape, or over each metre of it.
  std::array<double, 2> repeat{1, 1};
  bool per_metre = false;
};

}  // namespace cenic

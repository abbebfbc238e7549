// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// MuJoCo's own binary meshes (.msh): four 32-bit numbers of vertices, normals, texture coordinates
// and triangles, then those, as 32-bit floats (3, 3 and 2 each) and 32-bit indices.
#include <array>
#include <cstdint>
#include <cstring>

#include "core/error.h"
#include "loaders/mesh/mesh_text.h"
#include "loaders/mesh/read_mesh.h"

namespace cenic {

TriangleMesh read_msh(const std::string& path) {
  const std::string bytes = detail::read_bytes(path);
  std::array<std::int32_t, 4> counts{};
  if (bytes.size() < sizeof counts) {
    throw FileError(path, 0, "the file is too short for a mesh of MuJoCo; export it again");
  }
  std::memcpy(counts.data(), bytes.data(), sizeof counts);
  const auto [vertices, normals, texcoords, triangles] = counts;
  const auto size = [](std::int32_t count, std::int64_t numbers) {
    return 4 * numbers * std::int64_t{count};
  };
  const std::int64_t first_triangle =
      sizeof counts + size(vertices, 3) + size(normals, 3) + size(texcoords, 2);
  if (vertices < 3 || normals < 0 || texcoords < 0 || triangles < 0 ||
      first_triangle + size(triangles, 3) != static_cast<std::int64_t>(bytes.size())) {
    throw FileError(path, 0, "its size does not fit its header; is this a mesh of MuJoCo?");
  }
  if (triangles == 0) {
    throw FileError(path, 0, "no triangles found; export the mesh with its faces");
  }
  TriangleMesh mesh;
  mesh.vertices.reserve(vertices);
  for (std::int32_t i = 0; i < vertices; ++i) {
    std::array<float, 3> p{};
    std::memcpy(p.data(), bytes.data() + sizeof counts + size(i, 3), sizeof p);
    mesh.vertices.push_back({p[0], p[1], p[2]});
    if (!is_finite(mesh.vertices.back())) {
      throw FileError(path, 0, "vertex " + std::to_string(i) + " is not finite; export it again");
    }
  }
  for (std::int32_t i = 0; i < triangles; ++i) {
    std::array<std::int32_t, 3> t{};
    std::memcpy(t.data(), bytes.data() + first_triangle + size(i, 3), sizeof t);
    for (const std::int32_t v : t) {
      if (v >= 0 && v < vertices) continue;
      throw FileError(path, 0,
                      "triangle " + std::to_string(i) + " names vertex " + std::to_string(v) +
                          " of " + std::to_string(vertices) + "; export the mesh again");
    }
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back({t[0], t[1], t[2]});
  }
  return mesh;
}

}  // namespace cenic

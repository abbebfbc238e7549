// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mesh/read_mesh.h"

#include <algorithm>

#include "core/error.h"

namespace cenic {

TriangleMesh read_mesh(const std::string& path) {
  std::string ending = path.substr(std::min(path.rfind('.'), path.size()));
  for (char& c : ending) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (ending == ".obj") return read_obj(path);
  if (ending == ".stl") return read_stl(path);
  if (ending == ".dae") return join(read_dae(path));
  if (ending == ".msh") return read_msh(path);
  throw FileError(path, 0,
                  "mesh format '" + ending + "' is not known; convert the mesh to .obj or .stl");
}

TriangleMesh join(const MeshParts& parts) {
  TriangleMesh mesh;
  for (const MeshPart& part : parts.parts) {
    const int first = static_cast<int>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), part.mesh.vertices.begin(), part.mesh.vertices.end());
    for (const auto& [a, b, c] : part.mesh.triangles) {
      mesh.triangles.push_back({first + a, first + b, first + c});
    }
  }
  return mesh;
}

}  // namespace cenic

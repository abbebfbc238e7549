// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Reads mesh files. Errors are FileError "file:line: error: ...".
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/tet_mesh.h"
#include "geometry/triangle_mesh.h"

namespace cenic {

// By the ending of the name: .obj (Wavefront, polygons are fanned), .stl (binary or text, vertices
// merged), .dae (COLLADA, in metres and with z up) or .msh (MuJoCo's own).
TriangleMesh read_mesh(const std::string& path);
TriangleMesh read_obj(const std::string& path);
TriangleMesh read_stl(const std::string& path);
TriangleMesh read_msh(const std::string& path);

// Legacy VTK (.vtk), text or binary: an unstructured grid of nothing but tetrahedra. Corners are in
// the file's order; make_volume_field() turns round what is inside out.
TetMesh read_vtk(const std::string& path);

// A mesh in parts, each of one colour and with one picture.
struct MeshPart {
  TriangleMesh mesh;
  std::optional<std::array<float, 4>> color;
  std::shared_ptr<const std::string> picture{};  // bytes of a PNG or JPEG file; null: none
};
struct MeshParts {
  std::vector<MeshPart> parts;
  std::vector<std::string> notes;  // what the file has that is not here
};
// One mesh of all parts, without their looks.
TriangleMesh join(const MeshParts& parts);
// An OBJ with the colours and pictures of its materials, which are in files below its folder.
MeshParts read_obj_parts(const std::string& path);
// COLLADA (.dae), in metres and with z up; pictures are in files below its folder.
MeshParts read_dae(const std::string& path);
// glTF 2.0, .gltf (buffers in files below its folder, or inside) or .glb; turned so that z is up.
MeshParts read_gltf(const std::string& path);

}  // namespace cenic

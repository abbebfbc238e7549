// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Reads mesh files. Errors are FileError "file:line: error: ...".
#pragma once

#include <string>

#include "geometry/triangle_mesh.h"

namespace cenic {

// By the ending of the name: .obj (Wavefront, polygons are fanned) or .stl (binary or text,
// vertices merged).
TriangleMesh read_mesh(const std::string& path);
TriangleMesh read_obj(const std::string& path);
TriangleMesh read_stl(const std::string& path);

}  // namespace cenic

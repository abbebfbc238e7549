// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The triangles by which shapes that have no formula are drawn: meshes, hulls, surfaces, ground.
#pragma once

#include "geometry/shape.h"
#include "geometry/triangle_mesh.h"

namespace cenic {

// What shapes that are drawn by the same triangles have in common; nullptr: drawn without.
const void* find_drawn_source(const Shape& shape);

// The triangles of a shape that has a source.
TriangleMesh make_drawn_mesh(const Shape& shape);

}  // namespace cenic

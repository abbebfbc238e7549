// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A solid given by a mesh, ready for contact: what make_mesh (shape.h) makes a shape of.
#pragma once

#include <memory>
#include <optional>

#include "geometry/convex_hull.h"
#include "geometry/mesh_check.h"
#include "geometry/tet_mesh.h"
#include "geometry/triangle_mesh.h"

namespace cenic {

struct SolidMesh {
  TriangleMesh surface;
  bool closed = false;          // the surface is the boundary of a solid
  std::optional<TetMesh> tets;  // of the inside, when the mesh came with them
  ConvexHull hull;              // of the surface
};

// Checks and repairs the surface; one that is no solid's boundary is kept as an open surface, with
// a note of the reason. Throws Error when it cannot be used even so, or spans no volume. Notes may
// be null.
std::shared_ptr<const SolidMesh> make_solid_mesh(const TriangleMesh& surface, MeshNotes* notes);
// The surface is the boundary of the tetrahedra (see prepare_tets).
std::shared_ptr<const SolidMesh> make_solid_mesh(const TetMesh& tets, MeshNotes* notes);

}  // namespace cenic

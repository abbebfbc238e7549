// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// MjcfMesh: a mesh asset, read when a geom first asks for it. Its volume, as MuJoCo takes it, its
// convex hull, and primitives fitted to it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/convex_hull.h"
#include "geometry/shape.h"
#include "geometry/triangle_mesh.h"
#include "math/spatial.h"

namespace cenic::detail {

enum class MeshInertia { kConvex, kExact, kLegacy, kShell };

struct MjcfMesh {
  // ---- from the file ----
  std::string path{};            // of the mesh file; empty: inline, or missing
  std::string problem{};         // why there is no mesh
  std::vector<Vec3> vertices{};  // given inline
  std::vector<int> faces{};
  std::vector<std::array<float, 2>> uv{};  // of the vertices, or none
  Vec3 refpos{}, scale{1, 1, 1};
  Quat refquat{};
  MeshInertia inertia = MeshInertia::kLegacy;

  // ---- when asked for; these throw Error ----
  const TriangleMesh& triangles() { return *surface(); }
  std::shared_ptr<const TriangleMesh> surface();  // shared by all geoms that show the mesh
  std::shared_ptr<const ConvexHull> hull();
  // Of unit density about the mesh's origin. kLegacy, MuJoCo's default, counts the volume between
  // the centre and each triangle as positive: more than the volume of a mesh that is not convex.
  const SpatialInertia& unit_inertia();
  bool is_convex();  // the hull has the volume of the mesh

 private:
  std::shared_ptr<const TriangleMesh> surface_{};
  std::shared_ptr<const ConvexHull> hull_{};
  std::optional<SpatialInertia> unit_inertia_{};
};

// Of unit density about the origin, of the volume that the triangles enclose (exact), or with
// positive volumes (legacy).
SpatialInertia calc_mesh_inertia(const TriangleMesh& mesh, bool exact);

// A mesh that MuJoCo makes itself (builtin="..."), of triangles of our own. Throws Error when the
// kind or its parameters are no good.
TriangleMesh make_builtin_mesh(const std::string& kind, const std::vector<double>& params);

// Half sizes and pose of the box that a primitive is fitted to: with the inertia of the mesh, or
// (aabb) around its vertices in the axes of its inertia. The longest side is along z.
struct FittedBox {
  Vec3 half_sizes{};
  RigidTransform X_MB{};
};
FittedBox fit_box(MjcfMesh* mesh, bool aabb);

}  // namespace cenic::detail

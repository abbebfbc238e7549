// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Pressure fields and rigid surfaces of meshes.
#include <algorithm>
#include <array>

#include "geometry/hydroelastic/field_builder.h"

namespace cenic::detail {

PressureField make_volume_pressure_field(const VolumeField& volume, double modulus) {
  FieldBuilder builder(modulus);
  for (const std::array<int, 4>& tet : volume.mesh.tets) {
    // Vertices on the surface first: with three of them that face is a piece of it.
    std::array<int, 4> order = tet;
    std::ranges::stable_partition(order, [&](int v) {
      return volume.depth[v] == 0;
    });
    const bool outer = volume.depth[order[2]] == 0 && volume.depth[order[3]] > 0;
    std::array<Vec3, 4> x;
    std::array<double, 4> p{};
    for (int i = 0; i < 4; ++i) {
      x[i] = volume.mesh.vertices[order[i]];
      p[i] = modulus * volume.depth[order[i]] / volume.max_depth;
    }
    builder.add_tetrahedron(x, p, outer);
  }
  PressureField field = builder.finish();
  field.convex = false;
  field.foundation = volume.max_depth;
  return field;
}

PressureField make_rigid_surface(const TriangleMesh& surface) {
  PressureField field;
  field.compliance = Compliance::kRigid;
  field.convex = false;
  std::vector<Aabb> boxes;
  for (const auto& [a, b, c] : surface.triangles) {
    const Vec3 &xa = surface.vertices[a], &xb = surface.vertices[b], &xc = surface.vertices[c];
    field.faces.push_back(
        {normalized(cross(xb - xa, xc - xa)), static_cast<int>(field.face_vertices.size()), 3});
    field.face_vertices.insert(field.face_vertices.end(), {xa, xb, xc});
    boxes.push_back({cwise_min(xa, cwise_min(xb, xc)), cwise_max(xa, cwise_max(xb, xc))});
  }
  set_bounds(boxes, &field);
  // Nothing tells how thick a rigid solid is; across gaps it goes out by a part of its size.
  field.foundation = 0.25 * field.size;
  return field;
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/drawn_mesh.h"

#include "geometry/convex_hull.h"
#include "geometry/height_field.h"
#include "geometry/solid_mesh.h"

namespace cenic {
namespace {

TriangleMesh make_fans(const ConvexHull& hull) {
  TriangleMesh mesh;
  mesh.vertices = hull.vertices;
  for (std::size_t f = 0; f + 1 < hull.face_start.size(); ++f) {
    const int first = hull.face_start[f];
    for (int k = first + 1; k + 1 < hull.face_start[f + 1]; ++k) {
      mesh.triangles.push_back(
          {hull.face_vertices[first], hull.face_vertices[k], hull.face_vertices[k + 1]});
    }
  }
  return mesh;
}

}  // namespace

const void* find_drawn_source(const Shape& shape) {
  if (shape.mesh != nullptr) return shape.mesh.get();
  if (shape.surface != nullptr) return shape.surface.get();
  if (shape.height_field != nullptr) return shape.height_field.get();
  return shape.hull.get();
}

TriangleMesh make_drawn_mesh(const Shape& shape) {
  if (shape.mesh != nullptr) return shape.mesh->surface;
  if (shape.surface != nullptr) return *shape.surface;
  if (shape.height_field != nullptr) return make_height_field_mesh(*shape.height_field);
  return make_fans(*shape.hull);
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A solid as tetrahedra that carry the depth below its surface: what the pressure field of a
// compliant mesh is made from (p = stiffness × depth/thickness, linear in each tetrahedron).
#pragma once

#include <vector>

#include "geometry/aabb_tree.h"
#include "geometry/mesh_check.h"
#include "geometry/tet_mesh.h"
#include "geometry/triangle_mesh.h"

namespace cenic {

struct VolumeField {
  TetMesh mesh;
  std::vector<double> depth;  // of each vertex: 0 on the surface, else distance to it, m
  double max_depth = 0;       // m
  MeshNotes notes;
};

// Conforming tetrahedra of positive volume: duplicate vertices are merged, tetrahedra inside out
// turned, those without volume dropped, as are vertices of none. Throws Error, with the element at
// fault, when a face has more than two tetrahedra or none has a volume; notes may be null.
TetMesh prepare_tets(TetMesh mesh, MeshNotes* notes);

// The depth in a mesh of the whole solid, prepared as above. Where only vertices of the surface
// stand around the inside, so that depth would be zero there, vertices are added: see the notes.
VolumeField make_volume_field(TetMesh mesh);

// The depth in a shell under a closed surface (see prepare_closed_surface): the surface's vertices,
// and as many moved inward by up to max_thickness (0: as far as the solid allows), never further
// than 0.9 of the way to where the insides of two walls meet. Every triangle becomes a prism of
// three tetrahedra; what is deeper inside is empty. Throws Error when the surface is too tangled.
VolumeField make_shell_field(const TriangleMesh& surface, double max_thickness);

// The faces of one tetrahedron alone, outward, with the vertices they use.
TriangleMesh extract_boundary(const TetMesh& mesh);

// Distances to the triangles of a mesh, which must outlive it.
class SurfaceDistance {
 public:
  explicit SurfaceDistance(const TriangleMesh& mesh);
  // The point of the surface nearest to x, looking no further than the bound; false if none is
  // that near. Triangles of which skip(t) is true do not count.
  template <class Skip>
  bool find_nearest(const Vec3& x, double bound, Skip&& skip, Vec3* nearest) const;
  double calc_distance(const Vec3& x) const;
  // How far it is from x to the surface along the unit vector dir, looking no further than the
  // bound; the bound when nothing is met. An edge counts as part of both its triangles.
  template <class Skip>
  double find_first_hit(const Vec3& x, const Vec3& dir, double bound, Skip&& skip) const {
    return tree_.find_first_on_ray(x, dir, bound, [&](int t) {
      return skip(t) ? bound : hit_distance(t, x, dir, bound);
    });
  }

 private:
  double distance_squared(int t, const Vec3& x, Vec3* point) const;
  double hit_distance(int t, const Vec3& x, const Vec3& dir, double bound) const;

  const TriangleMesh& mesh_;
  AabbTree tree_;
};

template <class Skip>
bool SurfaceDistance::find_nearest(const Vec3& x, double bound, Skip&& skip, Vec3* nearest) const {
  double best = bound * bound;
  bool found = false;
  tree_.find_nearest(x, best, [&](int t) {
    Vec3 point;
    if (skip(t)) return best;
    const double candidate = distance_squared(t, x, &point);
    if (candidate < best) best = candidate, *nearest = point, found = true;
    return best;
  });
  return found;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Puts a PressureField together from polyhedra given as vertices and faces.
#pragma once

#include <span>
#include <vector>

#include "geometry/hydroelastic/pressure_field.h"
#include "geometry/volume_field.h"

namespace cenic::detail {

// A face of a cell: indices of its vertices, counter-clockwise seen from outside.
using FaceLoop = std::vector<int>;

class FieldBuilder {
 public:
  static constexpr int kMaxVertices = 200;  // of a cell: indices of edges are bytes

  explicit FieldBuilder(double modulus);

  // A convex polyhedron with pressures at its vertices, taken as linear between them: exact for
  // fields that are. Vertices that coincide become one and faces without area go, as do cells
  // without volume. `outer`: the first loop lies on the surface of the solid.
  void add_cell(std::span<const Vec3> given, std::span<const double> pressures,
                std::span<const FaceLoop> given_loops, bool outer);
  // One with a vertex inside, `apex`, over a face on the surface.
  void add_pyramid(const Vec3& apex, double pressure, std::span<const Vec3> base);
  // A tetrahedron, in any orientation; `outer`: its first three vertices lie on the surface.
  void add_tetrahedron(std::array<Vec3, 4> x, std::array<double, 4> pressures, bool outer);

  PressureField finish();

 private:
  void spread_vertices(const PressureCell& cell, const FaceLoop& surface,
                       std::span<const CellEdge> edges);
  int find_tetrahedron_edges();

  PressureField field_;
  int tetrahedron_edges_ = -1;  // all tetrahedra share one list
};

// Builds the tree of the cells' or faces' boxes, and what goes with it.
void set_bounds(std::span<const Aabb> boxes, PressureField* field);

// The vertices around a face of a cell.
FaceLoop collect_face(const PressureField& field, const PressureCell& cell, int face);

// The surface of a field as that of a rigid solid.
PressureField make_rigid(const PressureField& field);

PressureField make_box_field(const Vec3& half_extents, double modulus);
PressureField make_cylinder_field(double radius, double half_length, int sides, double modulus);
PressureField make_capsule_field(double radius, double half_length, int sides, double modulus);
// Each level of `levels` splits the triangles of an octahedron into four.
PressureField make_ellipsoid_field(const Vec3& semi_axes, int levels, double modulus);
PressureField make_hull_field(const ConvexHull& hull, double modulus);
PressureField make_half_space_field(double modulus, double thickness);
// From depths at the vertices of tetrahedra, E at the deepest.
PressureField make_volume_pressure_field(const VolumeField& volume, double modulus);
PressureField make_rigid_surface(const TriangleMesh& surface);

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What hydroelastic contact knows of a solid: a pressure p(x) ≥ 0 inside it, zero on its surface,
// rising to the modulus E at its heart. The solid is tiled by convex cells in each of which p is
// linear: six for a box, one for each face of a hull, tetrahedra for meshes. A rigid solid is the
// limit of infinite pressure; only its surface counts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "geometry/aabb_tree.h"
#include "geometry/hydroelastic/cell_blocks.h"
#include "geometry/hydroelastic/properties.h"
#include "geometry/shape.h"

namespace cenic {

// normal·x ≤ offset inside; the normal has length one.
struct Plane {
  Vec3 normal;
  double offset = 0;
};

struct CellVertex {
  Vec3 p;
  // Where the vertex goes for each metre by which the face on the surface moves outwards. Beyond
  // its surface a cell goes on between its other faces, with negative pressure: this is where
  // solids that do not touch yet meet.
  Vec3 spread;
};

// From vertex a to b of a cell, with the faces left and right of it seen from outside.
struct CellEdge {
  std::uint8_t a, b, left, right;
};

struct PressureCell {
  Vec3 gradient;         // p(x) = gradient·x + offset
  double offset = 0;     // Pa
  double steepness = 0;  // |gradient|
  double softness = 0;   // 1/|gradient|; 0 where the pressure does not change at all
  int vertex_begin = 0, num_vertices = 0;
  int plane_begin = 0, num_planes = 0;  // of the faces; the first lies on the surface when `outer`
  int edge_begin = 0, num_edges = 0;
  bool outer = false;
};

// A convex polygon of a rigid surface, counter-clockwise seen from outside.
struct SurfaceFace {
  Vec3 normal;
  int vertex_begin = 0, num_vertices = 0;
};

struct PressureField {
  Compliance compliance = Compliance::kNone;
  bool half_space = false;  // solid z ≤ 0; compliant: one cell without vertices
  double modulus = 0;
  double foundation = 0;     // H: depth at which the pressure is E, m; rigid: the like
  double sphere_radius = 0;  // > 0: a ball, which has closed forms
  bool convex = true;
  double size = 0;  // largest extent, m
  std::vector<PressureCell> cells;
  std::vector<CellVertex> vertices;
  std::vector<Plane> planes;
  std::vector<CellEdge> edges;
  std::vector<SurfaceFace> faces;  // rigid
  std::vector<Vec3> face_vertices;
  CellBlocks blocks;  // the cells once more, eight at a time
  AabbTree tree;      // of the cells, or of the faces
  // Of the parts of the cells where the pressure is at most kShell · E: what meets at shallow
  // contact, and much less.
  AabbTree shell_tree;
  std::vector<int> shell_cells;  // its elements
  static constexpr double kShell = 0.1;
  Aabb core;  // around the rest
  bool has_core = false;
  double max_spread = 1;  // longest CellVertex::spread
  Vec3 center;            // of the bounding box, and the radius around it
  double radius = 0;
};

// The field, or the rigid surface, of a shape. Throws Error when it has none (a compliant half
// space without a thickness, a mesh that cannot carry a field), saying what to do; sentences for
// the user about repairs go to `notes`.
std::shared_ptr<const PressureField> make_pressure_field(const Shape& shape,
                                                         const HydroelasticProperties& properties,
                                                         std::vector<std::string>* notes);

// Every cell cut into tetrahedra around the middle of its outermost face; the same field. For
// comparison: this is how tools without convex cells represent boxes.
PressureField split_into_tetrahedra(const PressureField& field);

}  // namespace cenic

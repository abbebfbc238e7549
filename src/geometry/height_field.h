// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Ground given by heights on a grid. Each cell of the grid is cut along its diagonal from (row,
// column) to (row + 1, column + 1) into two flat facets. The solid is what lies between the facets
// and z = −base.
#pragma once

#include <memory>
#include <vector>

#include "geometry/triangle_mesh.h"

namespace cenic {

struct HeightField {
  int rows = 0, columns = 0;       // grid points along y and along x, at least two of each
  double half_x = 0, half_y = 0;   // the grid covers [−half_x, half_x] × [−half_y, half_y], m
  double base = 0;                 // thickness below z = 0, m; z = −base is below all heights
  std::vector<double> heights;     // m (rows × columns); the first row is at y = −half_y
  double lowest = 0, highest = 0;  // of the heights; set by make_height_field

  double dx() const { return 2 * half_x / (columns - 1); }
  double dy() const { return 2 * half_y / (rows - 1); }
  double height(int r, int c) const { return heights[static_cast<std::size_t>(r) * columns + c]; }
  Vec3 vertex(int r, int c) const { return {c * dx() - half_x, r * dy() - half_y, height(r, c)}; }
};

// Throws Error when the field is no good: sizes, counts, numbers.
std::shared_ptr<const HeightField> make_height_field_data(HeightField field);

// One of the two facets of a cell.
struct Facet {
  Vec3 n;                 // unit normal, upwards
  Vec3 v;                 // a corner
  double gx = 0, gy = 0;  // slopes
};

// `upper`: the one at the side of small x and large y.
inline Facet calc_facet(const HeightField& field, int r, int c, bool upper) {
  const double h00 = field.height(r, c), h11 = field.height(r + 1, c + 1);
  Facet facet;
  facet.v = field.vertex(r, c);
  if (upper) {
    const double h01 = field.height(r + 1, c);
    facet.gx = (h11 - h01) / field.dx(), facet.gy = (h01 - h00) / field.dy();
  } else {
    const double h10 = field.height(r, c + 1);
    facet.gx = (h10 - h00) / field.dx(), facet.gy = (h11 - h10) / field.dy();
  }
  facet.n = normalized(Vec3{-facet.gx, -facet.gy, 1});
  return facet;
}

// The facet above or below (x, y); false beyond the borders.
bool find_facet(const HeightField& field, double x, double y, Facet* facet);

// Cells [r0, r1) × [c0, c1) that a box in the xy-plane reaches; empty when it is beyond.
struct CellRange {
  int r0 = 0, r1 = 0, c0 = 0, c1 = 0;
};
CellRange find_cells(const HeightField& field, double x0, double y0, double x1, double y1);

// By how much the slopes in these cells differ: 0 where the ground is a plane.
double calc_slope_spread(const HeightField& field, const CellRange& cells);

// The facets, the sides and the bottom, to be drawn.
TriangleMesh make_height_field_mesh(const HeightField& field);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/height_field.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/error.h"

namespace cenic {
namespace {

constexpr long kMostPoints = 50'000'000;

void check_length(double value, const char* what) {
  if (std::isfinite(value) && value > 0) return;
  throw Error("height field: " + std::string(what) + " is " + std::to_string(value) +
              "; give a finite number greater than zero, in metres");
}

// Grid cell that holds the coordinate; the border belongs to the last cell.
int find_cell(double x, double half, double d, int count) {
  return std::clamp(static_cast<int>((x + half) / d), 0, count - 2);
}

// Two triangles for each piece of a line of border points, down to the bottom.
void add_side(const std::vector<int>& line, double bottom, TriangleMesh* mesh) {
  const int first = static_cast<int>(mesh->vertices.size());
  for (const int v : line) {
    const Vec3 p = mesh->vertices[v];
    mesh->vertices.push_back({p.x, p.y, bottom});
  }
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    const int low = first + static_cast<int>(k);
    mesh->triangles.push_back({line[k], low, line[k + 1]});
    mesh->triangles.push_back({line[k + 1], low, low + 1});
  }
}

}  // namespace

std::shared_ptr<const HeightField> make_height_field_data(HeightField field) {
  check_length(field.half_x, "half size along x");
  check_length(field.half_y, "half size along y");
  check_length(field.base, "thickness below zero");
  const long count = static_cast<long>(field.rows) * field.columns;
  if (field.rows < 2 || field.columns < 2 || count > kMostPoints) {
    throw Error("height field: " + std::to_string(field.rows) + " rows and " +
                std::to_string(field.columns) +
                " columns; give at least two of each, and no more than 50 million points");
  }
  if (static_cast<long>(field.heights.size()) != count) {
    throw Error("height field: " + std::to_string(field.heights.size()) +
                " heights are given; rows × columns is " + std::to_string(count));
  }
  for (const double h : field.heights) {
    if (!std::isfinite(h)) throw Error("height field: a height is not a finite number");
  }
  const auto [low, high] = std::ranges::minmax_element(field.heights);
  field.lowest = *low, field.highest = *high;
  if (!(field.lowest > -field.base)) {
    throw Error("height field: the lowest height is " + std::to_string(field.lowest) +
                " m, the bottom at " + std::to_string(-field.base) +
                " m; give a greater thickness below zero");
  }
  return std::make_shared<const HeightField>(std::move(field));
}

bool find_facet(const HeightField& field, double x, double y, Facet* facet) {
  if (!(std::fabs(x) <= field.half_x && std::fabs(y) <= field.half_y)) return false;
  const double dx = field.dx(), dy = field.dy();
  const int c = find_cell(x, field.half_x, dx, field.columns);
  const int r = find_cell(y, field.half_y, dy, field.rows);
  const double u = (x + field.half_x) / dx - c, v = (y + field.half_y) / dy - r;
  *facet = calc_facet(field, r, c, v > u);
  return true;
}

CellRange find_cells(const HeightField& field, double x0, double y0, double x1, double y1) {
  if (!(x1 >= -field.half_x && x0 <= field.half_x && y1 >= -field.half_y && y0 <= field.half_y)) {
    return {};
  }
  const auto inside = [](double x, double half) {
    return std::clamp(x, -half, half);
  };
  const double hx = field.half_x, hy = field.half_y, dx = field.dx(), dy = field.dy();
  return {find_cell(inside(y0, hy), hy, dy, field.rows),
          find_cell(inside(y1, hy), hy, dy, field.rows) + 1,
          find_cell(inside(x0, hx), hx, dx, field.columns),
          find_cell(inside(x1, hx), hx, dx, field.columns) + 1};
}

double calc_slope_spread(const HeightField& field, const CellRange& cells) {
  double x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY;
  for (int r = cells.r0; r < cells.r1; ++r) {
    for (int c = cells.c0; c < cells.c1; ++c) {
      for (const bool upper : {false, true}) {
        const Facet f = calc_facet(field, r, c, upper);
        x0 = std::min(x0, f.gx), x1 = std::max(x1, f.gx);
        y0 = std::min(y0, f.gy), y1 = std::max(y1, f.gy);
      }
    }
  }
  return x1 >= x0 ? std::hypot(x1 - x0, y1 - y0) : 0;
}

TriangleMesh make_height_field_mesh(const HeightField& field) {
  TriangleMesh mesh;
  const int rows = field.rows, columns = field.columns;
  const auto at = [&](int r, int c) {
    return r * columns + c;
  };
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      mesh.vertices.push_back(field.vertex(r, c));
    }
  }
  for (int r = 0; r + 1 < rows; ++r) {
    for (int c = 0; c + 1 < columns; ++c) {
      mesh.triangles.push_back({at(r, c), at(r, c + 1), at(r + 1, c + 1)});
      mesh.triangles.push_back({at(r, c), at(r + 1, c + 1), at(r + 1, c)});
    }
  }
  // Around the border so that the solid is at the left hand.
  std::vector<int> south, north, west, east;
  for (int c = 0; c < columns; ++c) {
    south.push_back(at(0, c)), north.push_back(at(rows - 1, columns - 1 - c));
  }
  for (int r = 0; r < rows; ++r) {
    west.push_back(at(rows - 1 - r, 0)), east.push_back(at(r, columns - 1));
  }
  for (const auto& line : {south, east, north, west}) {
    add_side(line, -field.base, &mesh);
  }
  const int b = static_cast<int>(mesh.vertices.size());
  const double x = field.half_x, y = field.half_y, z = -field.base;
  mesh.vertices.insert(mesh.vertices.end(), {{-x, -y, z}, {x, -y, z}, {x, y, z}, {-x, y, z}});
  mesh.triangles.push_back({b, b + 2, b + 1});
  mesh.triangles.push_back({b, b + 3, b + 2});
  return mesh;
}

}  // namespace cenic

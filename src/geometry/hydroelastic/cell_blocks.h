// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Cells eight at a time. Cells of a field whose vertices and edges are numbered alike stand side by
// side, one in each lane; where a plane cuts such a cell is known from which vertices lie above it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "math/simd.h"

namespace cenic {

struct PressureField;

// The edges that a plane cuts, in order around the cut: counter-clockwise seen from above.
struct CellCut {
  static constexpr int kMaxVertices = 8;
  struct alignas(8) Pattern {
    std::array<std::uint8_t, 8> a{}, b{};  // ends of the edges; those beyond repeat the first
    std::uint8_t count = 0;
  };
  int num_vertices = 0;
  std::vector<Pattern> patterns;  // bit i of the index: is vertex i above?
};

struct alignas(64) LaneRow {
  std::array<double, kLanes> lane{};
};

struct CellBlock {
  int cut = 0;    // index into CellBlocks::cuts
  int count = 0;  // lanes in use; the others repeat the first cell
  std::array<int, kLanes> cells{};
  // Of CellBlocks::rows: x, y, z of each vertex, then of the cell gradient (3), offset, steepness.
  int row_begin = 0;
};

// One cell with its vertices and planes in lanes; vertices beyond the last repeat the first, planes
// beyond the last hold everything.
struct PackedCell {
  int cut = -1;  // index into CellBlocks::cuts; −1: does not fit
  int num_planes = 0;
  LaneRow x, y, z;
  LaneRow spread_x, spread_y, spread_z;
  LaneRow normal_x, normal_y, normal_z, plane_offset;
};

// The boxes around the cells of a solid of few, one in each lane, around what lies no deeper than a
// share of the foundation: center + share · center_slope, and so on.
struct CellBoxes {
  int count = 0;                                                  // 0: more cells than lanes
  std::array<LaneRow, 3> center, half, center_slope, half_slope;  // x, y, z
};

struct CellBlocks {
  CellBoxes boxes;
  std::vector<CellCut> cuts;
  std::vector<CellBlock> blocks;
  std::vector<LaneRow> rows;
  std::vector<PackedCell> packed;  // every cell, in fields of few
  std::vector<int> others;         // cells that do not fit: too many vertices or faces
};

CellBlocks make_cell_blocks(const PressureField& field);

}  // namespace cenic

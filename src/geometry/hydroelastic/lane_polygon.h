// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Convex polygons of up to eight corners, a corner in each lane: the kernels of polygon.h without
// loops and branches.
#pragma once

#include <span>

#include "geometry/hydroelastic/cell_blocks.h"
#include "geometry/hydroelastic/polygon.h"

namespace cenic::detail {

struct LanePolygon {
  int count = 0;
  V8 x, y, z;  // lanes beyond the last corner repeat the first
};

inline const V8& lanes(const LaneRow& row) { return load8(row.lane.data()); }
inline V8& lanes(LaneRow* row) { return ref8(row->lane.data()); }

// slope·x + offset in all lanes.
inline V8 evaluate(const Vec3& slope, double offset, const V8& x, const V8& y, const V8& z) {
  return slope.x * x + (slope.y * y + (slope.z * z + offset));
}

// The cut of cell A with the plane slope·x + offset = 0, as slice_cell() gives it; false when A or
// B lies on one side of it.
bool slice_both(const PackedCell& A, std::span<const CellCut> cuts_A, const PackedCell& B,
                const Vec3& slope, double offset, LanePolygon* polygon);

enum class Clipped { kWhole, kPart, kEmpty, kFailed };
// Cuts off the part with f > 0, f at the corners. Fails, leaving the polygon, when the rest does
// not fit or rounding has made the cut other than convex.
Clipped clip(const V8& f, LanePolygon* polygon);

// Cuts off what lies beyond the planes of a cell.
Clipped clip(const PackedCell& cell, LanePolygon* polygon);

// A cell in another frame, its outer face moved outwards by the margin.
void pose(const PackedCell& cell, const RigidTransform& X, double margin, PackedCell* out);

PolygonMoments calc_moments(const LanePolygon& polygon, const Vec3& nhat);

}  // namespace cenic::detail

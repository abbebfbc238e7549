// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Convex polygons of up to eight corners, a corner in each lane: the kernels of polygon.h without
// loops and branches.
#pragma once

#include <array>
#include <cmath>
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

// Points between those of the lanes a and b, at the share t.
inline void interpolate(const V8& x, const V8& y, const V8& z, const Lanes8& a, const Lanes8& b,
                        const V8& t, LanePolygon* out) {
  const V8 xa = permute(x, a), ya = permute(y, a), za = permute(z, a);
  const V8 dx = permute(x, b) - xa, dy = permute(y, b) - ya, dz = permute(z, b) - za;
  out->x = xa + t * dx;
  out->y = ya + t * dy;
  out->z = za + t * dz;
}

// The cut of cell A with the plane slope·x + offset = 0, as slice_cell() gives it; false, the
// polygon being anything, when A or B lies on one side of it. Without branches: many in a row
// overlap.
inline bool slice_both(const PackedCell& A, std::span<const CellCut> cuts_A, const PackedCell& B,
                       const Vec3& slope, double offset, LanePolygon* polygon) {
  const V8 zero{}, f = evaluate(slope, offset, lanes(A.x), lanes(A.y), lanes(A.z));
  const unsigned above = find_greater(f, zero);
  const unsigned above_B =
      find_greater(evaluate(slope, offset, lanes(B.x), lanes(B.y), lanes(B.z)), zero);
  const CellCut& cut = cuts_A[A.cut];
  const CellCut::Pattern& pattern = cut.patterns[above & (cut.patterns.size() - 1)];
  const Lanes8 a = load_lanes(pattern.a), b = load_lanes(pattern.b);
  const V8 fa = permute(f, a);
  polygon->count = pattern.count;
  interpolate(lanes(A.x), lanes(A.y), lanes(A.z), a, b, fa / (fa - permute(f, b)), polygon);
  // Neither no bit nor all.
  return (((above + 1) & 0xFE) != 0) & (((above_B + 1) & 0xFE) != 0);
}

enum class Clipped { kWhole, kPart, kEmpty, kFailed };
// Cuts off the part with f > 0, f at the corners. Fails, leaving the polygon, when the rest does
// not fit or rounding has made the cut other than convex.
Clipped clip(const V8& f, LanePolygon* polygon);

// Which planes of a cell cut something off, by bits; false when one cuts off everything.
inline bool find_cutting_planes(const PackedCell& cell, const LanePolygon& polygon,
                                unsigned* planes) {
  const V8 &nx = lanes(cell.normal_x), &ny = lanes(cell.normal_y), &nz = lanes(cell.normal_z);
  const V8& offset = lanes(cell.plane_offset);
  const V8 zero{};
  V8 least = zero + INFINITY, most = -least;
  for (int i = 0; i < polygon.count; ++i) {
    const V8 f = polygon.x[i] * nx + (polygon.y[i] * ny + (polygon.z[i] * nz - offset));
    least = least < f ? least : f;
    most = max8(most, f);
  }
  *planes = find_greater(most, zero);
  return find_greater(least, zero) == 0;
}

// Cuts off what lies beyond those planes of a cell.
Clipped clip(const PackedCell& cell, unsigned planes, LanePolygon* polygon);

// A cell in another frame, its outer face moved outwards by the margin.
void pose(const PackedCell& cell, const RigidTransform& X, double margin, PackedCell* out);

inline constexpr std::array<std::uint8_t, 8> kNextCorner{1, 2, 3, 4, 5, 6, 7, 0};

inline PolygonMoments calc_moments(const LanePolygon& polygon, const Vec3& nhat) {
  PolygonMoments m;
  make_plane_axes(nhat, &m.t1, &m.t2);
  const V8 dx = polygon.x - polygon.x[0], dy = polygon.y - polygon.y[0],
           dz = polygon.z - polygon.z[0];
  // The fan of triangles from the first corner, one in each lane.
  const V8 x0 = evaluate(m.t1, 0, dx, dy, dz), y0 = evaluate(m.t2, 0, dx, dy, dz);
  const Lanes8 next = load_lanes(kNextCorner);
  const V8 x1 = permute(x0, next), y1 = permute(y0, next);
  const V8 twice = x0 * y1 - x1 * y0, sx = x0 + x1, sy = y0 + y1;
  const V4 first = sum3(twice, twice * sx, twice * sy);
  const V4 second =
      sum3(twice * (sx * sx + x0 * x0 + x1 * x1), twice * (sx * sy + x0 * y0 + x1 * y1),
           twice * (sy * sy + y0 * y0 + y1 * y1));
  m.area = 0.5 * first[0];
  if (!(m.area > 0)) return m;
  const double w = 1 / (12 * first[0]), cx = 4 * w * first[1], cy = 4 * w * first[2];
  m.centroid = Vec3{polygon.x[0], polygon.y[0], polygon.z[0]} + cx * m.t1 + cy * m.t2;
  m.sxx = w * second[0] - cx * cx;
  m.sxy = w * second[1] - cx * cy;
  m.syy = w * second[2] - cy * cy;
  return m;
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/hydroelastic/lane_polygon.h"

#include <array>
#include <bit>

namespace cenic::detail {
namespace {

// Where the corners of a clipped polygon come from: corner a, or a point between a and b.
struct ClipPattern {
  std::array<std::uint8_t, 8> a{}, b{};
};

// Of a polygon with n corners the `kept` ones from `start` on stay; then come the points where the
// outline leaves and enters again.
constexpr ClipPattern make_clip_pattern(int n, int start, int kept) {
  ClipPattern p;
  const auto put = [&](int lane, int a, int b) {
    p.a[lane] = static_cast<std::uint8_t>(a % n);
    p.b[lane] = static_cast<std::uint8_t>(b % n);
  };
  for (int lane = 0; lane < 8; ++lane) {
    const int corner = start + (lane < kept ? lane : 0);
    put(lane, corner, corner);
  }
  put(kept, start + kept - 1, start + kept);
  put(kept + 1, start + n - 1, start);
  return p;
}

constexpr int kMostKept = 6;  // two points are new
constexpr int find_clip_pattern(int n, int start, int kept) {
  return (n * 8 + start) * (kMostKept + 1) + kept;
}

constexpr auto kClipPatterns = [] {
  std::array<ClipPattern, 9 * 8 * (kMostKept + 1)> patterns{};
  for (int n = 3; n <= 8; ++n) {
    for (int start = 0; start < n; ++start) {
      for (int kept = 1; kept < n && kept <= kMostKept; ++kept) {
        patterns[find_clip_pattern(n, start, kept)] = make_clip_pattern(n, start, kept);
      }
    }
  }
  return patterns;
}();

constexpr std::array<std::uint8_t, 8> kFirst{}, kNext{1, 2, 3, 4, 5, 6, 7, 0};

// Points between those of a and b, at the share t.
void interpolate(const V8& x, const V8& y, const V8& z, const std::uint8_t* a,
                 const std::uint8_t* b, const V8& t, LanePolygon* out) {
  const V8 xa = permute(x, a), ya = permute(y, a), za = permute(z, a);
  out->x = xa + t * (permute(x, b) - xa);
  out->y = ya + t * (permute(y, b) - ya);
  out->z = za + t * (permute(z, b) - za);
}

}  // namespace

bool slice_both(const PackedCell& A, std::span<const CellCut> cuts_A, const PackedCell& B,
                const Vec3& slope, double offset, LanePolygon* polygon) {
  const V8 f = evaluate(slope, offset, lanes(A.x), lanes(A.y), lanes(A.z));
  const unsigned above = to_bits(f > 0);
  if (above == 0 || above == 0xFF) return false;
  const unsigned above_B = to_bits(evaluate(slope, offset, lanes(B.x), lanes(B.y), lanes(B.z)) > 0);
  if (above_B == 0 || above_B == 0xFF) return false;
  const CellCut& cut = cuts_A[A.cut];
  const CellCut::Pattern& pattern = cut.patterns[above & (cut.patterns.size() - 1)];
  const V8 fa = permute(f, pattern.a.data());
  const V8 t = fa / (fa - permute(f, pattern.b.data()));
  polygon->count = pattern.count;
  interpolate(lanes(A.x), lanes(A.y), lanes(A.z), pattern.a.data(), pattern.b.data(), t, polygon);
  return true;
}

namespace {

inline Clipped cut_off(const V8& f, LanePolygon* polygon) {
  const unsigned inside = to_bits(f <= 0);
  if (inside == 0xFF) return Clipped::kWhole;
  if (inside == 0) return Clipped::kEmpty;
  const int n = polygon->count;
  const unsigned all = (1U << n) - 1, in = inside & all;
  const unsigned before = (in << 1 | in >> (n - 1)) & all;  // is the corner before inside?
  const unsigned enters = in & ~before;
  const int kept = std::popcount(in);
  if (!std::has_single_bit(enters) || kept > kMostKept) return Clipped::kFailed;
  const ClipPattern& pattern = kClipPatterns[find_clip_pattern(n, std::countr_zero(enters), kept)];
  const V8 fa = permute(f, pattern.a.data());
  const V8 d = fa - permute(f, pattern.b.data());
  const V8 zero{};
  const V8 t = d == 0 ? zero : fa / d;  // corners that stay
  interpolate(polygon->x, polygon->y, polygon->z, pattern.a.data(), pattern.b.data(), t, polygon);
  polygon->count = kept + 2;
  return Clipped::kPart;
}

}  // namespace

Clipped clip(const V8& f, LanePolygon* polygon) { return cut_off(f, polygon); }

Clipped clip(const PackedCell& cell, LanePolygon* polygon) {
  Clipped result = Clipped::kWhole;
  LanePolygon rest = *polygon;  // in registers
  for (int i = 0; i < cell.num_planes; ++i) {
    const Vec3 nhat{cell.normal_x.lane[i], cell.normal_y.lane[i], cell.normal_z.lane[i]};
    const Clipped by_plane =
        cut_off(evaluate(nhat, -cell.plane_offset.lane[i], rest.x, rest.y, rest.z), &rest);
    if (by_plane == Clipped::kEmpty || by_plane == Clipped::kFailed) return by_plane;
    if (by_plane == Clipped::kPart) result = by_plane;
  }
  *polygon = rest;
  return result;
}

void pose(const PackedCell& cell, const RigidTransform& X, double margin, PackedCell* out) {
  const Vec3 &rx = X.R.row[0], &ry = X.R.row[1], &rz = X.R.row[2];
  V8 x = lanes(cell.x), y = lanes(cell.y), z = lanes(cell.z);
  if (margin > 0) {
    x += margin * lanes(cell.spread_x);
    y += margin * lanes(cell.spread_y);
    z += margin * lanes(cell.spread_z);
  }
  out->cut = cell.cut;
  out->num_planes = cell.num_planes;
  lanes(&out->x) = evaluate(rx, X.p.x, x, y, z);
  lanes(&out->y) = evaluate(ry, X.p.y, x, y, z);
  lanes(&out->z) = evaluate(rz, X.p.z, x, y, z);
  const V8 &nx = lanes(cell.normal_x), &ny = lanes(cell.normal_y), &nz = lanes(cell.normal_z);
  const V8 mx = evaluate(rx, 0, nx, ny, nz), my = evaluate(ry, 0, nx, ny, nz),
           mz = evaluate(rz, 0, nx, ny, nz);
  lanes(&out->normal_x) = mx;
  lanes(&out->normal_y) = my;
  lanes(&out->normal_z) = mz;
  lanes(&out->plane_offset) = lanes(cell.plane_offset) + evaluate(X.p, 0, mx, my, mz);
  out->plane_offset.lane[0] += margin;  // the face on the surface
}

PolygonMoments calc_moments(const LanePolygon& polygon, const Vec3& nhat) {
  PolygonMoments m;
  make_plane_axes(nhat, &m.t1, &m.t2);
  const V8 dx = polygon.x - permute(polygon.x, kFirst.data());
  const V8 dy = polygon.y - permute(polygon.y, kFirst.data());
  const V8 dz = polygon.z - permute(polygon.z, kFirst.data());
  // The fan of triangles from the first corner, one in each lane.
  const V8 x0 = evaluate(m.t1, 0, dx, dy, dz), y0 = evaluate(m.t2, 0, dx, dy, dz);
  const V8 x1 = permute(x0, kNext.data()), y1 = permute(y0, kNext.data());
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

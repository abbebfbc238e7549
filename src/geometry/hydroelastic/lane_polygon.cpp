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

inline Clipped cut_off(const V8& f, LanePolygon* polygon) {
  const V8 zero{};
  const unsigned outside = find_greater(f, zero);
  if (outside == 0) return Clipped::kWhole;
  if (outside == 0xFF) return Clipped::kEmpty;
  const int n = polygon->count;
  const unsigned all = (1U << n) - 1, in = ~outside & all;
  const unsigned before = (in << 1 | in >> (n - 1)) & all;  // is the corner before inside?
  const unsigned enters = in & ~before;
  const int kept = std::popcount(in);
  if (!std::has_single_bit(enters) || kept > kMostKept) return Clipped::kFailed;
  const ClipPattern& pattern = kClipPatterns[find_clip_pattern(n, std::countr_zero(enters), kept)];
  const Lanes8 a = load_lanes(pattern.a), b = load_lanes(pattern.b);
  const V8 fa = permute(f, a), d = fa - permute(f, b);
  const V8 t = d == 0 ? zero : fa / d;  // corners that stay
  interpolate(polygon->x, polygon->y, polygon->z, a, b, t, polygon);
  polygon->count = kept + 2;
  return Clipped::kPart;
}

}  // namespace

Clipped clip(const V8& f, LanePolygon* polygon) { return cut_off(f, polygon); }

Clipped clip(const PackedCell& cell, unsigned planes, LanePolygon* polygon) {
  LanePolygon rest = *polygon;  // in registers
  Clipped result = Clipped::kWhole;
  for (; planes != 0; planes &= planes - 1) {
    const int i = std::countr_zero(planes);
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
  const V8 outwards = {margin};  // of the face on the surface
  lanes(&out->plane_offset) = lanes(cell.plane_offset) + evaluate(X.p, 0, mx, my, mz) + outwards;
}

}  // namespace cenic::detail

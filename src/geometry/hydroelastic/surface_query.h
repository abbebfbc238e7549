// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the parts of SurfaceFinder share within a query. Not for others.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "geometry/hydroelastic/contact_surface.h"

namespace cenic {
namespace detail {

// A polygon counts while its normal and the pressure's gradient are less than 112.5° apart: beyond
// it is the back of a thin plate, or a wall between the side blocks of two boxes.
inline constexpr double kCosLimit = -0.3826834323650898;
// Across gaps, where nothing presses yet, it must look along the gradient.
inline constexpr double kCosGap = 0.75;

}  // namespace detail

struct SurfaceFinder::Query {
  const PressureField& M;
  const PressureField& N;
  const RigidTransform& X_MN;
  double margin;
  double least_area;
  std::vector<SurfacePolygon>* polygons;
  const SurfaceMotion* motion;

  bool may_close(int corners, int of) const { return corners > motion->part * of; }
  // Does the gap close at enough corners, or is it narrow there?
  bool may_close(const detail::Polygon& polygon, const SurfacePolygon& like) const {
    if (motion == nullptr) return true;
    const PressureCell& cell = M.cells[like.cell_M];
    int corners = 0;
    for (int i = 0; i < polygon.count; ++i) {
      const Vec3& x = polygon.p[i];
      const double gap = -like.softness * (dot(cell.gradient, x) + cell.offset);
      const Vec3 moved = motion->travel + cross(motion->turn, x - motion->center);
      corners += gap < std::max(dot(like.nhat, moved), motion->nearby) ? 1 : 0;
    }
    return may_close(corners, polygon.count);
  }
  bool may_close(const detail::LanePolygon& polygon, const V8& p,
                 const SurfacePolygon& like) const {
    if (motion == nullptr) return true;
    const Vec3 lever = cross(like.nhat, motion->turn);
    const double rest = dot(like.nhat, motion->travel) - dot(lever, motion->center);
    const V8 closing = detail::evaluate(lever, rest, polygon.x, polygon.y, polygon.z);
    const V8 nearby = V8{} + motion->nearby;
    const unsigned closes = to_bits(-like.softness * p < max8(closing, nearby));
    return may_close(std::popcount(closes & ((1U << polygon.count) - 1)), polygon.count);
  }
};

// Inline: structs that pass through memory are read in wider pieces than they were written, for
// which the reader has to wait.
[[gnu::always_inline]] inline bool SurfaceFinder::add(const Query& q,
                                                      const detail::PolygonMoments& moments,
                                                      const SurfacePolygon& like) {
  if (!(moments.area > q.least_area)) return false;
  SurfacePolygon& out = q.polygons->emplace_back(like);
  const PressureCell& cell = q.M.cells[out.cell_M];
  out.moments = moments;
  out.pressure = dot(cell.gradient, moments.centroid) + cell.offset;
  out.px = dot(cell.gradient, moments.t1);
  out.py = dot(cell.gradient, moments.t2);
  return true;
}

}  // namespace cenic

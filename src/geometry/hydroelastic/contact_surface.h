// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The surface on which two solids press: where their pressures are equal, or the surface of the
// rigid one inside the other. A flat list of polygons, each with linear pressure, known by its
// moments.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/hydroelastic/cell_pairs.h"
#include "geometry/hydroelastic/lane_polygon.h"
#include "geometry/hydroelastic/polygon.h"
#include "geometry/hydroelastic/pressure_field.h"

namespace cenic {

// In the frame of M, the first of the two solids; M is always compliant.
struct SurfacePolygon {
  Vec3 nhat;  // out of N, into M
  detail::PolygonMoments moments;
  double pressure = 0;    // at the centroid, Pa; negative: across a gap
  double px = 0, py = 0;  // its slope along t1 and t2
  // g: rise of the pressure for each metre of approach, 1/(1/g_M + 1/g_N); not always positive.
  double gradient = 0;
  double steepness = 0;  // the lesser of |∇p_M| and |∇p_N|
  double softness = 0;   // depth below both surfaces for each pascal: 1/|∇p_M| + 1/|∇p_N|
  int cell_M = 0, cell_N = 0;
};

// Where a step takes the points of N, in M's frame: x moves by travel + turn × (x − center).
struct SurfaceMotion {
  Vec3 center, travel, turn;
  double radius = 0;  // around the center: of all points that may touch
  double nearby = 0;  // gaps narrower than this count whether they close or not
  double part = 0;    // more than this share of a polygon's corners must close
  double gap = 0;     // between the boxes around the solids: find_box_gap(), for bounded ones
};

class SurfaceFinder {
 public:
  // Replaces `polygons` by the contact surface of M and N. With a margin, m, also the polygons
  // across gaps up to it, with negative pressures: a polygon never has both signs; when the motion
  // is given, only those that it closes. M is compliant; only N may be a half space when
  // both are compliant. Never throws.
  void find(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
            double margin, SurfaceCandidates* candidates, std::vector<SurfacePolygon>* polygons,
            const SurfaceMotion* motion = nullptr);

  // Of polygons that count, m²: what is smaller comes of rounding.
  static double calc_least_area(const PressureField& M, const PressureField& N);

  // The corners of the last surface's polygons, one after the other, for drawing; kept when asked.
  bool keep_corners = false;
  std::vector<Vec3> corners;
  std::vector<int> corner_counts;
  SurfaceCounters counters;

 private:
  struct Query;
  struct EqualPressures {  // slope·x + offset = 0
    Vec3 slope;
    double offset = 0;
  };
  // A pair of cells on its way through the kernels in lanes, and what a gap leaves of it.
  struct LaneCut {
    SurfacePolygon like;
    EqualPressures equal;
    bool fits = true;     // else polygons in general do it
    unsigned planes = 0;  // of N's cell that cut something off
    detail::LanePolygon polygon, gap;
  };
  struct LanePart {
    const detail::LanePolygon* polygon;  // nullptr: to be cut in general
    const SurfacePolygon* like;
  };
  static constexpr int kBatch = 32;  // pairs of cells at a time
  void cut_by_plane(const Query& q, int i);
  void cut_by_face(const Query& q, int i, int j);
  void cut_by_cells(const Query& q, std::span<const IndexPair> pairs);
  void cut_in_lanes(const Query& q, std::span<const IndexPair> pairs);
  void cut_in_general(const Query& q, int i, int j);
  const detail::Polygon* clip_by_cell(const PressureCell& cell, const Plane* planes, double margin,
                                      const detail::Polygon* polygon, int wall);
  EqualPressures find_equal_pressures(const Query& q, int i, int j) const;
  bool face_each_other(const Query& q, const Vec3& slope, SurfacePolygon* out) const;
  void place_cell(const Query& q, int j);
  void place_planes(const Query& q, const PressureCell& B);
  void place_own_cell(const Query& q, int i);
  const PackedCell& own_cell(const Query& q, int i) const;
  void emit(const Query& q, const detail::Polygon& polygon, SurfacePolygon* out);
  void split(const Query& q, LaneCut* cut);
  void add(const Query& q, const detail::Polygon& polygon, const SurfacePolygon& like);
  bool add(const Query& q, const detail::PolygonMoments& moments, const SurfacePolygon& like);

  CellPairFinder pair_finder_;
  detail::Polygon buffer_[3];
  std::uint64_t stamp_ = 0;
  std::vector<std::uint64_t> stamps_;  // of N's cells or faces that are in M's frame already
  std::vector<Plane> planes_M_;        // N's planes
  std::vector<Vec3> gradients_M_, face_vertices_M_, normals_M_;
  std::vector<double> offsets_M_;
  // The same for cells that fit into lanes, and M's own with their outer faces moved.
  bool lanes_ = false;
  std::vector<PackedCell> packed_M_, packed_N_;
  std::vector<std::uint64_t> stamps_M_;
  std::vector<LaneCut> cuts_;
  std::vector<LaneCut*> open_;   // those of which something is left
  std::vector<LanePart> parts_;  // of one sign
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The path of a curvilinear joint, by its length s: lines and arcs in the plane of x and y that
// meet without a corner. It starts at the origin along x and turns about z.
#pragma once

#include <vector>

#include "math/vec3.h"

namespace cenic {

// A line (angle 0), or an arc that turns by the angle: its radius is length/|angle|.
struct CurveSegment {
  double length = 0;  // m, above zero
  double angle = 0;   // rad
};

class PlanarCurve {
 public:
  struct Point {
    Vec3 position{};
    double angle = 0;      // of the tangent, from x
    double curvature = 0;  // turn per metre, 1/m
  };

  PlanarCurve() = default;
  PlanarCurve(const std::vector<CurveSegment>& segments, bool periodic);

  // A periodic path begins again behind its end; else the first and the last segment go on beyond
  // the ends. Where two segments meet, the later one counts.
  Point at(double s) const;
  const std::vector<CurveSegment>& segments() const { return segments_; }
  bool periodic() const { return periodic_; }
  double length() const { return length_; }
  double largest_curvature() const;  // never negative

  // How far it is from s to where another segment begins, ahead or behind, m; infinite: nowhere.
  double calc_distance_to_border(double s, bool forward) const;

  // How far the end is from the start, m, and turned against it, rad in [0, π].
  double gap() const { return norm(end_.position); }
  double end_turn() const;
  // Does it end where it starts, in the same direction?
  bool is_closed() const { return gap() <= 1e-6 * length_ && end_turn() <= 1e-6; }

 private:
  struct Piece {
    double s = 0;  // of its start
    Point start{};
  };
  static Point follow(const Point& start, double ds);

  std::vector<CurveSegment> segments_{};
  std::vector<Piece> pieces_{};
  double length_ = 0;
  Point end_{};
  bool periodic_ = false;
};

}  // namespace cenic

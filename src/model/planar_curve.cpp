// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/planar_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace cenic {

PlanarCurve::PlanarCurve(const std::vector<CurveSegment>& segments, bool periodic)
    : segments_(segments), periodic_(periodic) {
  for (const CurveSegment& segment : segments) {
    Point start = end_;
    start.curvature = segment.angle / segment.length;
    pieces_.push_back({length_, start});
    end_ = follow(start, segment.length);
    length_ += segment.length;
  }
}

// An arc's chord is 2 r sin(θ/2) long and has half of its turn; written so that lines are no
// special case.
PlanarCurve::Point PlanarCurve::follow(const Point& start, double ds) {
  const double half = 0.5 * start.curvature * ds;
  const double chord =
      std::fabs(half) < 1e-5 ? ds * (1 - half * half / 6) : ds * std::sin(half) / half;
  const double direction = start.angle + half;
  return {start.position + chord * Vec3{std::cos(direction), std::sin(direction), 0},
          start.angle + 2 * half, start.curvature};
}

PlanarCurve::Point PlanarCurve::at(double s) const {
  if (periodic_) s -= length_ * std::floor(s / length_);
  std::size_t i = 0;
  while (i + 1 < pieces_.size() && s >= pieces_[i + 1].s) {
    ++i;
  }
  return follow(pieces_[i].start, s - pieces_[i].s);
}

double PlanarCurve::calc_distance_to_border(double s, bool forward) const {
  if (periodic_) s -= length_ * std::floor(s / length_);
  double nearest = std::numeric_limits<double>::infinity(), border = 0;
  const auto look = [&](double at) {
    const double distance = forward ? at - s : s - at;
    if (distance > 0 || (distance == 0 && !forward)) nearest = std::min(nearest, distance);
  };
  if (periodic_) look(0);
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    border += segments_[i].length;
    if (periodic_ || i + 1 < segments_.size()) look(border);
  }
  return nearest;
}

double PlanarCurve::largest_curvature() const {
  double largest = 0;
  for (const Piece& piece : pieces_) {
    largest = std::max(largest, std::fabs(piece.start.curvature));
  }
  return largest;
}

double PlanarCurve::end_turn() const {
  return std::fabs(std::remainder(end_.angle, 2 * std::numbers::pi));
}

}  // namespace cenic

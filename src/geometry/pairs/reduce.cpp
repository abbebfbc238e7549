// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/pairs/reduce.h"

#include <limits>

namespace cenic::detail {
namespace {

// How bad a merge is: up to a factor of two the second moment that is lost, d² w_i w_j/(w_i + w_j).
double merge_cost(const ManifoldPoint& a, const ManifoldPoint& b) {
  return norm_squared(a.p_WA - b.p_WA) * (a.weight < b.weight ? a.weight : b.weight);
}

}  // namespace

void PointReducer::finish(Manifold* manifold) {
  shrink(Manifold::kCapacity);
  for (int i = 0; i < count_; ++i) {
    manifold->points[i] = points_[i];
  }
  manifold->count = count_;
}

void PointReducer::shrink(int target) {
  while (count_ > target) {
    if (!drop_furthest_speculative()) merge_closest();
  }
}

bool PointReducer::drop_furthest_speculative() {
  int furthest = -1;
  for (int i = 0; i < count_; ++i) {
    if (points_[i].phi >= 0 && (furthest < 0 || points_[i].phi > points_[furthest].phi)) {
      furthest = i;
    }
  }
  if (furthest < 0) return false;
  for (int i = furthest; i + 1 < count_; ++i) {
    points_[i] = points_[i + 1];
  }
  --count_;
  return true;
}

void PointReducer::merge(int i, const ManifoldPoint& b) {
  ManifoldPoint& a = points_[i];
  const double fa = a.weight * a.phi, fb = b.weight * b.phi;
  const double share = fa / (fa + fb);
  const double phi = (fa + fb) / (a.weight + b.weight);
  const Vec3 p_WA = share * a.p_WA + (1 - share) * b.p_WA;
  const Vec3 p_WB = share * a.p_WB + (1 - share) * b.p_WB;
  // Along the normal the two witnesses move apart evenly until they are φ from each other.
  const double correction = 0.5 * (phi - dot(p_WB - p_WA, nhat_));
  a.p_WA = p_WA - correction * nhat_;
  a.p_WB = p_WB + correction * nhat_;
  a.phi = phi;
  a.weight += b.weight;
}

void PointReducer::merge_closest() {
  int best_i = 0, best_j = 1;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < count_; ++i) {
    for (int j = i + 1; j < count_; ++j) {
      const double cost = merge_cost(points_[i], points_[j]);
      if (cost < best) best = cost, best_i = i, best_j = j;
    }
  }
  merge(best_i, points_[best_j]);
  for (int i = best_j; i + 1 < count_; ++i) {
    points_[i] = points_[i + 1];
  }
  --count_;
}

}  // namespace cenic::detail

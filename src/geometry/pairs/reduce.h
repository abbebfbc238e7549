// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Collects more points than a manifold holds and merges the closest ones, without loss of force.
#pragma once

#include "geometry/manifold.h"

namespace cenic::detail {

// Two touching points i, j become one with
//   w = w_i + w_j,  φ = (w_i φ_i + w_j φ_j)/w,  p = (w_i φ_i p_i + w_j φ_j p_j)/(w_i φ_i + w_j
//   φ_j),
// so that the force Σ w φ, its moment Σ w φ p and the stiffness Σ w along the normal stay as they
// were: the wrench of the reduced manifold is exactly that of all points. Speculative points (φ ≥
// 0) carry no force and go first, the furthest of them before the others.
class PointReducer {
 public:
  explicit PointReducer(const Vec3& nhat_AB_W) : nhat_(nhat_AB_W) {}

  void add(const ManifoldPoint& point) {
    if (!(point.weight > 0)) return;
    if (count_ == kBuffer) shrink(Manifold::kCapacity);
    points_[count_++] = point;
  }
  // At most kCapacity points go to the manifold, in the order in which they came.
  void finish(Manifold* manifold);

 private:
  static constexpr int kBuffer = 24;
  void shrink(int target);
  bool drop_furthest_speculative();
  void merge(int i, const ManifoldPoint& b);
  void merge_closest();

  Vec3 nhat_;
  int count_ = 0;
  ManifoldPoint points_[kBuffer];
};

}  // namespace cenic::detail

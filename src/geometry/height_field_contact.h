// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Point contact between a convex shape and a height field: see docs/contact.md, "Height fields".
#pragma once

#include <span>
#include <vector>

#include "geometry/manifold.h"

namespace cenic {

// As on a manifold, but each point has a normal of its own.
struct HeightFieldPoint {
  ManifoldPoint point;
  Vec3 nhat_AB_W;  // from the shape into the field
};

class HeightFieldCollider {
 public:
  // Points with φ < margin between the bounded convex shape A and the height field B. What is
  // returned stays until the next call. Allocates only while it has seen fewer points.
  std::span<const HeightFieldPoint> find(const Shape& A, const RigidTransform& X_WA, const Shape& B,
                                         const RigidTransform& X_WB, double margin);

  // One contact in the field's frame, with the weight it is given at last.
  struct Candidate {
    Vec3 p_A, p_B, nhat;
    double phi = 0;
    double strength = 1;  // of an edge: how sharp it is, up to 1
    double weight = 0;
    int part = 0;  // of the shape; −1: an edge of the field
    std::uint32_t feature = 0;
  };

 private:
  std::vector<Candidate> candidates_;
  std::vector<HeightFieldPoint> points_;
};

// Which part of its way over the field may A go before the ground there can be higher by half of
// A's half width than what is seen now? 1 or more: all of it.
double calc_safe_part(const Shape& A, const RigidTransform& X_WA, const Shape& B,
                      const RigidTransform& X_WB, const Vec3& way_W);

}  // namespace cenic

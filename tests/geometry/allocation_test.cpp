// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Narrow phase never allocates; broad phase not once it has grown.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "geometry/broad_phase.h"
#include "geometry/samples.h"

namespace cenic {
namespace {

TEST(Allocation, NoneInCalcManifold) {
  test::Random random(1);
  for (int a = 0; a < kNumShapeKinds; ++a) {
    for (int b = 0; b < kNumShapeKinds; ++b) {
      const Shape A = test::random_shape(static_cast<ShapeKind>(a), &random);
      const Shape B = test::random_shape(static_cast<ShapeKind>(b), &random);
      const long before = test::num_allocations;
      for (int i = 0; i < 30; ++i) {
        Manifold m;
        calc_manifold(A, random.pose(0.2), B, random.pose(0.8), {.margin = 0.1}, &m);
      }
      EXPECT_EQ(test::num_allocations, before) << to_string(A.kind) << " " << to_string(B.kind);
    }
  }
}

TEST(Allocation, NoneInAGrownBroadPhase) {
  test::Random random(2);
  std::vector<Aabb> boxes;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 c = random.in_cube(5), h{0.3, 0.3, 0.3};
    boxes.push_back({c - h, c + h});
  }
  BroadPhase broad_phase;
  std::vector<IndexPair> pairs;
  broad_phase.find_pairs(boxes, &pairs);
  const long before = test::num_allocations;
  broad_phase.find_pairs(boxes, &pairs);
  EXPECT_EQ(test::num_allocations, before);
  EXPECT_GT(pairs.size(), 100u);
  EXPECT_GT(before, 0);  // the counter counts
}

}  // namespace
}  // namespace cenic

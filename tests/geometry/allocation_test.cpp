// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Narrow phase never allocates; broad phase not once it has grown; a tree only when built.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "geometry/aabb_tree.h"
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

TEST(Allocation, NoneInQueriesOfATree) {
  test::Random random(6);
  const auto random_boxes = [&] {
    std::vector<Aabb> boxes;
    for (int i = 0; i < 500; ++i) {
      const Vec3 c = random.in_cube(1), h = cwise_abs(random.in_cube(0.1));
      boxes.push_back({c - h, c + h});
    }
    return boxes;
  };
  AabbTree a, b;
  a.build(random_boxes());
  b.build(random_boxes());
  const long before = test::num_allocations;
  std::size_t count = 0;
  a.for_each_pair(b, random.pose(0.5), 0.01, [&](int, int) {
    ++count;
  });
  a.for_each_crossing({0, 0, 1}, 0, 0.01, [&](int) {
    ++count;
  });
  const double nearest = a.find_nearest({}, 1e300, [](int i) {
    return 1.0 + i;
  });
  EXPECT_EQ(test::num_allocations, before);
  EXPECT_GT(count, 100u);
  EXPECT_GE(nearest, 1);
}

}  // namespace
}  // namespace cenic

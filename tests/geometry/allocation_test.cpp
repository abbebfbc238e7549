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
#include "geometry/height_field.h"
#include "geometry/height_field_contact.h"
#include "geometry/hydroelastic_samples.h"
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

TEST(Allocation, NoneOnAHeightField) {
  test::Random random(9);
  HeightField field{.rows = 31, .columns = 31, .half_x = 3, .half_y = 3, .base = 1, .heights = {}};
  for (int i = 0; i < 31 * 31; ++i) {
    field.heights.push_back(random.uniform(-0.1, 0.1));
  }
  const Shape ground = make_height_field(make_height_field_data(std::move(field)));
  std::vector<std::pair<Shape, RigidTransform>> cases;
  for (int i = 0; i < 70; ++i) {
    const auto kind = static_cast<ShapeKind>(i % kNumShapeKinds);
    if (kind == ShapeKind::kHalfSpace) continue;
    cases.emplace_back(test::random_shape(kind, &random, 0.5), random.pose(0.3));
  }
  HeightFieldCollider collider;
  std::size_t num_points = 0;
  const auto find_all = [&] {
    for (const auto& [shape, X] : cases) {
      num_points += collider.find(shape, X, ground, {}, 0.05).size();
    }
  };
  find_all();
  const long before = test::num_allocations;
  find_all();
  EXPECT_EQ(test::num_allocations, before);
  EXPECT_GT(num_points, 200u);
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

// A finder and a maker of points that have seen the deepest of the poses.
TEST(Allocation, NoneInContactSurfaces) {
  test::Random random(7);
  std::vector<test::FieldPtr> fields;
  for (int k = 0; k < kNumShapeKinds; ++k) {
    const Shape shape = test::random_shape(static_cast<ShapeKind>(k), &random, 0.1);
    fields.push_back(test::make_compliant(shape, 1e7, 0.04));
    fields.push_back(test::make_rigid(shape, 0.04));
  }
  std::vector<RigidTransform> poses;
  for (int i = 0; i < 20; ++i) {
    poses.push_back(random.pose(0.1));
  }
  SurfaceFinder finder;
  PointMaker maker;
  SurfaceCandidates candidates;
  std::vector<SurfacePolygon> polygons;
  std::vector<SurfacePoint> points;
  long num_polygons = 0;
  const auto run_all = [&] {
    for (const test::FieldPtr& M : fields) {
      for (const test::FieldPtr& N : fields) {
        const bool rigid = N->compliance == Compliance::kRigid;
        if (M->compliance == Compliance::kRigid || (M->half_space && (N->half_space || !rigid)))
          continue;
        candidates.skin = -1;
        for (const RigidTransform& X_MN : poses) {
          finder.find(*M, *N, X_MN, 0.005, &candidates, &polygons);
          num_polygons += static_cast<long>(polygons.size());
          for (const auto quadrature : {SurfaceQuadrature::kReduced, SurfaceQuadrature::kPolygons,
                                        SurfaceQuadrature::kCentroid}) {
            maker.make(polygons, quadrature, &points);
          }
        }
      }
    }
  };
  run_all();
  const long before = test::num_allocations;
  run_all();
  EXPECT_EQ(test::num_allocations, before);
  EXPECT_GT(num_polygons, 1000);
}

}  // namespace
}  // namespace cenic

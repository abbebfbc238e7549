// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Manifolds of more than one point: how many, where, with which weights; and what must not be
// there.
#include <set>

#include <gtest/gtest.h>

#include "geometry/pairs/reduce.h"
#include "geometry/samples.h"

namespace cenic {
namespace {

using test::Random;

double weight_sum(const Manifold& m) {
  double sum = 0;
  for (int k = 0; k < m.count; ++k) {
    sum += m.points[k].weight;
  }
  return sum;
}

RigidTransform at(double x, double y, double z, double yaw = 0) {
  RigidTransform X = RigidTransform::rotation({0, 0, yaw});
  X.p = {x, y, z};
  return X;
}

Shape box_hull(const Vec3& h) {
  std::vector<Vec3> corners;
  for (int v = 0; v < 8; ++v) {
    corners.push_back(
        {(v & 1) != 0 ? h.x : -h.x, (v & 2) != 0 ? h.y : -h.y, (v & 4) != 0 ? h.z : -h.z});
  }
  return make_convex(std::make_shared<ConvexHull>(make_convex_hull(corners)));
}

TEST(Patch, BoxFacesHaveWeightFourInSum) {
  const Shape A = make_box({1, 1, 0.5}), B = make_box({0.4, 0.3, 0.2});
  Manifold m;
  // Inside: the four corners, weight one each.
  calc_manifold(A, {}, B, at(0.1, 0.2, 0.699, 0.3), {}, &m);
  ASSERT_EQ(m.count, 4);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(m.points[k].weight, 1, 1e-12);
    EXPECT_NEAR(m.points[k].phi, -0.001, 1e-12);
  }
  // Turned by 45 degrees on a box of its size: eight.
  calc_manifold(make_box({1, 1, 1}), {}, make_box({1, 1, 1}), at(0, 0, 1.99, 0.7853981633974483),
                {}, &m);
  EXPECT_EQ(m.count, 8);
  for (int k = 0; k < m.count; ++k) {
    EXPECT_NEAR(m.points[k].weight, 0.5, 1e-9);
  }
  // Anywhere over the border.
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    calc_manifold(A, {}, B,
                  at(random.uniform(0.5, 1.2), random.uniform(-1, 1), 0.699, random.uniform(-3, 3)),
                  {}, &m);
    if (m.count > 0 && std::fabs(m.nhat_AB_W.z) > 0.99) {
      EXPECT_NEAR(weight_sum(m), 4, 1e-12);
    }
  }
}

// The same solids as boxes and as hulls give the same wrench, whichever way they are worked out.
TEST(Patch, BoxesAndTheirHullsAgree) {
  const Vec3 ha{0.5, 0.6, 0.3}, hb{0.3, 0.2, 0.25};
  const Shape A = make_box(ha), B = make_box(hb), A_hull = box_hull(ha), B_hull = box_hull(hb);
  Random random(2);
  int compared = 0;
  for (int i = 0; i < 300; ++i) {
    RigidTransform X = RigidTransform::rotation(
        {0.02 * random.uniform(-1, 1), 0.02 * random.uniform(-1, 1), random.uniform(-3, 3)});
    X.p = {random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), 0.54};
    Manifold box_box, box_with_hull, hull_hull;
    calc_manifold(A, {}, B, X, {}, &box_box);
    calc_manifold(A, {}, B_hull, X, {}, &box_with_hull);
    calc_manifold(A_hull, {}, B_hull, X, {}, &hull_hull);
    const Spatial expected = test::calc_wrench(box_box);
    for (const Manifold* other : {&box_with_hull, &hull_hull}) {
      const Spatial wrench = test::calc_wrench(*other);
      // Up to the turn of the normal when the other face is the reference.
      EXPECT_LT(norm(wrench.v - expected.v), 0.04 * norm(expected.v));
      EXPECT_LT(norm(wrench.w - expected.w), 0.04 * norm(expected.v));
    }
    compared += box_box.count > 2 ? 1 : 0;
  }
  EXPECT_GT(compared, 200);
}

TEST(Patch, NoGhostsBesideAFace) {
  const Shape A = make_box({0.5, 0.5, 0.5}), B = make_box({0.5, 0.5, 0.5});
  Manifold m;
  // Side by side a little apart, tops flush: contact through the side faces only, none up or down.
  calc_manifold(A, {}, B, at(1.005, 0, 0), {.margin = 0.01}, &m);
  ASSERT_EQ(m.count, 4);
  EXPECT_NEAR(m.nhat_AB_W.x, 1, 1e-12);
  for (int k = 0; k < m.count; ++k) {
    EXPECT_NEAR(m.points[k].phi, 0.005, 1e-12);
  }
  // Diagonally apart: the gap along an axis is less than the margin, but the edges are not that
  // close.
  calc_manifold(A, {}, B, at(1.009, 1.009, 0), {.margin = 0.01}, &m);
  EXPECT_EQ(m.count, 0);
  // Closer: one contact between the edges, at the true distance.
  calc_manifold(A, {}, B, at(1.003, 1.004, 0), {.margin = 0.01}, &m);
  ASSERT_GT(m.count, 0);
  EXPECT_NEAR(test::least_phi(m), 0.005, 1e-9);
  // Corner to corner.
  calc_manifold(A, {}, B, at(1.002, 1.003, 1.006), {.margin = 0.01}, &m);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].phi, 0.007, 1e-9);
  // All reported points lie on both boxes, wherever they pass each other.
  Random random(3);
  int seen = 0;
  for (int i = 0; i < 2000; ++i) {
    RigidTransform X = RigidTransform::rotation(random.in_cube(0.3));
    X.p = 1.05 * Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    calc_manifold(A, {}, B, X, {.margin = 0.05}, &m);
    for (int k = 0; k < m.count; ++k) {
      if (m.points[k].phi < 0) continue;
      ++seen;
      const Vec3 a = cwise_abs(m.points[k].p_WA), b = cwise_abs(inverse_times(X, m.points[k].p_WB));
      EXPECT_LT(std::max({a.x, a.y, a.z, b.x, b.y, b.z}), 0.5 + 1e-9);
    }
  }
  EXPECT_GT(seen, 100);
}

TEST(Patch, EdgesThatCrossGiveOnePoint) {
  const Shape A = make_box({1, 0.2, 0.2}), B = make_box({0.2, 1, 0.2});
  const double turn = 0.7853981633974483, reach = 2 * 0.2 * std::sqrt(2.0);
  RigidTransform X_WA = RigidTransform::rotation({turn, 0, 0}),
                 X_WB = RigidTransform::rotation({0, turn, 0});
  X_WB.p.z = reach - 0.01;
  Manifold m;
  calc_manifold(A, X_WA, B, X_WB, {}, &m);
  ASSERT_EQ(m.count, 1);
  EXPECT_NEAR(m.points[0].phi, -0.01, 1e-12);
  EXPECT_NEAR(m.nhat_AB_W.z, 1, 1e-12);
  EXPECT_EQ(m.points[0].weight, 1);
}

// With a hair of tilt the edges' axis may be the least deep; the bias keeps the face, without it
// chatter is seen.
TEST(Patch, FaceBiasKeepsFacesOverNearlyTiedEdges) {
  Random random(4);
  int chatter = 0;
  const Shape A = make_box({0.5, 0.5, 0.5});
  for (int i = 0; i < 2000; ++i) {
    RigidTransform X = RigidTransform::rotation(
        {1e-4 * random.uniform(-1, 1), 1e-4 * random.uniform(-1, 1), random.uniform(-3, 3)});
    X.p = {random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), 0.9999};
    Manifold m;
    calc_manifold(A, {}, A, X, {}, &m);
    if (m.count > 0) {
      EXPECT_GE(m.count, 3) << i;
    }
    calc_manifold(A, {}, A, X, {.face_bias = false}, &m);
    chatter += m.count == 1 ? 1 : 0;
  }
  EXPECT_GT(chatter, 0);
}

TEST(Patch, CylinderOnAFaceIsTheCylinderOnAFloor) {
  const Shape cylinder = make_cylinder(0.2, 0.3), table = make_box({2, 2, 0.5}),
              floor = make_half_space();
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    RigidTransform X = RigidTransform::rotation({0, i % 2 == 0 ? 0 : 1.5707963267948966, 0});
    X = RigidTransform::rotation(random.in_cube(0.05)) * X;
    X.p = {random.uniform(-1, 1), random.uniform(-1, 1), i % 2 == 0 ? 0.298 : 0.198};
    Manifold on_floor, on_table;
    calc_manifold(floor, {}, cylinder, X, {}, &on_floor);
    calc_manifold(table, at(0, 0, -0.5), cylinder, X, {}, &on_table);
    const Spatial expected = test::calc_wrench(on_floor), wrench = test::calc_wrench(on_table);
    EXPECT_LT(norm(expected.v - wrench.v), 1e-9);
    EXPECT_LT(norm(expected.w - wrench.w), 1e-9);
  }
}

TEST(Patch, StandingCylinderDoesNotKnowItsAngle) {
  const Shape cylinder = make_cylinder(0.2, 0.3), floor = make_half_space();
  Manifold m;
  calc_manifold(floor, {}, cylinder, at(0, 0, 0.299), {}, &m);
  ASSERT_EQ(m.count, 4);
  const Spatial upright = test::calc_wrench(m);
  for (int k = 0; k < 16; ++k) {
    RigidTransform X =
        RigidTransform::rotation(1e-9 * Vec3{std::cos(0.4 * k), std::sin(0.4 * k), 0});
    X.p.z = 0.299;
    calc_manifold(floor, {}, cylinder, X, {}, &m);
    EXPECT_LT(norm(test::calc_wrench(m).v - upright.v) + norm(test::calc_wrench(m).w - upright.w),
              1e-8);
  }
}

TEST(Patch, CapsulesSideBySideTouchInTwoPoints) {
  const Shape A = make_capsule(0.1, 0.5), B = make_capsule(0.1, 0.3);
  RigidTransform X;
  X.p = {0.19, 0, 0.1};
  Manifold m;
  calc_manifold(A, {}, B, X, {}, &m);
  ASSERT_EQ(m.count, 2);
  EXPECT_NEAR(weight_sum(m), 2, 1e-12);
  EXPECT_NEAR(std::fabs(m.points[0].p_WA.z - m.points[1].p_WA.z), 0.6, 1e-12);
  EXPECT_NEAR(m.points[0].phi, -0.01, 1e-12);
}

TEST(Patch, NamesStayWhileTheSameFeaturesTouch) {
  const Shape A = make_box({1, 1, 0.5}), B = make_box({0.4, 0.3, 0.2});
  const auto names = [](const Manifold& m) {
    std::set<std::uint32_t> set;
    for (int k = 0; k < m.count; ++k) {
      set.insert(m.points[k].feature);
    }
    return set;
  };
  Manifold first, m;
  calc_manifold(A, {}, B, at(0.8, 0.1, 0.69, 0.2), {}, &first);
  for (int i = 0; i < 20; ++i) {
    calc_manifold(A, {}, B, at(0.8 + 0.001 * i, 0.1, 0.69, 0.2 + 0.001 * i), {}, &m);
    EXPECT_EQ(names(m), names(first));
  }
  EXPECT_EQ(static_cast<int>(names(first).size()), first.count);
}

// Merging keeps force, moment and stiffness whatever the points are.
TEST(Reduce, KeepsTheWrench) {
  Random random(6);
  for (int i = 0; i < 100; ++i) {
    const Vec3 n = random.direction();
    detail::PointReducer reducer(n);
    Spatial expected;
    double stiffness = 0, expected_stiffness = 0;
    const int count = random.integer(1, 90);
    for (int k = 0; k < count; ++k) {
      ManifoldPoint point;
      point.p_WA = random.in_cube(1);
      point.phi = random.uniform(-0.1, i % 2 == 0 ? 0 : 0.05);
      point.p_WB = point.p_WA + point.phi * n;
      point.weight = random.uniform(0, 2);
      point.feature = static_cast<std::uint32_t>(k);
      const Vec3 f = point.weight * std::max(0.0, -point.phi) * n;
      expected += {cross(0.5 * (point.p_WA + point.p_WB), f), f};
      expected_stiffness += point.phi < 0 ? point.weight : 0;
      reducer.add(point);
    }
    Manifold m;
    m.nhat_AB_W = n;
    reducer.finish(&m);
    EXPECT_LE(m.count, Manifold::kCapacity);
    const Spatial wrench = test::calc_wrench(m);
    EXPECT_LT(norm(wrench.v - expected.v), 1e-12 * count);
    EXPECT_LT(norm(wrench.w - expected.w), 1e-12 * count);
    for (int k = 0; k < m.count; ++k) {
      stiffness += m.points[k].phi < 0 ? m.points[k].weight : 0;
      EXPECT_NEAR(dot(n, m.points[k].p_WB - m.points[k].p_WA), m.points[k].phi, 1e-12);
    }
    EXPECT_NEAR(stiffness, expected_stiffness, 1e-12 * count);
  }
}

TEST(Reduce, APrismOfManySidesStandsOnItsWholeRim) {
  std::vector<Vec3> points;
  for (int k = 0; k < 50; ++k) {
    const double a = 2 * 3.141592653589793 * k / 50;
    points.push_back({std::cos(a), std::sin(a), -0.5});
    points.push_back({std::cos(a), std::sin(a), 0.5});
  }
  const Shape prism = make_convex(std::make_shared<ConvexHull>(make_convex_hull(points)));
  Manifold m;
  calc_manifold(prism, at(0, 0, 0.499), make_half_space(), {}, {}, &m);
  EXPECT_EQ(m.count, 16);
  EXPECT_NEAR(weight_sum(m), 4, 1e-9);
  for (int k = 0; k < m.count; ++k) {
    EXPECT_GT(std::hypot(m.points[k].p_WA.x, m.points[k].p_WA.y), 0.9);
  }
}

}  // namespace
}  // namespace cenic

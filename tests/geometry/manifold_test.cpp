// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Every pair of shapes against the depth oracle, and what any manifold must obey.
#include "geometry/manifold.h"

#include <set>

#include <gtest/gtest.h>

#include "geometry/samples.h"

namespace cenic {
namespace {

using test::DepthOracle;
using test::Random;

struct KindPair {
  ShapeKind a, b;
};

std::vector<KindPair> all_pairs(bool with_half_space) {
  std::vector<KindPair> pairs;
  for (int a = 0; a < kNumShapeKinds; ++a) {
    for (int b = a; b < kNumShapeKinds; ++b) {
      const KindPair pair{static_cast<ShapeKind>(a), static_cast<ShapeKind>(b)};
      const bool has_half_space =
          pair.a == ShapeKind::kHalfSpace || pair.b == ShapeKind::kHalfSpace;
      if (!has_half_space || (with_half_space && a != b)) pairs.push_back(pair);
    }
  }
  return pairs;
}

std::string name_of(const testing::TestParamInfo<KindPair>& info) {
  std::string name = std::string(to_string(info.param.a)) + "_" + to_string(info.param.b);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// p_WB − p_WA along the normal is φ; weights, normal and names are sane.
void expect_consistent(const Manifold& manifold, double margin, double scale) {
  if (manifold.count == 0) return;
  ASSERT_LE(manifold.count, Manifold::kCapacity);
  EXPECT_NEAR(norm(manifold.nhat_AB_W), 1, 1e-9);
  std::set<std::uint32_t> names;
  for (int k = 0; k < manifold.count; ++k) {
    const ManifoldPoint& point = manifold.points[k];
    ASSERT_TRUE(is_finite(point.p_WA) && is_finite(point.p_WB) && std::isfinite(point.phi));
    EXPECT_NEAR(dot(point.p_WB - point.p_WA, manifold.nhat_AB_W), point.phi, 1e-9 * scale);
    EXPECT_LT(point.phi, margin);
    EXPECT_GT(point.weight, 0);
    EXPECT_LE(point.weight, 8);
    names.insert(point.feature);
  }
  EXPECT_EQ(static_cast<int>(names.size()), manifold.count);
}

// The points lie on (or, for a clipped region of nearly parallel faces, next to) the surfaces they
// name.
void expect_on_shape(const Shape& shape, const RigidTransform& X, const Vec3& p_W, const Vec3& n,
                     double tolerance) {
  if (shape.kind == ShapeKind::kHalfSpace) {
    EXPECT_NEAR(inverse_times(X, p_W).z, 0, tolerance);
    return;
  }
  EXPECT_LE(dot(n, p_W), test::support_value(shape, X, n) + tolerance);
  // Inside of all half spaces of sampled directions.
  Random random(5);
  for (int i = 0; i < 40; ++i) {
    const Vec3 d = random.direction();
    ASSERT_LE(dot(d, p_W), test::support_value(shape, X, d) + tolerance);
  }
}

class EveryPair : public testing::TestWithParam<KindPair> {};

TEST_P(EveryPair, DepthAndDistanceAgreeWithTheOracle) {
  Random random(17 + static_cast<int>(GetParam().a) * 7 + static_cast<int>(GetParam().b));
  int touching = 0, apart = 0;
  for (int i = 0; i < 60; ++i) {
    const Shape A = test::random_shape(GetParam().a, &random),
                B = test::random_shape(GetParam().b, &random);
    const RigidTransform X_WA = random.pose(0.2), X_WB = random.pose(1.4);
    Manifold m;
    const ManifoldOptions options{.margin = 0.5, .face_bias = false};
    calc_manifold(A, X_WA, B, X_WB, options, &m);
    const DepthOracle oracle(A, X_WA, B, X_WB);
    const double phi = -oracle.depth();
    if (phi > 0.49) continue;
    ASSERT_GT(m.count, 0) << "pose " << i << " phi " << phi;
    expect_consistent(m, options.margin, 1);
    const double along = oracle.depth_along(m.nhat_AB_W);
    if (phi < 0) {
      // The manifold's normal is as good as the best of the oracle's, and the depth is the true one
      // along it.
      EXPECT_LE(along, -phi + 1e-9) << "pose " << i;
      EXPECT_NEAR(-test::least_phi(m), along, 1e-9) << "pose " << i;
      ++touching;
    } else {
      // Points on both shapes no further apart than the gap along the normal are the closest ones.
      // (Boxes report the gap along a separating axis.)
      const bool box_box = GetParam().a == ShapeKind::kBox && GetParam().b == ShapeKind::kBox;
      if (!box_box) {
        EXPECT_NEAR(test::least_phi(m), -along, 1e-7) << "pose " << i;
        EXPECT_NEAR(test::least_phi(m), phi, 1e-3) << "pose " << i;
      }
      ++apart;
    }
    for (int k = 0; k < m.count; ++k) {
      // Rim points of a cylinder fade out up to a tenth of its radius beyond a face's border.
      const double fade =
          A.kind == ShapeKind::kCylinder || B.kind == ShapeKind::kCylinder ? 0.1 : 1e-6;
      expect_on_shape(A, X_WA, m.points[k].p_WA, m.nhat_AB_W, fade);
      expect_on_shape(B, X_WB, m.points[k].p_WB, -m.nhat_AB_W, fade);
    }
  }
  EXPECT_GT(touching, 5);
  EXPECT_GT(apart, 5);
}

TEST_P(EveryPair, WithFaceBiasTheDepthIsWithinTheBias) {
  Random random(1017 + static_cast<int>(GetParam().a) * 7 + static_cast<int>(GetParam().b));
  for (int i = 0; i < 60; ++i) {
    const Shape A = test::random_shape(GetParam().a, &random),
                B = test::random_shape(GetParam().b, &random);
    const RigidTransform X_WA = random.pose(0.2), X_WB = random.pose(1.0);
    Manifold m;
    calc_manifold(A, X_WA, B, X_WB, {}, &m);
    const DepthOracle oracle(A, X_WA, B, X_WB);
    const double depth = oracle.depth();
    if (std::fabs(depth) < 1e-6) continue;
    if (depth < 0) {
      EXPECT_EQ(m.count, 0);
      continue;
    }
    ASSERT_GT(m.count, 0);
    // Bias once for B's face over A's, once for a face over an edge.
    EXPECT_LE(-test::least_phi(m), 1.11 * depth + 2.1e-4) << "pose " << i;
    EXPECT_GE(-test::least_phi(m), 0.5 * depth - 2.1e-4) << "pose " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Manifold, EveryPair, testing::ValuesIn(all_pairs(false)), name_of);

class EveryPairAndHalfSpace : public testing::TestWithParam<KindPair> {};

TEST_P(EveryPairAndHalfSpace, ExchangeOfAAndBChangesOnlyTheNames) {
  Random random(3);
  for (int i = 0; i < 100; ++i) {
    const Shape A = test::random_shape(GetParam().a, &random),
                B = test::random_shape(GetParam().b, &random);
    const RigidTransform X_WA = random.pose(0.2), X_WB = random.pose(0.9);
    Manifold ab, ba;
    calc_manifold(A, X_WA, B, X_WB, {.margin = 0.05}, &ab);
    calc_manifold(B, X_WB, A, X_WA, {.margin = 0.05}, &ba);
    ASSERT_EQ(ab.count, ba.count);
    if (ab.count == 0) continue;
    EXPECT_EQ(norm(ab.nhat_AB_W + ba.nhat_AB_W), 0);
    for (int k = 0; k < ab.count; ++k) {
      EXPECT_EQ(ab.points[k].p_WA, ba.points[k].p_WB);
      EXPECT_EQ(ab.points[k].p_WB, ba.points[k].p_WA);
      EXPECT_EQ(ab.points[k].phi, ba.points[k].phi);
      EXPECT_EQ(ab.points[k].weight, ba.points[k].weight);
    }
  }
}

// Poses that make rounding the judge: aligned axes, equal centres, faces flush, edges parallel,
// exact touch.
TEST_P(EveryPairAndHalfSpace, DegeneratePosesGiveFiniteConsistentPoints) {
  Random random(11);
  for (const double scale : {1e-4, 1.0, 1e3}) {
    for (int i = 0; i < 300; ++i) {
      const Shape A = test::random_shape(GetParam().a, &random, scale),
                  B = test::random_shape(GetParam().b, &random, scale);
      RigidTransform X_WA, X_WB;
      const double quarter = 1.5707963267948966;
      if (i % 2 == 1) X_WA = RigidTransform::rotation({0, 0, quarter * random.integer(0, 3)});
      X_WB = RigidTransform::rotation(
          quarter * random.integer(0, 3) *
          Vec3{i % 3 == 0 ? 1.0 : 0, i % 3 == 1 ? 1.0 : 0, i % 3 == 2 ? 1.0 : 0});
      if (i % 5 == 0) X_WB = RigidTransform::rotation({0.5 * quarter, 0, 0});
      Vec3 d;
      d[i % 3] = 1;
      if (i % 4 == 1) d = normalized(Vec3{1, 1, 0});
      const bool bounded =
          GetParam().b != ShapeKind::kHalfSpace && GetParam().a != ShapeKind::kHalfSpace;
      double touch = 0;
      if (bounded) touch = DepthOracle(A, X_WA, B, X_WB).depth_along(d);
      const double factors[] = {0, 1, 1 + 1e-12, 1 - 1e-12, 0.5, 1e-9, 1.001};
      X_WB.p = factors[i % 7] * touch * d;
      Manifold m;
      calc_manifold(A, X_WA, B, X_WB, {.margin = 0.01 * scale, .face_bias = false}, &m);
      expect_consistent(m, 0.01 * scale, scale);
      if (!bounded) continue;
      // Whatever the manifold's normal is, the depth along it is the one reported. (Coaxial
      // cylinders one inside the other are equally deep all around; there the polytope gives up at
      // 160 corners.)
      const DepthOracle oracle(A, X_WA, B, X_WB);
      if (m.count > 0) {
        EXPECT_NEAR(-test::least_phi(m), oracle.depth_along(m.nhat_AB_W), 1e-3 * scale) << i;
      } else if (i % 10 == 0) {
        EXPECT_LT(oracle.depth(), 1e-9 * scale) << i;
      }
    }
  }
}

TEST_P(EveryPairAndHalfSpace, NumbersThatAreNotFiniteGiveNoPoints) {
  Random random(12);
  const Shape A = test::random_shape(GetParam().a, &random),
              B = test::random_shape(GetParam().b, &random);
  const double bad[] = {std::nan(""), std::numeric_limits<double>::infinity()};
  for (const double value : bad) {
    for (int i = 0; i < 12; ++i) {
      RigidTransform X_WB;
      (i < 3 ? X_WB.p[i] : X_WB.R(i / 3 - 1, i % 3)) = value;
      Manifold m;
      calc_manifold(A, {}, B, X_WB, {}, &m);
      EXPECT_EQ(m.count, 0);
      calc_manifold(A, X_WB, B, {}, {}, &m);
      EXPECT_EQ(m.count, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Manifold, EveryPairAndHalfSpace, testing::ValuesIn(all_pairs(true)),
                         name_of);

TEST(HalfSpace, DeepestPointIsTheSupportPoint) {
  Random random(21);
  for (int kind = 0; kind < kNumShapeKinds; ++kind) {
    if (static_cast<ShapeKind>(kind) == ShapeKind::kHalfSpace) continue;
    for (int i = 0; i < 50; ++i) {
      const Shape A = test::random_shape(static_cast<ShapeKind>(kind), &random),
                  B = make_half_space();
      const RigidTransform X_WA = random.pose(0.8), X_WB = random.pose(0.3);
      Manifold m;
      calc_manifold(A, X_WA, B, X_WB, {.margin = 10}, &m);
      const Vec3 u = X_WB.R.column(2);
      EXPECT_NEAR(test::least_phi(m), -test::support_value(A, X_WA, -u) - dot(u, X_WB.p), 1e-12);
      EXPECT_NEAR(norm(m.nhat_AB_W + u), 0, 1e-15);
    }
  }
  Manifold m;
  calc_manifold(make_half_space(), {}, make_half_space(), {}, {}, &m);
  EXPECT_EQ(m.count, 0);
}

}  // namespace
}  // namespace cenic

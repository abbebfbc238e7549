// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The potential of contact: closed forms, and forces and torques as its slopes for all pairs.
#include "geometry/hydroelastic/overlap_energy.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "geometry/hydroelastic_samples.h"

namespace cenic {
namespace {

using test::kModulus;
using test::make_compliant;
using test::make_rigid;
constexpr double kPi = std::numbers::pi;

Shape make_sample(ShapeKind kind, test::Random* random) {
  return kind == ShapeKind::kConvex ? test::random_hull(random, 12, 0.1)
                                    : test::random_shape(kind, random, 0.1);
}

// −dU/dq: the force on M and the torque about its origin, by central differences. N moves, so the
// signs are those of M.
test::Wrench calc_slopes(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
                         double h) {
  test::Wrench w;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 e;
    e[axis] = h;
    const auto U = [&](const Vec3& turn, const Vec3& shift) {
      return calc_overlap_energy(M, N, test::move(X_MN, turn, shift));
    };
    w.force[axis] = (U({}, e) - U({}, -e)) / (2 * h);
    w.torque[axis] = (U(e / 0.1, {}) - U(-e / 0.1, {})) / (2 * h / 0.1);
  }
  return w;
}

struct Worst {
  double force = 0, torque = 0, left_out = 0;
  int poses = 0, whole = 0;
};

// Random poses of two kinds of solids, 3 to 30 mm deep.
Worst compare_with_slopes(ShapeKind kind_M, ShapeKind kind_N, bool rigid, int num_poses,
                          test::Random* random) {
  Worst worst;
  while (worst.poses < num_poses) {
    const Shape A = make_sample(kind_M, random), B = make_sample(kind_N, random);
    PressureField M = *make_compliant(A, kModulus, 0.06);
    M.sphere_radius = 0;  // the mesh, also on half spaces
    const auto N = rigid ? make_rigid(B, 0.06) : make_compliant(B, 0.4 * kModulus, 0.06);
    const RigidTransform X_MN = random->pose(0.12);
    Manifold manifold;
    calc_manifold(A, {}, B, X_MN, {}, &manifold);
    const double depth = -test::least_phi(manifold);
    if (depth < 0.003 || depth > 0.03) continue;
    const std::vector<SurfacePolygon> polygons = test::find_polygons(M, *N, X_MN);
    const test::Wrench found = test::calc_wrench(polygons), left = test::calc_left_out(M, *N, X_MN),
                       slopes = calc_slopes(M, *N, X_MN, 1e-7);
    const double scale = found.normal_only + left.normal_only;
    if (scale < 10) continue;  // facets of round solids may hardly touch
    ++worst.poses;
    worst.whole += left.polygons == 0 ? 1 : 0;
    worst.left_out = std::max(worst.left_out, left.normal_only / scale);
    worst.force = std::max(worst.force, norm(found.force + left.force - slopes.force) / scale);
    worst.torque =
        std::max(worst.torque, norm(found.torque + left.torque - slopes.torque) / (0.1 * scale));
  }
  return worst;
}

// Central differences over 0.1 µm leave 1e-8 to 2e-8 at worst, falling with their square: the
// forces and torques themselves are exact.
TEST(OverlapEnergy, ForcesAreItsSlopes) {
  test::Random random(11);
  for (int a = 0; a < kNumShapeKinds; ++a) {
    for (int b = 0; b < kNumShapeKinds; ++b) {
      for (const bool rigid : {false, true}) {
        const auto kind_M = static_cast<ShapeKind>(a), kind_N = static_cast<ShapeKind>(b);
        const bool half_spaces = kind_M == ShapeKind::kHalfSpace && kind_N == kind_M;
        if (half_spaces || (kind_M == ShapeKind::kHalfSpace && !rigid)) continue;
        const Worst worst = compare_with_slopes(kind_M, kind_N, rigid, 8, &random);
        const std::string names = std::string(to_string(kind_M)) + " on " +
                                  (rigid ? "rigid " : "compliant ") + to_string(kind_N);
        EXPECT_LT(worst.force, 1e-7) << names;
        EXPECT_LT(worst.torque, 1e-7) << names;
        EXPECT_GT(worst.whole, 0) << names;
        if (kind_N == ShapeKind::kHalfSpace && rigid) {
          EXPECT_EQ(worst.whole, worst.poses) << names;
        }
      }
    }
  }
}

// Case 3, integrated: U = (E/H)(Lx Ly d²/2 − (Lx + Ly) d³/3 + d⁴/3).
TEST(OverlapEnergy, BoxOnRigidPlane) {
  const auto box = make_compliant(make_box({0.1, 0.075, 0.04}));
  const auto plane = make_rigid(make_half_space());
  const double H = 0.04, Lx = 0.2, Ly = 0.15;
  for (const double d : {1e-6, 1e-4, 1e-3, 1e-2, 0.04}) {
    const double U =
        kModulus / H * (Lx * Ly * d * d / 2 - (Lx + Ly) * d * d * d / 3 + d * d * d * d / 3);
    const RigidTransform X_MN = RigidTransform::translation({0.3, 0.1, -0.04 + d});
    EXPECT_NEAR(calc_overlap_energy(*box, *plane, X_MN) / U, 1, 1e-9) << d;
    EXPECT_NEAR(calc_overlap_energy(*plane, *box, inverse(X_MN)) / U, 1, 1e-9) << d;
  }
  // Wholly below the plane: ∫ p dV.
  const double below = calc_overlap_energy(*box, *plane, RigidTransform::translation({0, 0, 0.2}));
  EXPECT_NEAR(calc_overlap_energy(*box, *plane, RigidTransform::translation({0, 0, 0.3})) / below,
              1, 1e-14);
}

// Rigid or compliant, first or second: the same. Identical solids in the same place have the whole
// ∫ p dV, here E V/4, once.
TEST(OverlapEnergy, EitherOrder) {
  test::Random random(12);
  const auto cube = make_compliant(make_box({0.1, 0.1, 0.1}));
  EXPECT_NEAR(calc_overlap_energy(*cube, *cube, {}) / (kModulus * 0.008 / 4), 1, 1e-12);
  EXPECT_EQ(calc_overlap_energy(*cube, *cube, RigidTransform::translation({0.21, 0, 0})), 0);
  for (int a = 0; a < kNumShapeKinds; ++a) {
    for (int b = 0; b < kNumShapeKinds; ++b) {
      const auto kind_A = static_cast<ShapeKind>(a), kind_B = static_cast<ShapeKind>(b);
      const Shape A = make_sample(kind_A, &random), B = make_sample(kind_B, &random);
      const RigidTransform X_AB = random.pose(0.05);
      const auto soft_A = make_compliant(A, kModulus, 0.06), soft_B = make_compliant(B, 3e6, 0.06);
      const auto rigid_A = make_rigid(A, 0.06);
      EXPECT_EQ(calc_overlap_energy(*rigid_A, *rigid_A, X_AB), 0);
      if (kind_A == ShapeKind::kHalfSpace && kind_B == kind_A) continue;
      for (const auto& first : {soft_A, rigid_A}) {
        const double U = calc_overlap_energy(*first, *soft_B, X_AB);
        EXPECT_GE(U, 0);
        EXPECT_NEAR(calc_overlap_energy(*soft_B, *first, inverse(X_AB)), U, 1e-11 * U);
      }
    }
  }
}

}  // namespace
}  // namespace cenic

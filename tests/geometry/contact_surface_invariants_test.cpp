// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What holds for any two solids: Newton's third law, independence of frames, tilings and history,
// continuity, and sane results at poses where nothing is in general position.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "geometry/hydroelastic/contact_surface.h"
#include "geometry/hydroelastic_samples.h"

namespace cenic {
namespace {

using test::calc_wrench;
using test::kModulus;
using test::make_compliant;
using test::make_rigid;
using test::Wrench;

constexpr double kPi = std::numbers::pi;

// Two ends of 64 sides, turned by half a side, press on a polygon of 128 corners.
TEST(ContactSurface, PolygonsOfManyCorners) {
  const double R = 0.05, half_length = 0.06, d = 1e-4;
  const PressureField a = detail::make_cylinder_field(R, half_length, 64, kModulus);
  for (const double turn : {0.0, 0.25, 0.5}) {
    RigidTransform X_MN = RigidTransform::rotation({0, 0, turn * 2 * kPi / 64});
    X_MN.p.z = -2 * half_length + d;
    // The ends alone: all within half d of the middle.
    const double gradient = kModulus / R / 2;
    const Wrench w = calc_wrench(a, a, X_MN);
    EXPECT_NEAR(w.stiffness / (gradient * kPi * R * R), 1, 0.005);
    EXPECT_NEAR(w.force.z / (gradient * kPi * R * R * d), 1, 0.005);
    EXPECT_LT(std::hypot(w.torque.x, w.torque.y), 1e-9 * w.force.z * R);
  }
}

// A rigid face that lies in the walls between cells of the other solid counts once, whichever way
// rounding goes: the same as a hair beside them.
TEST(ContactSurface, RigidFacesInWallsBetweenCells) {
  const auto cube = make_compliant(make_box({0.05, 0.05, 0.05}));
  const auto ball = make_compliant(make_sphere(0.05), kModulus, 0.03);
  const auto plate = make_rigid(make_box({0.2, 0.2, 0.02}));
  struct Case {
    test::FieldPtr field;
    Vec3 normal;  // of walls through the middle
  };
  for (const auto& [field, normal] :
       {Case{cube, normalized(Vec3{1, 0, 1})}, Case{cube, normalized(Vec3{0, -1, 1})},
        Case{ball, {0, 0, 1}}, Case{ball, {1, 0, 0}}}) {
    // A face of the plate through the middle, its normal along the wall's.
    const Vec3 t1 = any_orthogonal(normal);
    for (int turn = 0; turn < 12; ++turn) {
      RigidTransform X_MN{Mat3::from_columns(t1, cross(normal, t1), normal), {}};
      X_MN = X_MN * RigidTransform::rotation({turn % 2 * kPi, 0, 0}) *
             RigidTransform::rotation({0, 0, 0.1 * turn});
      const auto push = [&](double beside) {
        RigidTransform X = X_MN;
        X.p = (beside - 0.02) * normal + 0.003 * turn * t1;
        return dot(calc_wrench(*field, *plate, X).force, normal);
      };
      const double beside = push(1e-9);
      EXPECT_GT(beside, 1000);
      for (const double hair : {0.0, 1e-17, -1e-17, 1e-13, -1e-13}) {
        EXPECT_NEAR(push(hair) / beside, 1, 1e-6) << turn << " " << hair;
      }
    }
  }
}

// Two boxes of the same base, one on the other: beside the rim their pressures are equal all over a
// strip. Whichever way rounding goes, the force is that at a hair's offset.
TEST(ContactSurface, AlignedBoxes) {
  const auto a = make_compliant(make_box({0.05, 0.04, 0.03}));
  const auto b = make_compliant(make_box({0.05, 0.04, 0.03}));
  test::Random random(31);
  for (int trial = 0; trial < 100; ++trial) {
    const double d = random.uniform(1e-4, 1e-3);
    const auto push = [&](double offset) {
      return calc_wrench(*a, *b, RigidTransform::translation({offset, offset, d - 0.06})).force.z;
    };
    EXPECT_NEAR(push(0) / push(1e-9), 1, 1e-5);
    EXPECT_NEAR(push(1e-17) / push(1e-9), 1, 1e-5);
    // In a frame of the world.
    const RigidTransform X_WM = random.pose(1);
    const RigidTransform X_WN = X_WM * RigidTransform::translation({0, 0, d - 0.06});
    EXPECT_NEAR(calc_wrench(*a, *b, inverse(X_WM) * X_WN).force.z / push(1e-9), 1, 1e-5);
  }
}

}  // namespace
}  // namespace cenic

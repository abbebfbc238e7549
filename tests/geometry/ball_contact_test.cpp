// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Balls in closed form: against textbook cases, their own energy, and fine meshes.
#include "geometry/hydroelastic/ball_contact.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "geometry/hydroelastic/field_builder.h"
#include "hydroelastic_samples.h"

namespace cenic {
namespace {

using test::kModulus;
using test::make_compliant;
using test::make_rigid;

constexpr double kPi = std::numbers::pi;

struct Sum {
  bool found = false;
  Vec3 force, torque;  // on M
  double stiffness = 0;
};

Sum calc_sum(const PressureField& M, const PressureField& N, const RigidTransform& X_MN) {
  std::vector<SurfacePoint> points;
  Sum sum;
  sum.found = add_ball_points(M, N, X_MN, 0, &points);
  for (const SurfacePoint& point : points) {
    sum.force += point.force * point.nhat;
    sum.torque += cross(point.p, point.force * point.nhat);
    sum.stiffness += point.stiffness;
  }
  return sum;
}

TEST(BallContact, CompliantBallOnRigidPlane) {
  const double R = 0.05;
  const auto ball = make_compliant(make_sphere(R)), plane = make_rigid(make_half_space());
  for (const double d : {1e-6, 1e-3, 1e-2, 0.04}) {
    const RigidTransform X_MN = RigidTransform::translation({0.3, -0.1, d - R});
    const Sum sum = calc_sum(*ball, *plane, X_MN);
    EXPECT_NEAR(sum.force.z / (kPi * kModulus * d * d * (1 - 2 * d / (3 * R))), 1, 1e-11);
    EXPECT_NEAR(sum.stiffness / (2 * kPi * kModulus * d * (1 - d / R)), 1, 1e-11);
    EXPECT_LT(norm(sum.torque), 1e-15 * sum.force.z);
    BallContact contact;
    ASSERT_TRUE(find_ball_contact(*ball, *plane, X_MN, 0, &contact));
    const double U = kPi * kModulus * d * d * d / 3 * (1 - d / (2 * R));
    EXPECT_NEAR(calc_ball_cap(contact.pair).energy / U, 1, 1e-11);
  }
}

TEST(BallContact, RigidBallInCompliantHalfSpace) {
  const double R = 0.05, slope = kModulus / 0.1;
  const auto ball = make_rigid(make_sphere(R)), ground = make_compliant(make_half_space());
  for (const double d : {1e-5, 1e-3, 1e-2}) {
    const Sum sum = calc_sum(*ground, *ball, RigidTransform::translation({0, 0, R - d}));
    EXPECT_NEAR(-sum.force.z / (slope * kPi * d * d * (R - d / 3)), 1, 1e-11);
    EXPECT_NEAR(sum.stiffness / (slope * kPi * (2 * R * d - d * d)), 1, 1e-11);
  }
}

TEST(BallContact, TwoBalls) {
  const double R = 0.05;
  const auto ball = make_compliant(make_sphere(R));
  for (const double d : {1e-5, 1e-3, 1e-2}) {
    const Sum sum = calc_sum(*ball, *ball, RigidTransform::translation({0, d - 2 * R, 0}));
    EXPECT_NEAR(sum.force.y / (kPi * kModulus * d * d / 4 * (1 - d / (3 * R))), 1, 1e-11);
  }
  // Unequal ones: values of an independent quadrature of the potential.
  const auto soft = make_compliant(make_sphere(0.08), 3e6);
  for (const auto& [d, force] : {std::pair{0.5e-3, 0.76118}, {2e-3, 12.0847}, {10e-3, 289.498}}) {
    const Sum sum = calc_sum(*ball, *soft, RigidTransform::translation({0, 0, d - 0.13}));
    EXPECT_NEAR(sum.force.z / force, 1, 1e-5);
  }
}

// F = −dU/dL, K = −dF/dL for every kind of partner.
TEST(BallContact, ForceIsTheSlopeOfTheEnergy) {
  for (const double s1 : {0.0, 5e-9}) {
    for (const double s2 : {0.0, 2e-9, 5e-8}) {
      for (const double R2 : {0.0, 0.03, 0.2}) {
        if (s1 + s2 == 0) continue;
        BallPair pair{0.05, s1, R2, s2, 0};
        for (const double d : {1e-4, 5e-3}) {
          const auto at = [&](double depth) {
            pair.distance = pair.R1 + pair.R2 - depth;
            return calc_ball_cap(pair);
          };
          const double h = 1e-3 * d;
          const BallCap cap = at(d), more = at(d + h), less = at(d - h);
          EXPECT_NEAR((more.energy - less.energy) / (2 * h) / cap.force, 1, 1e-6);
          EXPECT_NEAR((more.force - less.force) / (2 * h) / cap.stiffness, 1, 1e-6);
        }
      }
    }
  }
}

// Over a face of a box a ball feels a half space; over its rim the closed form steps back.
TEST(BallContact, FacesOfConvexSolids) {
  const double R = 0.05, d = 1e-3;
  const auto ball = make_compliant(make_sphere(R)), rigid_ball = make_rigid(make_sphere(R));
  const Shape shape = make_box({0.2, 0.15, 0.1});
  const auto box = make_compliant(shape), rigid_box = make_rigid(shape);
  const auto ground = make_compliant(make_half_space());  // of the same slope
  const auto plane = make_rigid(make_half_space());
  RigidTransform X_WBox = RigidTransform::rotation({0, 0, 0.3});
  X_WBox.p = {0.02, 0.01, -0.1};
  const RigidTransform X_WBall = {RigidTransform::rotation({0.4, 1, -2}).R, {0, 0, R - d}};
  const RigidTransform X_BallBox = inverse(X_WBall) * X_WBox, X_BallW = inverse(X_WBall);
  for (const auto& [solid, like] : {std::pair{box, ground}, {rigid_box, plane}}) {
    const Sum on_box = calc_sum(*ball, *solid, X_BallBox);
    const Sum on_plane = calc_sum(*ball, *like, X_BallW);
    ASSERT_TRUE(on_box.found);
    EXPECT_LT(norm(on_box.force - on_plane.force), 1e-10 * norm(on_plane.force));
    EXPECT_NEAR(on_box.stiffness / on_plane.stiffness, 1, 1e-10);
  }
  const Sum sunk = calc_sum(*box, *rigid_ball, inverse(X_BallBox));
  EXPECT_NEAR(norm(sunk.force), norm(calc_sum(*ground, *rigid_ball, X_WBall).force), 1e-8);
  // Half over the rim, and beside it.
  for (const double x : {0.2, 0.199, 0.23}) {
    const RigidTransform X_MN = inverse(RigidTransform::translation({x, 0, 0.1 + R - d}));
    EXPECT_FALSE(calc_sum(*ball, *box, X_MN).found);
    EXPECT_FALSE(calc_sum(*ball, *rigid_box, X_MN).found);
  }
}

TEST(BallContact, AgreesWithFineMesh) {
  const double R = 0.05, d = 2e-3;
  const auto ball = make_compliant(make_sphere(R));
  const PressureField mesh = detail::make_ellipsoid_field({R, R, R}, 6, kModulus);
  const auto soft = make_compliant(make_half_space());
  const RigidTransform on_axis = RigidTransform::translation({0, 0, d - R});
  EXPECT_NEAR(norm(calc_sum(*ball, *soft, on_axis).force) /
                  norm(test::calc_wrench(mesh, *soft, on_axis).force),
              1, 0.01);
}

// Across a gap: stiffness of the depth it may come to, force as far below zero as it is away.
TEST(BallContact, Gaps) {
  const double R = 0.05, gap = 1e-3, margin = 3e-3;
  const auto ball = make_compliant(make_sphere(R)), plane = make_rigid(make_half_space());
  std::vector<SurfacePoint> points;
  EXPECT_TRUE(
      add_ball_points(*ball, *plane, RigidTransform::translation({0, 0, -R - gap}), 0, &points));
  EXPECT_TRUE(points.empty());
  add_ball_points(*ball, *plane, RigidTransform::translation({0, 0, -R - gap}), margin, &points);
  ASSERT_EQ(points.size(), 4);
  const double d = margin - gap;
  for (const SurfacePoint& point : points) {
    EXPECT_NEAR(point.depth, -gap, 1e-12);
    EXPECT_NEAR(4 * point.stiffness / (2 * kPi * kModulus * d * (1 - d / R)), 1, 1e-9);
    EXPECT_NEAR(point.force, -gap * point.stiffness, 1e-9);
  }
}

}  // namespace
}  // namespace cenic

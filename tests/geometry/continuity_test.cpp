// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Forces of springs at the contact points, as one shape moves over the other: no jumps where there
// need be none.
#include <gtest/gtest.h>

#include "geometry/samples.h"

namespace cenic {
namespace {

using test::Random;

struct Sweep {
  double largest_jump = 0;   // of the force and of the torque, between neighbouring steps
  double largest_force = 0;  // and torque
  int steps_in_contact = 0;
};

// Moves B along a path of unit length in small steps.
template <typename Path>
Sweep sweep(const Shape& A, const RigidTransform& X_WA, const Shape& B, const Path& path,
            double step) {
  Sweep result;
  Manifold m;
  Spatial before;
  for (int i = 0; i * step <= 1; ++i) {
    calc_manifold(A, X_WA, B, path(i * step), {}, &m);
    const Spatial wrench = test::calc_wrench(m);
    if (m.count > 0) ++result.steps_in_contact;
    const double size = norm(wrench.v) + norm(wrench.w);
    result.largest_force = std::max(result.largest_force, size);
    if (i > 0) {
      result.largest_jump =
          std::max(result.largest_jump, norm(wrench.v - before.v) + norm(wrench.w - before.w));
    }
    before = wrench;
  }
  return result;
}

// A pose that sinks, slides and tips by small amounts about a resting place.
struct RestingPath {
  RigidTransform rest;
  Vec3 slide, axis;
  double sink = 0, tip = 0;
  RigidTransform operator()(double s) const {
    RigidTransform X =
        RigidTransform::rotation((2 * s - 1) * tip * axis) * RigidTransform{rest.R, {}};
    X.p = rest.p + (2 * s - 1) * slide + Vec3{0, 0, -sink * s};
    return X;
  }
};

struct Case {
  const char* name;
  Shape A, B;
  double height;  // of B's frame over A's when they just touch
};

// Eight times smaller steps must make the largest jump about eight times smaller. A true jump
// stays.
void expect_continuous(const char* name, const Shape& A, const Shape& B, const RestingPath& path,
                       double slack) {
  const Sweep coarse = sweep(A, {}, B, path, 2e-3), fine = sweep(A, {}, B, path, 2e-3 / 8);
  ASSERT_GT(coarse.steps_in_contact, 10) << name;
  EXPECT_LE(fine.largest_jump, 0.25 * coarse.largest_jump + slack * coarse.largest_force)
      << name << " force " << coarse.largest_force;
}

Shape prism(int sides, double radius, double half_height) {
  std::vector<Vec3> points;
  for (int k = 0; k < sides; ++k) {
    const double a = 2 * 3.141592653589793 * k / sides;
    points.push_back({radius * std::cos(a), radius * std::sin(a), -half_height});
    points.push_back({radius * std::cos(a), radius * std::sin(a), half_height});
  }
  return make_convex(std::make_shared<ConvexHull>(make_convex_hull(points)));
}

TEST(Continuity, ShapesRestingOnAFloor) {
  const Shape floor = make_half_space();
  const RigidTransform lying = RigidTransform::rotation({0, 1.5707963267948966, 0});
  const Case cases[] = {{"sphere", floor, make_sphere(0.3), 0.3},
                        {"box", floor, make_box({0.3, 0.2, 0.1}), 0.1},
                        {"cylinder", floor, make_cylinder(0.2, 0.3), 0.3},
                        {"capsule", floor, make_capsule(0.1, 0.3), 0.4},
                        {"ellipsoid", floor, make_ellipsoid({0.3, 0.2, 0.1}), 0.1},
                        {"prism", floor, prism(7, 0.2, 0.1), 0.1},
                        {"prism of 30", floor, prism(30, 0.2, 0.1), 0.1}};
  Random random(4);
  for (const Case& c : cases) {
    for (int i = 0; i < 12; ++i) {
      const bool lies = i % 2 == 1 && c.height >= 0.3;
      const RigidTransform rest{lies ? lying.R : Mat3::identity(),
                                {0, 0, lies ? c.B.size.x + 0.003 : c.height + 0.003}};
      const Vec3 axis = random.direction(),
                 slide{random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), 0};
      expect_continuous(c.name, c.A, c.B, {rest, slide, axis, 0.01, random.uniform(0.001, 0.3)},
                        1e-4);
    }
  }
}

// Faces well inside of each other's borders, and one over the border: sliding, sinking, tipping by
// less than what turns another axis into the least deep one.
TEST(Continuity, FacesOnFaces) {
  const Shape table = make_box({1, 1, 0.2});
  const Case cases[] = {
      {"box", table, make_box({0.3, 0.2, 0.1}), 0.3},
      {"box of its size", table, make_box({1, 1, 0.1}), 0.3},
      {"prism", table, prism(6, 0.2, 0.1), 0.3},
      {"cylinder", table, make_cylinder(0.2, 0.1), 0.3},
      {"capsule", table, make_capsule(0.1, 0.3), 0.6},
      {"sphere", table, make_sphere(0.1), 0.3},
      {"ellipsoid", table, make_ellipsoid({0.3, 0.2, 0.1}), 0.3},
      {"prism on prism", prism(8, 1, 0.2), prism(5, 0.3, 0.1), 0.3},
      {"cylinder on prism", prism(8, 1, 0.2), make_cylinder(0.2, 0.1), 0.3},
      {"cylinder on cylinder", make_cylinder(0.3, 0.2), make_cylinder(0.2, 0.1), 0.3},
      {"box on cylinder", make_cylinder(0.3, 0.2), make_box({0.2, 0.2, 0.1}), 0.3}};
  Random random(5);
  for (const Case& c : cases) {
    for (int i = 0; i < 16; ++i) {
      // Half of them slide over a border.
      const double reach = c.A.kind == ShapeKind::kCylinder ? 0.3 : 1.0;
      const double at = i % 2 == 0 ? 0 : reach - 0.1;
      const RigidTransform rest{Mat3::identity(), {at, 0, c.height + 0.001}};
      const Vec3 slide{random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), 0};
      const Vec3 axis =
          normalized(Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-3, 3)});
      // The one jump there is: when the reference changes from one of two tilted faces to the
      // other, the normal turns by the angle between them.
      const double tip = random.uniform(0.001, 0.02);
      const bool round = c.B.kind == ShapeKind::kSphere || c.B.kind == ShapeKind::kEllipsoid ||
                         c.B.kind == ShapeKind::kCapsule;
      expect_continuous(c.name, c.A, c.B, {rest, slide, axis, 0.01, tip}, round ? 1e-4 : 1.5 * tip);
    }
  }
}

TEST(Continuity, CapsulesFromParallelToCrossed) {
  const Shape A = make_capsule(0.1, 0.4), B = make_capsule(0.15, 0.3);
  const Mat3 lying = RigidTransform::rotation({0, 1.5707963267948966, 0}).R;
  Random random(6);
  for (int i = 0; i < 30; ++i) {
    const RigidTransform X_WA{lying, {}};
    const RestingPath path{
        {lying, {random.uniform(-0.2, 0.2), 0, 0.24}},
        0.1 * random.in_cube(0.5),
        normalized(Vec3{0.1 * random.uniform(-1, 1), 0.1 * random.uniform(-1, 1), 1}),
        0.02,
        0.3};
    const Sweep coarse = sweep(A, X_WA, B, path, 1e-4), fine = sweep(A, X_WA, B, path, 1e-4 / 8);
    ASSERT_GT(coarse.steps_in_contact, 10);
    EXPECT_LE(fine.largest_jump, 0.25 * coarse.largest_jump + 1e-5 * coarse.largest_force) << i;
  }
}

// Smooth shapes: along any path short of going through each other.
TEST(Continuity, RoundShapesOnAnyPath) {
  Random random(7);
  const ShapeKind round[] = {ShapeKind::kSphere, ShapeKind::kCapsule, ShapeKind::kEllipsoid};
  int in_contact = 0;
  for (int i = 0; i < 60; ++i) {
    const Shape A = test::random_shape(round[i % 3], &random),
                B = test::random_shape(round[i / 3 % 3], &random);
    if (A.kind == ShapeKind::kCapsule && B.kind == ShapeKind::kCapsule) continue;
    const RigidTransform X_WA = random.pose(0);
    const Vec3 d = random.direction(), axis = random.direction();
    RigidTransform start{random.rotation(), {}};
    const double touch = test::DepthOracle(A, X_WA, B, start).depth_along(d);
    const auto path = [&](double s) {
      RigidTransform X = RigidTransform::rotation(0.2 * s * axis) * start;
      X.p = (touch - 0.05 * s) * d;
      return X;
    };
    const Sweep coarse = sweep(A, X_WA, B, path, 1e-3), fine = sweep(A, X_WA, B, path, 1e-3 / 8);
    in_contact += coarse.steps_in_contact > 100 ? 1 : 0;
    EXPECT_LE(fine.largest_jump, 0.2 * coarse.largest_jump + 1e-6)
        << to_string(A.kind) << " " << to_string(B.kind);
  }
  EXPECT_GT(in_contact, 10);
}

}  // namespace
}  // namespace cenic

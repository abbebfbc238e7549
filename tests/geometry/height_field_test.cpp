// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Height fields: a flat one is a half space, a linear one a tilted half space, and what is in
// between has the distances that geometry says.
#include "geometry/height_field.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/height_field_contact.h"
#include "geometry/samples.h"
#include "geometry/triangle_distance.h"

namespace cenic {
namespace {

template <typename Height>
Shape make_ground(int rows, int columns, double half_x, double half_y, const Height& height) {
  HeightField field;
  field.rows = rows, field.columns = columns;
  field.half_x = half_x, field.half_y = half_y, field.base = 50;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) {
      field.heights.push_back(
          height(c * 2 * half_x / (columns - 1) - half_x, r * 2 * half_y / (rows - 1) - half_y));
    }
  }
  return make_height_field(make_height_field_data(std::move(field)));
}

Spatial calc_wrench(std::span<const HeightFieldPoint> points) {
  Spatial wrench;
  for (const auto& [point, nhat] : points) {
    const Vec3 f = point.weight * std::max(0.0, -point.phi) * nhat;
    wrench += {cross(0.5 * (point.p_WA + point.p_WB), f), f};
  }
  return wrench;
}

double least_phi(std::span<const HeightFieldPoint> points) {
  double phi = INFINITY;
  for (const HeightFieldPoint& p : points) {
    phi = std::min(phi, p.point.phi);
  }
  return phi;
}

constexpr ShapeKind kKinds[] = {ShapeKind::kSphere,  ShapeKind::kBox,       ShapeKind::kCylinder,
                                ShapeKind::kCapsule, ShapeKind::kEllipsoid, ShapeKind::kConvex};

// A pose that touches the plane z = 0 with the given depth, anywhere on the ground.
RigidTransform place(const Shape& shape, double depth, test::Random* random) {
  RigidTransform X{random->rotation(), {random->uniform(-1, 1), random->uniform(-1, 1), 0}};
  X.p.z = -depth - calc_aabb(shape, X).lower.z;
  return X;
}

// Point by point as on a half space, at random places and right above grid points.
void expect_half_space(const Shape& ground, const RigidTransform& X_WP, double tolerance) {
  test::Random random(7);
  HeightFieldCollider collider;
  for (int trial = 0; trial < 600; ++trial) {
    const Shape shape = test::random_shape(kKinds[trial % 6], &random, 0.3);
    RigidTransform X = place(shape, random.uniform(-0.02, 0.02), &random);
    if (trial % 5 == 0) X.p.x = 0.25 * std::round(4 * X.p.x), X.p.y = 0.25 * std::round(4 * X.p.y);
    X = X_WP * X;
    Manifold plane;
    calc_manifold(shape, X, make_half_space(), X_WP, {.margin = 0.03}, &plane);
    const auto points = collider.find(shape, X, ground, {}, 0.03);
    const Spatial expected = test::calc_wrench(plane), found = calc_wrench(points);
    EXPECT_LT(norm(expected.v - found.v) + norm(expected.w - found.w), tolerance)
        << to_string(shape.kind) << " trial " << trial;
    ASSERT_EQ(plane.count > 0, !points.empty()) << to_string(shape.kind);
    if (plane.count == 0) continue;
    EXPECT_NEAR(test::least_phi(plane), least_phi(points), tolerance);
    for (const HeightFieldPoint& p : points) {
      EXPECT_LT(norm(p.nhat_AB_W - plane.nhat_AB_W), tolerance);
    }
  }
}

TEST(HeightField, FlatGroundIsAHalfSpace) {
  expect_half_space(make_ground(41, 33, 5, 5,
                                [](double, double) {
                                  return 0.0;
                                }),
                    {}, 1e-12);
}

TEST(HeightField, LinearGroundIsATiltedHalfSpace) {
  const double a = 0.4, b = -0.7;
  const Vec3 n = normalized(Vec3{-a, -b, 1}), t = any_orthogonal(n);
  expect_half_space(make_ground(41, 33, 5, 5,
                                [&](double x, double y) {
                                  return a * x + b * y;
                                }),
                    {Mat3::from_columns(t, cross(n, t), n), {}}, 1e-9);
}

// A ball above any ground: its distance is that of its centre from the nearest facet.
TEST(HeightField, BallsHaveTheDistanceToTheNearestTriangle) {
  test::Random random(3);
  const Shape ground = make_ground(21, 21, 1, 1, [&](double, double) {
    return random.uniform(-0.05, 0.05);
  });
  const TriangleMesh mesh = make_height_field_mesh(*ground.height_field);
  const std::size_t num_facets = 2 * 20 * 20;
  HeightFieldCollider collider;
  int touching = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Shape ball = make_sphere(random.uniform(0.02, 0.4));
    const RigidTransform X = RigidTransform::translation(
        {random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5), random.uniform(0.06, 0.3)});
    double distance = INFINITY;
    for (std::size_t t = 0; t < num_facets; ++t) {
      const auto& [a, b, c] = mesh.triangles[t];
      distance = std::min(
          distance, norm(X.p - find_nearest_on_triangle(X.p, mesh.vertices[a], mesh.vertices[b],
                                                        mesh.vertices[c])));
    }
    const double phi = distance - ball.size.x;
    const auto points = collider.find(ball, X, ground, {}, 0.1);
    ASSERT_EQ(phi < 0.1, !points.empty()) << phi;
    if (points.empty()) continue;
    EXPECT_NEAR(least_phi(points), phi, 1e-10);
    if (phi < 0) ++touching;
  }
  EXPECT_GT(touching, 300);
}

// Polyhedra on a single ridge, compared with the same shape on the ridge as a convex prism.
TEST(HeightField, ShapesLieOnARidgeAsOnAPrism) {
  const Shape ground = make_ground(3, 3, 2, 2, [](double x, double) {
    return -0.5 * std::fabs(x);
  });
  const std::vector<Vec3> corners{{0, -2, 0},  {0, 2, 0},   {-2, -2, -1},
                                  {-2, 2, -1}, {2, -2, -1}, {2, 2, -1}};
  const Shape prism = make_convex(std::make_shared<ConvexHull>(make_convex_hull(corners)));
  test::Random random(11);
  HeightFieldCollider collider;
  for (int trial = 0; trial < 300; ++trial) {
    const Shape shape = test::random_shape(kKinds[trial % 6], &random, 0.5);
    const RigidTransform X{random.rotation(),
                           {random.uniform(-0.3, 0.3), random.uniform(-1, 1), 0.3}};
    Manifold manifold;
    calc_manifold(shape, X, prism, {}, {.margin = 0.2, .face_bias = false}, &manifold);
    const auto points = collider.find(shape, X, ground, {}, 0.2);
    const double phi = test::least_phi(manifold);
    if (manifold.count == 0 || std::fabs(phi) > 0.05) continue;
    ASSERT_FALSE(points.empty()) << to_string(shape.kind) << " phi " << phi;
    // Between flat faces and the ridge there are two points inside of the overlap, not the deepest.
    if (phi >= 0 || trial % 6 == 0) {
      EXPECT_NEAR(least_phi(points), phi, 1e-6) << to_string(shape.kind) << " trial " << trial;
    } else {
      EXPECT_LT(least_phi(points), 0.4 * phi) << to_string(shape.kind) << " trial " << trial;
    }
  }
}

// Nothing that is in the ground is left alone, however deep and wherever.
TEST(HeightField, EverythingInTheGroundIsPushedUp) {
  test::Random random(5);
  const Shape ground = make_ground(31, 31, 3, 3, [&](double x, double y) {
    return 0.3 * std::sin(3 * x) * std::cos(2 * y) + random.uniform(-0.03, 0.03);
  });
  HeightFieldCollider collider;
  for (int trial = 0; trial < 3000; ++trial) {
    const Shape shape = test::random_shape(kKinds[trial % 6], &random, random.uniform(0.02, 0.5));
    const RigidTransform X{
        random.rotation(),
        {random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-3, -0.4)}};
    const auto points = collider.find(shape, X, ground, {}, 0);
    ASSERT_FALSE(points.empty()) << to_string(shape.kind);
    EXPECT_LT(calc_wrench(points).v.z, 0) << to_string(shape.kind);  // on the ground
  }
}

// Rolling over a smooth hill and through its valleys the force changes little from one small step
// to the next.
TEST(HeightField, ForcesOfABallAreContinuousOnSmoothGround) {
  const auto height = [](double x, double y) {
    return 0.05 * std::sin(4 * x) * std::cos(3 * y);
  };
  const Shape ground = make_ground(81, 81, 2, 2, height), ball = make_sphere(0.1);
  HeightFieldCollider collider;
  Vec3 last;
  double depth = 2e-3, largest = 0;
  for (int i = 0; i < 40000; ++i) {
    const double x = -1 + 2.0 * i / 40000, y = 0.3 + 0.2 * x;
    // At a constant depth below the smooth surface, along its normal.
    const double e = 1e-6;
    const Vec3 n = normalized(Vec3{-(height(x + e, y) - height(x - e, y)) / (2 * e),
                                   -(height(x, y + e) - height(x, y - e)) / (2 * e), 1});
    const Vec3 center = Vec3{x, y, height(x, y)} + (0.1 - depth) * n;
    const auto points = collider.find(ball, RigidTransform::translation(center), ground, {}, 0);
    const Vec3 force = calc_wrench(points).v / depth;
    if (i > 0) largest = std::max(largest, norm(force - last));
    last = force;
  }
  // The normals of neighbouring facets differ by up to 0.04; depth changes come on top.
  EXPECT_LT(largest, 0.06);
}

TEST(HeightField, SafePartOfTheWay) {
  const Shape bumps = make_ground(41, 41, 2, 2, [](double x, double) {
    return 0.2 * std::sin(5 * x);
  });
  const Shape flat = make_ground(41, 41, 2, 2, [](double, double) {
    return 0.0;
  });
  const Shape ball = make_sphere(0.1);
  const RigidTransform X = RigidTransform::translation({0, 0, 0.25});
  const Vec3 along{1, 0, 0}, down{0, 0, -1};
  EXPECT_LT(calc_safe_part(ball, X, bumps, {}, along), 0.1);
  EXPECT_GE(calc_safe_part(ball, X, bumps, {}, down), 1);
  EXPECT_GE(calc_safe_part(ball, X, flat, {}, along), 1);
  EXPECT_GE(calc_safe_part(ball, RigidTransform::translation({0, 0, 2}), bumps, {}, along), 1);
}

TEST(HeightField, RefusesWhatIsNoField) {
  HeightField field{
      .rows = 2, .columns = 2, .half_x = 1, .half_y = 1, .base = 1, .heights = {0, 0, 0, 0}};
  EXPECT_NO_THROW(make_height_field_data(field));
  const auto refused = [&](auto&& change) {
    HeightField bad = field;
    change(&bad);
    EXPECT_THROW(make_height_field_data(bad), Error);
  };
  refused([](HeightField* f) {
    f->rows = 1;
  });
  refused([](HeightField* f) {
    f->half_x = 0;
  });
  refused([](HeightField* f) {
    f->base = -1;
  });
  refused([](HeightField* f) {
    f->heights.pop_back();
  });
  refused([](HeightField* f) {
    f->heights[2] = NAN;
  });
  refused([](HeightField* f) {
    f->heights[2] = -2;
  });
  refused([](HeightField* f) {
    f->rows = f->columns = 2000000;
  });
}

TEST(HeightField, IsDrawnAsAClosedSolid) {
  const Shape ground = make_ground(4, 3, 1, 2, [](double x, double y) {
    return 0.1 * x * y;
  });
  const TriangleMesh mesh = make_height_field_mesh(*ground.height_field);
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    volume += dot(mesh.vertices[a], cross(mesh.vertices[b], mesh.vertices[c])) / 6;
  }
  EXPECT_NEAR(volume, 2 * 4 * 50, 0.3);  // of the block below zero; bumps cancel nearly
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/ray.h"

#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include "geometry/height_field.h"
#include "geometry/mesh_samples.h"
#include "geometry/point_distance.h"
#include "geometry/samples.h"
#include "geometry/solid_mesh.h"

namespace cenic::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Ray, ClosedForms) {
  const Vec3 down{0, 0, -1};
  EXPECT_DOUBLE_EQ(cast_ray(make_sphere(0.5), {0, 0, 2}, down), 1.5);
  EXPECT_DOUBLE_EQ(cast_ray(make_sphere(0.5), {0.3, 0, 2}, down), 1.6);
  EXPECT_DOUBLE_EQ(cast_ray(make_sphere(0.5), {0, 0, 0}, down), 0.5);  // on its way out
  EXPECT_EQ(cast_ray(make_sphere(0.5), {0, 0, -2}, down), kInfinity);  // behind it
  EXPECT_EQ(cast_ray(make_sphere(0.5), {0.6, 0, 2}, down), kInfinity);
  EXPECT_DOUBLE_EQ(cast_ray(make_box({1, 2, 3}), {-5, 0.5, 0.5}, {1, 0, 0}), 4);
  EXPECT_DOUBLE_EQ(cast_ray(make_box({1, 2, 3}), {0.5, 0.5, 0.5}, {1, 0, 0}), 0.5);
  EXPECT_EQ(cast_ray(make_box({1, 2, 3}), {-5, 2.5, 0.5}, {1, 0, 0}), kInfinity);
  EXPECT_DOUBLE_EQ(cast_ray(make_cylinder(0.5, 1), {0.2, 0, 3}, down), 2);          // its cap
  EXPECT_DOUBLE_EQ(cast_ray(make_cylinder(0.5, 1), {3, 0, 0.9}, {-1, 0, 0}), 2.5);  // its side
  EXPECT_EQ(cast_ray(make_cylinder(0.5, 1), {3, 0, 1.1}, {-1, 0, 0}), kInfinity);
  EXPECT_DOUBLE_EQ(cast_ray(make_capsule(0.5, 1), {0, 0, 3}, down), 1.5);
  EXPECT_DOUBLE_EQ(cast_ray(make_capsule(0.5, 1), {3, 0, 1.3}, {-1, 0, 0}), 2.6);
  EXPECT_DOUBLE_EQ(cast_ray(make_capsule(0.5, 1), {0, 0, 0}, {1, 0, 0}), 0.5);
  EXPECT_DOUBLE_EQ(cast_ray(make_ellipsoid({1, 2, 3}), {0, 5, 0}, {0, -1, 0}), 3);
  EXPECT_DOUBLE_EQ(cast_ray(make_half_space(), {3, 4, 2}, {0, 0.6, -0.8}), 2.5);
  EXPECT_EQ(cast_ray(make_half_space(), {3, 4, 2}, {1, 0, 0}), kInfinity);
  EXPECT_EQ(cast_ray(make_half_space(), {3, 4, -2}, {0, 0, 1}), kInfinity);  // from inside
}

// Where a ray ends, the signed distance is zero, and it keeps its sign on the way there.
TEST(Ray, EndsWhereTheDistanceIsZeroAndNotEarlier) {
  Random random(5);
  for (int k = 0; k < kNumShapeKinds; ++k) {
    const auto kind = static_cast<ShapeKind>(k);
    int hits = 0;
    for (int n = 0; n < 400; ++n) {
      const Shape shape = random_shape(kind, &random);
      const Vec3 x = random.in_cube(1.5);
      const Vec3 dir = n % 2 == 0 ? random.direction() : normalized(random.in_cube(0.5) - x);
      const double start = calc_point_distance(shape, x).distance;
      if (kind == ShapeKind::kHalfSpace && start < 0) continue;
      const double length = cast_ray(shape, x, dir);
      const double end = std::isfinite(length) ? length : 6;
      if (std::isfinite(length)) {
        ++hits;
        EXPECT_NEAR(calc_point_distance(shape, x + length * dir).distance, 0, 1e-9)
            << to_string(kind);
      }
      for (int i = 1; i < 50; ++i) {
        const double d = calc_point_distance(shape, x + (i / 50.0) * end * dir).distance;
        EXPECT_GE(d * (start < 0 ? -1 : 1), -1e-9) << to_string(kind);
      }
    }
    EXPECT_GT(hits, 100) << to_string(kind);
  }
}

// A box as triangles: as a solid, as what is drawn, and through the hole of a ring.
TEST(Ray, MeshesAreMetAtTheirTriangles) {
  const auto surface = std::make_shared<const TriangleMesh>(box_surface({-1, -2, -3}, {1, 2, 3}));
  const Shape solid = make_mesh(make_solid_mesh(*surface, nullptr)), drawn = make_surface(surface);
  const Shape box = make_box({1, 2, 3});
  Random random(6);
  for (int n = 0; n < 300; ++n) {
    const Vec3 x = random.in_cube(4), dir = random.direction();
    const double expected = cast_ray(box, x, dir);
    for (const Shape* shape : {&solid, &drawn}) {
      const double length = cast_ray(*shape, x, dir);
      if (std::isfinite(expected)) {
        EXPECT_NEAR(length, expected, 1e-9);
      } else {
        EXPECT_EQ(length, kInfinity);
      }
    }
  }
  const Shape ring = make_mesh(make_solid_mesh(torus_surface(1, 0.25, 32, 16), nullptr));
  EXPECT_EQ(cast_ray(ring, {0.1, 0.1, 2}, {0, 0, -1}), kInfinity);
  EXPECT_NEAR(cast_ray(ring, {1, 0.01, 2}, {0, 0, -1}), 1.75, 0.02);
}

// The ground against the triangles it is drawn with, which have its sides and its bottom, too.
TEST(Ray, HeightFieldsAreMetAsTheyAreDrawn) {
  Random random(7);
  HeightField field{
      .rows = 6, .columns = 9, .half_x = 2, .half_y = 1.5, .base = 0.5, .heights = {}};
  for (int i = 0; i < field.rows * field.columns; ++i) {
    field.heights.push_back(random.uniform(-0.3, 0.8));
  }
  const auto data = make_height_field_data(field);
  const Shape ground = make_height_field(data);
  const Shape drawn =
      make_surface(std::make_shared<const TriangleMesh>(make_height_field_mesh(*data)));
  int hits = 0;
  for (int n = 0; n < 2000; ++n) {
    const Vec3 x = random.in_cube(2.5), dir = random.direction();
    const double length = cast_ray(ground, x, dir), expected = cast_ray(drawn, x, dir);
    hits += std::isfinite(expected) ? 1 : 0;
    if (std::isfinite(expected)) {
      EXPECT_NEAR(length, expected, 1e-8);
    } else {
      EXPECT_EQ(length, kInfinity);
    }
  }
  EXPECT_GT(hits, 400);
  EXPECT_TRUE(std::isfinite(cast_ray(ground, {0.1, 0.2, 3}, {0, 0, -1})));
}

}  // namespace
}  // namespace cenic::test

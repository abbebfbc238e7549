// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/shape.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/point_distance.h"
#include "geometry/samples.h"

namespace cenic {
namespace {

using test::Random;

const ShapeKind kBounded[] = {ShapeKind::kSphere,  ShapeKind::kBox,       ShapeKind::kCylinder,
                              ShapeKind::kCapsule, ShapeKind::kEllipsoid, ShapeKind::kConvex};

// Does the shape hold the point? Written from the definitions, for the oracles below.
bool holds(const Shape& shape, const Vec3& p) {
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return norm(p) <= s.x;
    case ShapeKind::kBox:
      return std::fabs(p.x) <= s.x && std::fabs(p.y) <= s.y && std::fabs(p.z) <= s.z;
    case ShapeKind::kCylinder:
      return std::hypot(p.x, p.y) <= s.x && std::fabs(p.z) <= s.z;
    case ShapeKind::kCapsule:
      return norm(p - Vec3{0, 0, std::clamp(p.z, -s.z, s.z)}) <= s.x;
    case ShapeKind::kEllipsoid:
      return norm(Vec3{p.x / s.x, p.y / s.y, p.z / s.z}) <= 1;
    case ShapeKind::kHalfSpace:
      return p.z <= 0;
    case ShapeKind::kConvex:
      for (std::size_t f = 0; f < shape.hull->face_normals.size(); ++f) {
        const Vec3& v = shape.hull->vertices[shape.hull->face_vertices[shape.hull->face_start[f]]];
        if (dot(shape.hull->face_normals[f], p - v) > 0) return false;
      }
      return true;
    case ShapeKind::kHeightField:
    case ShapeKind::kSurface:
      break;
  }
  return false;
}

TEST(Shape, MassPropertiesAgreeWithASum) {
  Random random(1);
  for (const ShapeKind kind : kBounded) {
    const Shape shape = test::random_shape(kind, &random);
    const Aabb box = calc_aabb(shape, {});
    // Midpoints of a regular grid over the bounding box; the error is that of the cells cut by the
    // surface.
    constexpr int kCells = 120;
    const Vec3 d = (box.upper - box.lower) / kCells;
    SpatialInertia sum;
    for (int i = 0; i < kCells * kCells * kCells; ++i) {
      const Vec3 p{box.lower.x + (i % kCells + 0.5) * d.x,
                   box.lower.y + (i / kCells % kCells + 0.5) * d.y,
                   box.lower.z + (i / kCells / kCells + 0.5) * d.z};
      if (!holds(shape, p)) continue;
      sum += {1, p, dot(p, p) * Mat3::identity() - outer(p, p)};
    }
    const double cell = d.x * d.y * d.z;
    const SpatialInertia M = calc_unit_density_inertia(shape);
    EXPECT_NEAR(M.mass / (cell * sum.mass), 1, 5e-3) << to_string(kind);
    EXPECT_LT(norm(M.mc - cell * sum.mc), 5e-3 * M.mass) << to_string(kind);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        EXPECT_NEAR(M.I(i, j), cell * sum.I(i, j), 5e-3 * trace(M.I)) << to_string(kind);
      }
    }
  }
  EXPECT_EQ(calc_unit_density_inertia(make_half_space()).mass, 0);
}

TEST(Shape, HullInertiaOfABoxIsTheBoxs) {
  const Vec3 h{0.3, 0.2, 0.1}, at{1, 2, 3};
  std::vector<Vec3> corners;
  for (int v = 0; v < 8; ++v) {
    corners.push_back(
        at + Vec3{(v & 1) != 0 ? h.x : -h.x, (v & 2) != 0 ? h.y : -h.y, (v & 4) != 0 ? h.z : -h.z});
  }
  const SpatialInertia hull = calc_unit_density_inertia(
      make_convex(std::make_shared<ConvexHull>(make_convex_hull(corners))));
  const SpatialInertia box = shift_inertia(calc_unit_density_inertia(make_box(h)), at);
  EXPECT_NEAR(hull.mass, box.mass, 1e-14);
  EXPECT_LT(norm(hull.mc - box.mc), 1e-13);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(norm(hull.I.row[i] - box.I.row[i]), 1e-12);
  }
}

TEST(Shape, AabbIsTight) {
  Random random(2);
  for (const ShapeKind kind : kBounded) {
    for (int k = 0; k < 20; ++k) {
      const Shape shape = kind == ShapeKind::kConvex ? test::random_hull(&random, 200, 1)
                                                     : test::random_shape(kind, &random);
      const RigidTransform X = random.pose(2);
      const Aabb box = calc_aabb(shape, X);
      for (int i = 0; i < 3; ++i) {
        Vec3 e;
        e[i] = 1;
        EXPECT_NEAR(box.upper[i], test::support_value(shape, X, e), 1e-13) << to_string(kind);
        EXPECT_NEAR(box.lower[i], -test::support_value(shape, X, -e), 1e-13) << to_string(kind);
      }
    }
  }
}

TEST(Shape, SupportAndRadiusBoundSampledPoints) {
  Random random(3);
  for (const ShapeKind kind : kBounded) {
    const Shape shape = test::random_shape(kind, &random);
    const double radius = calc_bounding_radius(shape);
    double furthest = 0;
    std::vector<Vec3> inside;
    for (int i = 0; i < 20000; ++i) {
      const Vec3 p = random.in_cube(2);
      if (!holds(shape, p)) continue;
      inside.push_back(p);
      furthest = std::max(furthest, norm(p));
    }
    EXPECT_LE(furthest, radius);
    for (int i = 0; i < 200; ++i) {
      const Vec3 d = random.uniform(1e-8, 1e8) * random.direction();
      const Vec3 support = calc_support(shape, d);
      EXPECT_TRUE(
          holds(shape, (1 - 1e-12) * support +
                           1e-12 * (kind == ShapeKind::kConvex ? shape.hull->center : Vec3{})));
      for (const Vec3& p : inside) {
        ASSERT_LE(dot(d, p), dot(d, support) * (1 + 1e-12) + 1e-12 * norm(d));
      }
    }
  }
}

// The signed distance of a point: its gradient by differences, and the surface by the definition
// above.
TEST(Shape, PointDistanceHasUnitGradientAndItsPointOnTheSurface) {
  Random random(4);
  for (const ShapeKind kind : kBounded) {
    for (int i = 0; i < 300; ++i) {
      const Shape shape = test::random_shape(kind, &random);
      Vec3 p = random.in_cube(1.5);
      if (i % 3 == 0) p.x = 0;  // in a plane of symmetry, on an axis, in the centre
      if (i % 6 == 0) p.y = 0;
      if (i % 12 == 0) p.z = 0;
      const PointDistance result = calc_point_distance(shape, p);
      EXPECT_EQ(result.distance < 0, holds(shape, p)) << to_string(kind);
      EXPECT_NEAR(norm(result.gradient), 1, 1e-12);
      EXPECT_LT(norm(result.closest + result.distance * result.gradient - p), 1e-9)
          << to_string(kind) << i;
      const Vec3 inner = kind == ShapeKind::kConvex ? shape.hull->center : Vec3{};
      EXPECT_TRUE(holds(shape, result.closest + 1e-8 * (inner - result.closest)))
          << to_string(kind);
      EXPECT_FALSE(holds(shape, result.closest + 1e-9 * result.gradient)) << to_string(kind);
      // No sampled point of the surface is closer.
      for (int k = 0; k < 30; ++k) {
        const Vec3 q = calc_support(shape, random.direction());
        EXPECT_GE(norm(q - p), std::fabs(result.distance) - 1e-9) << to_string(kind);
      }
    }
  }
}

template <typename Make>
std::string message_of(const Make& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Shape, WrongSizesAreNamed) {
  EXPECT_EQ(message_of([] {
              make_sphere(-1);
            }),
            "sphere: radius is -1.000000; give a finite number greater than zero, in metres");
  EXPECT_EQ(message_of([] {
              make_box({1, 0, 1});
            }),
            "box: half extent y is 0.000000; give a finite number greater than zero, in metres");
  EXPECT_EQ(message_of([] {
              make_box({std::nan(""), 1, 1});
            }),
            "box: half extent x is nan; give a finite number greater than zero, in metres");
  EXPECT_EQ(message_of([] {
              make_box({1, 1, -2});
            }),
            "box: half extent z is -2.000000; give a finite number greater than zero, in metres");
  EXPECT_EQ(message_of([] {
              make_cylinder(1, std::numeric_limits<double>::infinity());
            }),
            "cylinder: half length is inf; give a finite number greater than zero, in metres");
  EXPECT_EQ(message_of([] {
              make_cylinder(0, 1);
            }),
            "cylinder: radius is 0.000000; give a finite number greater than zero, in metres");
  EXPECT_EQ(message_of([] {
              make_capsule(0, 1);
            }),
            "capsule: radius is 0.000000; give a finite number greater than zero, in metres");
  EXPECT_EQ(message_of([] {
              make_capsule(1, 0);
            }),
            "capsule: half length is 0.000000; give a finite number greater than zero, in metres");
  EXPECT_EQ(
      message_of([] {
        make_ellipsoid({1, 1, 0});
      }),
      "ellipsoid: semi-axis z is 0.000000; give a finite number greater than zero, in metres");
  EXPECT_EQ(message_of([] {
              make_convex(nullptr);
            }),
            "convex: no hull is given; build one with make_convex_hull from at least four points");
}

}  // namespace
}  // namespace cenic

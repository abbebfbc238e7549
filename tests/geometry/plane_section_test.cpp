// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The sums over a plane's cut with a solid against those of its polygons one by one.
#include "geometry/hydroelastic/plane_section.h"

#include <cmath>

#include <gtest/gtest.h>

#include "geometry/hydroelastic_samples.h"

namespace cenic {
namespace {

struct Solid {
  const char* name;
  Shape shape;
  double resolution = 0;
};

std::vector<Solid> make_solids() {
  return {{"cube", make_box({0.05, 0.05, 0.05})},
          {"box", make_box({0.1, 0.075, 0.04})},
          {"rod", make_box({0.02, 0.02, 0.2})},
          {"cylinder", make_cylinder(0.1, 0.1)},
          {"long cylinder", make_cylinder(0.03, 0.1), 0.02},
          {"disc", make_cylinder(0.1, 0.02), 0.05},
          {"capsule", make_capsule(0.05, 0.1), 0.03},
          {"ellipsoid", make_ellipsoid({0.03, 0.05, 0.07}), 0.03}};
}

// Far from the truth by at most this share of what the values are made of.
constexpr double kExact = 1e-11;

void expect_same(const PlaneSection& section, const std::vector<SurfacePolygon>& polygons) {
  double force = 0, stiffness = 0, strongest = 0, xx = 0, xy = 0, yy = 0;
  Vec3 first, stiffness_first;
  for (const SurfacePolygon& s : polygons) {
    const detail::PolygonMoments& m = s.moments;
    const Vec3 d = m.centroid - section.origin;
    const double f = m.area * s.pressure, k = m.area * std::max(s.gradient, 0.1 * s.steepness);
    force += f;
    first += f * d +
             m.area * ((m.sxx * s.px + m.sxy * s.py) * m.t1 + (m.sxy * s.px + m.syy * s.py) * m.t2);
    stiffness += k;
    stiffness_first += k * d;
    const double a = dot(section.t1, m.t1), b = dot(section.t1, m.t2);
    const double c = dot(section.t2, m.t1), e = dot(section.t2, m.t2);
    const double x = dot(d, section.t1), y = dot(d, section.t2);
    xx += k * (x * x + a * a * m.sxx + 2 * a * b * m.sxy + b * b * m.syy);
    xy += k * (x * y + a * c * m.sxx + (a * e + b * c) * m.sxy + b * e * m.syy);
    yy += k * (y * y + c * c * m.sxx + 2 * c * e * m.sxy + e * e * m.syy);
    strongest = std::max(strongest, f);
  }
  constexpr double kSize = 0.2;
  EXPECT_EQ(section.num_polygons, static_cast<int>(polygons.size()));
  EXPECT_NEAR(section.p, force, kExact * force);
  EXPECT_NEAR(section.px, dot(first, section.t1), kExact * kSize * force);
  EXPECT_NEAR(section.py, dot(first, section.t2), kExact * kSize * force);
  EXPECT_NEAR(section.g, stiffness, kExact * stiffness);
  EXPECT_NEAR(section.gx, dot(stiffness_first, section.t1), kExact * kSize * stiffness);
  EXPECT_NEAR(section.gy, dot(stiffness_first, section.t2), kExact * kSize * stiffness);
  const double second = kExact * kSize * kSize * stiffness;
  EXPECT_NEAR(section.gxx, xx, second);
  EXPECT_NEAR(section.gxy, xy, second);
  EXPECT_NEAR(section.gyy, yy, second);
  EXPECT_NEAR(section.strongest_force, strongest, kExact * strongest);
}

// At any tilt and depth: patterns of cut vertices that differ from cell to cell, cells with more
// vertices than lanes, blocks that are not full.
TEST(PlaneSection, HasTheSumsOfThePolygons) {
  const auto plane = test::make_rigid(make_half_space());
  test::Random random(7);
  for (const Solid& solid : make_solids()) {
    SCOPED_TRACE(solid.name);
    const auto field = test::make_compliant(solid.shape, test::kModulus, solid.resolution);
    int pressing = 0;
    for (int trial = 0; trial < 300; ++trial) {
      RigidTransform X_MN{random.rotation(), {}};
      const Vec3 nhat = X_MN.R.column(2);
      X_MN.p = field->center + random.uniform(-1, 1) * field->radius * nhat;
      std::vector<SurfacePolygon> polygons = test::find_polygons(*field, *plane, X_MN);
      std::erase_if(polygons, [](const SurfacePolygon& s) {
        return s.pressure <= 0;
      });
      const double least_area = SurfaceFinder::calc_least_area(*field, *plane);
      expect_same(calc_plane_section(*field, nhat, X_MN.p, least_area, 0.1), polygons);
      pressing += polygons.empty() ? 0 : 1;
    }
    EXPECT_GT(pressing, 100);
  }
}

// Upright, where all cells of the side are cut alike, and the points are those of the polygons.
TEST(PlaneSection, GivesTheSamePoints) {
  const auto plane = test::make_rigid(make_half_space());
  const auto field = test::make_compliant(make_cylinder(0.1, 0.1));
  for (const Vec3& tilt : {Vec3{}, Vec3{1e-4, 2e-4, 0}, Vec3{0.3, 0.2, 0}, Vec3{1.5, 0.1, 0}}) {
    RigidTransform X_MN = RigidTransform::rotation(tilt);
    X_MN.p = -0.0999 * X_MN.R.column(2);
    const auto polygons = test::find_polygons(*field, *plane, X_MN);
    std::vector<SurfacePoint> expected, points;
    PointMaker().make(polygons, SurfaceQuadrature::kReduced, &expected, 0.005);
    const PlaneSection section = calc_plane_section(
        *field, X_MN.R.column(2), X_MN.p, SurfaceFinder::calc_least_area(*field, *plane), 0.1);
    ASSERT_TRUE(PointMaker::make(section, &points, 0.005));
    ASSERT_EQ(points.size(), expected.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      EXPECT_LT(norm(points[i].p - expected[i].p), 1e-9);
      EXPECT_LT(norm(points[i].nhat - expected[i].nhat), 1e-12);
      EXPECT_NEAR(points[i].force, expected[i].force, 1e-9 * section.p);
      EXPECT_NEAR(points[i].stiffness, expected[i].stiffness, 1e-11 * section.g);
      EXPECT_EQ(points[i].feature, expected[i].feature);
    }
  }
}

// A solid that the plane does not reach, or has swallowed, has no section.
TEST(PlaneSection, IsEmptyAwayFromThePlane) {
  const auto field = test::make_compliant(make_box({0.05, 0.05, 0.05}));
  for (const double z : {-0.06, 0.06}) {
    const PlaneSection section = calc_plane_section(*field, {0, 0, 1}, {0, 0, z}, 0, 0.1);
    EXPECT_EQ(section.num_polygons, 0);
    EXPECT_EQ(section.p, 0);
    std::vector<SurfacePoint> points;
    EXPECT_FALSE(PointMaker::make(section, &points, 0));
  }
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Polygons in lanes against the kernels that do the same corner by corner, and pairs of few cells
// against lists from trees.
#include "geometry/hydroelastic/lane_polygon.h"

#include <cmath>

#include <gtest/gtest.h>

#include "geometry/hydroelastic_samples.h"

namespace cenic {
namespace {

using detail::Clipped;
using detail::LanePolygon;
using detail::Polygon;
using test::make_compliant;

// A cube, a box with a medial segment, one with a medial rectangle, and a hull of four faces.
std::vector<Shape> make_shapes() {
  const std::vector<Vec3> corners = {
      {0.05, 0, 0}, {0, 0.06, 0}, {0, 0, 0.07}, {-0.04, -0.04, -0.04}};
  return {make_box({0.05, 0.05, 0.05}), make_box({0.05, 0.05, 0.08}), make_box({0.05, 0.06, 0.08}),
          make_convex(std::make_shared<ConvexHull>(make_convex_hull(corners)))};
}

Polygon unpack(const LanePolygon& polygon) {
  Polygon out;
  for (int i = 0; i < polygon.count; ++i) {
    out.add({polygon.x[i], polygon.y[i], polygon.z[i]});
  }
  return out;
}

// The same corners in the same order, from whichever on.
void expect_same(const Polygon& a, const Polygon& b) {
  ASSERT_EQ(a.count, b.count);
  int shift = 0;
  for (int i = 1; i < a.count; ++i) {
    if (norm(a.p[i] - b.p[0]) < norm(a.p[shift] - b.p[0])) shift = i;
  }
  for (int i = 0; i < a.count; ++i) {
    EXPECT_LT(norm(a.p[(i + shift) % a.count] - b.p[i]), 1e-14);
  }
}

void expect_same(const detail::PolygonMoments& a, const detail::PolygonMoments& b) {
  EXPECT_NEAR(a.area, b.area, 1e-16);
  if (a.area < 1e-8) return;
  EXPECT_LT(norm(a.centroid - b.centroid), 1e-12);
  EXPECT_NEAR(a.sxx, b.sxx, 1e-13);
  EXPECT_NEAR(a.sxy, b.sxy, 1e-13);
  EXPECT_NEAR(a.syy, b.syy, 1e-13);
}

TEST(LanePolygon, SlicesClipsAndMomentsOfCells) {
  test::Random random(5);
  int slices = 0, parts = 0, empty = 0;
  for (const Shape& shape : make_shapes()) {
    const auto field = make_compliant(shape);
    ASSERT_EQ(field->blocks.packed.size(), field->cells.size());
    for (int trial = 0; trial < 2000; ++trial) {
      const std::size_t i = trial % field->cells.size();
      const std::size_t j = trial / 7 % field->cells.size();
      const double margin = trial % 3 == 0 ? 0 : 0.005;
      const RigidTransform X = random.pose(0.03);
      PackedCell A, B;
      detail::pose(field->blocks.packed[i], {}, margin, &A);
      detail::pose(field->blocks.packed[j], X, margin, &B);
      const Vec3 slope = random.in_cube(1);
      const double offset = random.uniform(-0.02, 0.02);
      Polygon expected;
      slice_cell(*field, field->cells[i], margin, slope, offset, &expected);
      LanePolygon lanes;
      if (!slice_both(A, field->blocks.cuts, B, slope, offset, &lanes)) continue;
      ++slices;
      expect_same(unpack(lanes), expected);
      const Vec3 nhat = normalized(slope);
      expect_same(calc_moments(lanes, nhat), detail::calc_moments(expected, nhat));
      // By the planes of the other cell, where it stands.
      Polygon buffer[2];
      const Polygon* rest = &expected;
      for (int f = 0; f < field->cells[j].num_planes && rest->count > 0; ++f) {
        const Plane& plane = field->planes[field->cells[j].plane_begin + f];
        const Vec3 normal = X.R * plane.normal;
        rest = detail::clip(rest, normal, -plane.offset - (f == 0 ? margin : 0) - dot(normal, X.p),
                            rest == &buffer[0] ? &buffer[1] : &buffer[0]);
      }
      unsigned planes = 0;
      const bool meets = find_cutting_planes(B, lanes, &planes);
      const Clipped clipped = meets ? clip(B, planes, &lanes) : Clipped::kEmpty;
      if (clipped == Clipped::kFailed) continue;
      EXPECT_EQ(clipped == Clipped::kEmpty, rest->count == 0);
      if (clipped == Clipped::kEmpty) {
        ++empty;
        continue;
      }
      ++parts;
      expect_same(calc_moments(lanes, nhat), detail::calc_moments(*rest, nhat));
    }
  }
  EXPECT_GT(slices, 1000);
  EXPECT_GT(parts, 300);
  EXPECT_GT(empty, 300);
}

// Polygons of up to eight corners on a circle, cut by every line that parts their corners.
TEST(LanePolygon, ClipsAtEveryCorner) {
  for (int n = 3; n <= 8; ++n) {
    LanePolygon polygon;
    polygon.count = n;
    for (int i = 0; i < kLanes; ++i) {
      const double angle = 2 * 3.141592653589793 * (i < n ? i : 0) / n;
      polygon.x[i] = std::cos(angle), polygon.y[i] = std::sin(angle), polygon.z[i] = 0.5;
    }
    for (int k = 0; k < 50; ++k) {
      const double angle = 0.13 * k;
      const Vec3 slope{std::cos(angle), std::sin(angle), 0.1};
      const double offset = 0.03 * (k % 41 - 20) - 0.05;
      LanePolygon lanes = polygon;
      const Clipped clipped =
          clip(detail::evaluate(slope, offset, lanes.x, lanes.y, lanes.z), &lanes);
      const Polygon whole = unpack(polygon);
      Polygon buffer;
      const Polygon* expected = detail::clip(&whole, slope, offset, &buffer);
      if (clipped == Clipped::kFailed) {
        EXPECT_GT(expected->count, kLanes);
        continue;
      }
      EXPECT_EQ(clipped == Clipped::kWhole, expected == &whole);
      EXPECT_EQ(clipped == Clipped::kEmpty, expected->count == 0);
      if (clipped == Clipped::kPart) expect_same(unpack(lanes), *expected);
      for (int i = lanes.count; i < kLanes; ++i) {
        EXPECT_EQ(lanes.x[i], lanes.x[0]);
      }
    }
  }
}

// Choosing pairs of few cells by depth leaves out none that lists from trees would have found.
TEST(LanePolygon, PairsOfFewCells) {
  test::Random random(6);
  int polygons = 0;
  for (const Shape& a : make_shapes()) {
    for (const Shape& b : make_shapes()) {
      const auto M = make_compliant(a), N = make_compliant(b);
      ASSERT_GT(M->blocks.boxes.count, 0);
      PressureField listed = *M;
      listed.blocks.boxes.count = 0;
      for (int trial = 0; trial < 100; ++trial) {
        const RigidTransform X_MN = random.pose(0.08);
        const double margin = trial % 2 == 0 ? 0 : 0.01;
        const auto by_depth = test::find_polygons(*M, *N, X_MN, margin);
        auto by_list = test::find_polygons(listed, *N, X_MN, margin);
        ASSERT_EQ(by_depth.size(), by_list.size());
        polygons += static_cast<int>(by_list.size());
        for (const SurfacePolygon& s : by_depth) {
          const auto same = std::ranges::find_if(by_list, [&](const SurfacePolygon& t) {
            return s.cell_M == t.cell_M && s.cell_N == t.cell_N && s.pressure == t.pressure;
          });
          ASSERT_NE(same, by_list.end());
          EXPECT_EQ(s.moments.area, same->moments.area);
        }
      }
    }
  }
  EXPECT_GT(polygons, 1000);
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/convex_hull.h"

#include <set>

#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/samples.h"

namespace cenic {
namespace {

using test::Random;

void expect_sound(const ConvexHull& hull, const std::vector<Vec3>& points, double scale) {
  const int num_vertices = static_cast<int>(hull.vertices.size());
  const int num_faces = static_cast<int>(hull.face_normals.size());
  std::set<std::pair<int, int>> edges;
  for (int f = 0; f < num_faces; ++f) {
    const int start = hull.face_start[f], size = hull.face_start[f + 1] - start;
    ASSERT_GE(size, 3);
    const Vec3& n = hull.face_normals[f];
    EXPECT_NEAR(norm(n), 1, 1e-12);
    const Vec3& v = hull.vertices[hull.face_vertices[start]];
    for (const Vec3& p : points) {
      ASSERT_LE(dot(n, p - v), 1e-6 * scale);
    }
    EXPECT_LT(dot(n, hull.center - v), 0);
    for (int k = 0; k < size; ++k) {
      const int i = hull.face_vertices[start + k], j = hull.face_vertices[start + (k + 1) % size],
                m = hull.face_vertices[start + (k + 2) % size];
      EXPECT_TRUE(edges.insert({i, j}).second) << "each directed edge once";
      const Vec3 turn =
          cross(hull.vertices[j] - hull.vertices[i], hull.vertices[m] - hull.vertices[j]);
      EXPECT_GT(dot(n, turn), -1e-9 * scale * scale) << "counter-clockwise";
    }
  }
  for (const auto& [i, j] : edges) {
    EXPECT_TRUE(edges.count({j, i}));
  }
  EXPECT_EQ(num_vertices - static_cast<int>(edges.size()) / 2 + num_faces, 2);  // Euler
  EXPECT_EQ(hull.neighbors.size(), edges.size());
  EXPECT_EQ(hull.corners.size(), hull.face_vertices.size());
  for (int i = 0; i < num_vertices; ++i) {
    for (int k = hull.neighbor_start[i]; k < hull.neighbor_start[i + 1]; ++k) {
      EXPECT_TRUE(edges.count({i, hull.neighbors[k]}));
    }
  }
  std::vector<double> sum(num_faces, 0);
  for (const HullCorner& corner : hull.corners) {
    sum[corner.face] += corner.weight;
  }
  for (const double s : sum) {
    EXPECT_NEAR(s, 4, 1e-12);
  }
}

TEST(ConvexHull, RandomCloudsOfAllSizes) {
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    const double scale = std::pow(10.0, random.uniform(-4, 3));
    const Vec3 offset = 10 * scale * random.in_cube(1);
    std::vector<Vec3> points;
    const int count = random.integer(4, 300);
    for (int k = 0; k < count; ++k) {
      const Vec3 p = i % 2 == 0 ? random.in_cube(1) : random.direction();
      points.push_back(offset + scale * p);
    }
    expect_sound(make_convex_hull(points), points, scale);
  }
}

TEST(ConvexHull, ABoxHasSixFacesHoweverManyPointsLieOnThem) {
  std::vector<Vec3> points;
  const Mat3 R = Random(2).rotation();
  for (int i = 0; i <= 4; ++i) {
    for (int j = 0; j <= 4; ++j) {
      for (int k = 0; k <= 4; ++k) {
        points.push_back(R * Vec3{0.1 * i, 0.2 * j, 0.3 * k});
      }
    }
  }
  points.insert(points.end(), points.begin(), points.begin() + 30);  // and some twice
  const ConvexHull hull = make_convex_hull(points);
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.face_normals.size(), 6u);
  for (const HullCorner& corner : hull.corners) {
    EXPECT_NEAR(corner.weight, 1, 1e-12);
  }
  expect_sound(hull, points, 1);
}

// Coordinates of a mesh file have 24 bits.
TEST(ConvexHull, PlanesRoundedToFloatsStayWhole) {
  std::vector<Vec3> points;
  const Mat3 R = Random(3).rotation();
  for (int k = 0; k < 40; ++k) {
    for (const double z : {-0.5, 0.5}) {
      const double a = 2 * 3.141592653589793 * k / 40;
      const Vec3 p = R * Vec3{std::cos(a), std::sin(a), z};
      points.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
    }
  }
  const ConvexHull hull = make_convex_hull(points);
  EXPECT_EQ(hull.face_normals.size(), 42u);
  EXPECT_EQ(hull.vertices.size(), 80u);
  expect_sound(hull, points, 1);
}

TEST(ConvexHull, SupportVertexIsTheHighestByWalkAndByScan) {
  Random random(4);
  for (const int count : {10, 2000}) {
    std::vector<Vec3> points;
    for (int k = 0; k < count; ++k) {
      points.push_back(random.direction());
    }
    const ConvexHull hull = make_convex_hull(points);
    for (int i = 0; i < 300; ++i) {
      const Vec3 d = random.direction();
      double highest = -10;
      for (const Vec3& p : points) {
        highest = std::max(highest, dot(d, p));
      }
      EXPECT_NEAR(dot(d, hull.vertices[find_support_vertex(hull, d)]), highest, 1e-12);
    }
  }
}

std::string message_of(const std::vector<Vec3>& points) {
  try {
    make_convex_hull(points);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ConvexHull, WhatSpansNoVolumeIsNamed) {
  EXPECT_EQ(message_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}),
            "convex hull: 3 points are given; a hull needs at least four that span a volume");
  EXPECT_EQ(message_of({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}),
            "convex hull: all points are the same; give points that span a volume");
  EXPECT_EQ(message_of({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {5, 5, 5}}),
            "convex hull: the points lie on a line; give points that span a volume");
  EXPECT_EQ(message_of({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.3, 0.2, 1e-9}}),
            "convex hull: the points lie in a plane; give points that span a volume, or thicken "
            "the mesh");
  EXPECT_EQ(message_of({{0, 0, 0}, {1, 0, 0}, {0, std::nan(""), 0}, {1, 1, 1}}),
            "convex hull: point 2 is not finite; check the mesh or its scale");
}

}  // namespace
}  // namespace cenic

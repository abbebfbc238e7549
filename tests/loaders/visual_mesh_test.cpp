// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What is only looked at: its own triangles, shared, without a hull; and meshes made by formula.
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "geometry/convex_hull.h"
#include "loaders/mjcf/mesh.h"
#include "loaders/robot_text.h"
#include "model/model.h"

namespace cenic::test {
namespace {

// An L of two boxes: not convex.
constexpr const char* kElbow = R"(v 0 0 0
v 2 0 0
v 2 1 0
v 1 1 0
v 1 2 0
v 0 2 0
v 0 0 1
v 2 0 1
v 2 1 1
v 1 1 1
v 1 2 1
v 0 2 1
f 4 3 2 1
f 6 5 4 1
f 7 8 9 10
f 7 10 11 12
f 1 2 8 7
f 2 3 9 8
f 3 4 10 9
f 4 5 11 10
f 5 6 12 11
f 6 1 7 12
)";

LoadedModel load_geoms(const std::string& geoms, const std::string& rest = "") {
  const TemporaryFolder folder;
  folder.write("elbow.obj", kElbow);
  return load_model(folder.write(
      "model.xml", fmt::format(R"(<mujoco><asset><mesh file="elbow.obj"/></asset><worldbody>
        <body name="b"><freejoint/>{}</body></worldbody>{}</mujoco>)",
                               geoms, rest)));
}

TEST(VisualMesh, IsItsTrianglesAndHasNoHull) {
  const LoadedModel loaded = load_geoms(
      R"(<geom type="mesh" mesh="elbow" contype="0" conaffinity="0" rgba="1 0 0 1"/>
         <geom type="mesh" mesh="elbow" contype="0" conaffinity="0" pos="3 0 0" mass="0"/>
         <geom size="0.1"/>)");
  const auto& geometries = loaded.spec.bodies.at(0).geometries;
  ASSERT_EQ(geometries.size(), 3u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(geometries[i].shape.kind, ShapeKind::kSurface);
    EXPECT_EQ(geometries[i].shape.hull, nullptr);
    EXPECT_EQ(geometries[i].shape.surface->triangles.size(), 20u);
  }
  EXPECT_EQ(geometries[0].shape.surface, geometries[1].shape.surface);  // memory is shared
  EXPECT_EQ(geometries[0].color, (std::array<float, 4>{1, 0, 0, 1}));
  EXPECT_FALSE(is_reported(loaded, Severity::kApproximated, "hull")) << list_reports(loaded);
  // The first has the mass of its volume, as before.
  const double ball = 4.0 / 3 * std::numbers::pi * 1e-3 * 1000;
  EXPECT_GT(loaded.spec.bodies.at(0).inertia->mass, 3000 + 0.99 * ball);
  EXPECT_NO_THROW(compile(loaded.spec));
}

TEST(VisualMesh, WhatCollidesIsItsHullAndLooksAsItIs) {
  const LoadedModel loaded = load_geoms(R"(<geom type="mesh" mesh="elbow"/>)");
  const Shape& shape = loaded.spec.bodies.at(0).geometries.at(0).shape;
  EXPECT_EQ(shape.kind, ShapeKind::kConvex);
  EXPECT_EQ(shape.hull->vertices.size(), 10u);
  ASSERT_NE(shape.surface, nullptr);
  EXPECT_EQ(shape.surface->triangles.size(), 20u);
  EXPECT_TRUE(is_reported(loaded, Severity::kApproximated, "'elbow' is not convex"));
}

// A pair makes geoms touch that their masks keep apart.
TEST(VisualMesh, AMeshInAPairCollides) {
  const LoadedModel loaded =
      load_geoms(R"(<geom name="e" type="mesh" mesh="elbow" contype="0" conaffinity="0"/>
                    <geom name="s" size="0.1" pos="5 0 0"/>)",
                 R"(<contact><pair geom1="e" geom2="s"/></contact>)");
  EXPECT_EQ(loaded.spec.bodies.at(0).geometries.at(0).shape.kind, ShapeKind::kConvex);
  EXPECT_NO_THROW(compile(loaded.spec));
}

TEST(VisualMesh, OfRobotsIsItsTriangles) {
  const TemporaryFolder folder;
  folder.write("elbow.obj", kElbow);
  const LoadedModel loaded =
      load_model(folder.write("robot.urdf", R"(<robot name="r"><link name="l">
      <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
      <visual><geometry><mesh filename="elbow.obj" scale="-1 1 1"/></geometry></visual>
      <collision><geometry><mesh filename="elbow.obj"/></geometry></collision></link></robot>)"));
  const auto& geometries = loaded.spec.bodies.at(0).geometries;
  ASSERT_EQ(geometries.size(), 2u);
  for (const GeometrySpec& g : geometries) {
    EXPECT_EQ(g.shape.kind, g.collides ? ShapeKind::kConvex : ShapeKind::kSurface);
  }
  EXPECT_TRUE(is_reported(loaded, Severity::kApproximated, "is not convex"));
  EXPECT_NO_THROW(compile(loaded.spec));
}

TEST(VisualMesh, ASurfaceCannotCollide) {
  ModelSpec spec;
  GeometrySpec g;
  auto mesh = std::make_shared<TriangleMesh>();
  mesh->vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh->triangles = {{0, 1, 2}};
  g.shape = make_surface(mesh);
  spec.world_geometries = {g};
  EXPECT_THROW(compile(spec), Error);
  spec.world_geometries[0].collides = false;
  EXPECT_NO_THROW(compile(spec));
}

// ---- meshes made by formula ----

double volume_of(const TriangleMesh& mesh) {
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    volume += dot(mesh.vertices[a], cross(mesh.vertices[b], mesh.vertices[c])) / 6;
  }
  return volume;
}

// Every edge once in each direction: closed, and all triangles look out.
void expect_closed(const TriangleMesh& mesh) {
  std::set<std::pair<int, int>> edges;
  for (const auto& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      EXPECT_TRUE(edges.insert({t[k], t[(k + 1) % 3]}).second);
    }
  }
  for (const auto& [a, b] : edges) {
    EXPECT_TRUE(edges.contains({b, a}));
  }
}

TEST(BuiltinMesh, HasTheShapeOfTheManual) {
  using detail::make_builtin_mesh;
  constexpr double pi = std::numbers::pi;
  const TriangleMesh sphere = make_builtin_mesh("sphere", {4});
  EXPECT_EQ(sphere.vertices.size(), 2u + 10 * 256);
  EXPECT_EQ(sphere.triangles.size(), 20u * 256);
  EXPECT_NEAR(volume_of(sphere), 4 * pi / 3, 0.01);
  const TriangleMesh hemisphere = make_builtin_mesh("hemisphere", {10});
  EXPECT_EQ(hemisphere.vertices.size(), 2u + 2 * 11 * 12);
  EXPECT_EQ(hemisphere.triangles.size(), 4u * 11 * 12);
  EXPECT_NEAR(volume_of(hemisphere), 2 * pi / 3, 0.03);
  EXPECT_NEAR(volume_of(make_builtin_mesh("hemisphere", {0})), 2.0 / 3, 1e-12);  // half octahedron
  const TriangleMesh cone = make_builtin_mesh("cone", {200, 0});
  EXPECT_NEAR(volume_of(cone), 2 * pi / 3, 0.01);
  const TriangleMesh prism = make_builtin_mesh("cone", {4, 1});
  EXPECT_NEAR(volume_of(prism), 4, 1e-12);
  EXPECT_NEAR(volume_of(make_builtin_mesh("supersphere", {200, 1, 1})), 4 * pi / 3, 0.01);
  // |x| + |y| + |z| ≤ 1 is an octahedron, and exponents near zero make a cube.
  EXPECT_NEAR(volume_of(make_builtin_mesh("supersphere", {200, 2, 2})), 4.0 / 3, 0.01);
  EXPECT_NEAR(volume_of(make_builtin_mesh("supersphere", {200, 1e-3, 1e-3})), 8, 0.1);
  const TriangleMesh torus = make_builtin_mesh("supertorus", {200, 0.25, 1, 1});
  EXPECT_NEAR(volume_of(torus), 2 * pi * pi * 0.0625, 0.01);
  for (const TriangleMesh& mesh :
       {sphere, hemisphere, cone, prism, torus, make_builtin_mesh("supersphere", {32, 0.3, 0.4})}) {
    expect_closed(mesh);
  }
}

TEST(BuiltinMesh, OfAFile) {
  const auto model = [](const std::string& builtin) {
    return fmt::format(R"(<mujoco><asset><mesh name="m" {}/></asset><worldbody><body><freejoint/>
      <geom type="mesh" mesh="m"/></body></worldbody></mujoco>)",
                       builtin);
  };
  const LoadedModel loaded =
      load_text_model(model(R"(builtin="supersphere" params="32 .3 .4" scale=".2 .13 .085")"));
  EXPECT_TRUE(is_reported(loaded, Severity::kApproximated, "builtin supersphere"));
  EXPECT_EQ(loaded.spec.bodies.at(0).geometries.at(0).shape.kind, ShapeKind::kConvex);
  for (const char* wrong : {R"(builtin="wedge" params="3 3 45 45 0")",
                            R"(builtin="cone" params="2 1")", R"(builtin="sphere" params="9")",
                            R"(builtin="sphere")", R"(builtin="supertorus" params="9 2 1 1")"}) {
    EXPECT_FALSE(errors_of("model.xml", model(wrong)).empty()) << wrong;
  }
}

}  // namespace
}  // namespace cenic::test

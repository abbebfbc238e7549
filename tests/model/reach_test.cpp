// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <cmath>

#include <gtest/gtest.h>

#include "model/model.h"

namespace cenic {
namespace {

BodySpec make_ball_body(const std::string& name, JointSpec joint, const Vec3& p_BG, double radius) {
  return {
      .name = name,
      .joints = {std::move(joint)},
      .geometries = {{.shape = make_sphere(radius), .X_BG = RigidTransform::translation(p_BG)}}};
}

TEST(Reach, FreeBodyByItsFurthestPointAndTranslationsByOne) {
  ModelSpec spec;
  spec.bodies = {make_ball_body("a", {.kind = JointKind::kFree}, {3, 4, 0}, 0.5)};
  EXPECT_EQ(compile(spec)->reach, (std::vector<double>{5.5, 5.5, 5.5, 1, 1, 1}));
}

TEST(Reach, HingeMeasuresFromItsAxis) {
  ModelSpec spec;
  JointSpec hinge{.X_BF = RigidTransform::translation({1, 0, 0}), .axis = {0, 0, 2}};
  spec.bodies = {make_ball_body("a", hinge, {4, 4, 9}, 0.5)};  // (3, 4) from the axis
  EXPECT_NEAR(compile(spec)->reach[0], 5.5, 1e-14);
  spec.bodies[0].geometries.push_back({.shape = make_half_space()});  // not counted
  EXPECT_NEAR(compile(spec)->reach[0], 5.5, 1e-14);
}

TEST(Reach, ScrewIsNotBelowItsPitch) {
  ModelSpec spec;
  spec.bodies = {make_ball_body("a", {.kind = JointKind::kScrew, .pitch = -0.01}, {}, 0.5),
                 make_ball_body("b", {.kind = JointKind::kScrew, .pitch = -3}, {}, 0.5)};
  const auto model = compile(spec);
  EXPECT_NEAR(model->reach[0], 0.5, 1e-14);
  EXPECT_EQ(model->reach[1], 3);
}

// Two rods of lengths 1 and 2 with a ball of radius 0.1 at the end: folded back at the start, yet
// the reach is that of the stretched chain.
TEST(Reach, ChainIsBoundedAtAllAngles) {
  ModelSpec spec;
  const JointSpec hinge{.axis = {0, 0, 1}, .position = {3.0}};
  spec.bodies = {make_ball_body("a", {.axis = {0, 0, 1}}, {0.5, 0, 0}, 0.1),
                 make_ball_body("b", hinge, {2, 0, 0}, 0.1)};
  spec.bodies[1].parent = std::string("a");
  spec.bodies[1].X_PB.p = {1, 0, 0};
  const auto model = compile(spec);
  EXPECT_NEAR(model->reach[0], 1 + 2 + 0.1, 1e-14);
  EXPECT_NEAR(model->reach[1], 2.1, 1e-14);
}

TEST(Reach, SlidesAndWeldsAreTakenWhereTheyStart) {
  ModelSpec spec;
  spec.bodies = {
      make_ball_body("a", {.axis = {0, 0, 1}}, {}, 0.1),
      make_ball_body("b", {.kind = JointKind::kPrismatic, .axis = {1, 0, 0}, .position = {2}}, {},
                     0.1),
      {.name = "c",
       .parent = "b",
       .X_PB = RigidTransform::translation({0, 1.5, 7}),
       .geometries = {{.shape = make_sphere(0.2)}}}};
  spec.bodies[1].parent = std::string("a");
  const auto model = compile(spec);
  EXPECT_NEAR(model->reach[0], std::hypot(2, 1.5) + 0.2, 1e-14);
  EXPECT_EQ(model->reach[1], 1);
}

TEST(Reach, WithoutGeometryTheRadiusOfGyrationCounts) {
  ModelSpec spec;
  const InertiaSpec inertia{2, {3, 0, 0}, Mat3::diagonal({1, 1, 2})};  // √(4 / (2·2)) = 1
  spec.bodies = {{.name = "a", .joints = {{.axis = {0, 0, 1}}}, .inertia = inertia},
                 {.name = "rotor", .joints = {{.armature = 1}}}};
  const auto model = compile(spec);
  EXPECT_NEAR(model->reach[0], 4, 1e-14);
  EXPECT_EQ(model->reach[1], 1);  // nothing to measure
}

}  // namespace
}  // namespace cenic

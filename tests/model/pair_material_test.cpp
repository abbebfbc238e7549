// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/pair_material.h"

#include <cmath>

#include <gtest/gtest.h>

#include "model/mistakes.h"

namespace cenic {
namespace {

Material make_material(double friction, int dimensions = 6, int priority = 0) {
  return {.static_friction = friction,
          .dynamic_friction = friction,
          .torsional_friction = 0.1 * friction,
          .rolling_friction = 0.01 * friction,
          .friction_dimensions = dimensions,
          .priority = priority};
}

TEST(PairMaterial, FrictionIsTheHarmonicMeanOrTheLarger) {
  Material a = make_material(0.6);
  const Material b = make_material(0.3);
  EXPECT_DOUBLE_EQ(combine_materials(a, b).static_friction, 0.4);
  EXPECT_DOUBLE_EQ(combine_materials(a, b).torsional_friction, 0.04);
  a.friction_rule = FrictionRule::kLarger;
  EXPECT_EQ(combine_materials(a, b).static_friction, 0.6);
  EXPECT_EQ(combine_materials(b, a).rolling_friction, 0.006);
}

TEST(PairMaterial, TheLargerNumberOfDimensionsCounts) {
  const PairMaterial none = combine_materials(make_material(1, 1), make_material(1, 1));
  EXPECT_EQ(none.static_friction, 0);
  const PairMaterial slides = combine_materials(make_material(1, 1), make_material(1, 3));
  EXPECT_EQ(slides.static_friction, 1);
  EXPECT_EQ(slides.torsional_friction, 0);
  const PairMaterial turns = combine_materials(make_material(1, 4), make_material(1, 3));
  EXPECT_DOUBLE_EQ(turns.torsional_friction, 0.1);
  EXPECT_EQ(turns.rolling_friction, 0);
}

TEST(PairMaterial, PrioritySetsFrictionAlone) {
  const Material a = make_material(0.9, 6), b = make_material(0.2, 3, 1);
  for (const PairMaterial& pair : {combine_materials(a, b), combine_materials(b, a)}) {
    EXPECT_DOUBLE_EQ(pair.static_friction, 0.2);
    EXPECT_EQ(pair.torsional_friction, 0);
  }
}

TEST(PairMaterial, AnInfinitelyStiffSideDoesNotDeform) {
  Material a = make_material(1), b = make_material(1);
  a.stiffness = INFINITY;
  b.stiffness = 100;
  b.dissipation = 7;
  EXPECT_EQ(combine_materials(a, b).stiffness, 100);
  EXPECT_EQ(combine_materials(b, a).stiffness, 100);
  EXPECT_EQ(combine_materials(a, b).dissipation, 7);
  EXPECT_EQ(calc_share_of_b(a, b), 1);
  a.stiffness = 300;
  EXPECT_DOUBLE_EQ(combine_materials(a, b).stiffness, 75);
}

ModelSpec make_two_balls() {
  ModelSpec spec;
  for (const char* name : {"a", "b"}) {
    spec.bodies.push_back({.name = name,
                           .joints = {{.kind = JointKind::kFree}},
                           .geometries = {{.name = name, .shape = make_sphere(0.1)}}});
  }
  return spec;
}

TEST(PairMaterial, APairHasItsOwn) {
  ModelSpec spec = make_two_balls();
  spec.pairs = {{"b", "a", PairMaterial{.stiffness = 12, .static_friction = 0.3}}};
  const auto model = compile(spec);
  EXPECT_EQ(combine_materials(*model, 0, 1).stiffness, 12);
  EXPECT_EQ(combine_materials(*model, 1, 0).static_friction, 0.3);
}

TEST(PairMaterial, OfTwoRigidSidesIsThePairsOwn) {
  ModelSpec spec = make_two_balls();
  for (BodySpec& body : spec.bodies) {
    body.geometries[0].material.stiffness = INFINITY;
  }
  EXPECT_NE(message_of(spec).find("infinite stiffness"), std::string::npos);
  spec.pairs = {{"a", "b", PairMaterial{.stiffness = 10}}};
  EXPECT_EQ(combine_materials(*compile(spec), 0, 1).stiffness, 10);
}

TEST(PairMaterial, MistakesAreNamed) {
  ModelSpec spec = make_two_balls();
  spec.pairs = {{"a", "b", PairMaterial{.stiffness = INFINITY, .rolling_friction = -1}}};
  spec.bodies[0].geometries[0].material.friction_dimensions = 2;
  const std::string message = message_of(spec);
  EXPECT_NE(message.find("pair 'a', 'b': contact stiffness is inf"), std::string::npos) << message;
  EXPECT_NE(message.find("rolling friction is -1"), std::string::npos) << message;
  EXPECT_NE(message.find("friction_dimensions is 2"), std::string::npos) << message;
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <gtest/gtest.h>

#include "model/model.h"

namespace cenic {
namespace {

// World with ground; base anchored; arm hinged on base; cuff welded to arm; hand hinged on cuff;
// ball free. Geometries by index: 0 ground, 1 base, 2 arm, 3 arm's second, 4 cuff, 5 hand, 6 ball.
enum { kGround, kBase, kArm, kArm2, kCuff, kHand, kBall };

ModelSpec make_spec() {
  ModelSpec spec;
  const auto geometry = [](const char* name) {
    return GeometrySpec{.name = name, .shape = make_sphere(0.1)};
  };
  spec.world_geometries = {geometry("ground")};
  spec.bodies = {
      {.name = "base", .geometries = {geometry("base")}},
      {.name = "arm",
       .parent = "base",
       .joints = {{}},
       .geometries = {geometry("arm"), geometry("arm2")}},
      {.name = "cuff", .parent = "arm", .geometries = {geometry("cuff")}},
      {.name = "hand", .parent = "cuff", .joints = {{}}, .geometries = {geometry("hand")}},
      {.name = "ball", .joints = {{.kind = JointKind::kFree}}, .geometries = {geometry("ball")}}};
  return spec;
}

GeometrySpec& geometry_of(ModelSpec* spec, int body, int index = 0) {
  return spec->bodies[body].geometries[index];
}

TEST(MayTouch, WeldsAndParentsAreFilteredAndTheWorldIsNot) {
  const auto model = compile(make_spec());
  const auto touch = [&](int i, int j) {
    EXPECT_EQ(model->may_touch(i, j), model->may_touch(j, i));
    return model->may_touch(i, j);
  };
  EXPECT_FALSE(touch(kGround, kBase));  // neither moves
  EXPECT_FALSE(touch(kArm, kArm2));     // same body
  EXPECT_FALSE(touch(kArm, kArm));      // itself
  EXPECT_FALSE(touch(kArm, kCuff));     // welded
  EXPECT_FALSE(touch(kHand, kCuff));    // the joint between them
  EXPECT_FALSE(touch(kHand, kArm));     // the cuff is part of the arm
  EXPECT_TRUE(touch(kArm, kBase));      // the base is part of the world
  EXPECT_TRUE(touch(kCuff, kGround));
  EXPECT_TRUE(touch(kHand, kBase));
  for (const int other : {kGround, kBase, kArm, kCuff, kHand}) {
    EXPECT_TRUE(touch(kBall, other));
  }
}

TEST(MayTouch, ParentFilterCanBeSwitchedOff) {
  ModelSpec spec = make_spec();
  spec.filter_parent_child = false;
  const auto model = compile(spec);
  EXPECT_TRUE(model->may_touch(kHand, kCuff));
  EXPECT_TRUE(model->may_touch(kHand, kArm));
  EXPECT_FALSE(model->may_touch(kArm, kCuff));
}

TEST(MayTouch, MasksNeedOneSideToMatch) {
  ModelSpec spec = make_spec();
  geometry_of(&spec, 4).group = 4;
  geometry_of(&spec, 4).mask = 0;
  geometry_of(&spec, 1).mask = 4;
  const auto model = compile(spec);
  EXPECT_TRUE(model->may_touch(kBall, kArm));  // the arm looks for group 4
  EXPECT_FALSE(model->may_touch(kBall, kArm2));
  EXPECT_FALSE(model->may_touch(kBall, kGround));
}

TEST(MayTouch, ExcludedBodiesDoNotTouch) {
  ModelSpec spec = make_spec();
  spec.exclude = {{"ball", "arm"}, {"world", "hand"}};
  const auto model = compile(spec);
  EXPECT_FALSE(model->may_touch(kBall, kArm));
  EXPECT_FALSE(model->may_touch(kArm2, kBall));
  EXPECT_TRUE(model->may_touch(kBall, kCuff));
  EXPECT_FALSE(model->may_touch(kHand, kGround));
  EXPECT_TRUE(model->may_touch(kHand, kBase));  // another body than the world, though fixed to it
}

TEST(MayTouch, PairsOverrideMasksExclusionsAndParents) {
  ModelSpec spec = make_spec();
  geometry_of(&spec, 4).group = geometry_of(&spec, 4).mask = 0;
  spec.exclude = {{"ball", "arm"}};
  spec.pairs = {{"arm2", "ball"}, {"hand", "cuff"}, {"arm", "cuff"}};
  const auto model = compile(spec);
  EXPECT_TRUE(model->may_touch(kBall, kArm2));
  EXPECT_FALSE(model->may_touch(kBall, kArm));
  EXPECT_TRUE(model->may_touch(kHand, kCuff));
  EXPECT_FALSE(model->may_touch(kHand, kArm));
  EXPECT_FALSE(model->may_touch(kArm, kCuff));  // welded: they never move against each other
}

TEST(MayTouch, NothingTouchesWhatDoesNotCollide) {
  ModelSpec spec = make_spec();
  geometry_of(&spec, 4).collides = false;
  spec.pairs = {{"ball", "ground"}};
  const auto model = compile(spec);
  EXPECT_FALSE(model->may_touch(kBall, kGround));
  EXPECT_FALSE(model->may_touch(kBall, kArm));
}

}  // namespace
}  // namespace cenic

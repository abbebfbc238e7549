// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Mocap bodies and what else keyframes set: the user moves a body, and what is welded to it
// follows.
#include <algorithm>
#include <string>

#include <cenic/cenic.h>
#include <gtest/gtest.h>

#include "loaders/mjcf_text.h"

namespace cenic::test {
namespace {

constexpr const char* kHand = R"(<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="target" mocap="true" pos="2 0 1"><geom size="0.1" contype="0" conaffinity="0"/></body>
    <body name="box" pos="0 0 1"><freejoint name="free"/><geom type="box" size="0.1 0.1 0.1"/></body>
    <body name="hand" mocap="true" pos="0 0 1.3"><geom size="0.05"/></body>
    <body name="last" pos="3 0 1"><joint name="hinge" axis="0 1 0" damping="1"/><geom size="0.1" pos="0 0 -0.2"/></body>
  </worldbody>
  <equality><weld body1="hand" body2="box"/></equality>
  <actuator><general name="slow" joint="hinge" dyntype="filter" dynprm="0.5" gainprm="0.1"/></actuator>
  <keyframe>
    <key name="there" qpos="1 2 0.7 1 0 0 0 0.3" mpos="5 6 7 1 2 1" mquat="1 0 0 0 1 0 0 0" act="0.4" ctrl="0.4"/>
  </keyframe>
</mujoco>)";

TEST(MjcfMocap, WhatIsWeldedFollowsTheInput) {
  const LoadedModel loaded = load_text_model(kHand, {.mocap = true});
  Simulator sim(compile(loaded.spec), {.accuracy = 1e-4});
  // box, hand, hinge; the target, which nothing is held by, stays.
  ASSERT_EQ(sim.model().nq, 7 + 7 + 1);
  sim.advance_to(0.5);
  EXPECT_NEAR(sim.state().q[6], 1, 1e-4);  // held against gravity
  // A quarter turn about z, and away.
  const double s = std::sqrt(0.5);
  sim.set_input("hand:pose", std::vector<double>{s, 0, 0, s, 0.5, -0.2, 1.6});
  sim.advance_to(1);
  const auto& q = sim.state().q;
  EXPECT_NEAR(q[4], 0.5, 1e-4);
  EXPECT_NEAR(q[5], -0.2, 1e-4);
  EXPECT_NEAR(q[6], 1.3, 1e-4);
  EXPECT_NEAR(std::abs(q[0] * s + q[3] * s), 1, 1e-6);
}

TEST(MjcfMocap, StaysUnlessItIsToBeMoved) {
  const LoadedModel loaded = load_text_model(kHand);
  Simulator sim(compile(loaded.spec), {.accuracy = 1e-4});
  ASSERT_EQ(sim.model().nq, 7 + 1);  // as in MuJoCo
  sim.advance_to(0.5);
  EXPECT_NEAR(sim.state().q[6], 1, 1e-4);  // the box hangs on the hand
  const auto says = [&](const std::string& text) {
    return std::ranges::any_of(loaded.diagnostics.list(), [&](const auto& entry) {
      return entry.what.find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(says("--mocap"));
  EXPECT_TRUE(says("mpos"));
}

TEST(MjcfMocap, DoesNotRestOnWhatNeverMoves) {
  const auto model = compile(load_text_model(kHand, {.mocap = true}).spec);
  int plane = -1, hand = -1, box = -1;
  for (int g = 0; g < static_cast<int>(model->geometries.size()); ++g) {
    const int body = model->geometries[g].body;
    if (body < 0) plane = g;
    if (body >= 0 && model->bodies[body].name == "hand") hand = g;
    if (body >= 0 && model->bodies[body].name == "box") box = g;
  }
  EXPECT_FALSE(model->may_touch(plane, hand));
  EXPECT_TRUE(model->may_touch(hand, box));
  EXPECT_TRUE(model->may_touch(plane, box));
}

TEST(MjcfMocap, KeyframesPlaceItAndSetActivations) {
  const TemporaryFolder folder;
  const LoadedModel loaded =
      load_model(folder.write("model.xml", kHand), {.keyframe = "there", .mocap = true});
  Simulator sim(compile(loaded.spec), {.accuracy = 1e-4});
  const std::vector<double> expected{1, 0, 0, 0, 1, 2, 0.7, 1, 0, 0, 0, 1, 2, 1, 0.3};
  ASSERT_EQ(sim.state().q.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(sim.state().q[i], expected[i], 1e-12) << i;
  }
  const auto z_of = [&](const std::string& name) {
    return sim.state().z[sim.model().systems[sim.model().find_system(name)].z_start];
  };
  EXPECT_EQ(z_of("slow"), 0.4);
  EXPECT_EQ(z_of("slow:force"), 0.4);
  sim.advance_to(0.3);
  EXPECT_NEAR(sim.state().q[11], 1, 1e-3);  // the hand is where its input is
  EXPECT_NEAR(z_of("slow:force"), 0.4, 1e-9);
}

}  // namespace
}  // namespace cenic::test

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/recorded_frames.h"

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "viewer/scene_json.h"

namespace cenic {
namespace {

// A free body and a hinge, as a recording has them.
Recording make_recording() {
  Recording r;
  r.scene.bodies = {"ball", "arm"};
  r.scene.masses = {0.5, 2};
  r.scene.moves = {1, 1};
  r.scene.geometries = {{"g", "mesh", 1, true, {}, {}, {1, 0, 0, 1}, 0}};
  r.scene.meshes = {{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}};
  r.scene.coordinates = {"free[0]", "free[1]", "free[2]", "free[3]",
                         "free[4]", "free[5]", "free[6]", "hinge"};
  r.scene.coordinate_width = {4, 0, 0, 0, 1, 1, 1, 1};
  r.scene.coordinate_units = {"", "", "", "", "m", "m", "m", "rad"};
  for (int f = 0; f < 3; ++f) {
    Frame frame;
    frame.t = 0.1 * f;
    frame.q = {1, 0, 0, 0, 0, 0, 0, 0.5 * f};
    frame.poses.assign(14, f);
    frame.energy = 7;
    frame.contacts = {{0, -1, {}, {0, 0, 1}, {0, 0, 5}, 1e-3}, {0, -1, {}, {0, 0, 1}, {}, -1e-3}};
    r.frames.push_back(frame);
  }
  r.steps = {{.t = 0.05, .h = 0.05, .rejections = 2, .wall_time = 0.001},
             {.t = 0.15, .h = 0.1, .wall_time = 0.003},
             {.t = 0.2, .h = 0.05, .wall_time = 0.004}};
  return r;
}

TEST(RecordedFrames, HavePosesJointsContactsAndSteps) {
  const Recording recording = make_recording();
  EXPECT_EQ(find_plain_coordinates(recording.scene), std::vector<int>{7});
  const std::vector<ViewFrame> frames = make_view_frames(recording);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[2].t, 0.2);
  EXPECT_EQ(frames[2].poses, std::vector<float>(14, 2.0F));
  EXPECT_EQ(frames[2].joints, std::vector<float>{1.0F});
  ASSERT_EQ(frames[2].contacts.size(), 1u);  // that carries a force
  EXPECT_FLOAT_EQ(frames[2].contacts[0].force[2], 5);
  EXPECT_FLOAT_EQ(frames[2].contacts[0].phi, -1e-3F);
  EXPECT_TRUE(frames[0].steps.empty());
  ASSERT_EQ(frames[1].steps.size(), 1u);
  EXPECT_EQ(frames[1].steps[0].rejections, 2);
  EXPECT_FLOAT_EQ(frames[1].steps[0].t, -0.05F);
  ASSERT_EQ(frames[2].steps.size(), 2u);
  EXPECT_FLOAT_EQ(frames[1].rate, 0.05F / 0.001F);
  EXPECT_FLOAT_EQ(frames[2].rate, 0.15F / 0.003F);
}

TEST(RecordedFrames, SpeedIsThatOfStepsWhoseTimeIsKnown) {
  Recording recording = make_recording();
  recording.steps.erase(recording.steps.begin());  // it goes on from 0.05 s
  const std::vector<ViewFrame> frames = make_view_frames(recording);
  EXPECT_TRUE(std::isnan(frames[1].rate));
  EXPECT_FLOAT_EQ(frames[2].rate, 0.05F / 0.001F);
}

TEST(RecordedFrames, WhatCannotMoveHasOnePlace) {
  Recording recording = make_recording();
  recording.scene.moves = {0, 1};
  recording.frames[0].poses[0] = 0.25;
  EXPECT_EQ(make_view_frames(recording)[2].poses, std::vector<float>(7, 2.0F));
  const auto bodies = nlohmann::json::parse(make_scene_json(recording, "a run"))["bodies"];
  EXPECT_EQ(bodies[0]["slot"], -1);
  EXPECT_EQ(bodies[0]["pose"][0], 0.25);
  EXPECT_EQ(bodies[1]["slot"], 0);
}

TEST(RecordedFrames, TheSceneNeedsNoModel) {
  const std::string scene = make_scene_json(make_recording(), "a run");
  for (const char* part :
       {R"("name":"arm")", R"("mass":2.0)", R"("kind":"mesh")", R"("title":"a run")",
        R"("name":"hinge")", R"("unit":"rad")", R"("vertices":)"}) {
    EXPECT_NE(scene.find(part), std::string::npos) << part << " is not in " << scene;
  }
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/replay_page.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "geometry/height_field.h"
#include "geometry/mesh_samples.h"
#include "geometry/solid_mesh.h"
#include "physics/worlds.h"
#include "scenes/scenes.h"
#include "systems/library/actuators.h"
#include "systems/library/signals.h"
#include "viewer/pack_frames.h"
#include "viewer/page.h"
#include "viewer/scene_json.h"

namespace cenic {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(SceneJson, AMeshIsWrittenOnceWithItsRealTriangles) {
  ModelSpec spec;
  const auto solid = make_solid_mesh(test::l_surface(0.5), nullptr);
  for (int i = 0; i < 3; ++i) {
    BodySpec body;
    body.name = "part</script>" + std::to_string(i);
    body.geometries.resize(1);
    body.geometries[0].shape = make_mesh(solid);
    body.joints.resize(1);
    body.joints[0].kind = JointKind::kFree;
    body.joints[0].position = {1, 0, 0, 0, 3.0 * i, 0, 0};
    spec.bodies.push_back(body);
  }
  const auto model = compile(spec);
  EXPECT_NEAR(model->total_mass, 3 * 1500, 1e-9);
  const std::string scene = make_scene_json(*model, "three", false);
  EXPECT_EQ(count_of(scene, R"("kind":"mesh")"), 3u);
  EXPECT_EQ(count_of(scene, R"("vertices":)"), 1u);
  if (!has_page()) GTEST_SKIP() << "the page for the browser is not built";
  Simulator sim(model);
  const std::string page = ReplayRecorder(&sim, 30).make_page("three");
  EXPECT_EQ(count_of(page, "part</script>"), 0u);  // a name cannot end the data
  EXPECT_EQ(count_of(page, "part\\u003c/script>"), 3u);
}

// Sliders go as far as actuators follow.
TEST(SceneJson, InputsHaveTheLimitsOfTheirActuators) {
  ModelSpec spec = make_scene("double_pendulum");
  ActuatorParameters servo = make_position_servo(spec.bodies[0].joints[0].name, 20, 2);
  servo.ctrl_min = -0.25, servo.ctrl_max = 0.75;
  ActuatorParameters motor = make_motor(spec.bodies[1].joints[0].name);
  motor.force_limit = 87;
  spec.systems = {{.name = "ctrl", .system = std::make_shared<HeldInput>(std::vector<double>{0.5})},
                  {.name = "free", .system = std::make_shared<HeldInput>(std::vector<double>{0.5})},
                  {.name = "servo", .system = std::make_shared<ActuatorModel>(servo)},
                  {.name = "effort", .system = std::make_shared<HeldInput>(std::vector<double>{0})},
                  {.name = "motor", .system = std::make_shared<ActuatorModel>(motor)}};
  spec.wires = {{.from = "ctrl", .to = "servo"}, {.from = "effort", .to = "motor"}};
  const auto inputs =
      nlohmann::json::parse(make_scene_json(*compile(spec), "servo", true))["inputs"];
  EXPECT_EQ(inputs[0]["lower"], -0.25);
  EXPECT_EQ(inputs[0]["upper"], 0.75);
  EXPECT_TRUE(inputs[1]["lower"].is_null() && inputs[1]["upper"].is_null());
  EXPECT_EQ(inputs[2]["lower"], -87);
  EXPECT_EQ(inputs[2]["upper"], 87);
}

TEST(SceneJson, Base64) {
  EXPECT_EQ(encode_base64("", 0), "");
  EXPECT_EQ(encode_base64("f", 1), "Zg==");
  EXPECT_EQ(encode_base64("fo", 2), "Zm8=");
  EXPECT_EQ(encode_base64("foo", 3), "Zm9v");
  EXPECT_EQ(encode_base64("\xff\xfe\xfd\xfc", 4), "//79/A==");
}

TEST(ReplayPage, SaysHowToGetThePage) {
  if (has_page()) GTEST_SKIP() << "the page is there";
  const auto model = compile({});
  Simulator sim(model);
  EXPECT_THROW(ReplayRecorder(&sim, 60), Error);
}

TEST(PackFrames, RestingFramesAreSmall) {
  ViewFrame frame;
  frame.poses.assign(100 * kPoseSize, 0.25F);
  std::vector<ViewFrame> frames(600, frame);
  for (std::size_t f = 0; f < frames.size(); ++f) {
    frames[f].t = static_cast<double>(f) / 60;
  }
  EXPECT_LT(pack_frames(frames).size(), 10'000u);  // of 1.7 MB
  EXPECT_NO_THROW(pack_frames({}));
}

// What is only looked at, and ground, are their triangles; those of one file are written once.
TEST(SceneJson, SurfacesAndHeightFieldsAreDrawn) {
  ModelSpec spec;
  const auto surface = std::make_shared<const TriangleMesh>(test::l_surface(0.5));
  spec.world_geometries.resize(3);
  for (int i = 0; i < 2; ++i) {
    spec.world_geometries[i].shape = make_surface(surface);
    spec.world_geometries[i].collides = false;
  }
  spec.world_geometries[2].shape =
      make_height_field(make_height_field_data({2, 2, 4, 3, 0.5, {0.25, 0.125, 0, 0.0625}}));
  const std::string scene = make_scene_json(*compile(spec), "ground", false);
  EXPECT_EQ(count_of(scene, R"("kind":"mesh")"), 3u);
  EXPECT_EQ(count_of(scene, R"("vertices":)"), 2u);
}

}  // namespace
}  // namespace cenic

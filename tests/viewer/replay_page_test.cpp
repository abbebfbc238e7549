// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/replay_page.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/height_field.h"
#include "geometry/mesh_samples.h"
#include "geometry/solid_mesh.h"
#include "physics/worlds.h"
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
  const std::string page = ReplayRecorder(*model, 30).make_page("three");
  EXPECT_EQ(count_of(page, "part</script>"), 0u);  // a name cannot end the data
  EXPECT_EQ(count_of(page, "part\\u003c/script>"), 3u);
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
  EXPECT_THROW(ReplayRecorder(*model, 60), Error);
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

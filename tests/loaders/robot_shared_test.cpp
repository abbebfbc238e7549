// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// URDF and SDFormat files of the model collection, when it is there.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "loaders/robot_text.h"

namespace cenic::test {
namespace {

std::string shared(const std::string& name) {
  return std::string(CENIC_SHARED_MODELS) + "/" + name;
}
bool is_there(const std::string& path) { return std::filesystem::exists(path); }

// Files that are wrong on purpose, as tests of another parser, and what is said about them.
struct Refused {
  const char *file, *reason;
};
constexpr Refused kRefused[] = {
    {"missing_screw_thread_pitch.urdf", "a screw needs"},
    {"missing_screw_thread_pitch_attribute.urdf", "a screw needs"},
    {"joint_parsing_test_tag_mismatch_2.urdf", "moves and has no mass"},
};

std::string reason_for(const std::string& path) {
  for (const Refused& r : kRefused) {
    if (path.ends_with(r.file)) return r.reason;
  }
  return "";
}

TEST(RobotShared, AllFilesLoadOrAreRefusedForAReason) {
  if (!is_there(CENIC_SHARED_MODELS)) GTEST_SKIP() << "no " << CENIC_SHARED_MODELS;
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CENIC_SHARED_MODELS)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".urdf") && !path.ends_with(".sdf")) continue;
    const auto start = std::chrono::steady_clock::now();
    const std::string reason = reason_for(path);
    try {
      const LoadedModel loaded = load_model(path);
      compile(loaded.spec);
      EXPECT_EQ(reason, "") << path;
      for (const Diagnostic& d : loaded.diagnostics.list()) {
        EXPECT_GT(d.line, 0) << to_string(d);
      }
    } catch (const Error& e) {
      if (reason.empty()) {
        ADD_FAILURE() << e.what();
      } else {
        EXPECT_TRUE(contains(e.what(), reason));
      }
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    EXPECT_LT(time.count(), 20) << path;
    ++count;
  }
  EXPECT_GT(count, 0);
}

// The arm alone, held at its base, in the world's frame.
ModelSpec held(const std::string& file) {
  ModelSpec spec = load_model(shared(file)).spec;
  std::erase_if(spec.bodies, [](const BodySpec& body) {
    return body.name == "base" && body.inertia->mass == 0;
  });
  for (BodySpec& body : spec.bodies) {
    std::erase_if(body.joints, [](const JointSpec& j) {
      return j.kind == JointKind::kFree;
    });
    if (body.parent == "base" && body.name == "iiwa_link_0") body.parent = kWorldName;
    for (JointSpec& joint : body.joints) {
      joint.armature = 0;
    }
  }
  return spec;
}

TEST(RobotShared, IiwaIsTheSameInAllFormats) {
  const std::string urdf = "drake_models/iiwa_description/urdf/iiwa14_no_collision.urdf";
  const std::string sdf = "drake_models/iiwa_description/sdf/iiwa14_no_collision.sdf";
  const std::string mjcf = "mujoco_menagerie/kuka_iiwa_14/iiwa14_novisual.xml";
  if (!is_there(shared(urdf)) || !is_there(shared(sdf))) GTEST_SKIP() << "no " << shared(urdf);
  expect_same_mechanics(held(urdf), held(sdf), 1e-10);
  if (!is_there(shared(mjcf))) GTEST_SKIP() << "no " << shared(mjcf);
  ModelSpec menagerie = held(mjcf);
  const ModelSpec drake = held(urdf);
  // There two moments of link 6 are the other way round.
  for (BodySpec& body : menagerie.bodies) {
    if (body.name == "link6") body.inertia = body_of(drake, "iiwa_link_6").inertia;
  }
  expect_same_mechanics(drake, menagerie, 1e-10);
}

}  // namespace
}  // namespace cenic::test

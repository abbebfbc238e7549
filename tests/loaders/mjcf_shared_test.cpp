// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Files of newer MuJoCo versions, when the collection is there: models that attach and replicate
// against the same models written out by MuJoCo itself, sizes as counted by it, and loading times.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "core/error.h"
#include "loaders/load.h"
#include "multibody/random_model.h"

namespace cenic::test {
namespace {

std::string shared(const std::string& name) {
  return std::string(CENIC_SHARED_MODELS) + "/mujoco/" + name;
}
bool is_there(const std::string& path) { return std::filesystem::exists(path); }

LoadedModel load_shared(const std::string& path) {
  return load_model(path, {.allowed_folders = {CENIC_SHARED_MODELS}});
}

struct Twins {
  const char *short_form, *written_out;
};

class MjcfTwins : public testing::TestWithParam<Twins> {};

// MuJoCo writes six digits.
TEST_P(MjcfTwins, AreTheSameModel) {
  const std::string a = shared(GetParam().short_form), b = shared(GetParam().written_out);
  if (!is_there(a) || !is_there(b)) GTEST_SKIP() << "no " << a;
  const LoadedModel x = load_shared(a), y = load_shared(b);
  EXPECT_EQ(x.controls, y.controls);
  ASSERT_EQ(x.spec.bodies.size(), y.spec.bodies.size());
  EXPECT_EQ(x.spec.exclude.size(), y.spec.exclude.size());
  for (std::size_t i = 0; i < x.spec.bodies.size(); ++i) {
    const BodySpec &p = x.spec.bodies[i], &q = y.spec.bodies[i];
    EXPECT_EQ(p.name, q.name);
    EXPECT_EQ(p.parent, q.parent);
    EXPECT_LT(norm(p.X_PB.p - q.X_PB.p), 1e-4) << p.name;
    EXPECT_NEAR(p.inertia->mass, q.inertia->mass, 1e-5 * p.inertia->mass) << p.name;
    ASSERT_EQ(p.joints.size(), q.joints.size()) << p.name;
    ASSERT_EQ(p.geometries.size(), q.geometries.size()) << p.name;
    for (std::size_t j = 0; j < p.joints.size(); ++j) {
      EXPECT_EQ(p.joints[j].name, q.joints[j].name);
      EXPECT_NEAR(p.joints[j].damping, q.joints[j].damping, 1e-6);
      EXPECT_NEAR(p.joints[j].armature, q.joints[j].armature, 1e-6);
      EXPECT_LT(norm(normalized(p.joints[j].axis) - normalized(q.joints[j].axis)), 1e-5);
    }
    for (std::size_t g = 0; g < p.geometries.size(); ++g) {
      EXPECT_LT(norm(p.geometries[g].X_BG.p - q.geometries[g].X_BG.p), 1e-5);
      EXPECT_LT(norm(p.geometries[g].shape.size - q.geometries[g].shape.size), 1e-5);
    }
  }
  EXPECT_NO_THROW(compile(x.spec));
}

INSTANTIATE_TEST_SUITE_P(Shared, MjcfTwins,
                         testing::Values(Twins{"test/benchmark/testdata/2humanoid100.xml",
                                               "test/benchmark/testdata/2humanoid100_chol.xml"},
                                         Twins{"model/humanoid/100_humanoids.xml",
                                               "test/benchmark/testdata/100_humanoids_chol.xml"}));

struct Size {
  const char* file;
  int nv, controls, bodies;
};

class MjcfSize : public testing::TestWithParam<Size> {};

TEST_P(MjcfSize, IsThatOfMujoco) {
  const std::string path = shared(GetParam().file);
  if (!is_there(path)) GTEST_SKIP() << "no " << path;
  const LoadedModel loaded = load_shared(path);
  const auto model = compile(loaded.spec);
  EXPECT_EQ(model->nv, GetParam().nv);
  EXPECT_EQ(static_cast<int>(loaded.controls.size()), GetParam().controls);
  EXPECT_EQ(static_cast<int>(loaded.spec.bodies.size()), GetParam().bodies);
}

INSTANTIATE_TEST_SUITE_P(Shared, MjcfSize,
                         testing::Values(Size{"model/adhesion/sand_castle.xml", 3294, 0, 552},
                                         Size{"model/balloons/balloons.xml", 30, 0, 5},
                                         Size{"model/car/car.xml", 8, 2, 3},
                                         Size{"model/cube/cube_3x3x3.xml", 66, 6, 27},
                                         Size{"model/humanoid/humanoid100.xml", 627, 21, 116},
                                         Size{"model/replicate/bunnies.xml", 750, 0, 126},
                                         Size{"model/replicate/helix.xml", 12, 0, 2},
                                         Size{"model/replicate/leaves.xml", 1800, 0, 300},
                                         Size{"model/replicate/newton_cradle.xml", 42, 0, 7},
                                         Size{"model/replicate/particle.xml", 3000, 0, 1001},
                                         Size{"model/replicate/stonehenge.xml", 456, 0, 76},
                                         Size{"model/replicate/tendon.xml", 222, 0, 37},
                                         Size{"model/sleep/dominos.xml", 576, 0, 96},
                                         Size{"model/surfacevel/treadmill.xml", 27, 21, 16}));

// Every MJCF file of the collection loads and compiles, and none takes long: a second, two for
// those with 2700 degrees of freedom. Sanitizers and busy machines are given ten times that.
TEST(MjcfShared, AllFilesLoadInNoTime) {
  if (!is_there(CENIC_SHARED_MODELS)) GTEST_SKIP() << "no " << CENIC_SHARED_MODELS;
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CENIC_SHARED_MODELS)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".xml") || path.ends_with("package.xml")) continue;
    const auto start = std::chrono::steady_clock::now();
    try {
      compile(load_shared(path).spec);
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    EXPECT_LT(time.count(), 20) << path;
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace cenic::test

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What is written as a scenario reads back as the same model: a run from either ends in the same
// state, to the last bit.
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "loaders/load.h"
#include "loaders/mjcf_text.h"
#include "loaders/scenario/write_scenario.h"
#include "multibody/random_model.h"
#include "scenes/scenes.h"
#include "sim/simulator.h"
#include "systems/library/library.h"

namespace cenic::test {
namespace {

namespace fs = std::filesystem;

LoadedModel write_and_read(const LoadedModel& model) {
  const TemporaryFolder folder;
  return load_model(folder.write("model.yaml", write_scenario(model)));
}

State run(const ModelSpec& spec, double duration) {
  Simulator sim(compile(spec), {});
  sim.advance_to(duration);
  return sim.state();
}

// The run, and whatever it does not see: colours, names, keyframes.
void expect_same_after_writing(const LoadedModel& model) {
  const LoadedModel read = write_and_read(model);
  EXPECT_EQ(write_scenario(read), write_scenario(model));
  const State a = run(model.spec, 0.5), b = run(read.spec, 0.5);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  EXPECT_EQ(a.z, b.z);
}

std::string letters(std::string name) {
  std::ranges::replace_if(
      name,
      [](unsigned char c) {
        return std::isalnum(c) == 0;
      },
      '_');
  return name;
}

class BuiltInScene : public testing::TestWithParam<std::string> {};

TEST_P(BuiltInScene, ReadsBackTheSame) {
  LoadedModel model;
  model.spec = make_scene(GetParam());
  expect_same_after_writing(model);
}

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const SceneInfo& scene : list_scenes()) {
    names.push_back(scene.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, BuiltInScene, testing::ValuesIn(scene_names()), [](const auto& test) {
  return test.param;
});

class MjcfAsScenario : public testing::TestWithParam<std::string> {};

TEST_P(MjcfAsScenario, ReadsBackTheSame) {
  LoadOptions options;
  if (fs::is_directory(CENIC_SHARED_MODELS)) options.allowed_folders = {CENIC_SHARED_MODELS};
  const LoadedModel model = load_model(GetParam(), options);
  expect_same_after_writing(model);
  const LoadedModel read = write_and_read(model);
  EXPECT_EQ(read.controls, model.controls);
  ASSERT_EQ(read.keyframes.size(), model.keyframes.size());
  for (std::size_t i = 0; i < read.keyframes.size(); ++i) {
    EXPECT_EQ(read.keyframes[i].q, model.keyframes[i].q);
    EXPECT_EQ(read.keyframes[i].ctrl, model.keyframes[i].ctrl);
  }
}

// Small models of the project, and a few robots where they are.
std::vector<std::string> mjcf_files() {
  std::vector<std::string> files;
  for (const char* folder : {"/loaders/data", "/loaders/data/newer"}) {
    for (const auto& entry : fs::directory_iterator(std::string(CENIC_TEST_DATA) + folder)) {
      if (entry.path().extension() == ".xml") files.push_back(entry.path().string());
    }
  }
  std::ranges::sort(files);
  std::error_code status;
  for (fs::recursive_directory_iterator it(CENIC_SHARED_MODELS, status), end; it != end && !status;
       it.increment(status)) {
    const std::string name = it->path().filename().string();
    if (name == "panda.xml" || name == "go1.xml" || name == "2f85.xml" || name == "humanoid.xml") {
      files.push_back(it->path().string());
    }
  }
  return files;
}

INSTANTIATE_TEST_SUITE_P(Files, MjcfAsScenario, testing::ValuesIn(mjcf_files()),
                         [](const auto& test) {
                           const fs::path path(test.param);
                           return letters(path.parent_path().filename().string() + "_" +
                                          path.stem().string() + "_" + std::to_string(test.index));
                         });

// Every kind of joint, with poses that are no round numbers.
TEST(ScenarioRoundTrip, RandomTrees) {
  Random random(3);
  for (int k = 0; k < 10; ++k) {
    LoadedModel model;
    model.spec = make_random_tree({}, &random).spec;
    for (BodySpec& body : model.spec.bodies) {
      for (JointSpec& joint : body.joints) {
        joint.damping = random.uniform(0, 1);
        if (joint.kind == JointKind::kRevolute) joint.position = {random.uniform(-1, 1)};
        if (joint.kind == JointKind::kRevolute) joint.lower = {-2.0}, joint.upper = {1e300 * 1e300};
      }
    }
    const LoadedModel read = write_and_read(model);
    EXPECT_EQ(write_scenario(read), write_scenario(model));
    Bench a(model.spec), b(read.spec);
    const std::vector<double> q = make_random_positions(*a.model, &random);
    const std::vector<double> v = random.array(a.model->nv);
    a.set(q, v);
    b.set(q, v);
    EXPECT_EQ(a.mass_matrix(), b.mass_matrix());
    EXPECT_EQ(a.inverse_dynamics(v, {}), b.inverse_dynamics(v, {}));
  }
}

TEST(ScenarioRoundTrip, NamesOfAllSorts) {
  LoadedModel model;
  for (const char* name : {"true", "1.5", "a b", "a: b", "# x", "quote\"s", "tab\t", "ü", "-",
                           "arm::hand", "*", "~", "back\\slash", "[x]", "null"}) {
    BodySpec body;
    body.name = name;
    model.spec.bodies.push_back(body);
    model.spec.exclude.push_back({name, kWorldName});
  }
  const LoadedModel read = write_and_read(model);
  ASSERT_EQ(read.spec.bodies.size(), model.spec.bodies.size());
  ASSERT_EQ(read.spec.exclude.size(), model.spec.exclude.size());
  for (std::size_t i = 0; i < read.spec.bodies.size(); ++i) {
    EXPECT_EQ(read.spec.bodies[i].name, model.spec.bodies[i].name);
    EXPECT_EQ(read.spec.exclude[i].a, model.spec.bodies[i].name);
  }
}

class Unknown : public ExternalSystem {
 public:
  void declare(Ports* /*ports*/) const override {}
  void evaluate(const SystemInput& /*in*/, SystemOutput* /*out*/) const override {}
};

TEST(ScenarioRoundTrip, SaysWhatNoFileCanSay) {
  LoadedModel model;
  model.spec.systems = {
      {.name = "mine", .system = std::make_shared<Unknown>()},
      {.name = "wave",
       .system = std::make_shared<Script>(1,
                                          [](double t, std::span<double> y) {
                                            y[0] = t;
                                          })},
      {.name = "push",
       .system = std::make_shared<BodyForce>(BodyForceParameters{.body = "b",
                                                                 .script =
                                                                     [](double) {
                                                                       return Spatial{};
                                                                     }})},
      {.name = "gain", .system = std::make_shared<LinearBlock>(make_gain(2))}};
  model.spec.wires = {{"wave.out", "gain.in"}};
  GeometrySpec belt;
  belt.name = "belt";
  belt.surface_velocity = [](double t) {
    return Vec3{t, 0, 0};
  };
  model.spec.world_geometries = {belt};
  EXPECT_EQ(find_unwritable(model.spec),
            (std::vector<std::string>{"system 'mine'", "system 'wave'", "system 'push'",
                                      "surface velocity of geometry 'belt' of 'world'"}));
  EXPECT_THROW(write_scenario(model), Error);
  EXPECT_EQ(remove_unwritable_systems(&model.spec),
            (std::vector<std::string>{"mine", "wave", "push"}));
  EXPECT_EQ(model.spec.systems.size(), 1U);
  EXPECT_TRUE(model.spec.wires.empty());
}

}  // namespace
}  // namespace cenic::test

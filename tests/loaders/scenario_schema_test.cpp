// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/scenario_schema.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "loaders/mjcf_text.h"
#include "loaders/scenario/write_scenario.h"
#include "scenes/scenes.h"

namespace cenic::test {
namespace {

using detail::describe;
using detail::find_misfit;
using detail::Json;

const Json& schema() {
  static const Json json = detail::make_scenario_schema();
  return json;
}

std::string misfit_of(const std::string& yaml) {
  return find_misfit(schema(), schema(), detail::to_json(YAML::Load(yaml)));
}

// docs/scenario.schema.json has the keys of the reader, all of them and no others.
TEST(ScenarioSchema, OfTheDocumentationIsThatOfTheCode) {
  std::ifstream file(CENIC_TEST_DATA "/../docs/scenario.schema.json");
  const Json documented = Json::parse(file, nullptr, false);
  if (documented == schema()) return;
  const std::string path =
      (std::filesystem::temp_directory_path() / "scenario.schema.json").string();
  std::ofstream(path) << schema().dump(1) << "\n";
  FAIL() << "the keys have changed: copy " << path << " to docs/";
}

TEST(ScenarioSchema, FitsTheExamples) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CENIC_TEST_DATA "/../examples")) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    EXPECT_EQ(misfit_of(text), "") << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

TEST(ScenarioSchema, FitsWhatIsWritten) {
  for (const SceneInfo& scene : list_scenes()) {
    LoadedModel model;
    model.spec = make_scene(scene.name);
    EXPECT_EQ(misfit_of(write_scenario(model)), "") << scene.name;
  }
}

TEST(ScenarioSchema, RefusesWhatTheReaderRefuses) {
  EXPECT_EQ(misfit_of("acuracy: 1"), ": unknown acuracy");
  EXPECT_EQ(misfit_of("accuracy: much"), "/accuracy: no number");
  EXPECT_EQ(misfit_of("bodies: [{}]"), "/bodies/0: no name");
  EXPECT_EQ(misfit_of("contact: soft"), "/contact: no such word");
  EXPECT_EQ(misfit_of("gravity: [1, 2]"), "/gravity: too short");
  EXPECT_EQ(misfit_of("systems: [{name: a, type: delay}]"), "/systems/0: none fits");
}

// Sets every member to something that is not its default.
class Disturb {
 public:
  template <typename T>
  void field(const char* key, T& value, unsigned /*flags*/ = 0) {
    keys.emplace_back(key);
    change(value);
  }
  void shape(Shape& /*shape*/) {}
  std::vector<std::string> keys{};

 private:
  double next() { return 0.125 * ++count_; }
  void change(double& value) { value = next(); }
  void change(int& value) { value += 2; }
  void change(std::uint64_t& value) { value += 12345678901234567; }
  void change(bool& value) { value = !value; }
  void change(std::string& value) { value = "n" + std::to_string(++count_); }
  void change(Vec3& value) { value = {next(), next(), next()}; }
  void change(RigidTransform& value) {
    value = RigidTransform::rotation({next(), 0.1, 0});
    value.p = {next(), 1, 2};
  }
  template <typename T>
  void change(T& value) requires std::is_enum_v<T> {
    value = value == T{0} ? T{1} : T{0};
  }
  template <typename T, std::size_t N>
  void change(std::array<T, N>& value) {
    for (T& x : value) {
      change(x);
    }
  }
  template <typename T>
  void change(std::vector<T>& value) {
    value.resize(2);
    for (T& x : value) {
      change(x);
    }
  }
  template <typename T>
  void change(std::optional<T>& value) {
    change(value.emplace());
  }
  template <detail::HasFields T>
  void change(T& value) {
    Disturb inner;
    describe(inner, value);
  }
  int count_ = 0;
};

// Every type of system is written with every key and reads back as it was.
TEST(ScenarioSystems, EveryTypeAndKey) {
  const TemporaryFolder folder;
  int count = 0;
  detail::for_each_system_type([&](auto& type) {
    Disturb disturb;
    type.visit(disturb);
    LoadedModel model;
    model.spec.systems = {{.name = "s", .system = type.make(), .period = 0.5, .offset = 0.25}};
    const std::string text = write_scenario(model);
    for (const std::string& key : disturb.keys) {
      EXPECT_TRUE(contains(text, key + ":")) << type.name;
    }
    EXPECT_EQ(misfit_of(text), "") << text;
    const LoadedModel read = load_model(folder.write("model.yaml", text));
    EXPECT_EQ(write_scenario(read), text);
    EXPECT_EQ(read.spec.systems.at(0).period, 0.5);
    ++count;
    return false;
  });
  EXPECT_EQ(count, 33);  // all of docs/systems.md but Script, whose law is a function
}

}  // namespace
}  // namespace cenic::test

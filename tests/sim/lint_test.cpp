// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The files of lint/ are named after the one check that finds something in them.
#include "sim/lint.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "loaders/load.h"
#include "loaders/mjcf_text.h"

namespace cenic::test {
namespace {

namespace fs = std::filesystem;

std::vector<Finding> lint_loaded(const LoadedModel& loaded) {
  return lint({.spec = loaded.spec,
               .model = *compile(loaded.spec),
               .diagnostics = loaded.diagnostics,
               .controls = loaded.controls,
               .keyframes = loaded.keyframes});
}
std::vector<Finding> lint_file(const std::string& name) {
  return lint_loaded(load_model(std::string(CENIC_TEST_DATA) + "/sim/lint/" + name));
}

std::vector<std::string> list_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(fs::path(CENIC_TEST_DATA) / "sim/lint")) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

class LintFile : public testing::TestWithParam<std::string> {};

TEST_P(LintFile, TriggersItsCheckAlone) {
  const std::vector<Finding> findings = lint_file(GetParam());
  std::string all;
  for (const Finding& f : findings) {
    all += to_string(f) + "\n";
  }
  const std::string check = GetParam().substr(0, GetParam().find_first_of("-."));
  if (check == "clean") {
    EXPECT_EQ(all, "");
    return;
  }
  ASSERT_EQ(findings.size(), 1U) << all;
  EXPECT_EQ(findings[0].check, check) << all;
  EXPECT_FALSE(findings[0].what.empty());
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace_if(
      name,
      [](char c) {
        return c == '-' || c == '.';
      },
      '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Lint, LintFile, testing::ValuesIn(list_files()), name_of);

// The numbers, by hand.
TEST(Lint, SaysTheNumber) {
  EXPECT_NEAR(*lint_file("overlap.urdf")[0].value, 0.02, 1e-9);  // 0.05 − 0.03
  EXPECT_NEAR(*lint_file("mass_ratio.urdf")[0].value, 2e4, 1);
  EXPECT_NEAR(*lint_file("inertia.urdf")[0].value, 2.5e-7, 1e-9);
  EXPECT_NEAR(*lint_file("limit-start.xml")[0].value, 0.5, 1e-12);
  EXPECT_NEAR(*lint_file("limit-keyframe.xml")[0].value, 0.2, 1e-12);
  EXPECT_NEAR(*lint_file("constraint.xml")[0].value, 0.1, 1e-12);
  EXPECT_EQ(*lint_file("control.xml")[0].value, 1.5);
  // The base slides, so the hinge about the arm's own centre feels 0.01 kg m².
  EXPECT_NEAR(*lint_file("gain-damping.urdf")[0].value, 2 * 0.01 / 1e5, 1e-12);
}

// A mass of 2 kg that a servo holds carries one of 1 kg that slides on it along the same axis:
// explicit integration of these two equations loses its stability at the step that lint() gives.
TEST(Lint, ExplicitLimitIsWhereSymplecticEulerDiverges) {
  const LoadedModel loaded =
      load_text_model(R"(<mujoco><option><flag contact="disable"/></option><worldbody>
    <body><joint name="held" type="slide" axis="1 0 0"/><geom size="0.1" mass="2"/>
      <body><joint name="free" type="slide" axis="1 0 0"/><geom size="0.1" mass="1"/></body></body></worldbody>
    <actuator><position joint="held" kp="1e10"/></actuator></mujoco>)");
  const std::vector<Finding> findings = lint_loaded(loaded);
  ASSERT_EQ(findings.size(), 1U);
  const double limit = *findings[0].value;
  const auto grows = [](double h) {
    double q = 1e-3, v = 0, u = 0;  // of the first joint, and the velocity of the second
    for (int k = 0; k < 2000; ++k) {
      // M (v̇, u̇) = (−K q, 0) with M = [3 1; 1 1].
      const double a = -1e10 * q / 2;
      v += h * a;
      u -= h * a;
      q += h * v;
      if (std::fabs(q) > 1) return true;
    }
    return !std::isfinite(u);
  };
  EXPECT_FALSE(grows(0.98 * limit));
  EXPECT_TRUE(grows(1.02 * limit));
}

TEST(Lint, NamesTheActuatorOfAStiffJoint) {
  const Finding f = lint_file("gain-actuator.xml")[0];
  EXPECT_TRUE(contains(f.subject, "'a'"));
  EXPECT_TRUE(contains(f.what, "servo"));
}

TEST(Lint, KnowsTheLineOfWhatTheLoaderSaid) {
  const Finding f = lint_file("ignored.xml")[0];
  EXPECT_TRUE(f.file.ends_with("ignored.xml"));
  EXPECT_EQ(f.line, 5);
  EXPECT_EQ(f.severity, Finding::Severity::kNote);
}

// q_a = 3 and both within ±1 cannot be.
TEST(Lint, RefusesConstraintsThatCannotHold) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><compiler angle="radian"/>
    <option><flag contact="disable"/></option><worldbody>
    <body><joint name="a" range="-1 1"/><geom size="0.1"/></body>
    <body><joint name="b" range="-1 1"/><geom size="0.1"/></body></worldbody>
    <equality><joint joint1="a" joint2="b" polycoef="3 0.1 0 0 0"/></equality></mujoco>)");
  EXPECT_THROW(lint_loaded(loaded), Error);
}

}  // namespace
}  // namespace cenic::test

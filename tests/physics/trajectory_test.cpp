// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// TrajectoryPlayback against hand-computed positions and velocities, and its complaints.
#include <memory>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

using Options = TrajectoryPlayback::Options;
using Positions = std::vector<std::vector<double>>;

ModelSpec make_world(std::shared_ptr<const TrajectoryPlayback> path) {
  ModelSpec spec = make_slider(1, {});
  spec.systems = {{.name = "path", .system = std::move(path)}};
  return spec;
}

std::vector<double> play(const TrajectoryPlayback& path, double t) {
  Simulator sim(compile(make_world(std::make_shared<TrajectoryPlayback>(path))));
  State state = sim.state();
  state.t = t;
  sim.set_state(state);
  return sim.output("path.reference");
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-12) << i;
  }
}

const std::vector<double> kTimes{1, 2, 4};
const Positions kPositions{{0, 5}, {3, 5}, {-1, 6}};

TEST(Trajectory, Holds) {
  const TrajectoryPlayback path(kTimes, kPositions, {.interpolation = Interpolation::kHold});
  expect_near(play(path, 0.5), {0, 5, 0, 0});
  expect_near(play(path, 1.999), {0, 5, 0, 0});
  expect_near(play(path, 2), {3, 5, 0, 0});
  expect_near(play(path, 9), {-1, 6, 0, 0});
}

TEST(Trajectory, Linear) {
  const TrajectoryPlayback path(kTimes, kPositions, {.interpolation = Interpolation::kLinear});
  expect_near(play(path, 0), {0, 5, 0, 0});
  expect_near(play(path, 1.5), {1.5, 5, 3, 0});
  expect_near(play(path, 3), {1, 5.5, -2, 0.5});
  expect_near(play(path, 4), {-1, 6, 0, 0});
}

TEST(Trajectory, CubicHasItsSlopesAndItsOwnDerivative) {
  const TrajectoryPlayback path(kTimes, kPositions, {.interpolation = Interpolation::kCubic});
  expect_near(play(path, 1), {0, 5, 0, 0});
  expect_near(play(path, 2), {3, 5, -1.0 / 3, 1.0 / 3});
  expect_near(play(path, 4), {-1, 6, 0, 0});
  const double d = 1e-6;
  for (const double t : {1.3, 1.9, 2.1, 3.7}) {
    const auto before = play(path, t - d), here = play(path, t), after = play(path, t + d);
    for (int k = 0; k < 2; ++k) {
      EXPECT_NEAR(here[2 + k], (after[k] - before[k]) / (2 * d), 1e-8) << t;
    }
  }
}

TEST(Trajectory, Repeats) {
  const TrajectoryPlayback path({1, 2, 4}, {{0}, {3}, {0}},
                                {.interpolation = Interpolation::kLinear, .repeat = true});
  expect_near(play(path, 0), {0, 0});
  expect_near(play(path, 1.5 + 3 * 5), {1.5, 3});
  expect_near(play(path, 3 + 3), {1.5, -1.5});
}

// A stiff controller carries a slider along the curve.
TEST(Trajectory, LeadsAController) {
  const auto path = std::make_shared<TrajectoryPlayback>(std::vector<double>{0, 1, 2},
                                                         Positions{{0}, {1}, {0.5}}, Options{});
  ModelSpec spec = make_world(path);
  spec.systems.push_back({.name = "control",
                          .system = std::make_shared<PidControl>(
                              JointTargets{.joints = {"rail"}, .reference_input = true},
                              PidGains{.kp = {1e6}, .kd = {2e3}})});
  spec.wires = {{"path.reference", "control.reference"}};
  Simulator sim = make_simulator(spec, 1e-4);
  for (const double t : {0.3, 1.0, 1.6}) {
    sim.advance_to(t);
    EXPECT_NEAR(sim.state().q[0], sim.output("path.reference")[0], 2e-4) << t;
  }
}

TEST(Trajectory, Complains) {
  const auto message = [](const std::vector<double>& times, const Positions& positions,
                          bool repeat = false) -> std::string {
    try {
      compile(make_world(
          std::make_shared<TrajectoryPlayback>(times, positions, Options{.repeat = repeat})));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({0, 1}, {{0}}).find("2 times and 1 positions"), std::string::npos);
  EXPECT_NE(message({}, {}).find("at least one"), std::string::npos);
  EXPECT_NE(message({0, 1, 1}, {{0}, {1}, {2}}).find("must increase"), std::string::npos);
  EXPECT_NE(message({0, 1}, {{0}, {1, 2}}).find("position 1 has 2 numbers"), std::string::npos);
  EXPECT_NE(message({0, NAN}, {{0}, {1}}).find("time 1 is nan"), std::string::npos);
  EXPECT_NE(message({0}, {{0}}, true).find("repeats"), std::string::npos);
  EXPECT_NE(message({0}, {{0}}, true).find("'path'"), std::string::npos);
}

}  // namespace
}  // namespace cenic

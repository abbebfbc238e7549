// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

TEST(Simulator, RefusesToGoBackAndBadStates) {
  Simulator sim = make_simulator(make_scene("double_pendulum"), 1e-3);
  sim.advance_to(0.5);
  EXPECT_THROW(sim.advance_to(0.4), Error);
  EXPECT_THROW(sim.advance_to(std::nan("")), Error);
  sim.advance_to(0.5);  // to where it is: nothing to do
  State state = sim.state();
  state.q.pop_back();
  EXPECT_THROW(sim.set_state(state), Error);
  state = sim.state();
  state.v[0] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(sim.set_state(state), Error);
}

TEST(Simulator, KeepsTheLastGoodStateWhenTheAccuracyCannotBeReached) {
  IntegratorOptions options;
  options.accuracy = 1e-6;
  options.min_step = 0.02;
  Simulator sim(compile(make_scene("hard_clutter")), options);
  try {
    sim.advance_to(10);
    FAIL() << "steps of 20 ms cannot reach 1e-6";
  } catch (const AccuracyError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("object_"), std::string::npos) << text;
    EXPECT_NE(text.find("min_step"), std::string::npos) << text;
  }
  for (const double q : sim.state().q) {
    EXPECT_TRUE(std::isfinite(q));
  }
}

TEST(Simulator, AnExplodingStateIsReportedNotSpread) {
  ModelSpec spec = make_scene("double_pendulum");
  Simulator sim = make_simulator(spec, 1e-3);
  State state = sim.state();
  state.v[0] = 1e200;  // Coriolis forces overflow
  sim.set_state(state);
  EXPECT_THROW(sim.advance_to(1), AccuracyError);
  EXPECT_EQ(sim.state().v[0], 1e200);
}

TEST(Simulator, MonitorSeesEveryStep) {
  Simulator sim = make_simulator(make_scene("bouncing_ball"), 1e-3);
  long steps = 0;
  double t = 0;
  sim.set_monitor([&](const StepEvent& e) {
    EXPECT_EQ(e.before.t, t);
    EXPECT_GT(e.after.t, e.before.t);
    EXPECT_GT(e.result.h, 0);
    t = e.after.t;
    ++steps;
  });
  sim.advance_to(1);
  EXPECT_EQ(steps, sim.statistics().steps);
  EXPECT_EQ(t, 1.0);
}

TEST(Simulator, FixedStepTakesEqualSteps) {
  IntegratorOptions options;
  options.fixed_step = 0.01;
  Simulator sim(compile(make_scene("hard_clutter")), options);
  sim.advance_to(1);
  EXPECT_EQ(sim.statistics().steps, 100);
  EXPECT_EQ(sim.statistics().solves, 100);
  EXPECT_EQ(sim.statistics().geometry_queries, 100);
}

}  // namespace
}  // namespace cenic

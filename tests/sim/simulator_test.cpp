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

TEST(Simulator, NormalisesQuaternionsAndForgetsOldContacts) {
  Simulator sim = make_simulator(make_scene("box_stack"), 1e-3);
  EXPECT_TRUE(sim.contacts().empty());
  sim.advance_to(0.1);
  EXPECT_FALSE(sim.contacts().empty());
  State state = sim.state();
  for (int i = 0; i < 4; ++i) {
    state.q[i] *= 3;
  }
  sim.set_state(state);
  EXPECT_TRUE(sim.contacts().empty());
  EXPECT_NEAR(std::hypot(std::hypot(sim.state().q[0], sim.state().q[1]),
                         std::hypot(sim.state().q[2], sim.state().q[3])),
              1, 1e-15);
  for (int i = 0; i < 4; ++i) {
    state.q[i] = 0;
  }
  EXPECT_THROW(sim.set_state(state), Error);
}

TEST(Simulator, AStateOfARunStaysAsItIsWhenItIsSet) {
  Simulator sim = make_simulator(make_scene("hard_clutter"), 1e-3);
  for (int i = 0; i < 100; ++i) {
    sim.step(10);
    const State state = sim.state();
    sim.set_state(state);
    ASSERT_EQ(sim.state().q, state.q) << i;
  }
}

TEST(Simulator, GoesOnWhenItIsMoved) {
  Simulator sim = make_simulator(make_scene("hard_clutter"), 1e-3),
            other = make_simulator(make_scene("hard_clutter"), 1e-3);
  sim.advance_to(0.5);
  other.advance_to(0.5);
  Simulator moved = std::move(sim);
  moved.advance_to(1);
  other.advance_to(1);
  EXPECT_EQ(moved.state().q, other.state().q);
}

TEST(Simulator, TheStateNormBoundsVelocitiesToo) {
  IntegratorOptions options;
  options.error_norm = ErrorNorm::kState;
  Simulator sim(compile(make_scene("sliding_block")), options);
  Simulator position = make_simulator(make_scene("sliding_block"), 1e-3);
  sim.advance_to(0.5);
  position.advance_to(0.5);
  EXPECT_GT(sim.statistics().steps, position.statistics().steps);
  EXPECT_LT(sim.statistics().steps, 2000);
}

TEST(Simulator, ZeroWeightsDoNotSwitchContactOff) {
  const auto model = compile(make_scene("box_stack"));
  IntegratorOptions options;
  options.error_weights.assign(model->nv, 0.0);
  Simulator sim(model, options);
  sim.advance_to(1);
  EXPECT_GT(sim.state().q[6], 0.04) << "the lowest box still stands on the floor";
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

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Islands with steps of their own: the same motion as with one step for all, in less work.
#include <gtest/gtest.h>

#include "worlds.h"

namespace cenic {
namespace {

// Balls in a row that bob softly on the floor, and a hard one that falls and bounces beside them.
ModelSpec make_calm_row(int count) {
  ModelSpec spec;
  spec.world_geometries = {make_test_geometry("floor", make_half_space(), 2e3)};
  for (int i = 0; i < count; ++i) {
    const std::string name = "calm" + std::to_string(i);
    spec.bodies.push_back(make_free_body(name, make_test_geometry(name, make_sphere(0.05), 50),
                                         {0.2 * i, 0, 0.0498}));
  }
  spec.bodies.push_back(make_free_body(
      "bouncing", make_test_geometry("hard", make_sphere(0.05), 1e6), {-0.5, 0, 0.3}));
  return spec;
}

struct Ran {
  State end;
  Statistics statistics;
};

Ran run(const ModelSpec& spec, double accuracy, bool local, double duration) {
  IntegratorOptions options;
  options.accuracy = accuracy;
  options.local_steps = local;
  Simulator sim(compile(spec), options);
  sim.advance_to(duration);
  return {sim.state(), sim.statistics()};
}

double calc_distance(const State& a, const State& b) {
  double d = 0;
  for (std::size_t i = 0; i < a.q.size(); ++i) {
    d = std::max(d, std::abs(a.q[i] - b.q[i]));
  }
  return d;
}

TEST(LocalSteps, OneBouncingBallDoesNotShortenTheStepsOfAll) {
  const ModelSpec spec = make_calm_row(60);
  const Ran together = run(spec, 1e-4, false, 0.6), local = run(spec, 1e-4, true, 0.6);
  EXPECT_EQ(together.statistics.local_steps, 0);
  EXPECT_GT(local.statistics.local_steps, 0);
  EXPECT_LT(local.statistics.steps, 0.6 * together.statistics.steps);
  EXPECT_LT(local.statistics.solver_iterations, 0.8 * together.statistics.solver_iterations);
}

// Contacts that are looked at but never press, as between things that stand close, are no coupling.
TEST(LocalSteps, GapsThatStayOpenCoupleNothing) {
  long steps[2];
  for (const bool close : {false, true}) {
    ModelSpec spec = make_calm_row(60);
    for (int i = 0; i < 60; ++i) {  // gaps of 5 um are within the proximity at 1e-4
      if (close) spec.bodies[i].X_PB.p.x = -0.5 + 0.100005 * (i + 1);
    }
    const Ran local = run(spec, 1e-4, true, 0.6);
    EXPECT_GT(local.statistics.local_steps, 0);
    steps[close ? 1 : 0] = local.statistics.steps;
  }
  EXPECT_NEAR(steps[1], steps[0], 0.2 * steps[0]);
}

TEST(LocalSteps, TheErrorFallsWithTheAccuracyAsWithoutThem) {
  const ModelSpec spec = make_calm_row(50);
  const State exact = run(spec, 1e-8, false, 0.5).end;
  double previous = INFINITY;
  for (const double accuracy : {1e-3, 1e-4, 1e-5, 1e-6}) {
    const Ran local = run(spec, accuracy, true, 0.5);
    EXPECT_GT(local.statistics.local_steps, 0) << accuracy;
    const double error = calc_distance(local.end, exact);
    EXPECT_LT(error, 0.6 * previous) << accuracy;
    EXPECT_LT(error, 30 * accuracy);
    previous = error;
  }
}

// A ball that is hit within a step flies on into one that the step knew nothing of: it joins in.
TEST(LocalSteps, WhatIsTouchedOnTheWayComesAlong) {
  ModelSpec spec = make_calm_row(50);
  spec.bodies.pop_back();
  const auto add_ball = [&](const std::string& name, double x, double speed) {
    spec.bodies.push_back(make_free_body(name, make_test_geometry(name, make_sphere(0.05), 1e5),
                                         {x, 1, 1}, {0, 0, 0, speed, 0, 0}));
  };
  for (int i = 0; i < 8; ++i) {  // gaps of a millimetre
    add_ball("row" + std::to_string(i), 0.101 * i, 0);
  }
  add_ball("cue", -0.4, 8);
  const Ran local = run(spec, 1e-4, true, 0.12), exact = run(spec, 1e-7, false, 0.12);
  EXPECT_GT(local.statistics.local_steps, 0);
  EXPECT_LT(calc_distance(local.end, exact.end), 5e-3);
  double momentum = 0;  // along the row, of equal balls
  for (std::size_t i = 50; i < spec.bodies.size(); ++i) {
    momentum += local.end.v[6 * i + 3];
  }
  EXPECT_NEAR(momentum, 8, 1e-3);
  EXPECT_LT(local.statistics.max_penetration, 3 * exact.statistics.max_penetration + 1e-3);
}

// A fast ball does not pass a thin plate that hangs free beside calm balls, whoever steps alone.
TEST(LocalSteps, NothingPassesUnseen) {
  for (const double accuracy : {1e-1, 1e-2, 1e-3, 1e-4}) {
    ModelSpec spec = make_calm_row(50);
    spec.bodies.pop_back();
    spec.bodies.push_back(make_free_body(
        "plate", make_test_geometry("plate", make_box({0.5, 0.5, 0.01}), 1e6), {0, 3, 1}));
    spec.bodies.push_back(make_free_body("shot",
                                         make_test_geometry("shot", make_sphere(0.005), 1e6),
                                         {0, 3, 1.5}, {0, 0, 0, 0, 0, -20}));
    const Ran local = run(spec, accuracy, true, 0.1);
    const std::size_t plate = 7 * 50, shot = 7 * 51;
    EXPECT_GT(local.end.q[shot + 6], local.end.q[plate + 6]) << accuracy;
  }
}

TEST(LocalSteps, FewTreesStepTogether) {
  EXPECT_EQ(run(make_calm_row(20), 1e-4, true, 0.6).statistics.local_steps, 0);
}

TEST(LocalSteps, ContactsAreReportedOnceAndForcesHoldTheWeight) {
  const ModelSpec spec = make_calm_row(60);
  const auto model = compile(spec);
  IntegratorOptions options;
  options.accuracy = 1e-4;
  Simulator sim(model, options);
  long local = 0;
  for (int k = 1; k <= 50; ++k) {
    sim.advance_to(0.02 * k);
    const bool split = sim.statistics().local_steps > local;
    local = sim.statistics().local_steps;
    std::vector<int> seen;
    for (const ContactReport& c : sim.contacts()) {
      seen.push_back(c.point.geometry_b);
    }
    std::ranges::sort(seen);
    EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end()) << (split ? "local" : "together");
  }
  EXPECT_GT(local, 0);
}

// Bodies under a controller or a constraint stay with the whole; the others still go on their own.
TEST(LocalSteps, WhatIsConstrainedStaysWithTheWhole) {
  ModelSpec spec = make_calm_row(60);
  ConstraintSpec ball;
  ball.kind = ConstraintKind::kBall;
  ball.name = "held";
  ball.a = "calm3";
  ball.b = "world";
  ball.X_AP.p = {0.6, 0, 0.0498};
  spec.constraints = {ball};
  const Ran local = run(spec, 1e-4, true, 0.6);
  EXPECT_GT(local.statistics.local_steps, 0);
  const State exact = run(spec, 1e-7, false, 0.6).end;
  EXPECT_LT(calc_distance(local.end, exact), 3e-3);
}

}  // namespace
}  // namespace cenic

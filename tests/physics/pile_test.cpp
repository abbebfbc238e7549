// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Piles: rest, determinism, and no chatter.
#include <algorithm>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

TEST(Pile, ABoxStackRests) {
  const ModelSpec spec = make_scene("box_stack");
  Simulator sim = make_simulator(spec, 1e-3);
  const State before = sim.state();
  sim.advance_to(10);
  for (std::size_t i = 0; i < before.q.size(); ++i) {
    EXPECT_NEAR(sim.state().q[i], before.q[i], 2e-3) << i;
  }
  for (const double v : sim.state().v) {
    EXPECT_NEAR(v, 0, 1e-3);
  }
  EXPECT_GT(sim.statistics().step_mean(), 0.05);
}

TEST(Pile, ASettledPileTakesLongSteps) {
  // Forty steps a second or fewer once settled: no manifold flips, no rattling.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Simulator sim = make_simulator(make_scene("hard_clutter", {}, seed), 1e-3);
    sim.advance_to(6);
    const long settled = sim.statistics().steps;
    sim.advance_to(10);
    EXPECT_LT(sim.statistics().steps - settled, 160) << "seed " << seed;
    EXPECT_LT(sim.calc_penetration(), 1e-3) << "seed " << seed;
  }
}

TEST(Pile, PenetrationFallsWithAccuracy) {
  double previous = 1;
  for (const double accuracy : {1e-1, 1e-3}) {
    Simulator sim = make_simulator(make_scene("hard_clutter", {}, 3), accuracy);
    sim.advance_to(3);
    EXPECT_EQ(sim.statistics().initial_penetration, 0);
    EXPECT_LT(sim.statistics().max_penetration, previous);
    previous = sim.statistics().max_penetration;
  }
  EXPECT_LT(previous, 8e-3);
}

TEST(Pile, RunsAndThreadsGiveTheSameBits) {
  for (const char* integrator : {"cenic", "cenic-paper"}) {
    std::vector<State> states;
    for (const int threads : {1, 1, 2}) {
      IntegratorOptions options = make_integrator_options(integrator);
      options.accuracy = 1e-3;
      options.threads = threads;
      Simulator sim(compile(make_scene("hard_clutter", {}, 5)), options);
      sim.advance_to(1);
      states.push_back(sim.state());
    }
    for (int i = 1; i < 3; ++i) {
      EXPECT_EQ(states[0].q, states[i].q) << integrator;
      EXPECT_EQ(states[0].v, states[i].v) << integrator;
    }
  }
}

TEST(Pile, IslandsAndSceneWideSolvesAgreeStatistically) {
  // Clutter is chaotic: compare the mean height after settling over seeds, not trajectories.
  double mean[2] = {0, 0};
  const int seeds = 6;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    for (int variant = 0; variant < 2; ++variant) {
      IntegratorOptions options;
      options.islands = variant == 0;
      Simulator sim(compile(make_scene("hard_clutter", {}, seed)), options);
      sim.advance_to(3);
      for (std::size_t b = 0; b < sim.model().bodies.size(); ++b) {
        mean[variant] +=
            sim.state().q[7 * b + 6] / (seeds * static_cast<double>(sim.model().bodies.size()));
      }
    }
  }
  EXPECT_NEAR(mean[0], mean[1], 0.015);
  EXPECT_GT(mean[0], 0.05);
}

TEST(Pile, ContactForcesCarryTheWeight) {
  Simulator sim = make_simulator(make_scene("box_stack"), 1e-3);
  sim.advance_to(1);
  // The floor carries all boxes: 5 cubes of 1 kg.
  Vec3 force;
  for (const ContactReport& c : sim.contacts()) {
    if (sim.model().geometries[c.point.geometry_a].body < 0) force += c.force_B_W;
    if (sim.model().geometries[c.point.geometry_b].body < 0) force -= c.force_B_W;
  }
  EXPECT_NEAR(force.z, sim.model().total_mass * 9.81, 0.01 * sim.model().total_mass * 9.81);
  EXPECT_NEAR(force.x, 0, 0.1);
}

}  // namespace
}  // namespace cenic

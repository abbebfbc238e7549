// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A step takes no memory from the heap once the arrays have grown.
#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "physics/worlds.h"

namespace cenic {
namespace {

TEST(Allocation, NoneInAStepAfterWarmUp) {
  for (const char* integrator : {"cenic", "cenic-paper", "cenic-trapezoid"}) {
    for (const char* scene :
         {"hard_clutter", "soft_clutter", "double_pendulum", "newton_cradle", "box_stack",
          "four_bar", "conveyor", "static_gripper", "cylinder", "hydro_mesh"}) {
      IntegratorOptions options = make_integrator_options(integrator);
      Simulator sim(compile(make_scene(scene)), options);
      sim.advance_to(1.5);
      const State middle = sim.state();
      // The same stretch again and again until every array has grown to the size it needs: clutter
      // is chaotic, and the first step differs from pass to pass, so that a new set of contacts may
      // still turn up for a while.
      long allocations = 1, steps = 0;
      for (int pass = 0; pass < 40 && allocations > 0; ++pass) {
        State again = middle;
        again.t = sim.state().t;
        sim.set_state(again);
        steps = sim.statistics().steps;
        const long before = test::num_allocations;
        sim.advance_to(again.t + 1);
        allocations = test::num_allocations - before;
      }
      EXPECT_EQ(allocations, 0) << scene << " with " << integrator;
      EXPECT_GT(sim.statistics().steps - steps, 5);
    }
  }
}

}  // namespace
}  // namespace cenic

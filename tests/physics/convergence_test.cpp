// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Convergence to the continuous solution, and what accuracy must guarantee.
#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

double position_error(const State& a, const State& b) {
  double e = 0;
  for (int i = 4; i < 7; ++i) {
    e = std::max(e, std::abs(a.q[i] - b.q[i]));
  }
  return e;
}

class Convergence : public testing::Test {
 protected:
  // Extrapolated, at an accuracy far below what is tested.
  static State make_reference(const ModelSpec& spec, double t) {
    Simulator sim = make_simulator(spec, 1e-11);
    sim.advance_to(t);
    return sim.state();
  }
};

TEST_F(Convergence, FixedStepsAreOfFirstOrder) {
  const ModelSpec spec = make_smooth_contact();
  const State reference = make_reference(spec, 0.2);
  std::vector<double> steps, errors;
  for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4}) {
    Simulator sim = make_fixed_step(spec, h);
    sim.advance_to(0.2);
    steps.push_back(h);
    errors.push_back(position_error(sim.state(), reference));
  }
  const double order = fit_order(steps, errors);
  EXPECT_GT(order, 0.9);
  EXPECT_LT(order, 1.1);
}

TEST_F(Convergence, StepDoublingAndTheColumnsOfExtrapolationHaveOrdersOneTwoAndThree) {
  const ModelSpec spec = make_smooth_contact();
  const State reference = make_reference(spec, 0.2);
  for (const int expected : {1, 2, 3}) {
    std::vector<double> steps, errors;
    for (const double accuracy : {1e-5, 1e-6, 1e-7, 1e-8}) {
      IntegratorOptions options;
      options.accuracy = accuracy;
      options.extrapolate = expected > 1;
      options.third_order = expected > 2;
      options.newton_fraction = 1e-3;
      Simulator sim(compile(spec), options);
      sim.advance_to(0.2);
      steps.push_back(sim.statistics().step_mean());
      errors.push_back(position_error(sim.state(), reference));
    }
    const double order = fit_order(steps, errors);
    EXPECT_GT(order, expected - (expected == 1 ? 0.1 : 0.3));
    EXPECT_LT(order, expected + (expected == 1 ? 0.1 : 0.5));
  }
}

TEST_F(Convergence, ErrorFallsWithAccuracyForBothIntegrators) {
  const ModelSpec spec = make_smooth_contact();
  const State reference = make_reference(spec, 0.2);
  for (const char* integrator : {"cenic", "cenic-paper"}) {
    std::vector<double> accuracies{1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7}, errors;
    for (const double accuracy : accuracies) {
      Simulator sim = make_simulator(spec, accuracy, integrator);
      sim.advance_to(0.2);
      errors.push_back(position_error(sim.state(), reference));
    }
    // Not every decade halves it (at 1e-1 the step is capped by max_step), but the trend is at
    // least √ε.
    EXPECT_GT(fit_order(accuracies, errors), 0.4) << integrator;
    EXPECT_LT(errors.back(), 5e-3 * errors.front()) << integrator;
  }
}

TEST(Accuracy, ABallNeverPassesAThinPlate) {
  for (const double accuracy : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    ModelSpec spec;
    GeometrySpec plate = make_test_geometry("plate", make_box({0.5, 0.5, 0.005}), 1e6);
    spec.world_geometries = {plate};
    spec.bodies = {make_free_body("ball", make_test_geometry("ball", make_sphere(0.005), 1e6),
                                  {0, 0, 0.5}, {0, 0, 0, 0, 0, -20})};
    Simulator sim = make_simulator(spec, accuracy);
    double lowest = 1;
    for (int i = 1; i <= 50; ++i) {
      sim.advance_to(0.01 * i);
      lowest = std::min(lowest, sim.state().q[6]);
    }
    EXPECT_GT(lowest, 0.0) << "accuracy " << accuracy;
  }
}

TEST(Accuracy, LandsExactlyOnOutputTimes) {
  Simulator sim = make_simulator(make_scene("hard_clutter"), 1e-3);
  for (const double t : {0.1, 0.1 + 1e-9, 0.25, 1.0 / 3}) {
    sim.advance_to(t);
    EXPECT_EQ(sim.state().t, t);
  }
}

TEST(Accuracy, OutputTimesCostAtMostOneStepEach) {
  Simulator one = make_simulator(make_scene("chain"), 1e-4);
  Simulator many = make_simulator(make_scene("chain"), 1e-4);
  one.advance_to(1);
  for (int i = 1; i <= 60; ++i) {
    many.advance_to(i / 60.0);
  }
  EXPECT_LE(many.statistics().steps, one.statistics().steps + 60 + 20);
}

}  // namespace
}  // namespace cenic

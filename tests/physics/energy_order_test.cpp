// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A ball without dissipation should keep its energy (paper, section VII-A): how fast the loss falls
// with a fixed step. The loss in a bounce depends on where in a step the touch begins and ends, so
// it is taken as a mean over heights.
#include <cmath>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

double calc_energy_error(const std::string& integrator, double step) {
  constexpr int kHeights = 48;
  double sum = 0;
  for (int i = 0; i < kHeights; ++i) {
    const ModelSpec spec =
        make_scene("bouncing_ball",
                   {{"stiffness", 1e3}, {"dissipation", 0}, {"height", 0.9 + 0.2 * i / kHeights}});
    Simulator sim = make_fixed_step(spec, step, integrator);
    const double before = sim.calc_energy();
    sim.advance_to(0.8);  // one bounce
    const double error = sim.calc_energy() / before - 1;
    sum += error * error;
  }
  return std::sqrt(sum / kHeights);
}

double fit_energy_order(const std::string& integrator) {
  const std::vector<double> steps{1e-3, 5e-4, 2.5e-4, 1.25e-4};
  std::vector<double> errors;
  for (const double h : steps) {
    errors.push_back(calc_energy_error(integrator, h));
  }
  return fit_order(steps, errors);
}

TEST(Energy, OfABouncingBallIsLostWithTheStepInFirstOrderSchemes) {
  EXPECT_NEAR(fit_energy_order("cenic-paper"), 1.0, 0.15);
}

TEST(Energy, OfABouncingBallIsLostWithTheSquareOfTheStepByTheTrapezoid) {
  EXPECT_NEAR(fit_energy_order("cenic-trapezoid"), 2.0, 0.2);
  EXPECT_LT(calc_energy_error("cenic-trapezoid", 1e-3),
            1e-2 * calc_energy_error("cenic-paper", 1e-3));
}

TEST(Energy, TrapezoidIsOfSecondOrderOnTreesSpringsAndSmoothContact) {
  const auto fit = [](const ModelSpec& spec, double t) {
    Simulator reference = make_simulator(spec, 1e-10);
    reference.advance_to(t);
    const std::vector<double> steps{4e-3, 2e-3, 1e-3, 5e-4};
    std::vector<double> errors;
    for (const double h : steps) {
      Simulator sim = make_fixed_step(spec, h, "cenic-trapezoid");
      sim.advance_to(t);
      double error = 0;
      for (std::size_t i = 0; i < sim.state().q.size(); ++i) {
        error = std::max(error, std::abs(sim.state().q[i] - reference.state().q[i]));
      }
      errors.push_back(error);
    }
    return fit_order(steps, errors);
  };
  EXPECT_NEAR(fit(make_scene("double_pendulum"), 0.5), 2.0, 0.2);
  JointSpec joint;
  joint.stiffness = 50;
  joint.damping = 0.5;
  joint.position = {0.3};
  EXPECT_NEAR(fit(make_slider(2, joint), 0.5), 2.0, 0.2);
  // A ball that was put down with a spin on a soft floor: never leaves it.
  ModelSpec ball = make_scene("bouncing_ball", {{"stiffness", 1e3}, {"v_s", 0.5}});
  ball.bodies[0].X_PB.p.z = 0.05 - 9.81e-3;
  ball.bodies[0].joints[0].velocity = {0, 20, 0, 0.3, 0, 0};
  EXPECT_NEAR(fit(ball, 0.3), 2.0, 0.25);
}

}  // namespace
}  // namespace cenic

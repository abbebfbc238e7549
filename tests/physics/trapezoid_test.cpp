// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the trapezoid rule could get wrong because its problem is built at the end of the step.
#include <cmath>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

constexpr const char* kConvex[] = {"cenic", "cenic-paper", "cenic-trapezoid"};

TEST(Trapezoid, ContactsReportTheWholeWeight) {
  for (const char* integrator : kConvex) {
    Simulator sim = make_simulator(make_scene("conveyor", {{"frequency", 0}, {"amplitude", 0}}),
                                   1e-4, integrator);
    sim.advance_to(0.5);
    double weight = 0;
    for (const ContactReport& c : sim.contacts()) {
      weight += std::abs(c.force_B_W.z);
    }
    EXPECT_NEAR(weight, 9.81, 1e-3) << integrator;
  }
}

TEST(Trapezoid, AnOscillatingBeltIsOfSecondOrder) {
  const ModelSpec spec = make_scene("conveyor", {{"v_s", 1}, {"mu_static", 0.5}});
  Simulator reference = make_simulator(spec, 1e-9);
  reference.advance_to(0.4);
  const std::vector<double> steps{8e-3, 4e-3, 2e-3, 1e-3};
  std::vector<double> errors;
  for (const double h : steps) {
    Simulator sim = make_fixed_step(spec, h, "cenic-trapezoid");
    sim.advance_to(0.4);
    errors.push_back(std::abs(sim.state().q[4] - reference.state().q[4]));
  }
  EXPECT_NEAR(fit_order(steps, errors), 2, 0.3);
  EXPECT_LT(errors.back(), 1e-5);
}

TEST(Trapezoid, AnImpactOnALimitIsPlastic) {
  JointSpec joint;
  joint.axis = {1, 0, 0};
  joint.velocity = {1};
  joint.upper = {0.3};
  joint.lower = {-1};
  for (const char* integrator : kConvex) {
    for (const double accuracy : {1e-2, 1e-3, 1e-4, 1e-5}) {
      Simulator sim = make_simulator(make_slider(1, joint), accuracy, integrator);
      sim.advance_to(1);
      EXPECT_NEAR(sim.state().v[0], 0, 1e-2) << integrator << " at " << accuracy;
      EXPECT_NEAR(sim.state().q[0], 0.3, 1e-2) << integrator << " at " << accuracy;
    }
  }
}

TEST(Trapezoid, ImplicitGyroscopicsDoNotSpoilIt) {
  ModelSpec spec = make_scene("bouncing_ball");
  spec.bodies[0].inertia = InertiaSpec{1, {}, Mat3::diagonal({0.01, 0.02, 0.03})};
  spec.bodies[0].joints[0].velocity = {3, 5, 1, 0, 0, 0};
  Simulator reference = make_simulator(spec, 1e-10);
  reference.advance_to(0.3);
  IntegratorOptions options = make_integrator_options("cenic-trapezoid");
  options.implicit_gyroscopics = true;
  options.fixed_step = 5e-4;
  Simulator sim(compile(spec), options);
  sim.advance_to(0.3);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(sim.state().q[i], reference.state().q[i], 1e-5);
  }
}

}  // namespace
}  // namespace cenic

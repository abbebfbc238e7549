// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The order of the schemes: error at the end of a run against the mean step, for everything that
// extrapolation must not spoil.
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

struct Measured {
  std::vector<double> steps, errors;
  double order() const { return fit_order(steps, errors); }
};

// Largest error of a coordinate at time t against the same integrator at a far tighter accuracy.
Measured measure(const ModelSpec& spec, double t, const std::vector<double>& accuracies,
                 const std::string& integrator = "cenic", double reference_accuracy = 1e-10,
                 bool third_order = false) {
  Simulator reference = make_simulator(spec, reference_accuracy);
  reference.advance_to(t);
  Measured measured;
  std::vector<double> difference(reference.model().nv);
  for (const double accuracy : accuracies) {
    IntegratorOptions options = make_integrator_options(integrator);
    options.accuracy = accuracy;
    options.third_order = third_order;
    Simulator sim(compile(spec), options);
    sim.advance_to(t);
    calc_position_difference(sim.model(), reference.state().q, sim.state().q, difference);
    double worst = 0;
    for (const double d : difference) {
      worst = std::max(worst, std::abs(d));
    }
    measured.steps.push_back(sim.statistics().step_mean());
    measured.errors.push_back(worst);
  }
  return measured;
}

const std::vector<double> kAccuracies{1e-3, 1e-4, 1e-5, 1e-6, 1e-7};

ModelSpec make_double_pendulum() { return make_scene("double_pendulum"); }

TEST(Order, ArticulatedTreesAreOfSecondOrder) {
  EXPECT_NEAR(measure(make_double_pendulum(), 0.5, kAccuracies).order(), 2, 0.25);
}

TEST(Order, ThePublishedSchemeIsOfFirstOrder) {
  EXPECT_NEAR(measure(make_double_pendulum(), 0.5, {1e-3, 1e-4, 1e-5, 1e-6}, "cenic-paper").order(),
              1, 0.2);
}

TEST(Order, JointSpringsAreOfSecondOrder) {
  ModelSpec spec = make_double_pendulum();
  for (BodySpec& body : spec.bodies) {
    body.joints[0].stiffness = 0.1;
    body.joints[0].damping = 0.005;
  }
  EXPECT_NEAR(measure(spec, 0.5, kAccuracies).order(), 2, 0.25);
}

TEST(Order, AHeldLimitIsOfSecondOrder) {
  // The lower link is folded back and rests on its limit, pressed by gravity and by the swing,
  // while the upper one swings.
  ModelSpec spec = make_double_pendulum();
  spec.bodies[0].joints[0].position = {0.5};
  spec.bodies[0].joints[0].velocity = {0};
  JointSpec& elbow = spec.bodies[1].joints[0];
  elbow.position = {0.8};
  elbow.lower = {0.8};
  elbow.velocity = {0};
  Simulator sim = make_simulator(spec, 1e-5);
  sim.set_monitor([&](const StepEvent&) {
    EXPECT_GT(sim.limit_forces()[1], 0) << "held throughout, at " << sim.state().t;
  });
  sim.advance_to(0.3);
  const Measured measured = measure(spec, 0.3, kAccuracies);
  EXPECT_NEAR(measured.order(), 2, 0.25);
  EXPECT_LT(measured.errors.back(), 1e-5);
}

TEST(Order, AHeldConeIsOfSecondOrder) {
  // A rod on a ball joint leans on its limit and runs round the cone. Above 1e-6 the steps are so
  // long that it leaves the cone by the curvature of its path.
  ModelSpec spec;
  const Quat q = exp_map({0, 0.5, 0});
  spec.bodies = {make_jointed_body("rod", {1, {0, 0, 0.3}, Mat3::diagonal({0.02, 0.02, 0.01})},
                                   {.kind = JointKind::kBall,
                                    .upper = {0.5},
                                    .position = {q.w, q.x, q.y, q.z},
                                    .velocity = {1, 0, 0}})};
  EXPECT_NEAR(measure(spec, 0.4, {1e-6, 1e-7, 1e-8}).order(), 2, 0.25);
}

TEST(Order, EqualityConstraintsAreOfSecondOrder) {
  EXPECT_NEAR(measure(make_scene("four_bar"), 0.5, kAccuracies, "cenic", 1e-9).order(), 2, 0.25);
  // A pendulum on a rigid distance.
  ModelSpec spec;
  BodySpec bob = make_jointed_body("bob", {1, {}, Mat3::diagonal({1e-3, 1e-3, 1e-3})},
                                   {.kind = JointKind::kFree});
  bob.X_PB.p = {0.6, 0, -0.3};
  ConstraintSpec rod;
  rod.kind = ConstraintKind::kDistance;
  rod.a = kWorldName;
  rod.b = "bob";
  rod.length = norm(bob.X_PB.p);
  spec.bodies = {bob};
  spec.constraints = {rod};
  EXPECT_NEAR(measure(spec, 1, kAccuracies, "cenic", 1e-9).order(), 2, 0.25);
}

TEST(Order, SpringsBetweenBodiesAreOfSecondOrder) {
  ModelSpec spec = make_double_pendulum();
  ConstraintSpec spring;
  spring.kind = ConstraintKind::kDistance;
  spring.a = kWorldName;
  spring.b = "link_2";
  spring.X_AP.p = {0.2, 0.1, -0.3};
  spring.length = 0.1;
  spring.stiffness = 1;
  spring.damping = 0.02;
  spec.constraints = {spring};
  EXPECT_NEAR(measure(spec, 0.3, kAccuracies).order(), 2, 0.25);
}

TEST(Order, DryFrictionIsOfSecondOrderWhereItIsSmooth) {
  // Wide enough a sigmoid for the steps to see, through several reversals; and sliding one way.
  ModelSpec oscillating = make_slider(1, {.axis = {1, 0, 0}, .stiffness = 100, .dry_friction = 2});
  oscillating.stiction_velocity = 0.2;
  oscillating.bodies[0].joints[0].position = {0.2};
  EXPECT_NEAR(measure(oscillating, 1, kAccuracies).order(), 2, 0.25);
  ModelSpec sliding =
      make_slider(1, {.axis = {1, 0, 0}, .stiffness = 20, .dry_friction = 2, .velocity = {2}});
  EXPECT_NEAR(measure(sliding, 0.2, kAccuracies).order(), 2, 0.25);
}

TEST(Order, SlidingContactIsOfSecondOrder) {
  EXPECT_NEAR(measure(make_smooth_contact(), 0.2, {1e-5, 1e-6, 1e-7, 1e-8}).order(), 2, 0.25);
}

TEST(Order, CalmMotionIsOfThirdOrder) {
  // What `cenic` does by itself where no contact comes or goes. Which steps are of third order is
  // its own choice, so the fit has some play; the second order would give 2.
  const std::vector<double> accuracies{1e-5, 1e-6, 1e-7};
  const auto fit = [&](const ModelSpec& spec, double t) {
    return measure(spec, t, accuracies, "cenic", 1e-10, true).order();
  };
  EXPECT_GT(fit(make_double_pendulum(), 0.5), 2.4);
  EXPECT_GT(fit(make_scene("four_bar"), 0.5), 2.4);
  EXPECT_GT(fit(make_scene("chain", {{"links", 5}}), 0.3), 2.4);
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What must be conserved, and closed forms of free motion.
#include <gtest/gtest.h>

#include "multibody/multibody.h"
#include "physics/worlds.h"

namespace cenic {
namespace {

Spatial total_momentum(const Simulator& sim) {
  Kinematics kin;
  kin.resize(sim.model());
  update_positions(sim.model(), sim.state().q, &kin);
  update_velocities(sim.model(), sim.state().v, &kin);
  return calc_momentum(sim.model(), kin);
}

BodySpec make_asymmetric_body() {
  GeometrySpec box = make_test_geometry("box", make_box({0.05, 0.1, 0.2}));
  return make_free_body("body", box, {0, 0, 1}, {3, 5, -2, 0.5, 0.2, 1});
}

TEST(FreeMotion, TumblingConservesMomentumAndEnergyToTheOrderOfTheScheme) {
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_asymmetric_body()};
  for (const bool extrapolate : {false, true}) {
    std::vector<double> accuracies{1e-4, 1e-5, 1e-6, 1e-7}, steps, energy_errors, momentum_errors;
    for (const double accuracy : accuracies) {
      IntegratorOptions options;
      options.accuracy = accuracy;
      options.extrapolate = extrapolate;
      Simulator sim(compile(spec), options);
      const double e0 = sim.calc_energy();
      const Spatial p0 = total_momentum(sim);
      sim.advance_to(2);
      steps.push_back(sim.statistics().step_mean());
      energy_errors.push_back(std::abs(sim.calc_energy() - e0) / e0);
      const Spatial p = total_momentum(sim);
      momentum_errors.push_back(norm(p.w - p0.w) / norm(p0.w));
      EXPECT_LT(norm(p.v - p0.v), 1e-12 * norm(p0.v)) << "linear momentum is exact";
    }
    const double order = extrapolate ? 2 : 1;
    EXPECT_GT(fit_order(steps, energy_errors), order - 0.2);
    EXPECT_GT(fit_order(steps, momentum_errors), order - 0.2);
    EXPECT_LT(momentum_errors.back(), 1e-2);
  }
}

// Two straights and two half circles, upright.
ModelSpec make_stadium(double moment) {
  constexpr double kHalf = 0.3 * std::numbers::pi;
  ModelSpec spec;
  spec.gravity = {0, -9.81, 0};
  JointSpec track{.kind = JointKind::kCurvilinear,
                  .curve = {{1, 0}, {kHalf, std::numbers::pi}, {1, 0}, {kHalf, std::numbers::pi}},
                  .periodic = true,
                  .position = {0.2},
                  .velocity = {5}};
  spec.bodies = {{.name = "bead",
                  .joints = {track},
                  .inertia = InertiaSpec{0.1, {}, moment * Mat3::identity()}}};
  return spec;
}

// Nine laps. Where a straight meets an arc the force along the track has a kink, no more.
TEST(Track, ABeadKeepsItsEnergyToTheOrderOfTheScheme) {
  const ModelSpec spec = make_stadium(1e-14);
  for (const bool extrapolate : {false, true}) {
    std::vector<double> steps, errors;
    for (const double accuracy : {1e-3, 1e-4, 1e-5, 1e-6}) {
      IntegratorOptions options;
      options.accuracy = accuracy;
      options.extrapolate = extrapolate;
      Simulator sim(compile(spec), options);
      const double e0 = sim.calc_energy();
      sim.advance_to(8);
      steps.push_back(sim.statistics().step_mean());
      errors.push_back(std::abs(sim.calc_energy() - e0) / e0);
    }
    EXPECT_GT(fit_order(steps, errors), (extrapolate ? 2 : 1) - 0.2);
    EXPECT_LT(errors.back(), 1e-3);
  }
}

// A body that must turn at once where an arc begins keeps its speed along the track, so its energy
// changes by ½ I κ² v².
TEST(Track, SpeedIsKeptWhereTheCurvatureJumps) {
  ModelSpec spec = make_stadium(0.02);
  spec.gravity = {};
  Simulator sim = make_simulator(spec, 1e-3);
  const double straight = sim.calc_energy();
  sim.advance_to(0.2);  // on the first arc
  EXPECT_NEAR(sim.state().q[0], 1.2, 1e-12);
  EXPECT_NEAR(sim.state().v[0], 5, 1e-12);
  EXPECT_NEAR(sim.calc_energy() - straight, 0.5 * 0.02 * 25 / (0.3 * 0.3), 1e-12);
  EXPECT_EQ(sim.statistics().rejected_steps, 0);
}

TEST(FreeMotion, AFallIsExactWhenExtrapolated) {
  ModelSpec spec;
  spec.bodies = {make_free_body("ball", make_test_geometry("ball", make_sphere(0.05)), {0, 0, 10},
                                {0, 0, 0, 1, 0, 2})};
  Simulator sim = make_simulator(spec, 1e-3);
  sim.advance_to(1.3);
  EXPECT_NEAR(sim.state().q[4], 1.3, 1e-12);
  EXPECT_NEAR(sim.state().q[6], 10 + 2 * 1.3 - 0.5 * 9.81 * 1.3 * 1.3, 1e-11);
  EXPECT_NEAR(sim.state().v[5], 2 - 9.81 * 1.3, 1e-11);
}

TEST(FreeMotion, AFastSpinNeedsNoSmallSteps) {
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_free_body("ball", make_test_geometry("ball", make_sphere(0.05)), {},
                                {0, 0, 54, 0, 0, 0})};
  for (const double accuracy : {1e-3, 1e-5}) {
    Simulator sim = make_simulator(spec, accuracy);
    sim.advance_to(1);
    EXPECT_LE(sim.statistics().steps, 15);
    // The exponential map makes the angle exact.
    const Quat q{sim.state().q[0], sim.state().q[1], sim.state().q[2], sim.state().q[3]};
    EXPECT_LT(norm(log_map(q * conjugate(exp_map({0, 0, 54})))), 1e-10);
  }
}

TEST(FreeMotion, ASpringDamperJointFollowsItsClosedForm) {
  // m x'' + c x' + k x = 0, x(0) = 0.1: underdamped.
  ModelSpec spec = make_slider(2, {.damping = 4, .stiffness = 200, .position = {0.1}});
  const auto exact = [](double t) {
    const double decay = 4 / (2 * 2.0), omega = std::sqrt(200 / 2.0 - decay * decay);
    return 0.1 * std::exp(-decay * t) * (std::cos(omega * t) + decay / omega * std::sin(omega * t));
  };
  std::vector<double> steps, errors;
  for (const double accuracy : {1e-4, 1e-5, 1e-6, 1e-7}) {
    Simulator sim = make_simulator(spec, accuracy);
    double worst = 0;
    for (int i = 1; i <= 10; ++i) {
      sim.advance_to(0.1 * i);
      worst = std::max(worst, std::abs(sim.state().q[0] - exact(0.1 * i)));
    }
    steps.push_back(sim.statistics().step_mean());
    errors.push_back(worst);
  }
  EXPECT_GT(fit_order(steps, errors), 1.7);  // extrapolated: second order
  EXPECT_LT(errors.back(), 1e-5);
  // A spring far too stiff for the step is treated implicitly: no blow-up, no tiny steps.
  spec.bodies[0].joints[0].stiffness = 1e9;
  spec.bodies[0].joints[0].position = {1e-3};
  Simulator stiff = make_simulator(spec, 1e-3);
  stiff.advance_to(1);
  EXPECT_LT(std::abs(stiff.state().q[0]), 1e-3);
  EXPECT_LT(stiff.statistics().steps, 100);
}

TEST(FreeMotion, AFastTopPrecessesAtTheTextbookRate) {
  const ModelSpec spec = make_scene("spinning_top", {{"spin", 400}});
  const auto model = compile(spec);
  Simulator sim = make_simulator(spec, 1e-6);
  const auto axis = [&] {
    Kinematics kin;
    kin.resize(*model);
    update_positions(*model, sim.state().q, &kin);
    return kin.X_WB[model->bodies[0].link].R.column(2);
  };
  const Vec3 a0 = axis();
  sim.advance_to(1);
  const Vec3 a1 = axis();
  // Slow precession: Ω = m g l/(I_z ω) to first order in Ω/ω, the axis keeps its lean up to
  // nutation.
  const SpatialInertia M = model->links[model->bodies[0].link].M_BBo_B;
  const double I_z = M.I(2, 2), I_x = M.I(0, 0), lean = std::acos(a0.z);
  const double mgl = M.mass * 9.81 * norm(M.com());
  // Exact steady rate: I_x cosθ Ω² − I_z ω₃ Ω + m g l = 0.
  const double A = (I_x - I_z) * std::cos(lean), L = I_z * 400;
  const double rate = 2 * mgl / (L + std::sqrt(L * L - 4 * A * mgl));
  double turned = std::atan2(a1.y, a1.x) - std::atan2(a0.y, a0.x);
  while (turned < 0)
    turned += 2 * 3.14159265358979;
  double expected = std::fmod(rate, 2 * 3.14159265358979);
  EXPECT_NEAR(turned, expected, 0.05);
  EXPECT_NEAR(a1.z, a0.z, 0.02);
}

TEST(FreeMotion, TheMiddleAxisIsUnstableAndHarmless) {
  // A plate turning about its middle axis flips over and over, at any fixed step.
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_free_body("plate", make_test_geometry("plate", make_box({0.1, 0.05, 0.01})),
                                {}, {0.01, 30, 0.01, 0, 0, 0})};
  for (const double h : {1e-3, 1e-2, 5e-2}) {
    Simulator sim = make_fixed_step(spec, h);
    const double before = sim.calc_energy();
    sim.advance_to(3);
    EXPECT_LT(sim.calc_energy(), 1.5 * before) << h;
  }
}

TEST(FreeMotion, AFastSpinningBodyGainsNoEnergyAtLooseAccuracy) {
  // A disc that wobbles at 200 rad/s, free and on its tip: an explicit gyroscopic torque would pump
  // its nutation.
  ModelSpec disc;
  disc.gravity = {};
  disc.bodies = {make_free_body("disc", make_test_geometry("disc", make_cylinder(0.1, 0.01)), {},
                                {5, 0, 200, 0, 0, 0})};
  for (const ModelSpec& spec : {disc, make_scene("spinning_top", {{"spin", 200}})}) {
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
      Simulator sim = make_simulator(spec, accuracy);
      const double before = sim.calc_energy();
      sim.advance_to(5);
      EXPECT_LT(sim.calc_energy(), 1.01 * before) << spec.bodies[0].name << " at " << accuracy;
      EXPECT_GT(sim.calc_energy(), 0.5 * before) << spec.bodies[0].name << " at " << accuracy;
    }
  }
}

TEST(Impact, TwoSpheresConserveMomentum) {
  for (const double dissipation : {0.0, 10.0}) {
    for (const double accuracy : {1e-2, 1e-4}) {
      ModelSpec spec;
      spec.gravity = {};
      GeometrySpec small = make_test_geometry("small", make_sphere(0.05)),
                   big = make_test_geometry("big", make_sphere(0.08));
      small.material.dissipation = big.material.dissipation = dissipation;
      spec.bodies = {make_free_body("a", small, {-0.3, 0.01, 0}, {0, 0, 3, 2, 0, 0}),
                     make_free_body("b", big, {0.1, 0, 0}, {1, 0, 0, -0.5, 0.1, 0})};
      Simulator sim = make_simulator(spec, accuracy);
      const Spatial p0 = total_momentum(sim);
      sim.advance_to(0.5);
      EXPECT_GT(sim.statistics().contacts_max, 0);
      const auto& q = sim.state().q;
      EXPECT_GT(std::hypot(q[11] - q[4], q[12] - q[5], q[13] - q[6]), 0.1295)
          << "they touched, not passed";
      const Spatial p = total_momentum(sim);
      // Equal and opposite impulses at one point: linear momentum is kept to the solver's
      // tolerance, angular to the order of the scheme.
      EXPECT_LT(norm(p.v - p0.v), 0.03 * accuracy * norm(p0.v));
      EXPECT_LT(norm(p.w - p0.w), 0.02 * norm(p0.w) * std::sqrt(accuracy / 1e-4));
    }
  }
}

TEST(Impact, ANewtonsCradleGainsNoEnergy) {
  // The second ball is driven into its resting neighbour within the step in which it is hit.
  for (const double accuracy : {1e-1, 1e-2, 1e-3, 1e-4}) {
    Simulator sim = make_simulator(make_scene("newton_cradle"), accuracy);
    const double before = sim.calc_energy();
    for (int i = 1; i <= 20; ++i) {
      sim.advance_to(0.1 * i);
      EXPECT_LT(sim.calc_energy(), 1.01 * before)
          << "accuracy " << accuracy << ", " << 0.1 * i << " s";
    }
  }
}

TEST(Impact, ADissipationFreeBounceKeepsItsEnergy) {
  // 1 kg ball, pair stiffness 1e3 N/m, dropped by 1 m, ten seconds. The loss falls with the
  // accuracy.
  double previous = 1;
  for (const double accuracy : {1e-4, 1e-5, 1e-6}) {
    Simulator sim = make_simulator(make_scene("bouncing_ball"), accuracy);
    const double e0 = sim.calc_energy() - 1 * 9.81 * 0.05;  // zero when at rest on the ground
    sim.advance_to(10);
    const double loss = std::abs(sim.calc_energy() - 1 * 9.81 * 0.05 - e0) / e0;
    EXPECT_LT(loss, previous);
    previous = loss;
  }
  EXPECT_LT(previous, 0.01);
}

}  // namespace
}  // namespace cenic

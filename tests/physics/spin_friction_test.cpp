// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Torsional and rolling friction against closed forms.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

constexpr double kG = 9.81, kR = 0.1, kTorsional = 0.004, kRolling = 0.002;

double ball_mass() { return 1000 * 4.0 / 3 * std::numbers::pi * kR * kR * kR; }
double ball_inertia() { return 0.4 * ball_mass() * kR * kR; }

// A ball at rest in its dent on the floor, with velocities (w, v).
ModelSpec make_ball(const std::vector<double>& velocity, double torsional, double rolling,
                    double slope = 0) {
  ModelSpec spec;
  spec.gravity = {kG * std::sin(slope), 0, -kG * std::cos(slope)};
  GeometrySpec floor = make_test_geometry("floor", make_half_space(), 1e6);
  GeometrySpec ball = make_test_geometry("ball", make_sphere(kR), 1e6);
  for (GeometrySpec* g : {&floor, &ball}) {
    g->material.torsional_friction = torsional;
    g->material.rolling_friction = rolling;
  }
  spec.world_geometries = {floor};
  const double depth = ball_mass() * kG * std::cos(slope) / 1e6;
  spec.bodies = {make_free_body("ball", ball, {0, 0, kR - depth}, velocity)};
  return spec;
}

class SpinFriction : public testing::TestWithParam<const char*> {};

TEST_P(SpinFriction, SlowsASpinningBallAtAConstantRateAndThenHoldsIt) {
  const double w0 = 5, rate = kTorsional * ball_mass() * kG / ball_inertia(), stop = w0 / rate;
  Simulator sim = make_simulator(make_ball({0, 0, w0, 0, 0, 0}, kTorsional, 0), 1e-4, GetParam());
  sim.advance_to(0.5 * stop);
  EXPECT_NEAR(sim.state().v[2], 0.5 * w0, 0.01 * w0);
  sim.advance_to(1.5 * stop);
  EXPECT_LT(std::abs(sim.state().v[2]) * kR, sim.model().stiction_velocity);
}

TEST_P(SpinFriction, SlowsARollingBall) {
  // Rolling without slip, m a = −f, I a/R = f R − μ_r m g: a = −(μ_r g/R)/(1 + I/(m R²)).
  const double v0 = 0.5, a = kRolling * kG / kR / 1.4;
  Simulator sim =
      make_simulator(make_ball({0, v0 / kR, 0, v0, 0, 0}, 0, kRolling), 1e-4, GetParam());
  sim.advance_to(1);
  EXPECT_NEAR(sim.state().v[3], v0 - a, 0.01 * a);
}

INSTANTIATE_TEST_SUITE_P(Integrators, SpinFriction,
                         testing::Values("cenic", "cenic-paper", "cenic-trapezoid",
                                         "implicit-euler"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(SpinFrictionOf, ABallRollsDownASlopeOnlyBeyondTheAngleOfRollingFriction) {
  for (const double share : {0.7, 1.5}) {
    const double slope = std::atan(share * kRolling / kR);
    Simulator sim = make_simulator(make_ball({}, 0, kRolling, slope), 1e-4);
    sim.advance_to(2);
    const double a = (std::sin(slope) - std::cos(slope) * kRolling / kR) * kG / 1.4;
    if (share < 1) {
      EXPECT_LT(sim.state().q[4], 2.5 * sim.model().stiction_velocity);
    } else {
      EXPECT_NEAR(sim.state().q[4], 0.5 * a * 4, 0.03 * 2 * a);
    }
  }
}

TEST(SpinFrictionOf, IsReportedAsTheTorqueOfTheContact) {
  Simulator sim = make_simulator(make_ball({0, 0, 5, 0, 0, 0}, kTorsional, kRolling), 1e-4);
  sim.advance_to(0.2);
  ASSERT_EQ(sim.contacts().size(), 1U);
  const ContactReport report = sim.contacts()[0];
  const double sign = report.point.link_b >= 0 ? 1 : -1;
  EXPECT_NEAR(sign * report.torque_B_W.z, -kTorsional * ball_mass() * kG,
              0.02 * kTorsional * ball_mass() * kG);
}

// A wheel on a vertical hinge, pressed down by its weight through a slide: the tree is not free.
TEST(SpinFrictionOf, ActsOnJointedBodies) {
  ModelSpec spec = make_ball({}, kTorsional, 0);
  spec.bodies[0].joints = {{.name = "slide", .kind = JointKind::kPrismatic},
                           {.name = "turn", .kind = JointKind::kRevolute, .velocity = {5.0}}};
  const double rate = kTorsional * ball_mass() * kG / ball_inertia();
  Simulator sim = make_simulator(spec, 1e-4);
  sim.advance_to(0.2);
  EXPECT_NEAR(sim.state().v[1], 5 - 0.2 * rate, 0.02 * 0.2 * rate);
}

// Two balls, one on the other, both free: torques are equal and opposite.
TEST(SpinFrictionOf, ConservesAngularMomentumBetweenTwoBodies) {
  ModelSpec spec;
  spec.gravity = {};
  GeometrySpec g = make_test_geometry("a", make_sphere(kR), 1e4);
  g.material.torsional_friction = g.material.rolling_friction = 0.01;
  GeometrySpec h = g;
  h.name = "b";
  spec.bodies = {make_free_body("a", g, {}, {1, 2, 3, 0, 0, 0.2}),
                 make_free_body("b", h, {0, 0, 2 * kR + 0.001}, {-2, 1, -5, 0, 0, -0.2})};
  Simulator sim = make_simulator(spec, 1e-5);
  const auto momentum = [&] {
    Vec3 L;
    for (int b = 0; b < 2; ++b) {
      const State& s = sim.state();
      const Vec3 w{s.v[6 * b], s.v[6 * b + 1], s.v[6 * b + 2]};
      const Vec3 v{s.v[6 * b + 3], s.v[6 * b + 4], s.v[6 * b + 5]};
      const Vec3 p{s.q[7 * b + 4], s.q[7 * b + 5], s.q[7 * b + 6]};
      L += ball_inertia() * w + ball_mass() * cross(p, v);
    }
    return L;
  };
  const Vec3 before = momentum();
  const double spin = sim.state().v[2];
  sim.advance_to(0.1);
  EXPECT_GT(std::abs(sim.state().v[2] - spin), 0.01);
  // Each step conserves it about the point of contact up to its motion within the step.
  EXPECT_LT(norm(momentum() - before), 1e-3 * norm(before));
}

}  // namespace
}  // namespace cenic

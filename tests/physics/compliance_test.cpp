// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Limits and constraints that are springs: how far they give way, and how they swing.
#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

constexpr double kG = 9.81, kMass = 2;
constexpr double kStiffness = 5000, kDamping = 40;

// A mass that its weight presses down a vertical rail.
ModelSpec make_weight(double damping) {
  ModelSpec spec = make_slider(
      kMass,
      {.lower = {0.0}, .upper = {1.0}, .limit_stiffness = kStiffness, .limit_damping = damping});
  spec.gravity = {0, 0, -kG};
  return spec;
}

TEST(CompliantLimit, GivesWayByLoadOverStiffness) {
  Simulator sim = make_simulator(make_weight(kDamping), 1e-5);
  run_past(&sim, 3);
  EXPECT_NEAR(sim.state().q[0], -kMass * kG / kStiffness, 1e-7);
}

// m ẍ = −k x − m g while x < 0, from x = 0 at rest: x = −(m g/k) (1 − cos ω t).
TEST(CompliantLimit, SwingsWithItsPeriodAndKeepsTheEnergy) {
  for (const double accuracy : {1e-4, 1e-6}) {
    Simulator sim = make_simulator(make_weight(0), accuracy);
    const double omega = std::sqrt(kStiffness / kMass), depth = kMass * kG / kStiffness;
    double worst = 0, drift = 0;
    for (int i = 1; i <= 40; ++i) {
      const double t = 0.005 * i;
      sim.advance_to(t);
      worst = std::max(worst, std::abs(sim.state().q[0] + depth * (1 - std::cos(omega * t))));
      const Energy e = calc_energy(sim.model(), calc_kinematics(sim.model(), sim.state()),
                                   sim.state().q, sim.state().v);
      drift = std::max(drift, std::abs(e.kinetic + e.potential));
    }
    EXPECT_LT(worst, 30 * accuracy) << accuracy;
    EXPECT_LT(drift, 30 * accuracy * kMass * kG) << accuracy;
  }
}

// A limit pushes and never pulls: a mass thrown against it leaves with the speed it came with.
TEST(CompliantLimit, ThrowsBack) {
  ModelSpec spec = make_weight(0);
  spec.gravity = {};
  spec.bodies[0].joints[0].position = {0.1};
  spec.bodies[0].joints[0].velocity = {-1};
  Simulator sim = make_simulator(spec, 1e-6);
  const double pi = std::numbers::pi, contact = pi * std::sqrt(kMass / kStiffness);
  sim.advance_to(0.1 + contact + 0.2);
  EXPECT_NEAR(sim.state().v[0], 1, 2e-3);
  EXPECT_NEAR(sim.state().q[0], 0.2, 5e-4);
}

TEST(CompliantLimit, OfABallJointHoldsAnArm) {
  // The arm sinks from the horizontal until k (θ − limit) balances its weight.
  const double arm = 0.3, limit = 0.2, k = 400;
  ModelSpec spec;
  spec.bodies = {make_jointed_body("arm", {kMass, {arm, 0, 0}, Mat3::diagonal({0.02, 0.03, 0.04})},
                                   {.kind = JointKind::kBall,
                                    .damping = 2,
                                    .upper = {limit},
                                    .limit_stiffness = k,
                                    .limit_damping = 5})};
  Simulator sim = make_simulator(spec, 1e-5);
  run_past(&sim, 5);
  const auto& q = sim.state().q;
  const double angle = 2 * std::atan2(std::hypot(q[1], q[2], q[3]), std::abs(q[0]));
  EXPECT_NEAR(k * (angle - limit), kMass * kG * arm * std::cos(angle), 1e-3);
  EXPECT_GT(angle, limit + 1e-3);
}

// A free body on a weld to the world: six springs.
TEST(CompliantWeld, GivesWayByForceAndTorque) {
  ModelSpec spec;
  BodySpec body = make_jointed_body("body", {kMass, {0.1, 0, 0}, Mat3::diagonal({0.1, 0.2, 0.3})},
                                    {.kind = JointKind::kFree});
  spec.bodies = {body};
  spec.constraints = {{.name = "weld",
                       .kind = ConstraintKind::kWeld,
                       .a = "world",
                       .b = "body",
                       .stiffness = kStiffness,
                       .damping = kDamping,
                       .rotational_stiffness = 300,
                       .rotational_damping = 6}};
  Simulator sim = make_simulator(spec, 1e-6);
  run_past(&sim, 10);
  const std::vector<double> g = calc_errors(sim.model(), sim.state(), 0);
  EXPECT_NEAR(g[5], -kMass * kG / kStiffness, 1e-7);
  // The weight turns it about y by θ: k θ = m g l cos θ, and a little by the offset of the point
  // halfway between the two frames, at which the force acts.
  EXPECT_NEAR(300 * g[1], kMass * kG * 0.1 * std::cos(g[1]), 1e-4);
  EXPECT_NEAR(g[0], 0, 1e-7);
  EXPECT_NEAR(sim.constraints().at(0).force[5], kMass * kG, 1e-3);
}

// Two sliders of masses m1, m2 coupled by a spring: ω² = k (1/m1 + 1/m2) of their difference.
TEST(CompliantCoupler, SwingsWithTheReducedMass) {
  const double m1 = 1, m2 = 3, k = 800, x0 = 0.02;
  ModelSpec spec = make_slider(m1, {.position = {x0}});
  ModelSpec second = make_slider(m2, {});
  second.bodies[0].name = "second";
  second.bodies[0].joints[0].name = "second_rail";
  spec.bodies.push_back(second.bodies[0]);
  spec.constraints = {
      {.kind = ConstraintKind::kCoupler, .a = "rail", .b = "second_rail", .stiffness = k}};
  Simulator sim = make_simulator(spec, 1e-6);
  const double omega = std::sqrt(k * (1 / m1 + 1 / m2));
  double worst = 0;
  for (int i = 1; i <= 40; ++i) {
    sim.advance_to(0.02 * i);
    const double x = sim.state().q[0] - sim.state().q[1];
    worst = std::max(worst, std::abs(x - x0 * std::cos(omega * 0.02 * i)));
  }
  EXPECT_LT(worst, 1e-4);
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Sticking, sliding, and what convex contact must not do: glide.
#include <numbers>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

constexpr double kG = 9.81;

double slope_position(const State& s, double degrees) {
  const double a = degrees * std::numbers::pi / 180;
  return s.q[4] * std::cos(a) -
         s.q[6] * std::sin(a);  // along the fall line, in the x–z plane, up to sign
}

// Speed along the slope of the block's centre.
double slope_speed(const State& s) { return std::hypot(s.v[3], s.v[4], s.v[5]); }

TEST(Friction, SticksBelowTheStaticLimitWithCreepBelowStictionVelocity) {
  for (const double degrees : {10.0, 20.0, 25.0}) {  // atan(0.5) = 26.6°
    const ModelSpec spec =
        make_scene("sliding_block", {{"angle", degrees}, {"mu_static", 0.5}, {"mu_dynamic", 0.5}});
    Simulator sim = make_simulator(spec, 1e-3);
    sim.advance_to(0.5);
    const double start = slope_position(sim.state(), degrees);
    sim.advance_to(2.5);
    const double creep = std::abs(slope_position(sim.state(), degrees) - start) / 2;
    // Friction balances gravity at f(s) = tan(angle)/μ, i.e. at the slip speed v_s s/√(1 − …):
    // below v_s up to 70 %.
    const double share = std::tan(degrees * std::numbers::pi / 180) / 0.5;
    const double expected = spec.stiction_velocity * share / std::sqrt(1 - share * share);
    EXPECT_LE(creep, 1.1 * expected + 1e-9) << degrees;
    if (share < 0.7) {
      EXPECT_LE(creep, spec.stiction_velocity) << degrees;
    }
  }
}

TEST(Friction, SlidesWithCoulombsLawAboveTheLimit) {
  for (const double degrees : {30.0, 40.0}) {
    for (const double accuracy : {1e-3, 1e-4}) {
      const ModelSpec spec = make_scene(
          "sliding_block", {{"angle", degrees}, {"mu_static", 0.4}, {"mu_dynamic", 0.4}});
      Simulator sim = make_simulator(spec, accuracy);
      sim.advance_to(0.2);
      const double v0 = slope_speed(sim.state());
      sim.advance_to(1.0);
      const double a = degrees * std::numbers::pi / 180;
      const double expected = kG * (std::sin(a) - 0.4 * std::cos(a));
      EXPECT_NEAR((slope_speed(sim.state()) - v0) / 0.8, expected, 0.01 * expected) << degrees;
    }
  }
}

TEST(Friction, StaticExceedsDynamic) {
  // 0.45 < tan(26°) = 0.488 < 0.6: sticks when at rest, slides on when pushed.
  const SceneParameters still{{"angle", 26}, {"mu_static", 0.6}, {"mu_dynamic", 0.3}};
  SceneParameters pushed = still;
  pushed["speed"] = 0.5;
  Simulator rest = make_simulator(make_scene("sliding_block", still), 1e-4);
  rest.advance_to(1);
  EXPECT_LT(slope_speed(rest.state()), 1e-3);
  Simulator moving = make_simulator(make_scene("sliding_block", pushed), 1e-4);
  moving.advance_to(1);
  const double a = 26 * std::numbers::pi / 180;
  EXPECT_NEAR(slope_speed(moving.state()), 0.5 + kG * (std::sin(a) - 0.3 * std::cos(a)), 0.02);
}

TEST(Friction, ASlidingBlockDoesNotGlide) {
  // Convex relaxations lift a sliding body by an amount that grows with speed and dissipation. Here
  // its mean penetration while sliding is the static one to 1 %.
  for (const double dissipation : {0.0, 1.0, 10.0, 100.0}) {
    SceneParameters p{{"angle", 0},        {"mu_static", 0.3},
                      {"mu_dynamic", 0.3}, {"dissipation", dissipation},
                      {"speed", 2.0},      {"stiffness", 1e4}};
    const ModelSpec spec = make_scene("sliding_block", p);
    Simulator sim = make_simulator(spec, 1e-4);
    const double at_rest = sim.state().q[6];  // the scene starts at static penetration
    sim.advance_to(0.1);
    double sum = 0;
    const int n = 40;
    for (int i = 0; i < n; ++i) {
      sim.advance_to(0.1 + 0.005 * (i + 1));
      sum += sim.state().q[6] - at_rest;
    }
    EXPECT_GT(slope_speed(sim.state()), 1.0);
    const double depth = 1 * kG / (4 * 1e4);
    EXPECT_LT(std::abs(sum / n), 0.01 * depth) << "dissipation " << dissipation;
  }
}

TEST(Friction, DryJointFrictionHoldsAndSlides) {
  // A slider on a prismatic joint with 2 N of dry friction: 1 N of gravity does not move it, 4 N
  // give 2 N net.
  for (const double force : {1.0, 4.0}) {
    ModelSpec spec = make_slider(1, {.axis = {1, 0, 0}, .dry_friction = 2});
    spec.gravity = {force, 0, 0};
    Simulator sim = make_simulator(spec, 1e-4);
    sim.advance_to(1);
    if (force < 2) {
      EXPECT_LT(std::abs(sim.state().v[0]), spec.stiction_velocity);
    } else {
      EXPECT_NEAR(sim.state().v[0], 2, 1e-2);
      EXPECT_NEAR(sim.state().q[0], 1, 1e-2);
    }
  }
}

// A finger of 10 g on a sled of 10 kg pushes on the floor. Along the floor it moves with the sled:
// its friction must not be softened as if a body of 10 g were all there is to hold.
TEST(Friction, LightFingerHoldsAHeavySled) {
  ModelSpec spec;
  spec.gravity = {};
  spec.world_geometries = {make_test_geometry("floor", make_half_space())};
  JointSpec rail, slide;
  rail.kind = slide.kind = JointKind::kPrismatic;
  rail.axis = {1, 0, 0};
  slide.name = "slide";
  slide.axis = {0, 0, 1};
  const Mat3 I = Mat3::diagonal({1e-2, 1e-2, 1e-2});
  spec.bodies = {make_jointed_body("sled", {10, {}, I}, rail)};
  BodySpec finger = make_jointed_body("finger", {0.01, {}, 1e-4 * I}, slide);
  finger.parent = "sled";
  finger.X_PB.p = {0, 0, 0.02};
  finger.geometries = {make_test_geometry("tip", make_sphere(0.02))};
  spec.bodies.push_back(finger);
  class Push : public ExternalSystem {
    void declare(Ports* ports) const override {
      ports->drive_joint("sled_joint");
      ports->drive_joint("finger_joint");
      ports->depends_on_time = false;
    }
    void evaluate(const SystemInput&, SystemOutput* out) const override {
      out->tau[0] = 5;    // half of what friction can hold
      out->tau[1] = -20;  // with a coefficient of 0.5
    }
  };
  spec.systems = {{.name = "push", .system = std::make_shared<Push>()}};
  double speed[2];
  for (const bool inertia : {true, false}) {
    IntegratorOptions options{.fixed_step = 0.02};
    options.contact_inertia = inertia;
    Simulator sim(compile(spec), options);
    sim.advance_to(2);
    speed[inertia ? 0 : 1] = sim.state().v[0];
  }
  // v_s f/√(1 − f²) with half the load, as the continuous law has it; without, a hundred times
  // that.
  EXPECT_LT(speed[0], 1e-4);
  EXPECT_GT(speed[1], 1e-3);
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the scenes with controllers and force laws claim: loads are held, robots stand, poles
// balance.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

RigidTransform pose_of(const Simulator& sim, const std::string& name) {
  const Model& model = sim.model();
  const auto body = std::ranges::find(model.bodies, name, &Body::name);
  return calc_kinematics(model, sim.state()).X_WB[body->link];
}

double angle_of(const Mat3& R) { return norm(log_map(to_quaternion(R))); }

double calc_speed(const Simulator& sim) {
  double fastest = 0;
  for (const double v : sim.state().v) {
    fastest = std::max(fastest, std::abs(v));
  }
  return fastest;
}

// Advances and returns the deepest overlap after any step.
double run_and_watch(Simulator* sim, double duration) {
  double deepest = 0;
  while (sim->state().t < duration) {
    const StepResult result = sim->step(duration);
    if (result.status != StepStatus::kAccepted) throw AccuracyError(sim->describe_failure(result));
    deepest = std::max(deepest, sim->calc_penetration());
  }
  return deepest;
}

// The weight is carried by the integral alone: no error is left.
TEST(PidPendulum, ReachesItsAngle) {
  for (const double target : {30.0, 90.0, 180.0}) {
    Simulator sim = make_simulator(make_scene("pid_pendulum", {{"target", target}}), 1e-3);
    sim.advance_to(20);
    const double angle = target * std::numbers::pi / 180;
    EXPECT_NEAR(sim.state().q[0], angle, 1e-5);
    EXPECT_NEAR(-20 * sim.state().z[0], 9.81 * 0.25 * std::sin(angle), 1e-3);  // ki ∫, m g l/2
  }
}

// Without the integral the angle is wrong by what carries the weight.
TEST(PidPendulum, SagsWithoutIntegral) {
  Simulator sim = make_simulator(make_scene("pid_pendulum", {{"ki", 0}}), 1e-4);
  sim.advance_to(20);
  const double q = sim.state().q[0];
  EXPECT_NEAR(20 * (std::numbers::pi / 2 - q), 9.81 * 0.25 * std::sin(q), 1e-4);
}

TEST(CartPole, Balances) {
  for (const double angle : {-5.0, 5.0, 20.0}) {
    Simulator sim = make_simulator(make_scene("cart_pole", {{"angle", angle}}), 1e-4);
    sim.advance_to(10);
    EXPECT_NEAR(sim.state().q[0], 0, 5e-3) << angle;
    EXPECT_NEAR(sim.state().q[1], 0, 5e-3) << angle;
  }
}

// The pose of the box in the hand, compared with the start.
struct Slip {
  double distance = 0, angle = 0;
};
Slip calc_slip(const Simulator& sim, const RigidTransform& X_HandBox) {
  const RigidTransform now = inverse(pose_of(sim, "hand")) * pose_of(sim, "box");
  return {norm(now.p - X_HandBox.p), angle_of(transpose(X_HandBox.R) * now.R)};
}

TEST(Franka, HoldsTheBoxAtAnyGain) {
  for (const double gain : {1e1, 1e2, 1e4, 1e6}) {
    for (const double smooth : {0, 1}) {
      Simulator sim =
          make_simulator(make_scene("franka", {{"gain", gain}, {"smooth", smooth}}), 1e-3);
      const RigidTransform start = inverse(pose_of(sim, "hand")) * pose_of(sim, "box");
      EXPECT_LT(run_and_watch(&sim, 10), 1e-3) << gain;
      const Slip slip = calc_slip(sim, start);
      EXPECT_LT(slip.distance, 0.03) << gain;
      EXPECT_LT(slip.angle, 0.2) << gain;
      EXPECT_GT(pose_of(sim, "box").p.z, 0.15) << gain;
    }
  }
}

// What the box slips in the hand is error of the integration: it falls with the accuracy.
TEST(Franka, SlipsLessAtFinerAccuracy) {
  double last = 1;
  for (const double accuracy : {1e-3, 1e-4, 1e-5}) {
    Simulator sim = make_simulator(make_scene("franka"), accuracy);
    const RigidTransform start = inverse(pose_of(sim, "hand")) * pose_of(sim, "box");
    sim.advance_to(3);
    const Slip slip = calc_slip(sim, start);
    EXPECT_LT(slip.distance, 0.6 * last) << accuracy;
    last = slip.distance;
  }
  EXPECT_LT(last, 2e-3);
}

// The arm arrives: towards a set-point with K_p = K_d the error falls as exp(−t) once the fast pole
// is gone.
TEST(Franka, ReachesItsSetPoint) {
  Simulator sim = make_simulator(make_scene("franka", {{"gain", 1e4}, {"hold", 20}}), 1e-3);
  sim.advance_to(8);
  const double right[] = {0.5, -0.05, 0, -1.6, 0, 1.55, std::numbers::pi / 4};
  for (int i = 0; i < 7; ++i) {
    EXPECT_NEAR(sim.state().q[i], right[i], 2e-3) << i;
  }
}

// Stiffness does not cost steps (paper, section VII-D.1).
TEST(Franka, StepsDoNotGrowWithTheGain) {
  const auto steps = [](double gain) {
    Simulator sim = make_simulator(make_scene("franka", {{"gain", gain}}), 1e-2);
    sim.advance_to(10);
    return sim.statistics().steps;
  };
  const auto soft = steps(1e2);
  EXPECT_LT(steps(1e4), 1.3 * soft);
  EXPECT_LT(steps(1e6), 1.3 * soft);
}

// Where the box hangs when every bellow is pressed against the pad: half its height below the rims.
constexpr double kHeldBox = 0.2 - 2 * 0.01 - 0.05;

TEST(SuctionGripper, HoldsTheBoxWithoutPassThrough) {
  for (const double accuracy : {1e-3, 1e-4}) {
    Simulator sim = make_simulator(make_scene("suction_gripper"), accuracy);
    EXPECT_LT(run_and_watch(&sim, 0.5), 1e-3);
    const RigidTransform box = pose_of(sim, "box");
    EXPECT_NEAR(box.p.z, kHeldBox, 1e-3);
    EXPECT_LT(angle_of(box.R), 1e-3);
    EXPECT_LT(calc_speed(sim), 1e-2);
  }
}

// The same forces with a fixed step, as published for comparison (δt = 0.01 s).
TEST(SuctionGripper, PassesThroughAtAFixedStep) {
  for (const char* integrator : {"cenic", "cenic-paper"}) {
    Simulator sim = make_fixed_step(make_scene("suction_gripper"), 0.01, integrator);
    EXPECT_GT(run_and_watch(&sim, 0.5), 0.02) << integrator;
    EXPECT_GT(sim.calc_penetration(), 0.005) << integrator;  // and it stays inside
  }
}

TEST(Quadruped, StandsStill) {
  for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
    Simulator sim = make_simulator(make_scene("quadruped"), accuracy);
    EXPECT_LT(run_and_watch(&sim, 3), 5e-3);
    const RigidTransform trunk = pose_of(sim, "trunk");
    EXPECT_NEAR(trunk.p.z, 0.277, 5e-3) << accuracy;
    EXPECT_NEAR(trunk.p.y, 0, 5e-3) << accuracy;
    EXPECT_LT(angle_of(trunk.R), 0.05) << accuracy;
    EXPECT_LT(calc_speed(sim), 2e-3) << accuracy;
    // The floor carries the weight.
    double force = 0;
    for (const ContactReport& contact : sim.contacts()) {
      force += std::abs(contact.force_B_W.z);
    }
    EXPECT_NEAR(force, 9.81 * sim.model().total_mass, 0.5) << accuracy;
  }
}

// Pulled hard from rest, the box reaches the cups within one long step, and neither the full step
// nor its halves know of the contact at their starts: the end is looked at before a step stands.
TEST(SuctionGripper, ContactsThatCloseByAccelerationAreSeen) {
  for (const SceneParameters& parameters :
       {SceneParameters{{"mass", 5}},
        SceneParameters{{"mass", 1}, {"strength", 0.1}, {"softening", 1e-3}, {"gap", 0.02}}}) {
    Simulator sim(compile(make_scene("suction_gripper", parameters)), {.accuracy = 1e-3});
    sim.advance_to(0.5);
    EXPECT_LT(sim.statistics().max_penetration, 1e-3);
  }
}

}  // namespace
}  // namespace cenic

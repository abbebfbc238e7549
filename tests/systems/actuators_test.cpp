// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Actuators on a slider of 2 kg against closed forms.
#include <cmath>

#include "systems/library_worlds.h"

namespace cenic {
namespace {

constexpr double kMass = 2;

State run(const ActuatorParameters& actuator, double ctrl, double duration) {
  ModelSpec spec = make_slider(kMass, {.axis = {1, 0, 0}});
  spec.systems = {make_system<ActuatorModel>("actuator", actuator),
                  make_system<ConstantSignal>("ctrl", std::vector{ctrl})};
  spec.wires = {{"ctrl", "actuator"}};
  Simulator sim = make_simulator(spec, 1e-9);
  sim.advance_to(duration);
  return sim.state();
}

TEST(Actuator, MotorPushesThroughItsGear) {
  EXPECT_NEAR(run(make_motor("rail", 3), 2, 1).v[0], 3 * 2 / kMass, 1e-9);
  EXPECT_NEAR(run(make_motor("rail", -3), 2, 1).v[0], -3 * 2 / kMass, 1e-9);
}

TEST(Actuator, ControlStaysInItsRange) {
  ActuatorParameters motor = make_motor("rail", 3);
  motor.ctrl_min = -0.5;
  motor.ctrl_max = 1.5;
  EXPECT_NEAR(run(motor, 2, 1).v[0], 3 * 1.5 / kMass, 1e-9);
  EXPECT_NEAR(run(motor, -2, 1).v[0], -3 * 0.5 / kMass, 1e-9);
}

TEST(Actuator, ForceLimitIsBeforeTheGear) {
  ActuatorParameters motor = make_motor("rail", -3);
  motor.force_limit = 0.5;
  EXPECT_NEAR(run(motor, 2, 1).v[0], -3 * 0.5 / kMass, 1e-9);
}

// m ẍ = g (kp (c − g x) − kv g ẋ): rests at c/g, here critically damped from x = 0.
TEST(Actuator, PositionServoIsADampedOscillator) {
  const double gear = 2, kp = 12.5, w = std::sqrt(gear * gear * kp / kMass),
               kv = 2 * w * kMass / (gear * gear), t = 0.5;
  ActuatorParameters servo = make_position_servo("rail", kp, kv);
  servo.gear = gear;
  const State end = run(servo, 0.6, t);
  EXPECT_NEAR(end.q[0], 0.3 * (1 - (1 + w * t) * std::exp(-w * t)), 1e-6);
  EXPECT_NEAR(end.v[0], 0.3 * w * w * t * std::exp(-w * t), 1e-5);
}

TEST(Actuator, VelocityServoApproachesItsSpeed) {
  ActuatorParameters servo = make_velocity_servo("rail", 0.5);
  servo.gear = 2;
  EXPECT_NEAR(run(servo, 0.6, 0.7).v[0], 0.3 * (1 - std::exp(-2 * 2 * 0.5 / kMass * 0.7)), 1e-5);
}

// v = (c/m) (t − T (1 − e^(−t/T)))
TEST(Actuator, FilterDelaysTheForce) {
  ActuatorParameters motor = make_motor("rail");
  motor.dynamics = ActuatorDynamics::kFilter;
  motor.time_constant = 0.2;
  const State end = run(motor, 3, 0.5);
  const double fade = std::exp(-0.5 / 0.2);
  EXPECT_NEAR(end.v[0], 3 / kMass * (0.5 - 0.2 * (1 - fade)), 1e-5);
  EXPECT_NEAR(end.z[0], 3 * (1 - fade), 1e-5);
}

TEST(Actuator, ActivationStaysInItsRange) {
  const ActuatorParameters p{.joint = "rail",
                             .dynamics = ActuatorDynamics::kIntegrator,
                             .activation_min = -1,
                             .activation_max = 2};
  EXPECT_EQ(calc_activation_rate(p, 3, 1.9), 3);
  EXPECT_EQ(calc_activation_rate(p, 3, 2), 0);
  EXPECT_EQ(calc_activation_rate(p, -3, 2), -3);
  EXPECT_EQ(calc_activation_rate(p, -3, -1), 0);
}

TEST(Actuator, IntegratorRampsTheForce) {
  ActuatorParameters motor = make_motor("rail");
  motor.dynamics = ActuatorDynamics::kIntegrator;
  motor.activation = 1;
  const State end = run(motor, 3, 0.5);
  EXPECT_NEAR(end.v[0], (1 * 0.5 + 0.5 * 3 * 0.25) / kMass, 1e-5);
  EXPECT_NEAR(end.z[0], 1 + 3 * 0.5, 1e-9);
}

}  // namespace
}  // namespace cenic

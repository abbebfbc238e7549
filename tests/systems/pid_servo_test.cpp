// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// PidServo in closed form; tests/loaders/data/newer/pid.xml compares it with MuJoCo.
#include <cmath>

#include "systems/library_worlds.h"

namespace cenic {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(PidServo, AddsItsTerms) {
  const PidServo p{.kp = 4, .kv = 0.5, .ki = 3};
  const PidForce f =
      calc_pid_force(p, {.position = 1, .rate = 0.3, .force = 0.7}, 0.2, -0.1, 0, 0.05);
  EXPECT_DOUBLE_EQ(f.force, 4 * 0.8 + 0.5 * 0.4 + 3 * 0.05 + 0.7);
  EXPECT_DOUBLE_EQ(f.integral_rate, 0.8);
}

TEST(PidServo, StopsIntegratingAtItsLimit) {
  const PidServo p{.ki = 3, .integral_limit = 0.2};
  const auto rate = [&](double target, double I) {
    return calc_pid_force(p, {.position = target}, 0, 0, 0, I).integral_rate;
  };
  EXPECT_EQ(rate(1, 0.2), 0);
  EXPECT_EQ(rate(1, 0.19), 1);
  EXPECT_EQ(rate(-1, 0.2), -1);
  EXPECT_EQ(rate(-1, -0.3), 0);
  // Of a digital one: what the integral is after a sample, which is at most the limit.
  PidServo digital = p;
  digital.integral_time = 0.01;
  const PidForce f = calc_pid_force(digital, {.position = 1}, 0, 0, 0, 0.195);
  EXPECT_DOUBLE_EQ(f.force, 3 * 0.2);
  EXPECT_NEAR(f.integral_rate, 0.005 / 0.01, 1e-12);
}

ModelSpec make_servo(const PidServo& pid, double target, double mass = 1) {
  ModelSpec spec = make_slider(mass, {.axis = {0, 0, 1}});
  spec.gravity = {0, 0, -9.81};
  spec.systems = {
      make_system<TransmissionActuator>(
          "servo",
          TransmissionActuatorParameters{.transmission = {.joints = {{"rail", 1}}}, .pid = pid}),
      make_system<HeldInput>("target", std::vector{target})};
  spec.wires = {{"target", "servo.ctrl"}};
  return spec;
}

// Against its weight, the integral holds the mass at the target, and nothing else does.
TEST(PidServo, TheIntegralTakesTheLoad) {
  Simulator with(compile(make_servo({.kp = 100, .kv = 20, .ki = 150}, 0.5)), {.accuracy = 1e-5});
  with.advance_to(10);
  EXPECT_NEAR(with.state().q[0], 0.5, 1e-4);
  Simulator without(compile(make_servo({.kp = 100, .kv = 20}, 0.5)), {.accuracy = 1e-5});
  without.advance_to(10);
  EXPECT_NEAR(without.state().q[0], 0.5 - 9.81 / 100, 1e-4);
  // Limited to less than the load, it takes its share.
  Simulator limited(
      compile(make_servo({.kp = 100, .kv = 20, .ki = 150, .integral_limit = 4.0 / 150}, 0.5)),
      {.accuracy = 1e-5});
  limited.advance_to(10);
  EXPECT_NEAR(limited.state().q[0], 0.5 - (9.81 - 4) / 100, 1e-4);
}

// The set-point climbs at its largest rate, then stays.
TEST(PidServo, TheSetPointIsSlow) {
  const PidServo pid{.kp = 100, .kv = 20, .slew = 0.25};
  Simulator sim(compile(make_servo(pid, 0.5)), {.accuracy = 1e-5});
  const Model& model = sim.model();
  const int z = model.systems[model.find_system("servo")].z_start;
  ASSERT_EQ(model.systems[model.find_system("servo")].state_names,
            (std::vector<std::string>{"setpoint"}));
  sim.advance_to(1);
  EXPECT_NEAR(sim.state().z[z], 0.25, 1e-4);
  sim.advance_to(3);
  EXPECT_NEAR(sim.state().z[z], 0.5, 1e-4);
}

// Gains far beyond what an explicit step could take cost no short steps.
TEST(PidServo, StiffGainsAreImplicit) {
  const auto steps = [](double stiffer) {
    const PidServo pid{.kp = 1e4 * stiffer, .kv = 200 * std::sqrt(stiffer), .ki = 1e4 * stiffer};
    Simulator sim(compile(make_servo(pid, 0)), {.accuracy = 1e-3});
    sim.advance_to(2);
    return sim.statistics().steps;
  };
  EXPECT_LT(steps(1e4), 3 * steps(1) + 50);
}

TEST(PidServo, MistakesAreSaid) {
  const auto expect_error = [](const PidServo& pid, const char* part) {
    try {
      compile(make_servo(pid, 0));
      ADD_FAILURE() << part;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  expect_error({.kp = kInfinity}, "kp");
  expect_error({.integral_limit = -1}, "integral_limit");
  expect_error({.slew = -1}, "slew");
  expect_error({.setpoint_time = 0}, "setpoint_time");
  expect_error({.velocity_input = true, .velocity_min = 1, .velocity_max = 0}, "range");
}

}  // namespace
}  // namespace cenic

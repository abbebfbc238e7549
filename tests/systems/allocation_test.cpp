// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The whole library in one world: a step takes no memory from the heap once the arrays have grown.
#include <array>
#include <cmath>

#include "allocation_counter.h"
#include "systems/library_worlds.h"

namespace cenic {
namespace {

ModelSpec make_world_of_all() {
  ModelSpec spec = make_arm_and_ball();
  spec.world_geometries = {make_test_geometry("floor", make_half_space())};
  spec.bodies[2].X_PB.p = {1, 1, 0.1};
  BodySpec load = make_free_body("load", make_test_geometry("load", make_sphere(0.1)), {2, 1, 1});
  spec.bodies.push_back(load);
  spec.constraints = {{.name = "hook",
                       .kind = ConstraintKind::kBall,
                       .a = "world",
                       .b = "load",
                       .X_AP = RigidTransform::translation({2, 1, 1.5}),
                       .X_BQ = RigidTransform::translation({0, 0, 0.5})}};
  const JointTargets targets{.joints = {"shoulder"}, .reference_input = true};
  spec.systems = {
      make_system<Script>("wave", 2,
                          [](double t, std::span<double> y) {
                            y[0] = 0.2 * std::sin(3 * t);
                            y[1] = 0.6 * std::cos(3 * t);
                          }),
      make_system<PidControl>("pid", targets, PidGains{.kp = {40}, .ki = {10}, .kd = {5}}),
      make_system<InverseDynamicsControl>("inverse", targets, std::vector{40.0}, std::vector{5.0}),
      make_system<JointImpedance>("impedance", targets, std::vector{40.0}, std::vector{5.0}),
      make_system<GravityCompensation>("gravity", std::vector<std::string>{"elbow"}),
      make_system<TaskSpaceControl>("task", TaskSpaceParameters{.body = "lower",
                                                                .joints = {"shoulder", "elbow"},
                                                                .kp = make_task_gains(1, 10),
                                                                .kd = make_task_gains(1, 5),
                                                                .target = {.p = {0.5, 0, 1}}}),
      make_system<HeldInput>("ctrl", std::vector{0.3}),
      make_system<ActuatorModel>("servo", make_position_servo("elbow", 20, 2)),
      make_system<SpringDamper>(
          "spring",
          SpringDamperParameters{
              .a = "lower", .b = "ball", .rest_length = 0.5, .stiffness = 20, .damping = 2}),
      make_system<BodyForce>("push", BodyForceParameters{.body = "ball", .F = {{}, {0, 1, 0}}}),
      make_system<JointSensor>("joints", std::vector<std::string>{"elbow"}, true),
      make_system<LinearBlock>("gain", make_gain(2)),
      make_system<FirstOrderFilter>("filter", 1, 0.1),
      make_system<Delay>("delay", 1, 3),
      make_system<Noise>("noise", NoiseParameters{.has_input = true}),
      make_system<BodySensor>("body", "lower", RigidTransform{}, true),
      make_system<FirstOrderFilter>("body_filter", 6, 0.1),
      make_system<Imu>("imu", "load"),
      make_system<ContactForceSensor>("contact", ContactForceParameters{.body = "ball"}),
      make_system<ConstraintForceSensor>("constraint", "hook")};
  for (SystemSpec& s : spec.systems) {
    if (s.name == "delay" || s.name == "noise") s.period = 0.02;
  }
  spec.wires = {
      {"wave", "pid"},     {"wave", "inverse"},       {"wave", "impedance"},
      {"ctrl", "servo"},   {"joints.effort", "gain"}, {"gain", "filter"},
      {"filter", "delay"}, {"delay", "noise"},        {"body.acceleration", "body_filter"}};
  return spec;
}

TEST(Allocation, NoneInAStepOfTheWholeLibrary) {
  for (const char* integrator : {"cenic", "cenic-trapezoid"}) {
    Simulator sim = make_simulator(make_world_of_all(), 1e-3, integrator);
    sim.advance_to(1);
    const long steps = sim.statistics().steps, before = test::num_allocations;
    sim.set_input("ctrl", std::array{0.4});
    sim.advance_to(2);
    EXPECT_EQ(test::num_allocations - before, 0) << integrator;
    EXPECT_GT(sim.statistics().steps - steps, 50);
  }
}

}  // namespace
}  // namespace cenic

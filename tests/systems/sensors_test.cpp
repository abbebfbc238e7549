// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Sensors against closed forms, and accelerations against differences of velocities.
#include <cmath>
#include <numbers>

#include "systems/library_worlds.h"

namespace cenic {
namespace {

Vec3 to_vector(const std::vector<double>& x, int first = 0) {
  return {x[first], x[first + 1], x[first + 2]};
}

const RigidTransform kX_BP{to_matrix(exp_map({0.3, -0.2, 0.5})), {0.4, 0.05, -0.1}};

TEST(JointSensor, ReadsCoordinatesVelocitiesAndEfforts) {
  ModelSpec spec = make_slider(2, {.axis = {1, 0, 0}});
  ActuatorParameters motor = make_motor("rail", 2);
  motor.force_limit = 3;
  spec.systems = {make_system<JointSensor>("sensor", std::vector<std::string>{"rail"}, true),
                  make_system<ActuatorModel>("motor", motor),
                  make_system<ConstantSignal>("ctrl", std::vector{50.0})};
  spec.wires = {{"ctrl", "motor"}};
  Simulator sim = make_simulator(spec, 1e-6);
  EXPECT_EQ(sim.output("sensor.effort")[0], 0);
  sim.advance_to(1);
  EXPECT_EQ(sim.output("sensor.position")[0], sim.state().q[0]);
  EXPECT_EQ(sim.output("sensor.velocity")[0], sim.state().v[0]);
  EXPECT_NEAR(sim.output("sensor.effort")[0], 2 * 3, 1e-9);  // as limited
}

TEST(JointSensor, HasAllCoordinatesOfAFreeJoint) {
  ModelSpec spec = make_arm_and_ball();
  spec.systems = {
      make_system<JointSensor>("sensor", std::vector<std::string>{"ball_free", "elbow"})};
  Evaluation e(spec);
  e.state = make_state(*e.model, {0.4, -0.7}, {0.5, -0.3});
  EXPECT_EQ(e.output("sensor", 0), (std::vector<double>{1, 0, 0, 0, 1, 1, 1, -0.7}));
  EXPECT_EQ(e.output("sensor", 1), (std::vector<double>{0, 0, 0, 0, 0, 0, -0.3}));
}

// A frame on the second link of an arm that moves: its twist is the rate of its pose, and its
// acceleration the rate of its twist.
TEST(BodySensor, TwistAndAccelerationAreRates) {
  ModelSpec spec = make_arm_and_ball();
  spec.systems = {make_system<BodySensor>("sensor", "lower", kX_BP, true)};
  Evaluation e(spec);
  const std::vector<double> q{0.4, -0.7}, v{0.5, -1.3}, vdot{2, 3};
  const double h = 1e-4;
  std::ranges::copy(vdot, e.measurements.vdot.begin());
  const auto at = [&](double t) {  // q + v t + ½ v̇ t²
    std::vector<double> q_t, v_t;
    for (int i = 0; i < 2; ++i) {
      q_t.push_back(q[i] + v[i] * t + 0.5 * vdot[i] * t * t);
      v_t.push_back(v[i] + vdot[i] * t);
    }
    e.state = make_state(*e.model, q_t, v_t);
  };
  at(h);
  const std::vector<double> pose1 = e.output("sensor", 0), twist1 = e.output("sensor", 1);
  at(-h);
  const std::vector<double> pose0 = e.output("sensor", 0), twist0 = e.output("sensor", 1);
  at(0);
  const std::vector<double> twist = e.output("sensor", 1), acceleration = e.output("sensor", 2);
  const auto quaternion = [](const std::vector<double>& x) {
    return Quat{x[0], x[1], x[2], x[3]};
  };
  const Vec3 w = log_map(quaternion(pose1) * conjugate(quaternion(pose0))) / (2 * h);
  EXPECT_LT(norm(w - to_vector(twist)), 1e-7);
  EXPECT_LT(norm((to_vector(pose1, 4) - to_vector(pose0, 4)) / (2 * h) - to_vector(twist, 3)),
            1e-7);
  for (int i = 0; i < 6; ++i) {
    EXPECT_NEAR(acceleration[i], (twist1[i] - twist0[i]) / (2 * h), 1e-6);
  }
  const Kinematics kin = calc_kinematics(*e.model, e.state);
  const RigidTransform X_WP = kin.X_WB[e.model->bodies[1].link] * kX_BP;
  EXPECT_LT(norm(to_vector(e.output("sensor", 0), 4) - X_WP.p), 1e-12);
}

// An arm that turns freely at a constant rate about the vertical: a = −ω² r, measured by real
// steps.
ModelSpec make_turntable(double rate) {
  ModelSpec spec;
  spec.bodies = {make_jointed_body("table", {1, {}, Mat3::diagonal({0.1, 0.1, 0.1})},
                                   {.axis = {0, 0, 1}, .velocity = {rate}})};
  return spec;
}

TEST(BodySensor, SeesCentripetalAcceleration) {
  ModelSpec spec = make_turntable(3);
  spec.systems = {
      make_system<BodySensor>("sensor", "table", RigidTransform::translation({0.5, 0, 0}), true)};
  Simulator sim = make_simulator(spec, 1e-6);
  sim.advance_to(0.7);
  const Vec3 out{std::cos(3 * 0.7), std::sin(3 * 0.7), 0};
  const std::vector<double> a = sim.output("sensor.acceleration");
  EXPECT_LT(norm(to_vector(a)), 1e-9);
  EXPECT_LT(norm(to_vector(a, 3) + 9 * 0.5 * out), 1e-6);
}

// In its own axes: the rate about its y, the pull inwards along x, gravity along y.
TEST(Imu, OnATurntable) {
  ModelSpec spec = make_turntable(3);
  const RigidTransform X_BS{to_matrix(exp_map({std::numbers::pi / 2, 0, 0})), {0.5, 0, 0}};
  spec.systems = {make_system<Imu>("imu", "table", X_BS)};
  Simulator sim = make_simulator(spec, 1e-6);
  sim.advance_to(0.7);
  EXPECT_LT(norm(to_vector(sim.output("imu.gyro")) - Vec3{0, 3, 0}), 1e-9);
  EXPECT_LT(norm(to_vector(sim.output("imu.accelerometer")) - Vec3{-4.5, 9.81, 0}), 1e-6);
}

TEST(Imu, FeelsNothingInFreeFall) {
  ModelSpec spec = make_arm_and_ball();
  spec.bodies.erase(spec.bodies.begin(), spec.bodies.begin() + 2);
  spec.systems = {make_system<Imu>("imu", "ball")};
  Simulator sim = make_simulator(spec, 1e-4);
  sim.advance_to(0.3);
  EXPECT_LT(norm(to_vector(sim.output("imu.accelerometer"))), 1e-9);
}

TEST(BodySensor, ForgetsTheLastStepWithANewState) {
  ModelSpec spec = make_turntable(3);
  spec.systems = {
      make_system<BodySensor>("sensor", "table", RigidTransform{}, true),
      make_system<BodyForce>("push", BodyForceParameters{.body = "table", .F = {{0, 0, 0.5}, {}}})};
  Simulator sim = make_simulator(spec, 1e-6);
  sim.advance_to(0.7);
  EXPECT_NEAR(sim.output("sensor.acceleration")[2], 0.5 / 0.1, 1e-6);
  sim.set_state(sim.state());
  EXPECT_EQ(sim.output("sensor.acceleration")[2], 0);
}

TEST(ContactForceSensor, WeighsWhatRests) {
  ModelSpec spec = make_smooth_contact();
  spec.bodies[0].joints[0].velocity = {};
  const double weight = 1000 * 4.0 / 3 * std::numbers::pi * 1e-3 * 9.81;
  spec.systems = {
      make_system<ContactForceSensor>("ball", ContactForceParameters{.geometry = "ball"}),
      make_system<ContactForceSensor>("body", ContactForceParameters{.body = "ball"}),
      make_system<ContactForceSensor>("world", ContactForceParameters{.body = "world"})};
  for (GeometrySpec* g : {&spec.world_geometries[0], &spec.bodies[0].geometries[0]}) {
    g->material.dissipation = 50;
  }
  Simulator sim = make_simulator(spec, 1e-5);
  sim.advance_to(5);
  for (const std::string name : {"ball", "body"}) {
    EXPECT_LT(norm(to_vector(sim.output(name + ".force")) - Vec3{0, 0, weight}), 1e-3 * weight);
    EXPECT_NEAR(sim.output(name + ".normal")[0], weight, 1e-3 * weight);
  }
  EXPECT_LT(norm(to_vector(sim.output("world.force")) + Vec3{0, 0, weight}), 1e-3 * weight);
  EXPECT_NEAR(sim.output("world.normal")[0], weight, 1e-3 * weight);
}

// Held at a point beside its centre: the weld carries the weight and its moment.
TEST(ConstraintForceSensor, CarriesWeightAndMoment) {
  ModelSpec spec = make_arm_and_ball();
  spec.bodies.erase(spec.bodies.begin(), spec.bodies.begin() + 2);
  spec.constraints = {{.name = "hook",
                       .kind = ConstraintKind::kWeld,
                       .a = "world",
                       .b = "ball",
                       .X_AP = RigidTransform::translation({1.2, 1, 1}),
                       .X_BQ = RigidTransform::translation({0.2, 0, 0})}};
  const double weight = 1000 * 4.0 / 3 * std::numbers::pi * 1e-3 * 9.81;
  spec.systems = {make_system<ConstraintForceSensor>("sensor", "hook")};
  Simulator sim = make_simulator(spec, 1e-4);
  sim.advance_to(1);
  EXPECT_LT(norm(to_vector(sim.output("sensor.force")) - Vec3{0, 0, weight}), 1e-3 * weight);
  // Balance about the ball's centre: torque + (0.2, 0, 0) × force = 0.
  EXPECT_LT(norm(to_vector(sim.output("sensor.torque")) - Vec3{0, 0.2 * weight, 0}), 1e-3 * weight);
}

// Seen from a body that slides above the ground: itself and what cannot be seen do not count, what
// does not collide does.
TEST(RangeFinder, MeetsTheNearestThingOfAnotherBody) {
  ModelSpec spec = make_slider(2, {.axis = {0, 0, 1}});
  GeometrySpec own;
  own.shape = make_sphere(0.2);
  spec.bodies.at(0).geometries.push_back(own);
  const auto add_world = [&](const Shape& shape, const Vec3& p, float alpha) {
    GeometrySpec g;
    g.shape = shape;
    g.X_BG.p = p;
    g.color[3] = alpha;
    g.collides = false;
    spec.world_geometries.push_back(g);
  };
  add_world(make_half_space(), {0, 0, -3}, 1);
  add_world(make_box({1, 1, 0.1}), {0, 0, -1}, 0);  // not to be seen
  const RigidTransform down{to_matrix(exp_map({std::numbers::pi, 0, 0})), {0, 0, 0.05}};
  const std::string body = spec.bodies[0].name;
  spec.systems = {make_system<RangeFinder>("down", body, down),
                  make_system<RangeFinder>("up", body)};
  Evaluation e(spec);
  e.state.q = {0.25};
  EXPECT_NEAR(e.output("down", 0)[0], 3 + 0.25 + 0.05, 1e-12);
  EXPECT_EQ(e.output("up", 0)[0], -1);
  // A ball for the eye alone, on the way.
  add_world(make_sphere(0.5), {0, 0, -1}, 1);
  Evaluation with_ball(spec);
  with_ball.state.q = {0.25};
  EXPECT_NEAR(with_ball.output("down", 0)[0], 0.25 + 0.05 + 0.5, 1e-12);
}

}  // namespace
}  // namespace cenic

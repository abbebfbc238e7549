// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Forces on bodies against closed forms and energies.
#include <cmath>
#include <numbers>

#include "systems/library_worlds.h"

namespace cenic {
namespace {

const SpringDamperParameters kSpring{.a = "lower",
                                     .b = "ball",
                                     .p_AP = {0.1, 0.2, 0.05},
                                     .p_BQ = {0.03, 0, 0.1},
                                     .rest_length = 0.3,
                                     .stiffness = 50};

double calc_length(const Model& model, const State& state) {
  const Kinematics kin = calc_kinematics(model, state);
  return norm(kin.X_WB[model.bodies[2].link] * kSpring.p_BQ -
              kin.X_WB[model.bodies[1].link] * kSpring.p_AP);
}

// The state with everything moved by h along its velocities.
State move(const Model& model, State state, double h) {
  integrate_positions(model, state.q, state.v, h, RotationUpdate::kExponential, state.q);
  return state;
}

State make_motion(const Model& model) {
  State state = make_state(model, {0.4, -0.7}, {0.5, -0.3});
  for (int i = 2; i < model.nv; ++i) {
    state.v[i] = 0.3 * i - 1;
  }
  return state;
}

// What the spring takes from the motion is what its energy gains, what the damper takes is d l̇².
TEST(SpringDamper, PowerIsThatOfItsLength) {
  const double h = 1e-6;
  for (const double damping : {0.0, 7.0}) {
    ModelSpec spec = make_arm_and_ball();
    SpringDamperParameters spring = kSpring;
    spring.damping = damping;
    spec.systems = {make_system<SpringDamper>("spring", spring)};
    Evaluation e(spec);
    for (int i = 0; i < e.model->nv; ++i) {
      e.state = make_motion(*e.model);
      if (damping == 0) {  // each generalised force by itself
        std::ranges::fill(e.state.v, 0.0);
        e.state.v[i] = 1;
      }
      const double length = calc_length(*e.model, e.state);
      const double rate = (calc_length(*e.model, move(*e.model, e.state, h)) -
                           calc_length(*e.model, move(*e.model, e.state, -h))) /
                          (2 * h);
      const std::vector<double> tau = e.forces();
      double power = 0;
      for (int k = 0; k < e.model->nv; ++k) {
        power += tau[k] * e.state.v[k];
      }
      EXPECT_NEAR(power, -(50 * (length - 0.3) + damping * rate) * rate, 1e-7);
    }
  }
}

TEST(SpringDamper, OscillatesInClosedForm) {
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_free_body("ball", make_test_geometry("ball", make_sphere(0.1)), {1.5, 0, 0})};
  const double mass = 1000 * 4.0 / 3 * std::numbers::pi * 1e-3, w = 5, zeta = 0.1;
  spec.systems = {
      make_system<SpringDamper>("spring", SpringDamperParameters{.a = "ball",
                                                                 .rest_length = 1,
                                                                 .stiffness = mass * w * w,
                                                                 .damping = 2 * zeta * mass * w})};
  Simulator sim = make_simulator(spec, 1e-8);
  sim.advance_to(1);
  const double wd = w * std::sqrt(1 - zeta * zeta);
  const double x = 1 + 0.5 * std::exp(-zeta * w) * (std::cos(wd) + zeta * w / wd * std::sin(wd));
  EXPECT_NEAR(sim.state().q[4], x, 1e-5);
  EXPECT_NEAR(sim.state().q[5], 0, 1e-9);
}

TEST(SpringDamper, ZeroLengthIsNoFault) {
  ModelSpec spec = make_arm_and_ball();
  spec.systems = {make_system<SpringDamper>(
      "spring",
      SpringDamperParameters{.a = "ball", .p_BQ = {1, 1, 1}, .rest_length = 0.5, .stiffness = 10})};
  Evaluation e(spec);
  EXPECT_NEAR(std::abs(e.forces()[2 + 3]), 5, 1e-12);
  EXPECT_TRUE(e.evaluator.linearize(0));
}

TEST(BodyForce, PushesAlongTheAxesItSays) {
  const Vec3 force{4, 5, 6}, torque{1, 2, 3}, p_BP{0.1, 0.2, 0.3};
  const Quat turn = exp_map({0.3, 0.8, -0.4});
  const Mat3 R = to_matrix(turn);
  for (const bool body_axes : {false, true}) {
    ModelSpec spec = make_arm_and_ball();
    spec.systems = {make_system<BodyForce>(
        "push", BodyForceParameters{
                    .body = "ball", .p_BP = p_BP, .F = {torque, force}, .body_axes = body_axes})};
    Evaluation e(spec);
    double* q = &e.state.q[2];
    q[0] = turn.w, q[1] = turn.x, q[2] = turn.y, q[3] = turn.z;
    const std::vector<double> tau = e.forces();
    const Vec3 f = body_axes ? R * force : force;
    const Vec3 t = (body_axes ? R * torque : torque) + cross(R * p_BP, f);
    EXPECT_LT(norm(Vec3{tau[2], tau[3], tau[4]} - t), 1e-12);
    EXPECT_LT(norm(Vec3{tau[5], tau[6], tau[7]} - f), 1e-12);
  }
}

// ∫∫ sin(ωt)/m
TEST(BodyForce, FollowsItsScript) {
  ModelSpec spec = make_slider(2, {.axis = {1, 0, 0}});
  const double w = 3;
  spec.systems = {make_system<BodyForce>(
      "push", BodyForceParameters{.body = "slider", .script = [w](double t) {
                                    return Spatial{{}, {std::sin(w * t), 0, 0}};
                                  }})};
  Simulator sim = make_simulator(spec, 1e-8);
  sim.advance_to(1);
  EXPECT_NEAR(sim.state().q[0], (1 / w - std::sin(w) / (w * w)) / 2, 1e-6);
}

}  // namespace
}  // namespace cenic

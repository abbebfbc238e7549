// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// States between the ends of a step, against closed forms.
#include "recording/dense_output.h"

#include <cmath>

#include <gtest/gtest.h>

#include "multibody/multibody.h"
#include "physics/worlds.h"

namespace cenic {
namespace {

// A free body that tumbles: R = Rz(a t) Rx(b t), with its origin on a curve.
State make_tumble(const Model& model, double t) {
  constexpr double a = 1.3, b = 2.1;
  const Quat r = exp_map(Vec3{0, 0, a * t}) * exp_map(Vec3{b * t, 0, 0});
  const Vec3 w = Vec3{0, 0, a} + b * Vec3{std::cos(a * t), std::sin(a * t), 0};
  State state = make_initial_state(model);
  state.t = t;
  state.q = {r.w, r.x, r.y, r.z, std::cos(t), std::sin(2 * t), std::exp(0.3 * t)};
  state.v = {w.x, w.y, w.z, -std::sin(t), 2 * std::cos(2 * t), 0.3 * std::exp(0.3 * t)};
  return state;
}

struct Errors {
  double q = 0, v = 0, energy = 0;
};

// Largest over a step of size h, at nine times in it.
Errors measure(const Model& model, double h) {
  DenseOutput dense(model, nullptr);
  const State before = make_tumble(model, 0.7), after = make_tumble(model, 0.7 + h);
  State state;
  Errors errors;
  for (int i = 1; i < 10; ++i) {
    const double t = 0.7 + 0.1 * i * h;
    dense.interpolate(before, after, {}, t, &state);
    const State exact = make_tumble(model, t);
    std::vector<double> difference(model.nv);
    calc_position_difference(model, exact.q, state.q, difference);
    for (int k = 0; k < model.nv; ++k) {
      errors.q = std::max(errors.q, std::abs(difference[k]));
      errors.v = std::max(errors.v, std::abs(state.v[k] - exact.v[k]));
    }
  }
  return errors;
}

std::shared_ptr<const Model> make_body() {
  ModelSpec spec;
  spec.bodies = {make_free_body("body", make_test_geometry("g", make_sphere(0.1)), {})};
  return compile(spec);
}

TEST(DenseOutput, CoordinatesAreOfFourthOrderRotationsIncluded) {
  const auto model = make_body();
  const Errors coarse = measure(*model, 0.1), fine = measure(*model, 0.05);
  EXPECT_LT(fine.q, 1e-6);
  EXPECT_NEAR(std::log2(coarse.q / fine.q), 4, 0.3);
  EXPECT_GT(std::log2(coarse.v / fine.v), 1.8);
  EXPECT_LT(fine.v, 3e-3);
}

TEST(DenseOutput, EndsAreExact) {
  const auto model = make_body();
  DenseOutput dense(*model, nullptr);
  const State before = make_tumble(*model, 0), after = make_tumble(*model, 0.2);
  State state;
  dense.interpolate(before, after, {}, 0, &state);
  EXPECT_EQ(state.q, before.q);
  EXPECT_EQ(state.v, before.v);
  dense.interpolate(before, after, {}, 0.2, &state);
  EXPECT_EQ(state.q, after.q);
  EXPECT_EQ(state.v, after.v);
}

// It falls to the ground and stops there within the step.
TEST(DenseOutput, NothingDipsThroughWhatItHit) {
  const auto model = make_body();
  DenseOutput dense(*model, nullptr);
  State before = make_initial_state(*model), after = before, state;
  before.q[6] = 0.001;
  before.v[5] = -3;
  after.t = 0.01;
  for (int i = 1; i < 20; ++i) {
    dense.interpolate(before, after, {}, 0.0005 * i, &state);
    EXPECT_GE(state.q[6], 0);
    EXPECT_LE(state.q[6], 0.001);
  }
}

// The same scene at a tight accuracy is the reference for it at a loose one, at times between its
// steps: what lies between steps is as good as what the steps give. Velocities are the slopes of
// the coordinates, one order less; the energy shows where they do not fit.
class BetweenSteps : public testing::TestWithParam<std::pair<const char*, double>> {};

TEST_P(BetweenSteps, IsAsAccurateAsTheSteps) {
  const auto [scene, accuracy] = GetParam();
  const auto model = compile(make_scene(scene));
  Simulator sim(model, {.accuracy = accuracy}), reference(model, {.accuracy = 1e-8});
  DenseOutput dense(*model, &sim.measurements());
  Kinematics kin;
  kin.resize(*model);
  const auto find_energy = [&](const State& x) {
    update_positions(*model, x.q, &kin);
    update_velocities(*model, x.v, &kin);
    const Energy energy = calc_energy(*model, kin, x.q, x.v);
    return energy.kinetic + energy.potential;
  };
  std::vector<double> difference(model->nv);
  const auto compare = [&](const State& x, Errors* errors) {
    reference.advance_to(x.t);
    const State& exact = reference.state();
    calc_position_difference(*model, exact.q, x.q, difference);
    for (int i = 0; i < model->nv; ++i) {
      errors->q = std::max(errors->q, std::abs(difference[i]));
      errors->v = std::max(errors->v, std::abs(x.v[i] - exact.v[i]));
    }
    errors->energy = std::max(errors->energy, std::abs(find_energy(x) - find_energy(exact)));
  };
  Errors at_steps, between;
  sim.set_monitor([&](const StepEvent& event) {
    State state;
    for (const double s : {0.1, 0.25, 0.5, 0.75, 0.9}) {
      const double t = event.before.t + s * (event.after.t - event.before.t);
      dense.interpolate(event.before, event.after, event.path, t, &state);
      compare(state, &between);
    }
    compare(event.after, &at_steps);
  });
  sim.advance_to(1);
  EXPECT_GT(at_steps.q, 1e-7);
  EXPECT_LT(between.q, 1.2 * at_steps.q);
  EXPECT_LT(between.v, 5 * at_steps.v);
  EXPECT_LT(between.energy, 4 * at_steps.energy);
}

// The top turns more than once in a step, and a rotation alone does not tell how often.
INSTANTIATE_TEST_SUITE_P(DenseOutput, BetweenSteps,
                         testing::Values(std::pair("double_pendulum", 1e-3),
                                         std::pair("double_pendulum", 1e-4),
                                         std::pair("chain", 1e-3), std::pair("four_bar", 1e-4),
                                         std::pair("quadruped", 1e-4),
                                         std::pair("spinning_top", 1e-2),
                                         std::pair("spinning_top", 1e-3)));

// States of external systems: x' = −x/τ from a filter, by their rates.
TEST(DenseOutput, StatesOfSystemsFollowTheirRates) {
  Simulator sim = make_simulator(make_scene("pid_pendulum"), 1e-3);
  DenseOutput dense(sim.model(), &sim.measurements());
  Simulator reference = make_simulator(make_scene("pid_pendulum"), 1e-8);
  double worst = 0, at_steps = 0;
  State state;
  sim.set_monitor([&](const StepEvent& event) {
    const double t = 0.5 * (event.before.t + event.after.t);
    dense.interpolate(event.before, event.after, event.path, t, &state);
    reference.advance_to(t);
    for (std::size_t i = 0; i < state.z.size(); ++i) {
      worst = std::max(worst, std::abs(state.z[i] - reference.state().z[i]));
    }
    reference.advance_to(event.after.t);
    for (std::size_t i = 0; i < state.z.size(); ++i) {
      at_steps = std::max(at_steps, std::abs(event.after.z[i] - reference.state().z[i]));
    }
  });
  sim.advance_to(1);
  ASSERT_GT(sim.state().z.size(), 0u);
  EXPECT_LT(worst, 2 * at_steps);
}

// Trees that took shorter steps are, at the ends of these, where the steps left them.
TEST(DenseOutput, GoesThroughTheEndsOfLocalSteps) {
  Simulator sim(compile(make_scene("clutter", {{"count", 60}})), {});
  const Model& model = sim.model();
  DenseOutput dense(model, &sim.measurements());
  State state;
  double worst = 0, moved = 0;
  long knots = 0;
  sim.set_monitor([&](const StepEvent& event) {
    for (const LocalPath::Knot& knot : event.path.knots) {
      EXPECT_GT(knot.t, event.before.t);
      EXPECT_LT(knot.t, event.after.t);
      const Tree& tree = model.trees[knot.tree];
      for (const bool followed : {true, false}) {
        dense.interpolate(event.before, event.after, followed ? event.path : LocalPath{}, knot.t,
                          &state);
        for (int i = 0; i < tree.nq; ++i) {
          const double d = std::abs(state.q[tree.q_start + i] - event.path.q[knot.q + i]);
          (followed ? worst : moved) = std::max(followed ? worst : moved, d);
        }
      }
      ++knots;
    }
  });
  sim.advance_to(0.6);
  EXPECT_GT(knots, 20);
  EXPECT_LT(worst, 1e-12);
  EXPECT_GT(moved, 1e-3) << "a cubic over the whole step would do as well";
}

}  // namespace
}  // namespace cenic

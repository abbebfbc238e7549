// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// States between the ends of a step, against closed forms.
#include "recording/dense_output.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

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

// Its acceleration.
StateRate make_tumble_rate(double t) {
  constexpr double a = 1.3, b = 2.1;
  const Vec3 wdot = a * b * Vec3{-std::sin(a * t), std::cos(a * t), 0};
  return {
      .v = {wdot.x, wdot.y, wdot.z, -std::cos(t), -4 * std::sin(2 * t), 0.09 * std::exp(0.3 * t)},
      .z = {}};
}

StepPath make_tumble_path(double t0, double t1) {
  StepPath path;
  path.start = make_tumble_rate(t0);
  path.end = make_tumble_rate(t1);
  return path;
}

struct Errors {
  double q = 0, v = 0;
};

// Largest over a step of size h, at nine times in it.
Errors measure(const Model& model, double h) {
  DenseOutput dense(model, nullptr);
  const State before = make_tumble(model, 0.7), after = make_tumble(model, 0.7 + h);
  const StepPath path = make_tumble_path(0.7, 0.7 + h);
  State state;
  Errors errors;
  for (int i = 1; i < 10; ++i) {
    const double t = 0.7 + 0.1 * i * h;
    dense.interpolate(before, after, path, t, &state);
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

TEST(DenseOutput, IsOfFourthOrderRotationsIncluded) {
  const auto model = make_body();
  const Errors coarse = measure(*model, 0.1), fine = measure(*model, 0.05);
  EXPECT_LT(fine.q, 1e-6);
  EXPECT_NEAR(std::log2(coarse.q / fine.q), 4, 0.3);
  EXPECT_LT(fine.v, 1e-6);
  EXPECT_NEAR(std::log2(coarse.v / fine.v), 4, 0.3);
}

TEST(DenseOutput, EndsAreExact) {
  const auto model = make_body();
  DenseOutput dense(*model, nullptr);
  const State before = make_tumble(*model, 0), after = make_tumble(*model, 0.2);
  const StepPath path = make_tumble_path(0, 0.2);
  State state;
  dense.interpolate(before, after, path, 0, &state);
  EXPECT_EQ(state.q, before.q);
  EXPECT_EQ(state.v, before.v);
  dense.interpolate(before, after, path, 0.2, &state);
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
  // The first of two parts of the step stops it.
  StepPath path;
  path.start.v = {0, 0, 0, 0, 0, 600};
  path.end.v.assign(6, 0.0);
  for (int i = 1; i < 20; ++i) {
    dense.interpolate(before, after, path, 0.0005 * i, &state);
    EXPECT_GE(state.q[6], 0);
    EXPECT_LE(state.q[6], 0.001);
    EXPECT_LE(state.v[5], 0);
    EXPECT_GE(state.v[5], -3);
  }
}

// The worst of several errors and their root mean square.
struct Error {
  double worst = 0, squares = 0;
  int count = 0;
  void add(double error) {
    worst = std::max(worst, error);
    squares += error * error;
    ++count;
  }
  double rms() const { return std::sqrt(squares / count); }
};

// The same scene at a tight accuracy is the reference for it at a loose one, at times between its
// steps: what lies between steps is as good as what the steps give.
struct Case {
  const char *scene, *integrator;
  double accuracy;
};

// A ball on a taut rope: its velocity is bound along a direction that turns.
ModelSpec make_rope() {
  ModelSpec spec;
  spec.bodies = {make_free_body("ball", make_test_geometry("ball", make_sphere(0.05)), {1, 0, 0})};
  spec.tendons = {{.name = "rope",
                   .branches = {PathBranch{.points = {{"world", {}}, {"ball", {}}}}},
                   .upper = 1}};
  return spec;
}

class BetweenSteps : public testing::TestWithParam<Case> {};

TEST_P(BetweenSteps, IsAsAccurateAsTheSteps) {
  const auto [scene, integrator, accuracy] = GetParam();
  const auto model = compile(scene == std::string("rope") ? make_rope() : make_scene(scene));
  IntegratorOptions options = make_integrator_options(integrator);
  options.accuracy = accuracy;
  Simulator sim(model, options), reference(model, {.accuracy = 1e-8});
  DenseOutput dense(*model, &sim.measurements());
  Kinematics kin;
  kin.resize(*model);
  const auto find_energy = [&](const State& x) {
    update_positions(*model, x.q, &kin);
    update_velocities(*model, x.v, &kin);
    const Energy energy = calc_energy(*model, kin, x.q, x.v);
    return energy.kinetic + energy.potential;
  };
  struct StateErrors {
    Error q, v, z, energy;
  };
  const auto find_largest = [](std::span<const double> x) {
    double largest = 0;
    for (const double e : x) {
      largest = std::max(largest, std::abs(e));
    }
    return largest;
  };
  const auto subtract = [](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> difference(a.size());
    std::ranges::transform(a, b, difference.begin(), std::minus());
    return difference;
  };
  std::vector<double> displacement(model->nv);
  const auto compare = [&](const State& x, StateErrors* errors) {
    reference.advance_to(x.t);
    const State& exact = reference.state();
    calc_position_difference(*model, exact.q, x.q, displacement);
    errors->q.add(find_largest(displacement));
    errors->v.add(find_largest(subtract(x.v, exact.v)));
    errors->z.add(find_largest(subtract(x.z, exact.z)));
    errors->energy.add(std::abs(find_energy(x) - find_energy(exact)));
  };
  StateErrors at_steps, between;
  StepPath path;
  sim.set_monitor([&](const StepEvent& event) {
    sim.report_path(event, &path);
    State state;
    for (const double s : {0.1, 0.25, 0.5, 0.75, 0.9}) {
      const double t = event.before.t + s * (event.after.t - event.before.t);
      dense.interpolate(event.before, event.after, path, t, &state);
      compare(state, &between);
    }
    compare(event.after, &at_steps);
  });
  sim.advance_to(1);
  EXPECT_GT(at_steps.q.worst, 1e-7);
  for (Error StateErrors::*x : {&StateErrors::q, &StateErrors::v, &StateErrors::z}) {
    EXPECT_LE((between.*x).worst, 1.6 * (at_steps.*x).worst);
    EXPECT_LE((between.*x).rms(), 1.2 * (at_steps.*x).rms());
  }
  // The energy feels all errors at once, and how they fit.
  EXPECT_LE(between.energy.worst, 4 * at_steps.energy.worst);
}

// The top turns more than once in a step, and a rotation alone does not tell how often;
// pid_pendulum has a filter; constraints bind the four-bar; contact carries the quadruped.
// Baselines that change velocities evenly are of second order, or first.
INSTANTIATE_TEST_SUITE_P(
    DenseOutput, BetweenSteps,
    testing::Values(Case{"double_pendulum", "cenic", 1e-3}, Case{"double_pendulum", "cenic", 1e-4},
                    Case{"double_pendulum", "cenic-paper", 1e-3},
                    Case{"double_pendulum", "rk3", 1e-3}, Case{"double_pendulum", "sdirk2", 1e-3},
                    Case{"double_pendulum", "ros2", 1e-3}, Case{"rope", "cenic", 1e-3},
                    Case{"double_pendulum", "implicit-euler", 1e-2}, Case{"chain", "cenic", 1e-3},
                    Case{"four_bar", "cenic", 1e-3}, Case{"four_bar", "cenic", 1e-4},
                    Case{"closed_chain", "cenic", 1e-3}, Case{"pid_pendulum", "cenic", 1e-3},
                    Case{"pid_pendulum", "cenic", 1e-4}, Case{"pid_pendulum", "cenic-paper", 1e-3},
                    Case{"cart_pole", "cenic", 1e-3}, Case{"bouncing_ball", "cenic", 1e-3},
                    Case{"bouncing_ball", "cenic", 1e-4}, Case{"quadruped", "cenic", 1e-3},
                    Case{"quadruped", "cenic", 1e-4}, Case{"spinning_top", "cenic", 1e-2},
                    Case{"spinning_top", "cenic", 1e-3}));

// What lies still lies still in between, also where the residue of the last step, times a
// stiffness, would be a large acceleration.
TEST(DenseOutput, NothingMovesThatIsStill) {
  for (const char* integrator : {"cenic", "cenic-paper", "implicit-euler", "sdirk2", "ros2"}) {
    ModelSpec spec;
    spec.world_geometries = {make_test_geometry("floor", make_half_space(), 1e6)};
    spec.bodies = {make_free_body("box", make_test_geometry("box", make_box({0.1, 0.1, 0.1}), 1e6),
                                  {0, 0, 0.1})};
    Simulator sim = make_simulator(spec, 1e-3, integrator);
    DenseOutput dense(sim.model(), &sim.measurements());
    State state;
    StepPath path;
    double at_steps = 0, between = 0;
    const auto find_largest = [](const std::vector<double>& x, double largest) {
      for (const double e : x) {
        largest = std::max(largest, std::abs(e));
      }
      return largest;
    };
    sim.advance_to(1.5);
    sim.set_monitor([&](const StepEvent& event) {
      sim.report_path(event, &path);
      for (const double s : {0.1, 0.3, 0.5, 0.7, 0.9}) {
        const double t = event.before.t + s * (event.after.t - event.before.t);
        dense.interpolate(event.before, event.after, path, t, &state);
        between = find_largest(state.v, between);
      }
      at_steps = find_largest(event.before.v, find_largest(event.after.v, at_steps));
    });
    sim.advance_to(2.5);
    EXPECT_LT(at_steps, 1e-3) << integrator;
    EXPECT_LT(between, 2 * at_steps + 1e-6) << integrator;
  }
}

// Trees that took shorter steps are, at the ends of these, where the steps left them.
TEST(DenseOutput, GoesThroughTheEndsOfLocalSteps) {
  Simulator sim(compile(make_scene("clutter", {{"count", 60}})), {});
  const Model& model = sim.model();
  DenseOutput dense(model, &sim.measurements());
  State state;
  double worst = 0, moved = 0;
  long knots = 0;
  StepPath path;
  sim.set_monitor([&](const StepEvent& event) {
    sim.report_path(event, &path);
    StepPath whole = path;
    whole.knots.clear();
    for (const StepPath::Knot& knot : path.knots) {
      EXPECT_GT(knot.t, event.before.t);
      EXPECT_LT(knot.t, event.after.t);
      const Tree& tree = model.trees[knot.tree];
      for (const bool followed : {true, false}) {
        dense.interpolate(event.before, event.after, followed ? path : whole, knot.t, &state);
        for (int i = 0; i < tree.nq; ++i) {
          const double d = std::abs(state.q[tree.q_start + i] - path.q[knot.q + i]);
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

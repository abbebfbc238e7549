// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The general-purpose methods: orders, agreement with the convex step, error control, bad use.
#include "integrators/baselines/baselines.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "integrators/baseline_worlds.h"
#include "integrators/integrator.h"
#include "scenes/scenes.h"

namespace cenic {
namespace {

const std::vector<std::string> kFixedStepMethods{"rk3", "implicit-euler", "sdirk2", "ros2"};

// A ball on a soft floor, always in contact: it bobs, slips and begins to roll. All forces are
// smooth.
ModelSpec make_soft_ball() {
  ModelSpec spec;
  spec.stiction_velocity = 0.1;
  const Material material{
      .stiffness = 2e3, .dissipation = 2, .static_friction = 0.5, .dynamic_friction = 0.3};
  spec.world_geometries = {{.name = "floor", .shape = make_half_space(), .material = material}};
  BodySpec ball;
  ball.name = "ball";
  ball.X_PB = RigidTransform::translation({0, 0, 0.094});
  ball.inertia = InertiaSpec{0.5, {}, Mat3::diagonal({0.002, 0.002, 0.002})};
  ball.joints = {
      {.name = "free", .kind = JointKind::kFree, .velocity = {1.0, -2.0, 3.0, 1.0, 0.2, 0.0}}};
  ball.geometries = {{.name = "ball", .shape = make_sphere(0.1), .material = material}};
  spec.bodies = {ball};
  return spec;
}

State run(const std::shared_ptr<const Model>& model, const IntegratorOptions& options, double end) {
  const auto integrator = make_integrator(model, options);
  State state = make_initial_state(*model);
  while (state.t < end) {
    if (integrator->step(&state, end).status != StepStatus::kAccepted) {
      ADD_FAILURE() << options.name << " failed at t = " << state.t;
      break;
    }
  }
  return state;
}

IntegratorOptions make_options(const std::string& name, double accuracy) {
  IntegratorOptions options = make_integrator_options(name);
  options.accuracy = accuracy;
  return options;
}

State run_fixed(const ModelSpec& spec, const std::string& name, double step, double end) {
  IntegratorOptions options = make_integrator_options(name);
  options.fixed_step = step;
  return run(compile(spec), options, end);
}

State run_controlled(const ModelSpec& spec, const std::string& name, double accuracy, double end) {
  return run(compile(spec), make_options(name, accuracy), end);
}

// Largest difference of two states in any coordinate (rotations as rotation vectors) and velocity.
double calc_distance(const Model& model, const State& a, const State& b) {
  std::vector<double> d(model.nv);
  calc_position_difference(model, a.q, b.q, d);
  double largest = 0;
  for (int i = 0; i < model.nv; ++i) {
    largest = std::max({largest, std::abs(d[i]), std::abs(a.v[i] - b.v[i])});
  }
  return largest;
}

class Smooth : public testing::TestWithParam<std::string> {
 protected:
  ModelSpec make() const {
    if (GetParam() == "double_pendulum") return make_scene("double_pendulum");
    return GetParam() == "tumbling_body" ? make_tumbling_body() : make_soft_ball();
  }
};
INSTANTIATE_TEST_SUITE_P(Baselines, Smooth,
                         testing::Values("double_pendulum", "tumbling_body", "soft_ball"),
                         [](const auto& scene) {
                           return scene.param;
                         });

TEST_P(Smooth, OrderWithFixedSteps) {
  const ModelSpec spec = make();
  const auto model = compile(spec);
  const double end = 0.32;
  const State reference = run_fixed(spec, "rk3", end / 20000, end);
  const std::map<std::string, double> order{
      {"rk3", 3}, {"implicit-euler", 1}, {"sdirk2", 2}, {"ros2", 2}};
  for (const std::string& name : kFixedStepMethods) {
    std::vector<double> errors;
    for (const int steps : {160, 320, 640}) {
      errors.push_back(calc_distance(*model, run_fixed(spec, name, end / steps, end), reference));
    }
    for (std::size_t i = 1; i < errors.size(); ++i) {
      EXPECT_NEAR(std::log2(errors[i - 1] / errors[i]), order.at(name), 0.2)
          << name << " errors " << errors[i - 1] << " " << errors[i];
    }
  }
}

TEST_P(Smooth, AchievedErrorFallsWithTheAccuracy) {
  const ModelSpec spec = make();
  const auto model = compile(spec);
  const double end = 0.5;
  const State reference = run_fixed(spec, "rk3", end / 20000, end);
  for (const std::string& name : baseline_names()) {
    double last = INFINITY;
    for (const double accuracy : {1e-3, 1e-5, 1e-7}) {
      const double error =
          calc_distance(*model, run_controlled(spec, name, accuracy, end), reference);
      EXPECT_LT(error, 0.3 * last) << name << " " << accuracy;
      last = error;
    }
    // Of first order, a local error of 1e-7 sums up to its root.
    EXPECT_LT(last, name == "implicit-euler" ? 5e-2 : 1e-4) << name;
  }
}

TEST(Baselines, TheConvexStepConvergesToTheSameSolution) {
  const ModelSpec spec = make_soft_ball();
  const auto model = compile(spec);
  const State a = run_controlled(spec, "cenic", 1e-7, 0.5);
  const State b = run_controlled(spec, "rk3", 1e-9, 0.5);
  EXPECT_LT(calc_distance(*model, a, b), 2e-5);
}

TEST(Baselines, StiffContactIsTheSameForAll) {
  // A hard ball that lands and slips: implicit and explicit methods meet.
  ModelSpec spec = make_soft_ball();
  spec.stiction_velocity = 1e-2;
  for (GeometrySpec* g : {&spec.world_geometries[0], &spec.bodies[0].geometries[0]}) {
    g->material.stiffness = 2e5;
    g->material.dissipation = 5;
  }
  spec.bodies[0].X_PB.p.z = 0.102;
  const auto model = compile(spec);
  const State reference = run_fixed(spec, "rk3", 1e-6, 0.1);
  for (const std::string& name : baseline_names()) {
    for (const ErrorNorm norm : {ErrorNorm::kPosition, ErrorNorm::kState}) {
      IntegratorOptions options = make_options(name, name == "implicit-euler" ? 1e-8 : 1e-6);
      options.error_norm = norm;
      // In the position norm a velocity may be wrong by accuracy/h after the landing.
      const double bound = norm == ErrorNorm::kState ? 1e-2 : 5e-2;
      EXPECT_LT(calc_distance(*model, run(model, options, 0.1), reference), bound) << name;
    }
  }
  EXPECT_LT(calc_distance(*model, run(model, make_options("cenic", 1e-8), 0.1), reference), 2e-3);
}

TEST(Baselines, ABallRestsOnItsSpringAndReportsItsWeight) {
  ModelSpec spec = make_soft_ball();
  spec.bodies[0].joints[0].velocity.clear();
  for (const std::string& name : baseline_names()) {
    const auto model = compile(spec);
    const auto integrator = make_integrator(model, make_options(name, 1e-5));
    State state = make_initial_state(*model);
    while (state.t < 5) {
      ASSERT_EQ(integrator->step(&state, 5).status, StepStatus::kAccepted) << name;
    }
    EXPECT_NEAR(state.q[6], 0.1 - 0.5 * 9.81 / 1e3, 1e-4) << name;
    std::vector<ContactReport> reports;
    integrator->report_contacts(&reports);
    ASSERT_EQ(reports.size(), 1U) << name;
    const double sign = reports[0].point.link_b >= 0 ? 1 : -1;
    EXPECT_NEAR(sign * reports[0].force_B_W.z, 0.5 * 9.81, 0.05) << name;
    const IntegratorStatistics& s = integrator->statistics();
    EXPECT_GT(s.geometry_queries, s.steps) << name;
    EXPECT_EQ(s.contacts_max, 1) << name;
    EXPECT_NEAR(s.initial_penetration, 0.006, 1e-12) << name;
    EXPECT_GT(s.max_penetration, 0.004) << name;
  }
}

TEST(Baselines, ABeltCarriesAlongWhatLiesOnIt) {
  ModelSpec spec = make_soft_ball();
  spec.bodies[0].joints[0].velocity.clear();
  Model model = *compile(spec);
  model.geometries[0].surface_velocity = [](double) {
    return Vec3{0.5, 0, 0.3};  // the part out of the surface does nothing
  };
  for (const std::string& name : baseline_names()) {
    const State state = run(std::make_shared<Model>(model), make_options(name, 1e-6), 3);
    // Friction turns and pushes the ball, m v r = −I w, until it rolls, v + r w = u.
    const double I = 0.002, mr2 = 0.5 * 0.1 * 0.1;
    EXPECT_NEAR(state.v[3], 0.5 * I / (I + mr2), 1e-2) << name;
    EXPECT_NEAR(state.v[5], 0, 1e-3) << name;
  }
}

TEST(Baselines, LandOnTimesAndContinueAfterAChangeOfState) {
  const ModelSpec spec = make_soft_ball();
  const auto model = compile(spec);
  for (const std::string& name : baseline_names()) {
    const auto integrator = make_integrator(model, make_options(name, 1e-6));
    State state = make_initial_state(*model);
    for (int i = 1; i <= 20; ++i) {
      const double t = 0.01 * i;
      while (state.t < t) {
        ASSERT_EQ(integrator->step(&state, t).status, StepStatus::kAccepted);
      }
      EXPECT_EQ(state.t, t) << name;
    }
    EXPECT_LT(calc_distance(*model, state, run_controlled(spec, name, 1e-6, 0.2)),
              name == "implicit-euler" ? 2e-2 : 1e-3)
        << name;
    // Thrown back to the start it does the same as before.
    state = make_initial_state(*model);
    integrator->restart();
    while (state.t < 0.2) {
      ASSERT_EQ(integrator->step(&state, 0.2).status, StepStatus::kAccepted);
    }
    EXPECT_LT(calc_distance(*model, state, run_controlled(spec, name, 1e-6, 0.2)),
              name == "implicit-euler" ? 2e-2 : 1e-3)
        << name;
  }
}

TEST(Baselines, NumbersThatAreNotFiniteFailAStepAndNothingElse) {
  // A fixed step far beyond what the spring of the contact allows an explicit method.
  ModelSpec hard = make_scene("hard_clutter");
  const auto model = compile(hard);
  for (const std::string& name : kFixedStepMethods) {
    IntegratorOptions options = make_integrator_options(name);
    options.fixed_step = 0.1;
    const auto integrator = make_integrator(model, options);
    State state = make_initial_state(*model);
    StepResult result;
    for (int i = 0; i < 200 && result.status == StepStatus::kAccepted; ++i) {
      const State before = state;
      result = integrator->step(&state, 1e3);
      for (const double x : state.q) {
        ASSERT_TRUE(std::isfinite(x)) << name;
      }
      EXPECT_TRUE(result.status == StepStatus::kAccepted || state.q == before.q);
    }
  }
  // A state that is not finite never converges and never ends in an endless loop.
  for (const std::string& name : baseline_names()) {
    const auto integrator = make_integrator(model, make_integrator_options(name));
    State state = make_initial_state(*model);
    state.v[3] = std::numeric_limits<double>::quiet_NaN();
    const StepResult result = integrator->step(&state, 1);
    EXPECT_EQ(result.status, StepStatus::kTooSmall) << name;
    EXPECT_EQ(result.solve, SolveStatus::kNotFinite) << name;
    EXPECT_EQ(result.velocity, 3) << name;
  }
}

TEST(Baselines, WorldsWithNothingInThemAndNothingThatMoves) {
  ModelSpec fixed = make_scene("box_stack");
  for (BodySpec& body : fixed.bodies) {
    body.joints.clear();
  }
  for (const ModelSpec& spec : {ModelSpec{}, fixed}) {
    for (const std::string& name : baseline_names()) {
      EXPECT_EQ(run_controlled(spec, name, 1e-3, 1).t, 1) << name;
    }
  }
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(Baselines, BadUseIsNamed) {
  const std::string unknown = message_of([] {
    make_integrator_options("rk4");
  });
  for (const std::string& name : list_integrators()) {
    EXPECT_NE(unknown.find(name), std::string::npos) << unknown;
  }
  Model limited = *compile(make_scene("double_pendulum"));
  limited.limits.push_back({.link = 0, .lower = -1, .upper = 1});
  for (const std::string& name : baseline_names()) {
    EXPECT_EQ(message_of([&] {
                make_integrator(std::make_shared<Model>(limited), make_integrator_options(name));
              }),
              "integrator '" + name +
                  "' knows no joint limits and constraints; use cenic, cenic-paper or "
                  "cenic-trapezoid");
  }
  if (!has_cvode()) {
    EXPECT_NE(message_of([] {
                make_integrator_options("cvode");
              }).find("built without SUNDIALS"),
              std::string::npos);
    return;
  }
  IntegratorOptions options = make_integrator_options("cvode");
  options.fixed_step = 1e-3;
  EXPECT_EQ(message_of([&] {
              make_integrator(compile(make_soft_ball()), options);
            }),
            "cvode chooses its own steps; drop --step");
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// External systems under the general-purpose methods: the same solutions as with cenic, their own
// orders, implicit where they are.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "integrators/baseline_worlds.h"
#include "physics/worlds.h"

namespace cenic {
namespace {

// A law written on the spot.
class Law : public ExternalSystem {
 public:
  using Declare = std::function<void(Ports*)>;
  using Evaluate = std::function<void(const SystemInput&, SystemOutput*)>;
  Law(Declare declare, Evaluate evaluate)
      : declare_(std::move(declare)), evaluate_(std::move(evaluate)) {}
  void declare(Ports* ports) const override { declare_(ports); }
  void evaluate(const SystemInput& in, SystemOutput* out) const override { evaluate_(in, out); }

 private:
  Declare declare_;
  Evaluate evaluate_;
};

SystemSpec make_law(Law::Declare declare, Law::Evaluate evaluate) {
  return {.name = "law", .system = std::make_shared<Law>(std::move(declare), std::move(evaluate))};
}

SystemSpec make_pid(double kp, double ki, double kd) {
  return {.name = "pid",
          .system = std::make_shared<PidControl>(JointTargets{.joints = {"arm_joint"}},
                                                 PidGains{.kp = {kp}, .ki = {ki}, .kd = {kd}})};
}

// A pendulum of 1 kg at the end of a massless rod of 1 m, level at first.
ModelSpec make_arm(const SystemSpec& system) {
  ModelSpec spec;
  JointSpec joint;
  joint.axis = {0, 1, 0};
  joint.X_BF.p = {-1, 0, 0};
  spec.bodies = {make_jointed_body("arm", {1.0, {}, Mat3::diagonal({1e-3, 1e-3, 1e-3})}, joint)};
  spec.systems = {system};
  return spec;
}

// A mass of 2 kg on a rail.
ModelSpec make_driven_slider(const SystemSpec& system) {
  ModelSpec spec = make_slider(2, {});
  spec.systems = {system};
  return spec;
}

// A tumbling body that is braked, pulled back to where it was, and pushed by what it remembers of
// its turning: forces on a body, and states that depend on rotations.
ModelSpec make_pushed_body() {
  ModelSpec spec = make_tumbling_body();
  spec.systems = {make_law(
      [](Ports* ports) {
        ports->push_body("body");
        ports->add_state("turn");
        ports->add_state("lag");
      },
      [](const SystemInput& in, SystemOutput* out) {
        const Spatial& V = in.V_WB(0);
        out->zdot[0] = V.w.x - in.z[0] * in.z[1];
        out->zdot[1] = 5 * (in.X_WB(0).R * Vec3{1, 0, 0}).z - 5 * in.z[1] + std::sin(3 * in.t);
        out->F[0] = {-0.02 * V.w + Vec3{0, 0.05 * in.z[0], 0},
                     -2 * V.v - 8 * in.X_WB(0).p + Vec3{in.z[1], 0, 0}};
      })};
  return spec;
}

State run(Simulator sim, double end) {
  sim.advance_to(end);
  return sim.state();
}

// Largest difference in coordinates (as they are), velocities and states.
double calc_distance(const State& a, const State& b) {
  double largest = 0;
  const auto compare = [&](const std::vector<double>& x, const std::vector<double>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      largest = std::max(largest, std::abs(x[i] - y[i]));
    }
  };
  compare(a.q, b.q), compare(a.v, b.v), compare(a.z, b.z);
  return largest;
}

class SmoothSystem : public testing::TestWithParam<std::string> {
 protected:
  ModelSpec make() const {
    return GetParam() == "pid_arm" ? make_arm(make_pid(80, 60, 5)) : make_pushed_body();
  }
};
INSTANTIATE_TEST_SUITE_P(BaselineSystem, SmoothSystem, testing::Values("pid_arm", "pushed_body"),
                         [](const auto& scene) {
                           return scene.param;
                         });

TEST_P(SmoothSystem, OrderWithFixedSteps) {
  const ModelSpec spec = make();
  const double end = 0.32;
  const State reference = run(make_fixed_step(spec, end / 20000, "rk3"), end);
  const std::map<std::string, double> order{
      {"rk3", 3}, {"implicit-euler", 1}, {"sdirk2", 2}, {"ros2", 2}};
  for (const auto& [name, p] : order) {
    std::vector<double> errors;
    for (const int steps : {160, 320, 640}) {
      errors.push_back(
          calc_distance(run(make_fixed_step(spec, end / steps, name), end), reference));
    }
    for (std::size_t i = 1; i < errors.size(); ++i) {
      EXPECT_NEAR(std::log2(errors[i - 1] / errors[i]), p, 0.2)
          << name << " errors " << errors[i - 1] << " " << errors[i];
    }
  }
}

TEST_P(SmoothSystem, ErrorFallsWithTheAccuracyTowardsCenicsSolution) {
  const ModelSpec spec = make();
  const State reference = run(make_simulator(spec, 1e-11), 0.5);
  for (const std::string& name : baseline_names()) {
    double last = INFINITY;
    for (const double accuracy : {1e-3, 1e-5, 1e-7}) {
      const double error = calc_distance(run(make_simulator(spec, accuracy, name), 0.5), reference);
      EXPECT_LT(error, 0.3 * last) << name << " " << accuracy;
      last = error;
    }
    // Of first order, a local error of 1e-7 sums up to its root.
    EXPECT_LT(last, name == "implicit-euler" ? 5e-2 : 1e-4) << name;
  }
}

long count_steps(const ModelSpec& spec, const std::string& name, double end) {
  Simulator sim = make_simulator(spec, 1e-3, name);
  sim.advance_to(end);
  return sim.statistics().steps + sim.statistics().rejected_steps;
}

// Rates of 1e5/s: rk3 is stable with steps of 2.5e-5 s.
void expect_few_steps(const ModelSpec& spec) {
  EXPECT_GT(count_steps(spec, "rk3", 0.5), 10000);
  for (const std::string& name : baseline_names()) {
    if (name == "rk3") continue;
    EXPECT_LT(count_steps(spec, name, 0.5), 500) << name;
  }
}

TEST(BaselineSystem, StiffGainsCostImplicitMethodsFewSteps) {
  expect_few_steps(make_arm(make_pid(1e6, 1e6, 1e5)));
}

TEST(BaselineSystem, StiffStatesCostImplicitMethodsFewSteps) {
  // A damper whose force comes through a lag of 10 µs.
  expect_few_steps(make_arm(make_law(
      [](Ports* ports) {
        ports->drive_joint("arm_joint");
        ports->add_state("speed");
        ports->add_state("ahead");
      },
      [](const SystemInput& in, SystemOutput* out) {
        out->zdot[0] = 1e5 * (in.v[0] - in.z[0]);
        out->zdot[1] = 1e5 * (in.q[0] + in.z[0] - in.z[1]);
        out->tau[0] = -10 * in.z[0] - 20 * in.z[1];
      })));
}

TEST(BaselineSystem, EffortLimitsHoldExactly) {
  const double limit = 3;
  const PidControl pd({.joints = {"rail"}, .reference = {100.0}, .effort_limits = {limit}},
                      {.kp = {1e4}, .kd = {10}});
  const ModelSpec spec =
      make_driven_slider({.name = "pd", .system = std::make_shared<PidControl>(pd)});
  for (const std::string& name : baseline_names()) {
    Simulator sim = make_simulator(spec, 1e-6, name);
    sim.advance_to(2);
    EXPECT_NEAR(sim.state().v[0], limit / 2 * 2, 1e-9) << name;
    // Euler's coordinates are behind by half a step.
    EXPECT_NEAR(sim.state().q[0], limit / 2 * 2, name == "implicit-euler" ? 1e-2 : 1e-4) << name;
    EXPECT_EQ(sim.efforts()[0], limit) << name;
  }
}

TEST(BaselineSystem, EffortsAreThoseAtTheEndOfTheStep) {
  const ModelSpec spec = make_arm(make_pid(80, 60, 5));
  for (const std::string& name : baseline_names()) {
    Simulator sim = make_simulator(spec, 1e-5, name);
    sim.advance_to(0.3);
    const State& s = sim.state();
    EXPECT_NEAR(sim.efforts()[0], -80 * s.q[0] - 60 * s.z[0] - 5 * s.v[0], 1e-12) << name;
  }
}

std::string failure_of(const ModelSpec& spec, const std::string& name, double* t) {
  Simulator sim = make_simulator(spec, 1e-4, name);
  try {
    sim.advance_to(1);
  } catch (const AccuracyError& e) {
    *t = sim.state().t;
    return e.what();
  }
  return "no failure";
}

TEST(BaselineSystem, NumbersThatAreNotFiniteNameTheSystem) {
  const auto make = [](bool rate, bool from_start) {
    return make_driven_slider(make_law(
        [](Ports* ports) {
          ports->drive_joint("rail");
          ports->add_state("memory");
        },
        [=](const SystemInput& in, SystemOutput* out) {
          out->tau[0] = 2;
          // The root of a negative number after t = 0.5 s, or off the start: in a difference.
          const double bad = std::sqrt(from_start ? -in.q[0] : 0.25 - in.t * in.t);
          (rate ? out->zdot : out->tau)[0] += bad;
        }));
  };
  for (const std::string& name : baseline_names()) {
    for (const bool from_start : {false, true}) {
      double t = -1;
      const std::string effort = failure_of(make(false, from_start), name, &t);
      EXPECT_NE(effort.find("the effort on joint 'rail' of system 'law' is"), std::string::npos)
          << name << ": " << effort;
      EXPECT_NEAR(t, from_start ? 0 : 0.5, 1e-3) << name;
      const std::string rate = failure_of(make(true, from_start), name, &t);
      EXPECT_NE(rate.find("the rate of state 'memory' of system 'law' is"), std::string::npos)
          << name << ": " << rate;
    }
  }
}

TEST(BaselineSystem, DifferencesThatAreNotFiniteFailEveryTry) {
  // Moves away from where its law ends, but cannot be differentiated there.
  const ModelSpec spec = make_driven_slider(make_law(
      [](Ports* ports) {
        ports->drive_joint("rail");
      },
      [](const SystemInput& in, SystemOutput* out) {
        out->tau[0] = -2 - std::sqrt(-in.q[0]);
      }));
  for (const char* name : {"implicit-euler", "sdirk2", "ros2"}) {
    double t = -1;
    const std::string failure = failure_of(spec, name, &t);
    EXPECT_NE(failure.find("system 'law' is"), std::string::npos) << name << ": " << failure;
    EXPECT_EQ(t, 0) << name;
  }
}

// A sampled controller with memory beside a continuous one with memory.
ModelSpec make_sampled_arm() {
  SystemSpec sampled = make_pid(200, 100, 10);
  sampled.name = "sampled";
  sampled.period = 0.02;
  ModelSpec spec = make_arm(make_pid(10, 20, 5));
  spec.systems.push_back(sampled);
  return spec;
}

TEST(BaselineSystem, SampledSystemsGiveCenicsTrajectory) {
  const ModelSpec spec = make_sampled_arm();
  const State reference = run(make_simulator(spec, 1e-10), 0.5);
  for (const std::string& name : baseline_names()) {
    // Held forces among the states: differences of positions times gains.
    const State end = run(make_simulator(spec, 1e-7, name), 0.5);
    EXPECT_NEAR(end.q[0], reference.q[0], name == "implicit-euler" ? 1e-3 : 1e-5) << name;
    EXPECT_LT(calc_distance(end, reference), name == "implicit-euler" ? 0.2 : 2e-3) << name;
  }
}

TEST(BaselineSystem, WhatIsHeldChangesAtSamplesAlone) {
  const auto model = compile(make_sampled_arm());
  const System& s = model->systems[model->find_system("sampled")];
  for (const std::string& name : baseline_names()) {
    Simulator sim = make_simulator(make_sampled_arm(), 1e-6, name);
    const auto held = [&] {
      const auto first = sim.state().z.begin() + s.z_start;
      return std::vector<double>(first, first + s.nz);
    };
    std::vector<double> last = held();
    int changes = 0;
    while (sim.state().t < 0.199) {
      ASSERT_EQ(sim.step(0.199).status, StepStatus::kAccepted);
      if (held() != last) ++changes;
      last = held();
    }
    EXPECT_EQ(changes, 10) << name;
    EXPECT_GT(sim.statistics().steps, 10) << name;
  }
}

TEST(BaselineSystem, MeasurementsAreThoseOfTheLastStep) {
  // 2 v̇ = 6 − v̇ of the step before: 2 in the end.
  const ModelSpec spec = make_driven_slider(make_law(
      [](Ports* ports) {
        ports->drive_joint("rail");
        ports->reads_measurements = true;
      },
      [](const SystemInput& in, SystemOutput* out) {
        out->tau[0] = 6 - in.measured().vdot[0];
      }));
  for (const std::string& name : baseline_names()) {
    Simulator sim = make_simulator(spec, 1e-5, name);
    State before = sim.state();
    for (int i = 0; i < 50; ++i) {
      before = sim.state();
      ASSERT_EQ(sim.step(1e3).status, StepStatus::kAccepted);
    }
    const double h = sim.state().t - before.t;
    EXPECT_NEAR((sim.state().v[0] - before.v[0]) / h, 2, 1e-6) << name;
  }
}

TEST(BaselineSystem, StatesAreIntegratedInAWorldWithoutBodies) {
  ModelSpec spec;
  spec.systems = {make_law(
      [](Ports* ports) {
        ports->add_state("x", 1);
        ports->add_state("y", 0, 0);
      },
      [](const SystemInput& in, SystemOutput* out) {
        out->zdot[0] = -in.z[0];
        out->zdot[1] = in.z[0] * in.z[0];
      })};
  for (const std::string& name : baseline_names()) {
    const State end = run(make_simulator(spec, 1e-7, name), 1);
    const double bound = name == "implicit-euler" ? 1e-3 : 1e-5;
    EXPECT_NEAR(end.z[0], std::exp(-1), bound) << name;
    EXPECT_NEAR(end.z[1], 0.5 * (1 - std::exp(-2)), bound) << name;
  }
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Joint limits: rest on them, impact, return from beyond them.
#include <functional>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

constexpr double kG = 9.81;
constexpr double kMass = 2, kArm = 0.3;  // kg; from a hinge to the centre of mass, m
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One body whose weight presses it against a limit.
struct PressedJoint {
  const char* name;
  JointSpec joint;
  Vec3 com;
  int velocity;  // that the limit holds
  double limit;
  double load;  // magnitude of the force of the limit, N or N m
  // Coordinate against the limit; `beyond` is along the load.
  std::function<double(const State&)> coordinate;
  std::function<void(double beyond, JointSpec*)> place;
};

std::vector<PressedJoint> make_pressed_joints() {
  const auto coordinate = [](int i) {
    return [i](const State& s) {
      return s.q[i];
    };
  };
  const auto place_at = [](const std::vector<double>& q, int i, double sign) {
    return [q, i, sign](double beyond, JointSpec* joint) {
      joint->position = q;
      joint->position[i] += sign * beyond;
    };
  };
  const Vec3 arm{kArm, 0, 0};
  const double torque = kMass * kG * kArm;
  std::vector<PressedJoint> all;
  // A positive turn about y lets the arm along x sink.
  all.push_back({"revolute",
                 {.axis = {0, 1, 0}, .lower = {-1}, .upper = {0.2}},
                 arm,
                 0,
                 0.2,
                 torque * std::cos(0.2),
                 coordinate(0),
                 place_at({0.2}, 0, 1)});
  all.push_back({"prismatic",
                 {.kind = JointKind::kPrismatic, .lower = {-0.2}, .upper = {1}},
                 arm,
                 0,
                 -0.2,
                 kMass * kG,
                 coordinate(0),
                 place_at({-0.2}, 0, -1)});
  all.push_back({"screw",
                 {.kind = JointKind::kScrew, .pitch = 0.05, .lower = {-0.4}, .upper = {3}},
                 {},
                 0,
                 -0.4,
                 0.05 * kMass * kG,
                 coordinate(0),
                 place_at({-0.4}, 0, -1)});
  all.push_back({"universal",
                 {.kind = JointKind::kUniversal, .lower = {-1, -kInfinity}, .upper = {1, 0.2}},
                 arm,
                 1,
                 0.2,
                 torque * std::cos(0.2),
                 coordinate(1),
                 place_at({0, 0.2}, 1, 1)});
  // F's y-axis is the world's z.
  all.push_back({"planar",
                 {.kind = JointKind::kPlanar,
                  .X_BF = RigidTransform::rotation({std::numbers::pi / 2, 0, 0}),
                  .lower = {-1, 0.2, -1},
                  .upper = {1, kInfinity, kInfinity}},
                 {},
                 1,
                 0.2,
                 kMass * kG,
                 coordinate(1),
                 place_at({0, 0.2, 0}, 1, -1)});
  all.push_back({"ball",
                 {.kind = JointKind::kBall, .upper = {0.4}},
                 arm,
                 1,
                 0.4,
                 torque * std::cos(0.4),
                 [](const State& s) {
                   return 2 * std::acos(std::min(1.0, std::abs(s.q[0])));
                 },
                 [](double beyond, JointSpec* joint) {
                   const Quat q = exp_map({0, 0.4 + beyond, 0});
                   joint->position = {q.w, q.x, q.y, q.z};
                 }});
  return all;
}

ModelSpec make_pressed_model(const PressedJoint& c, double beyond) {
  JointSpec joint = c.joint;
  c.place(beyond, &joint);
  ModelSpec spec;
  spec.bodies = {
      make_jointed_body("body", {kMass, c.com, Mat3::diagonal({0.02, 0.03, 0.04})}, joint)};
  return spec;
}

TEST(Limit, HoldsEveryKindOfJointUnderLoad) {
  for (const PressedJoint& c : make_pressed_joints()) {
    for (const double accuracy : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
      Simulator sim = make_simulator(make_pressed_model(c, 0), accuracy);
      double worst = 0;
      sim.set_monitor([&](const StepEvent& event) {
        worst = std::max(worst, std::abs(c.coordinate(event.after) - c.limit));
      });
      run_past(&sim, 2);
      EXPECT_LT(worst, 1e-5) << c.name << " at " << accuracy;
      // A velocity that the solver leaves wrong within its tolerance is a force.
      EXPECT_NEAR(std::abs(sim.limit_forces()[c.velocity]), c.load,
                  (accuracy > 1e-2 ? 5e-3 : 1e-3) * c.load)
          << c.name << " at " << accuracy;
      EXPECT_LE(sim.statistics().steps, 30) << c.name << " at " << accuracy << ": it rests";
    }
  }
}

TEST(Limit, ReturnsFromFarBeyondGentlyAndWithoutTinySteps) {
  for (const PressedJoint& c : make_pressed_joints()) {
    for (const double accuracy : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
      const ModelSpec spec = make_pressed_model(c, 0.3);
      Simulator sim = make_simulator(spec, accuracy);
      const double reach = sim.model().reach[c.velocity];
      double tiny = 0, fastest = 0;
      sim.set_monitor([&](const StepEvent& event) {
        if (event.result.h < 1e-5) tiny += event.result.h;
        fastest = std::max(fastest, std::abs(event.after.v[c.velocity]));
      });
      run_past(&sim, 1.5);
      EXPECT_LT(std::abs(c.coordinate(sim.state()) - c.limit), 1e-5)
          << c.name << " at " << accuracy;
      EXPECT_LT(std::abs(sim.state().v[c.velocity]), 1e-4) << c.name << " at " << accuracy;
      EXPECT_LT(tiny, 1e-3) << c.name << " at " << accuracy;
      // Recovery is bounded to 1 m/s, and what the accuracy itself allows at the first step.
      EXPECT_LT(fastest * reach, 2.5) << c.name << " at " << accuracy;
    }
  }
}

TEST(Limit, EqualLimitsLockAJoint) {
  ModelSpec spec;
  spec.bodies = {
      make_jointed_body("arm", {kMass, {kArm, 0, 0}, Mat3::diagonal({0.02, 0.03, 0.04})},
                        {.axis = {0, 1, 0}, .lower = {0.1}, .upper = {0.1}, .position = {0.1}})};
  for (const double accuracy : {1e-2, 1e-4, 1e-6}) {
    Simulator sim = make_simulator(spec, accuracy);
    run_past(&sim, 2);
    EXPECT_NEAR(sim.state().q[0], 0.1, 1e-5) << accuracy;
    EXPECT_NEAR(sim.limit_forces()[0], -kMass * kG * kArm * std::cos(0.1), 0.01) << accuracy;
  }
}

TEST(Limit, AnImpactIsPlastic) {
  // Without gravity, 1 m/s against the end of a rail: all of the energy goes, none is made.
  const ModelSpec spec = make_slider(2, {.axis = {1, 0, 0}, .upper = {0.3}, .velocity = {1}});
  for (const double accuracy : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    Simulator sim = make_simulator(spec, accuracy);
    double before = sim.calc_energy(), deepest = 0, tiny = 0;
    sim.set_monitor([&](const StepEvent& event) {
      const double v = event.after.v[0], energy = 0.5 * 2 * v * v;
      EXPECT_LE(energy, before * (1 + 1e-9) + 1e-12) << accuracy << " at " << event.after.t;
      before = energy;
      deepest = std::max(deepest, event.after.q[0] - 0.3);
      if (event.result.h < 1e-5) tiny += event.result.h;
    });
    sim.advance_to(1);
    EXPECT_LT(deepest, 2 * accuracy) << accuracy;
    EXPECT_LT(tiny, 1e-3) << accuracy;
    EXPECT_LT(std::abs(sim.state().v[0]), 1e-3) << "no rebound at " << accuracy;
    EXPECT_NEAR(sim.state().q[0], 0.3, 1e-5) << accuracy;
  }
}

TEST(Limit, ADoublePendulumThatHitsItsLimitsGainsNoEnergy) {
  ModelSpec spec = make_scene("double_pendulum", {{"damping", 0}});
  for (BodySpec& body : spec.bodies) {
    body.joints[0].lower = {-1};
    body.joints[0].upper = {1.7};
  }
  for (const double accuracy : {1e-2, 1e-3, 1e-4, 1e-5}) {
    Simulator sim = make_simulator(spec, accuracy);
    const double start = sim.calc_energy();
    double highest = start, beyond = 0;
    for (int i = 1; i <= 100; ++i) {
      sim.advance_to(0.02 * i);
      highest = std::max(highest, sim.calc_energy());
      for (const double q : sim.state().q) {
        beyond = std::max({beyond, q - 1.7, -1 - q});
      }
    }
    const double scale = 0.12;  // J, between the start and hanging straight
    // Nor more than the scheme's own error, in a step that is not extrapolated at 1e-2.
    EXPECT_LT(highest - start, (accuracy > 1e-3 ? 0.05 : 0.01) * scale) << accuracy;
    EXPECT_LT(sim.calc_energy(), start - 0.05 * scale) << "it did hit a limit, " << accuracy;
    EXPECT_LT(beyond, std::max(1e-3, 20 * accuracy)) << accuracy;
  }
}

TEST(Limit, OutOfReachItDoesNothing) {
  ModelSpec with = make_scene("double_pendulum");
  for (BodySpec& body : with.bodies) {
    body.joints[0].lower = {-100};
    body.joints[0].upper = {100};
  }
  Simulator a = make_simulator(make_scene("double_pendulum"), 1e-5);
  Simulator b = make_simulator(with, 1e-5);
  a.advance_to(1);
  b.advance_to(1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(a.state().q[i], b.state().q[i], 1e-6);
    EXPECT_EQ(b.limit_forces()[i], 0);
  }
}

}  // namespace
}  // namespace cenic

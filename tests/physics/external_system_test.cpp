// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// External systems against closed forms: what controllers do to bodies, and at which order.
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

// A pendulum of 1 kg at the end of a massless rod of 1 m, held level by a controller.
ModelSpec make_arm(std::shared_ptr<const ExternalSystem> control) {
  ModelSpec spec;
  JointSpec joint;
  joint.axis = {0, 1, 0};
  joint.X_BF.p = {-1, 0, 0};
  spec.bodies = {make_jointed_body("arm", {1.0, {}, Mat3::diagonal({1e-3, 1e-3, 1e-3})}, joint)};
  spec.systems = {{.name = "control", .system = std::move(control)}};
  return spec;
}

State run(const ModelSpec& spec, double duration, IntegratorOptions options) {
  Simulator sim(compile(spec), options);
  sim.advance_to(duration);
  return sim.state();
}

TEST(ExternalSystem, PidHoldsPendulumExactly) {
  const double ki = 60;
  const auto pid = std::make_shared<PidControl>(JointTargets{.joints = {"arm_joint"}},
                                                PidGains{.kp = {80}, .ki = {ki}, .kd = {20}});
  const State end = run(make_arm(pid), 40, {.accuracy = 1e-3});
  EXPECT_NEAR(end.q[0], 0, 1e-6);
  EXPECT_NEAR(end.v[0], 0, 1e-6);
  // The integral balances gravity: about −y the weight pulls with m g l.
  EXPECT_NEAR(-ki * end.z[0], -9.81, 1e-5);
}

TEST(ExternalSystem, GlobalErrorOfPidFallsWithAccuracy) {
  const auto pid = std::make_shared<PidControl>(JointTargets{.joints = {"arm_joint"}},
                                                PidGains{.kp = {80}, .ki = {60}, .kd = {5}});
  const ModelSpec spec = make_arm(pid);
  const State exact = run(spec, 1, {.accuracy = 1e-11});
  double last_q = 1, last_z = 1;
  for (const double accuracy : {1e-3, 1e-5, 1e-7}) {
    const State end = run(spec, 1, {.accuracy = accuracy});
    const double error_q = std::abs(end.q[0] - exact.q[0]);
    const double error_z = std::abs(end.z[0] - exact.z[0]);
    EXPECT_LT(error_q, 5 * accuracy);
    EXPECT_LT(error_z, 5 * accuracy);
    EXPECT_LT(error_q, 0.1 * last_q);
    EXPECT_LT(error_z, 0.1 * last_z);
    last_q = error_q;
    last_z = error_z;
  }
}

}  // namespace
}  // namespace cenic

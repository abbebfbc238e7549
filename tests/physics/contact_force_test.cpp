// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Forces of contacts as they are reported: they are what moved the bodies.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "scenes/scenes.h"
#include "sim/simulator.h"

namespace cenic {
namespace {

constexpr double kGravity = 9.81, kCalm = 0.3;  // m/s²

class ReportedForces : public testing::TestWithParam<const char*> {};

std::vector<Vec3> sum_forces(const Simulator& sim) {
  std::vector<Vec3> sums(sim.model().bodies.size());
  for (const ContactReport& c : sim.contacts()) {
    const auto& geometries = sim.model().geometries;
    const int a = geometries[c.point.geometry_a].body, b = geometries[c.point.geometry_b].body;
    if (a >= 0) sums[a] -= c.force_B_W;
    if (b >= 0) sums[b] += c.force_B_W;
  }
  return sums;
}

// Newton's second law for free bodies whose velocity hardly changes, where the forces over the last
// part of a step are those of the whole. The tolerance of a solve bounds displacements: on stiff
// contacts a law's force at the velocities that it leaves is anything, up to twice the weight for
// the box that franka holds.
TEST_P(ReportedForces, CarryTheBodies) {
  const auto model = compile(make_scene(GetParam()));
  Simulator sim(model, {.accuracy = 1e-3});
  std::vector<double> errors;  // over the weight
  double pull = 0, push = 0;
  sim.set_monitor([&](const StepEvent& event) {
    for (const ContactReport& c : sim.contacts()) {
      const double n = dot(c.force_B_W, c.point.nhat_AB_W);
      pull = std::max(pull, -n);
      push = std::max(push, n);
    }
    const std::vector<Vec3> forces = sum_forces(sim);
    for (const Joint& joint : model->joints) {
      if (joint.kind != JointKind::kFree || norm(forces[joint.body]) == 0) continue;
      Vec3 a;
      for (int i = 0; i < 3; ++i) {
        const int k = joint.v_start + 3 + i;
        a[i] = (event.after.v[k] - event.before.v[k]) / event.result.h;
      }
      if (norm(a) > kCalm) continue;
      const double mass = model->links[model->bodies[joint.body].link].M_BBo_B.mass;
      errors.push_back(norm(forces[joint.body] / mass - a - Vec3{0, 0, kGravity}) / kGravity);
    }
  });
  sim.advance_to(10);
  std::ranges::sort(errors);
  ASSERT_GT(errors.size(), 50U);
  EXPECT_LT(errors[errors.size() / 2], 2e-3);
  EXPECT_LT(errors[errors.size() * 9 / 10], 1e-2);
  EXPECT_LT(pull, 1e-9 * push);
}

INSTANTIATE_TEST_SUITE_P(Scenes, ReportedForces,
                         testing::Values("franka", "hard_clutter", "static_gripper", "box_stack"),
                         [](const auto& scene) {
                           return std::string(scene.param);
                         });

}  // namespace
}  // namespace cenic

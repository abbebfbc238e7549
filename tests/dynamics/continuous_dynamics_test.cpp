// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The continuous model is the limit of the convex step: (v⁺ − v)/h → v̇ as h → 0.
#include "dynamics/continuous_dynamics.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "multibody/random_model.h"
#include "scenes/scenes.h"

namespace cenic {
namespace {

constexpr double kStep = 1e-10;

// Compares accelerations at (q, v); returns the number of contacts.
int expect_limit(const Model& model, const std::vector<double>& q, const std::vector<double>& v) {
  PhaseTicks phases;
  ContinuousDynamics continuous(model);
  std::vector<double> vdot(model.nv), end = v;
  continuous.update_configuration(0, q, &phases);
  continuous.calc_rate(v, vdot, &phases);

  StepDynamics step(model);
  ThreadPool pool(1);
  const DynamicsOptions options{.contact = {.speculative = false}};
  step.build({.t = 0, .q = q, .v = v}, kStep, options, &phases);
  EXPECT_EQ(step.contacts().size(), continuous.contacts().size());
  EXPECT_EQ(step.max_penetration(), continuous.max_penetration());
  EXPECT_EQ(step.solve({.h = kStep}, {}, 0, &pool, end).status, SolveStatus::kConverged);
  double largest = 1;
  for (const double a : vdot) {
    largest = std::max(largest, std::abs(a));
  }
  for (int i = 0; i < model.nv; ++i) {
    EXPECT_NEAR((end[i] - v[i]) / kStep, vdot[i], 2e-3 * largest) << i;
  }
  // The forces agree as well.
  std::vector<ContactReport> a, b;
  step.report_contacts(&a);
  continuous.report_contacts(&b);
  const auto sum = [](const std::vector<ContactReport>& reports) {
    Vec3 force;
    for (const ContactReport& r : reports) {
      force += r.force_B_W;
    }
    return force;
  };
  EXPECT_LT(norm(sum(a) - sum(b)), 1e-3 * (1 + norm(sum(a))));
  return static_cast<int>(b.size());
}

TEST(ContinuousDynamics, IsTheLimitOfTheConvexStepInClutter) {
  for (const char* scene : {"box_stack", "sliding_block", "newton_cradle", "hard_clutter"}) {
    test::Random random(1);
    const auto model = compile(make_scene(scene));
    // Squeezed together a little, and moving.
    int contacts = 0;
    std::vector<double> squeeze(model->nv), q(model->nq);
    for (int trial = 0; trial < 5; ++trial) {
      for (double& x : squeeze) {
        x = random.uniform(-2e-3, 2e-3);
      }
      if (std::string(scene) == "hard_clutter") {
        for (int i = 5; i < model->nv; i += 6) {
          squeeze[i] -= model->q0[i / 6 * 7 + 6] - 0.09;  // all into one layer
        }
      }
      integrate_positions(*model, model->q0, squeeze, 1, RotationUpdate::kExponential, q);
      SCOPED_TRACE(scene);
      contacts += expect_limit(*model, q, random.array(model->nv, 0.3));
    }
    EXPECT_GT(contacts, 5) << scene;
  }
}

TEST(ContinuousDynamics, IsTheLimitOfTheConvexStepForTreesWithSpringsAndFriction) {
  int contacts = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    test::Random random(seed);
    ModelSpec spec = test::make_random_tree({}, &random).spec;
    spec.stiction_velocity = 0.05;
    spec.filter_parent_child = false;
    spec.world_geometries = {{.name = "floor",
                              .shape = make_half_space(),
                              .material = {.stiffness = 1e4, .dissipation = 0.1}}};
    for (BodySpec& body : spec.bodies) {
      body.geometries = {{.name = body.name + "_ball",
                          .shape = make_sphere(0.3),
                          .material = {.stiffness = 2e4,
                                       .dissipation = 0.2,
                                       .static_friction = 0.8,
                                       .dynamic_friction = 0.4}}};
      for (JointSpec& joint : body.joints) {
        joint.armature += 0.05;  // a stack may hold two joints that do the same
        joint.damping = random.uniform(0, 2);
        joint.dry_friction = random.uniform(0, 3);
      }
    }
    const auto model = compile(spec);
    SCOPED_TRACE(seed);
    contacts += expect_limit(*model, test::make_random_positions(*model, &random),
                             random.array(model->nv, 1));
  }
  EXPECT_GT(contacts, 20);
}

TEST(ContinuousDynamics, AMasslessTreeGivesNoNumber) {
  Model model = *compile(make_scene("double_pendulum"));
  for (Link& link : model.links) {
    link.M_BBo_B = {};
  }
  PhaseTicks phases;
  ContinuousDynamics dynamics(model);
  std::vector<double> vdot(model.nv);
  dynamics.update_configuration(0, model.q0, &phases);
  dynamics.calc_rate(model.v0, vdot, &phases);
  EXPECT_FALSE(std::isfinite(vdot[0]));
}

}  // namespace
}  // namespace cenic

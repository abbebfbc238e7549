// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "dynamics/step_dynamics.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "scenes/scenes.h"

namespace cenic {
namespace {

// Two bodies with chosen materials, touching.
ModelSpec make_pair(const Material& a, const Material& b) {
  ModelSpec spec;
  for (int i = 0; i < 2; ++i) {
    BodySpec body;
    body.name = i == 0 ? "left" : "right";
    body.X_PB.p = {i * 0.199, 0, 0};  // radius 0.1: 1 mm deep
    GeometrySpec g;
    g.name = body.name;
    g.shape = make_sphere(0.1);
    g.material = i == 0 ? a : b;
    body.geometries = {g};
    JointSpec joint;
    joint.name = body.name + "_free";
    joint.kind = JointKind::kFree;
    body.joints = {joint};
    spec.bodies.push_back(body);
  }
  return spec;
}

ContactPoint find_single_contact(const ModelSpec& spec) {
  const auto model = compile(spec);
  StepDynamics dynamics(*model);
  PhaseTicks phases;
  dynamics.build(make_initial_state(*model), 0, {}, &phases);
  EXPECT_EQ(dynamics.contacts().size(), 1U);
  return dynamics.contacts().empty() ? ContactPoint{} : dynamics.contacts()[0];
}

TEST(Contacts, MaterialsCombineAsDocumented) {
  const Material a{
      .stiffness = 1e5, .dissipation = 10, .static_friction = 0.6, .dynamic_friction = 0.4};
  const Material b{
      .stiffness = 3e5, .dissipation = 2, .static_friction = 0.3, .dynamic_friction = 0.2};
  const ContactPoint c = find_single_contact(make_pair(a, b));
  EXPECT_NEAR(c.stiffness, 1e5 * 3e5 / 4e5, 1e-6);  // springs in series
  EXPECT_NEAR(c.dissipation, (3e5 * 10 + 1e5 * 2) / 4e5,
              1e-12);                                    // weighted by the other side's stiffness
  EXPECT_NEAR(c.mu_static, 2 * 0.6 * 0.3 / 0.9, 1e-12);  // harmonic means
  EXPECT_NEAR(c.mu_dynamic, 2 * 0.4 * 0.2 / 0.6, 1e-12);
  EXPECT_NEAR(c.phi, -1e-3, 1e-12);
  // Between the surfaces at 0.099 (B) and 0.1 (A), nearer to where the stiffer side's surface is.
  EXPECT_NEAR(c.p_WC.x, (1e5 * 0.1 + 3e5 * 0.099) / 4e5, 1e-12);
}

TEST(Contacts, AnInfinitelyStiffSideLeavesTheOther) {
  const Material rigid{.stiffness = std::numeric_limits<double>::infinity(), .dissipation = 7};
  const Material soft{.stiffness = 1e5, .dissipation = 3};
  for (const bool swap : {false, true}) {
    const ContactPoint c =
        find_single_contact(swap ? make_pair(soft, rigid) : make_pair(rigid, soft));
    EXPECT_DOUBLE_EQ(c.stiffness, 1e5);
    EXPECT_DOUBLE_EQ(c.dissipation, 3);
    EXPECT_TRUE(is_finite(c.p_WC));
  }
}

TEST(Contacts, SpeculativeOnlyWhenTheGapClosesInTime) {
  ModelSpec spec = make_pair({}, {});
  spec.bodies[1].X_PB.p.x = 0.25;  // a gap of 5 cm
  spec.bodies[1].joints[0].velocity = {0, 0, 0, -10, 0, 0};
  const auto model = compile(spec);
  StepDynamics dynamics(*model);
  PhaseTicks phases;
  dynamics.build(make_initial_state(*model), 0.004, {}, &phases);
  EXPECT_EQ(dynamics.contacts().size(), 0U);
  dynamics.build(make_initial_state(*model), 0.006, {}, &phases);
  ASSERT_EQ(dynamics.contacts().size(), 1U);
  EXPECT_NEAR(dynamics.contacts()[0].phi, 0.05, 1e-12);
  dynamics.build(make_initial_state(*model), 0.006, {.contact = {.speculative = false}}, &phases);
  EXPECT_EQ(dynamics.contacts().size(), 0U);
}

// Candidates of another state must not change what is found, near it or far from it.
TEST(Contacts, AreTheSameWithBorrowedCandidates) {
  const auto model = compile(make_scene("clutter", {{"count", 100}}, 3));
  constexpr double kHorizon = 0.01;
  State state = make_initial_state(*model);
  std::mt19937 rng(1);
  for (double& v : state.v) {
    v = std::uniform_real_distribution<double>(-5, 5)(rng);
  }
  StepDynamics start(*model), borrower(*model);
  PhaseTicks phases;
  start.build(state, kHorizon, {}, &phases);
  borrower.borrow_candidates(start);
  std::size_t found = 0;
  for (const double distance : {0.0, 0.001, 0.01, 0.05}) {
    std::uniform_real_distribution<double> u(-distance, distance);
    std::vector<double> move(model->nv);
    for (double& x : move) {
      x = u(rng);
    }
    integrate_positions(*model, state.q, move, 1, RotationUpdate::kExponential, state.q);
    StepDynamics alone(*model);
    for (StepDynamics* dynamics : {&alone, &borrower}) {
      dynamics->build(state, kHorizon, {}, &phases);
    }
    ASSERT_EQ(borrower.contacts().size(), alone.contacts().size()) << distance;
    found += alone.contacts().size();
    for (std::size_t i = 0; i < alone.contacts().size(); ++i) {
      EXPECT_EQ(borrower.contacts()[i].key, alone.contacts()[i].key);
      EXPECT_EQ(borrower.contacts()[i].phi, alone.contacts()[i].phi);
    }
  }
  EXPECT_GT(found, 20U);
}

// A tree with joints that touches a free body, the world and itself: contact velocities J v against
// velocities of points.
ModelSpec make_articulated_contact() {
  ModelSpec spec = make_scene("chain", {{"links", 6}});
  spec.filter_parent_child = false;
  for (BodySpec& body : spec.bodies) {
    for (GeometrySpec& g : body.geometries) {
      g.collides = true;
      g.material.stiffness = 1e4;
    }
  }
  BodySpec ball;
  ball.name = "ball";
  GeometrySpec g;
  g.name = "ball";
  g.shape = make_sphere(0.2);
  ball.geometries = {g};
  JointSpec joint;
  joint.name = "ball_free";
  joint.kind = JointKind::kFree;
  ball.joints = {joint};
  spec.bodies.push_back(ball);
  GeometrySpec floor;
  floor.name = "floor";
  floor.shape = make_half_space();
  spec.world_geometries = {floor};
  return spec;
}

TEST(Contacts, JacobiansGiveTheVelocitiesOfContactPoints) {
  const auto model = compile(make_articulated_contact());
  StepDynamics dynamics(*model);
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> u(-1, 1);
  PhaseTicks phases;
  int checked = 0, self = 0, coupled = 0;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> q = model->q0, dv(model->nv), v(model->nv);
    for (int i = 0; i < model->nv; ++i) {
      dv[i] = u(rng);
      v[i] = u(rng);
    }
    integrate_positions(*model, q, dv, 0.3, RotationUpdate::kExponential, q);
    dynamics.build({.t = 0, .q = q, .v = v}, 0, {}, &phases);
    const ConvexProblem& problem = dynamics.problem();
    for (const ConvexProblem::Patch& patch : problem.patches) {
      coupled += patch.tree[1] >= 0 ? 1 : 0;
      for (int s = patch.first; s < patch.first + patch.count; ++s) {
        const ContactPoint& c = dynamics.contacts()[problem.slot_input[s]];
        Vec3 velocity;  // (normal, tangents)
        for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
          const auto& t = problem.trees[patch.tree[side]];
          for (int d = 0; d < 3; ++d) {
            for (int i = 0; i < t.n; ++i) {
              velocity[d] += problem.rows(s, side)[t.ld * d + i] *
                             v[model->trees[patch.tree[side]].v_start + i];
            }
          }
        }
        EXPECT_NEAR(velocity.x, dot(c.v_AB_W, c.nhat_AB_W), 1e-10);
        EXPECT_NEAR(norm(velocity), norm(c.v_AB_W), 1e-10);
        ++checked;
        const int ta = c.link_a >= 0 ? model->links[c.link_a].tree : -1;
        const int tb = c.link_b >= 0 ? model->links[c.link_b].tree : -1;
        self += ta == tb ? 1 : 0;
      }
    }
  }
  EXPECT_GT(checked, 50);
  EXPECT_GT(self, 0);
  EXPECT_GT(coupled, 0);
}

TEST(Dynamics, ASmoothStepIsMaPlusKEqualsTau) {
  // Without contact the solved velocities fulfil M (v − v0)/h + k = −D v − K (q + h v − rest).
  const auto model = compile(make_scene("double_pendulum"));
  StepDynamics dynamics(*model);
  PhaseTicks phases;
  ThreadPool pool(1);
  dynamics.build(make_initial_state(*model), 0, {}, &phases);
  std::vector<double> v = model->v0;
  const double h = 1e-2;
  ASSERT_EQ(dynamics.solve({.h = h}, {}, 0, &pool, v).status, SolveStatus::kConverged);
  Kinematics kin;
  kin.resize(*model);
  TreeScratch scratch;
  scratch.resize(*model);
  update_positions(*model, model->q0, &kin);
  update_velocities(*model, model->v0, &kin);
  std::vector<double> vdot(model->nv), tau(model->nv);
  for (int i = 0; i < model->nv; ++i) {
    vdot[i] = (v[i] - model->v0[i]) / h;
  }
  calc_inverse_dynamics(*model, kin, 0, model->v0, vdot, &scratch, tau);
  for (int i = 0; i < model->nv; ++i) {
    EXPECT_NEAR(tau[i], -model->damping[i] * v[i], 1e-12);
  }
}

}  // namespace
}  // namespace cenic

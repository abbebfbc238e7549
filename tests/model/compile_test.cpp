// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How compile() lays a spec out: links, trees, coordinates, masses.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "model/model.h"

namespace cenic {
namespace {

const InertiaSpec kUnitInertia{1, {}, Mat3::identity()};

BodySpec make_body(const std::string& name, const std::string& parent,
                   std::vector<JointSpec> joints) {
  return {.name = name, .parent = parent, .joints = std::move(joints), .inertia = kUnitInertia};
}

const Link& link_of(const Model& model, int body) { return model.links[model.bodies[body].link]; }

void expect_near(const RigidTransform& a, const RigidTransform& b) {
  EXPECT_LT(norm(a.p - b.p), 1e-14);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(norm(a.R.row[i] - b.R.row[i]), 1e-14);
  }
}

TEST(Compile, EmptyWorldIsAModel) {
  const auto model = compile({});
  EXPECT_EQ(model->nv, 0);
  EXPECT_TRUE(model->trees.empty());
  EXPECT_EQ(model->gravity, (Vec3{0, 0, -9.81}));
}

TEST(Compile, WhatIsForContactAloneIsDrawnWhereABodyHasNothingElse) {
  const GeometrySpec seen{.shape = make_sphere(1)},
      hidden{.shape = make_sphere(1), .visible = false};
  ModelSpec spec;
  spec.world_geometries = {hidden};
  spec.bodies = {make_body("both", "world", {{}}), make_body("hidden", "world", {{}})};
  spec.bodies[0].geometries = {hidden, seen};
  spec.bodies[1].geometries = {hidden, hidden};
  const auto model = compile(spec);
  std::vector<bool> visible;
  for (const Geometry& g : model->geometries) {
    visible.push_back(g.visible);
  }
  EXPECT_EQ(visible, (std::vector<bool>{true, false, true, true, true}));
}

TEST(Compile, TreesAreContiguousAndAnchoredLinksComeFirst) {
  ModelSpec spec;
  spec.bodies = {
      make_body("tip", "arm", {{}}),                             // tree 0, listed before its parent
      make_body("ball", "world", {{.kind = JointKind::kFree}}),  // tree 1
      make_body("base", "world", {}),                            // anchored
      make_body("arm", "base", {{}}),                            // root of tree 0
      make_body("other", "shelf", {{}}),  // tree 2: on the anchored base too, yet apart from tree 0
      make_body("shelf", "base", {}),     // anchored
      make_body("hand", "tip", {}),       // welded to a moving body: tree 0
  };
  const auto model = compile(spec);
  ASSERT_EQ(model->trees.size(), 3U);
  EXPECT_EQ(model->num_anchored_links, 2);
  const int expected_tree[] = {0, 1, -1, 0, 2, -1, 0};
  for (int b = 0; b < 7; ++b) {
    EXPECT_EQ(link_of(*model, b).tree, expected_tree[b]) << spec.bodies[b].name;
    EXPECT_EQ(link_of(*model, b).body, b);
    EXPECT_EQ(model->bodies[b].name, spec.bodies[b].name);
  }
  EXPECT_EQ(model->bodies[0].parent, 3);
  int v = 0, l = model->num_anchored_links;
  for (std::size_t t = 0; t < model->trees.size(); ++t) {
    const Tree& tree = model->trees[t];
    EXPECT_EQ(tree.link_begin, l);
    EXPECT_EQ(tree.v_start, v);
    for (; l < tree.link_end; ++l) {
      EXPECT_EQ(model->links[l].tree, static_cast<int>(t));
      EXPECT_LT(model->links[l].parent, l);
      EXPECT_EQ(model->links[l].v_start, v);
      for (int i = 0; i < model->links[l].nv; ++i)
        EXPECT_EQ(model->dof_link[v++], l);
    }
  }
  EXPECT_EQ(v, model->nv);
  EXPECT_EQ(model->nv, 1 + 1 + 6 + 1);
  EXPECT_FALSE(model->trees[0].free_body);
  EXPECT_TRUE(model->trees[1].free_body);
  EXPECT_EQ(model->total_mass, 5);  // not the anchored ones
}

TEST(Compile, BranchesOfAMovingBodyAreOneTree) {
  ModelSpec spec;
  spec.bodies = {make_body("torso", "world", {{.kind = JointKind::kFree}}),
                 make_body("left", "torso", {{}}), make_body("right", "torso", {{}})};
  const auto model = compile(spec);
  ASSERT_EQ(model->trees.size(), 1U);
  EXPECT_EQ(model->trees[0].nv, 8);
  EXPECT_FALSE(model->trees[0].free_body);
}

TEST(Compile, StackOfJointsSitsOnTheBodyFrame) {
  ModelSpec spec;
  const RigidTransform X_PB{RigidTransform::rotation({0.1, 0.2, 0.3}).R, {1, 2, 3}};
  const RigidTransform X_BF{RigidTransform::rotation({-0.5, 0, 0.4}).R, {0.1, 0, 0.7}};
  spec.bodies = {make_body("a", "world", {})};
  spec.bodies[0].X_PB = X_PB;
  spec.bodies[0].joints = {{.name = "slide", .kind = JointKind::kPrismatic, .axis = {0, 3, 0}},
                           {.name = "planar", .kind = JointKind::kPlanar, .X_BF = X_BF},
                           {.name = "universal", .kind = JointKind::kUniversal, .X_BF = X_BF}};
  const auto model = compile(spec);
  ASSERT_EQ(model->links.size(), 6U);
  const MobilizerKind kinds[] = {MobilizerKind::kPrismatic, MobilizerKind::kPrismatic,
                                 MobilizerKind::kPrismatic, MobilizerKind::kRevolute,
                                 MobilizerKind::kRevolute,  MobilizerKind::kRevolute};
  const Vec3 axes[] = {{0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (int l = 0; l < 6; ++l) {
    const Link& link = model->links[l];
    EXPECT_EQ(link.kind, kinds[l]);
    EXPECT_EQ(link.axis_F, axes[l]);
    EXPECT_EQ(link.parent, l - 1);
    // At zero coordinates every frame of the stack is the body's.
    expect_near(link.X_PF * link.X_MB, l == 0 ? X_PB : RigidTransform{});
    EXPECT_EQ(link.M_BBo_B.mass, l == 5 ? 1 : 0);  // the last link carries the body
  }
  EXPECT_EQ(model->bodies[0].link, 5);
  expect_near(inverse(model->links[3].X_MB), X_BF);
  ASSERT_EQ(model->joints.size(), 3U);
  EXPECT_EQ(model->joints[1].name, "planar");
  EXPECT_EQ(model->joints[1].v_start, 1);
  EXPECT_EQ(model->joints[1].nv, 3);
  EXPECT_EQ(model->joints[2].v_start, 4);
  EXPECT_EQ(model->joints[2].nq, 2);
}

TEST(Compile, InitialStateAndParametersGoToTheirVelocities) {
  ModelSpec spec;
  spec.bodies = {make_body("ball", "world",
                           {{.kind = JointKind::kBall,
                             .rest = {0, 0, 2, 0},
                             .position = {0, 3, 0, 0},
                             .velocity = {1, 2, 3}}}),
                 make_body("hinge", "world",
                           {{.damping = 0.1,
                             .armature = 0.2,
                             .stiffness = 0.3,
                             .rest = {0.4},
                             .dry_friction = 0.5,
                             .position = {0.6},
                             .velocity = {0.7}}})};
  const auto model = compile(spec);
  const State state = make_initial_state(*model);
  EXPECT_EQ(state.q, (std::vector<double>{0, 1, 0, 0, 0.6}));  // quaternions are made unit
  EXPECT_EQ(state.v, (std::vector<double>{1, 2, 3, 0.7}));
  EXPECT_EQ(model->rest, (std::vector<double>{0, 0, 1, 0, 0.4}));
  EXPECT_EQ(model->damping, (std::vector<double>{0, 0, 0, 0.1}));
  EXPECT_EQ(model->armature[3], 0.2);
  EXPECT_EQ(model->stiffness[3], 0.3);
  EXPECT_EQ(model->dry_friction[3], 0.5);
}

TEST(Compile, FreeBodyStartsWhereItWasPlacedUnlessToldOtherwise) {
  ModelSpec spec;
  spec.bodies = {
      make_body("a", "world", {{.kind = JointKind::kFree}}),
      make_body("b", "world", {{.kind = JointKind::kFree, .position = {2, 0, 0, 0, 7, 8, 9}}})};
  spec.bodies[0].X_PB = {RigidTransform::rotation({0, 0, std::numbers::pi / 2}).R, {1, 2, 3}};
  spec.bodies[1].X_PB = spec.bodies[0].X_PB;
  const auto model = compile(spec);
  const double s = std::sqrt(0.5);
  const double expected[] = {s, 0, 0, s, 1, 2, 3, 1, 0, 0, 0, 7, 8, 9};
  for (int i = 0; i < 14; ++i) {
    EXPECT_NEAR(model->q0[i], expected[i], 1e-15);
  }
  expect_near(model->links[0].X_PF, {});
}

// Two balls on a stick, by density: masses ρ 4/3 π r³, inertia 2/5 m r² + m d² across and 2/5 m r²
// along.
TEST(Compile, MassComesFromTheGeometriesWhenNotGiven) {
  ModelSpec spec;
  BodySpec body{.name = "dumbbell", .joints = {{.kind = JointKind::kFree}}};
  const double r = 0.1, d = 0.5, density = 2000;
  for (const double x : {-d, d}) {
    body.geometries.push_back({.shape = make_sphere(r),
                               .X_BG = {RigidTransform::rotation({0.3, 0.4, 0.5}).R, {x, 0, 1}},
                               .density = density});
  }
  body.geometries.push_back({.shape = make_half_space()});  // brings no mass
  spec.bodies = {body};
  const auto model = compile(spec);
  const double m = density * 4.0 / 3 * std::numbers::pi * r * r * r;
  const SpatialInertia& M = model->links[0].M_BBo_B;
  EXPECT_NEAR(M.mass, 2 * m, 1e-12);
  EXPECT_LT(norm(M.com() - Vec3{0, 0, 1}), 1e-14);
  const Mat3 I = M.I_com();
  EXPECT_NEAR(I(0, 0), 2 * 0.4 * m * r * r, 1e-12);
  EXPECT_NEAR(I(1, 1), 2 * (0.4 * m * r * r + m * d * d), 1e-12);
  EXPECT_NEAR(I(0, 1), 0, 1e-12);
  EXPECT_NEAR(model->total_mass, 2 * m, 1e-12);
}

TEST(Compile, GeometriesFollowTheirBodies) {
  ModelSpec spec;
  spec.world_geometries = {{.name = "ground", .shape = make_half_space()}};
  spec.bodies = {make_body("moving", "fixed", {{}}), make_body("fixed", "world", {})};
  spec.bodies[0].geometries = {
      {.name = "g0", .shape = make_box({1, 2, 2}), .X_BG = RigidTransform::translation({1, 0, 0})}};
  spec.bodies[1].geometries = {{.name = "g1", .shape = make_sphere(2)}};
  const auto model = compile(spec);
  ASSERT_EQ(model->geometries.size(), 3U);
  EXPECT_EQ(model->geometries[0].link, -1);
  EXPECT_EQ(model->geometries[1].name, "g0");
  EXPECT_EQ(model->geometries[1].link, model->bodies[0].link);
  EXPECT_EQ(model->geometries[1].X_LG.p, (Vec3{1, 0, 0}));
  EXPECT_NEAR(model->geometries[1].bounding_radius, 3, 1e-15);
  EXPECT_EQ(model->geometries[2].link, 0);  // anchored links come first
}

TEST(DescribeVelocity, NamesTheJointOrTheBody) {
  ModelSpec spec;
  spec.bodies = {make_body("ball", "world", {{.kind = JointKind::kFree}}),
                 make_body("arm", "world", {{.name = "elbow"}, {.kind = JointKind::kPrismatic}})};
  const auto model = compile(spec);
  EXPECT_EQ(model->describe_velocity(5), "body 'ball'");
  EXPECT_EQ(model->describe_velocity(6), "joint 'elbow'");
  EXPECT_EQ(model->describe_velocity(7), "body 'arm'");  // the slide has no name
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Tendons in closed form: ropes that hold and let go, Atwood's machine, geared lengths, and inertia
// along a string.
#include <gtest/gtest.h>

#include "multibody/tendons.h"
#include "physics/worlds.h"

namespace cenic {
namespace {

constexpr double kG = 9.81;

double length_of(const Simulator& sim, int tendon) {
  const Model& model = sim.model();
  Kinematics kin;
  kin.resize(model);
  update_positions(model, sim.state().q, &kin);
  return calc_tendon_length(model, kin, sim.state().q, tendon);
}

// Two masses on rails along z: q_a and q_b are their heights.
ModelSpec make_masses(double a, double b) {
  ModelSpec spec;
  for (const auto& [name, mass] : {std::pair{"a", a}, std::pair{"b", b}}) {
    spec.bodies.push_back(make_jointed_body(name, {mass, {}, Mat3::identity()},
                                            {.kind = JointKind::kPrismatic, .axis = {0, 0, 1}}));
  }
  spec.bodies[1].X_PB.p.x = 1;
  return spec;
}

PathBranch make_path(const std::vector<PathPoint>& points, double divisor = 1) {
  return {.points = points, .divisor = divisor};
}

// A ball on a rope of 1 m falls freely until the rope is tight, and then hangs on it.
TEST(TendonLimit, HoldsAFallingBallWhenItIsTight) {
  ModelSpec spec;
  spec.bodies = {make_free_body("ball", make_test_geometry("ball", make_sphere(0.05)), {0, 0, 0})};
  spec.tendons = {{.name = "rope",
                   .branches = {make_path({{"world", {0, 0, 0.5}}, {"ball", {}}})},
                   .upper = 1}};
  Simulator sim(compile(spec), {.accuracy = 1e-5});
  sim.advance_to(0.3);  // the rope is tight after √(2 · 0.5/g) = 0.319 s
  EXPECT_NEAR(sim.state().q[6], -0.5 * kG * 0.09, 1e-6);
  sim.advance_to(1);
  EXPECT_NEAR(length_of(sim, 0), 1, 1e-5);
  EXPECT_NEAR(sim.state().q[6], -0.5, 1e-5);
  EXPECT_NEAR(sim.state().v[5], 0, 1e-4);
}

// It does not push: thrown up, the ball leaves the rope slack.
TEST(TendonLimit, DoesNotPush) {
  ModelSpec spec;
  spec.bodies = {make_free_body("ball", make_test_geometry("ball", make_sphere(0.05)), {0, 0, -0.5},
                                {0, 0, 0, 0, 0, 2})};
  spec.tendons = {{.name = "rope",
                   .branches = {make_path({{"world", {0, 0, 0.5}}, {"ball", {}}})},
                   .upper = 1}};
  Simulator sim(compile(spec), {.accuracy = 1e-6});
  sim.advance_to(0.2);
  EXPECT_NEAR(sim.state().q[6], -0.5 + 2 * 0.2 - 0.5 * kG * 0.04, 1e-5);
}

// Atwood's machine: a rope over a wheel, as a limit of a sum of joints, of a path in two branches
// between two trees, and as a constraint. The rope stays tight by itself.
TEST(TendonLimit, IsAtwoodsMachine) {
  const double a = 3, b = 1, expected = (b - a) / (a + b) * kG;
  for (const int kind : {0, 1, 2}) {
    ModelSpec spec = make_masses(a, b);
    TendonSpec rope{.name = "rope"};
    if (kind == 0) {
      rope.joints = {{"a_joint", -1}, {"b_joint", -1}};
      rope.upper = 0;
    } else {
      rope.branches = {make_path({{"world", {0, 0, 5}}, {"a", {}}}),
                       make_path({{"world", {1, 0, 5}}, {"b", {}}})};
      if (kind == 1) rope.upper = 10;
    }
    spec.tendons = {rope};
    if (kind == 2) {
      spec.constraints = {{.kind = ConstraintKind::kTendon, .a = "rope", .polynomial = {10}}};
    }
    Simulator sim(compile(spec), {.accuracy = 1e-5});
    sim.advance_to(0.5);
    EXPECT_NEAR(sim.state().q[0], 0.5 * expected * 0.25, 1e-4) << kind;
    EXPECT_NEAR(sim.state().q[1], -0.5 * expected * 0.25, 1e-4) << kind;
    EXPECT_NEAR(length_of(sim, 0), kind == 0 ? 0 : 10, 1e-5) << kind;
  }
}

// A movable pulley: masses a and b hang on the ends of a rope that runs over fixed wheels and down
// around the pulley, which carries c, so that z_a + z_b + 2 z_c grows no less than the rope allows.
// With tension T: m_a a_a = T − m_a g, m_b a_b = T − m_b g, m_c a_c = 2 T − m_c g and
// a_a + a_b + 2 a_c = 0, hence T = 4 g/(1/m_a + 1/m_b + 4/m_c).
TEST(TendonLimit, OfThreeTreesIsAMovablePulley) {
  const double masses[3] = {1, 2, 5};
  const double tension = 4 * kG / (1 / masses[0] + 1 / masses[1] + 4 / masses[2]);
  const double expected[3] = {tension / masses[0] - kG, tension / masses[1] - kG,
                              2 * tension / masses[2] - kG};
  for (const int kind : {0, 1, 2}) {  // a sum of joints, a path, a constraint of the path
    ModelSpec spec = make_masses(masses[0], masses[1]);
    spec.bodies.push_back(make_jointed_body("c", {masses[2], {}, Mat3::identity()},
                                            {.kind = JointKind::kPrismatic, .axis = {0, 0, 1}}));
    spec.bodies[2].X_PB.p.x = 2;
    TendonSpec rope{.name = "rope"};
    if (kind == 0) {
      rope.joints = {{"a_joint", -1}, {"b_joint", -1}, {"c_joint", -2}};
      rope.upper = 0;
    } else {
      rope.branches = {make_path({{"world", {0, 0, 5}}, {"a", {}}}),
                       make_path({{"world", {1, 0, 5}}, {"b", {}}}),
                       make_path({{"world", {2, 0, 5}}, {"c", {}}, {"world", {2, 0, 5}}})};
      if (kind == 1) rope.upper = 20;
    }
    spec.tendons = {rope};
    if (kind == 2) {
      spec.constraints = {{.kind = ConstraintKind::kTendon, .a = "rope", .polynomial = {20}}};
    }
    Simulator sim(compile(spec), {.accuracy = 1e-5});
    ASSERT_EQ(sim.model().tendons[0].trees.size(), 3U);
    sim.advance_to(0.4);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(sim.state().q[i], 0.5 * expected[i] * 0.16, 1e-4) << kind;
    }
    EXPECT_NEAR(length_of(sim, 0), kind == 0 ? 0 : 20, 1e-5) << kind;
    EXPECT_LT(sim.statistics().steps, 100);
  }
}

// A soft limit is a spring: the mass swings to twice the depth at which it would rest, and with
// damping comes to that.
TEST(TendonLimit, SoftOneIsASpring) {
  ModelSpec spec = make_masses(2, 1);
  spec.bodies.pop_back();
  TendonSpec rope{.name = "rope",
                  .branches = {make_path({{"world", {0, 0, 3}}, {"a", {}}})},
                  .upper = 3,
                  .limit_stiffness = 500,
                  .limit_damping = 60};
  spec.tendons = {rope};
  Simulator sim(compile(spec), {.accuracy = 1e-6});
  sim.advance_to(3);
  EXPECT_NEAR(sim.state().q[0], -2 * kG / 500, 1e-6);
  rope.limit_damping = 0;
  spec.tendons = {rope};
  Simulator swinging(compile(spec), {.accuracy = 1e-7});
  swinging.advance_to(std::numbers::pi * std::sqrt(2.0 / 500));  // half a period
  EXPECT_NEAR(swinging.state().q[0], -2 * 2 * kG / 500, 1e-4);
}

// l_a = 1 + ½ l_b² ties the two masses: rates follow the derivative.
TEST(TendonConstraint, FollowsItsPolynomial) {
  ModelSpec spec = make_masses(1, 2);
  spec.tendons = {
      {.name = "ta", .branches = {make_path({{"world", {0, 0, 4}}, {"a", {0, 0, 0.5}}})}},
      {.name = "tb", .branches = {make_path({{"world", {1, 0, 3}}, {"b", {}}})}}};
  // Initially l_a = 3.5 and l_b = 3.
  spec.constraints = {{.kind = ConstraintKind::kTendon,
                       .a = "ta",
                       .b = "tb",
                       .polynomial = {3.5 - 0.5 * 9 / 2, 0, 0.25}}};
  Simulator sim(compile(spec), {.accuracy = 1e-5});
  sim.advance_to(0.4);
  const double la = length_of(sim, 0), lb = length_of(sim, 1);
  EXPECT_GT(std::abs(lb - 3), 0.05);  // it moves
  EXPECT_NEAR(la, 3.5 - 2.25 + 0.25 * lb * lb, 1e-5);
  EXPECT_NEAR(sim.state().v[0], 0.5 * lb * sim.state().v[1], 1e-4);
}

// A mass on a string with inertia along it: m g/(m + A).
TEST(TendonArmature, SlowsAFall) {
  ModelSpec spec = make_masses(2, 1);
  spec.bodies.pop_back();
  spec.tendons = {{.name = "string",
                   .branches = {make_path({{"world", {0, 0, 3}}, {"a", {}}}, 2)},
                   .armature = 8}};
  Simulator sim(compile(spec), {.accuracy = 1e-6});
  sim.advance_to(0.5);
  EXPECT_NEAR(sim.state().q[0], -0.5 * 2 * kG / (2 + 8.0 / 4) * 0.25, 1e-5);
}

// A free body on a heavy string swings about the hook: energy stays, and so does the angular
// momentum about the hook, to which a central force adds nothing.
TEST(TendonArmature, KeepsEnergyAndMomentum) {
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_free_body("ball", make_test_geometry("ball", make_sphere(0.1)), {1, 0, 0},
                                {3, 1, 2, 0.3, 1, 0.2})};
  spec.tendons = {{.name = "string",
                   .branches = {make_path({{"world", {}}, {"ball", {0.05, 0.02, 0}}})},
                   .armature = 5}};
  const auto model = compile(spec);
  Simulator sim(model, {.accuracy = 1e-6});
  const auto measure = [&] {
    Kinematics kin;
    kin.resize(*model);
    update_positions(*model, sim.state().q, &kin);
    update_velocities(*model, sim.state().v, &kin);
    const Energy e = calc_energy(*model, kin, sim.state().q, sim.state().v);
    return std::pair{e.kinetic, calc_momentum(*model, kin).w};
  };
  const auto [energy, momentum] = measure();
  sim.advance_to(2);
  const auto [energy_then, momentum_then] = measure();
  EXPECT_NEAR(energy_then, energy, 1e-3 * energy);
  EXPECT_LT(norm(momentum_then - momentum), 1e-3 * norm(momentum));
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// SuctionCup: its force against the formula, and the momentum of what it pulls and what holds it.
#include <memory>

#include <gtest/gtest.h>

#include "physics/worlds.h"
#include "systems/evaluator.h"

namespace cenic {
namespace {

constexpr double kStrength = 0.05, kSoftening = 2e-3, kRange = 0.1;

// A cup at the origin of a free body and an object above it, without gravity.
ModelSpec make_pair(const Shape& object, const RigidTransform& X_WObject) {
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_free_body("cup", make_test_geometry("cup", make_sphere(0.005)), {0, 0, -0.3}),
                 make_free_body("object", make_test_geometry("object", object), {})};
  spec.bodies[1].X_PB = X_WObject;
  spec.systems = {{.name = "suction",
                   .system = std::make_shared<SuctionCup>(Suction{.cup = "cup",
                                                                  .p_CupRim = {0, 0, 0.3},
                                                                  .direction = {0, 0, 2},
                                                                  .object = "object",
                                                                  .strength = kStrength,
                                                                  .softening = kSoftening,
                                                                  .range = kRange})}};
  return spec;
}

// Forces on the cup and on the object, (torque, force) at their origins.
struct Forces {
  double signal = 0;
  std::vector<double> tau;
  Vec3 on_cup() const { return {tau[3], tau[4], tau[5]}; }
  Vec3 on_object() const { return {tau[9], tau[10], tau[11]}; }
};

Forces calc_forces(const ModelSpec& spec) {
  const auto model = compile(spec);
  SystemEvaluator evaluator(*model);
  evaluator.set_state(make_initial_state(*model));
  EXPECT_TRUE(evaluator.evaluate(0));
  Forces forces{evaluator.y()[0], std::vector<double>(model->nv, 0.0)};
  evaluator.add_forces(forces.tau);
  return forces;
}

double formula(double d) { return kStrength * (1 / (d + kSoftening) - 1 / (kRange + kSoftening)); }

TEST(SuctionCup, PullsASphereByTheFormula) {
  for (const double d : {1e-3, 0.01, 0.05, 0.099, 0.11}) {
    const Forces forces =
        calc_forces(make_pair(make_sphere(0.04), RigidTransform::translation({0, 0, 0.04 + d})));
    const double f = d < kRange ? formula(d) : 0;
    EXPECT_NEAR(forces.signal, f, 1e-9) << d;
    EXPECT_NEAR(norm(forces.on_object() - Vec3{0, 0, -f}), 0, 1e-9) << d;
    EXPECT_NEAR(norm(forces.on_cup() - Vec3{0, 0, f}), 0, 1e-9) << d;
  }
}

// Off to the side the force is along the line to the nearest point, less by its cosine.
TEST(SuctionCup, PullsABoxAtItsNearestPoint) {
  const Vec3 p{0.03, 0, 0.04};  // of the box's edge nearest to the rim
  const Forces forces = calc_forces(
      make_pair(make_box({0.1, 0.1, 0.1}), RigidTransform::translation(p + Vec3{0.1, 0, 0.1})));
  const double f = formula(0.05) * 0.8;
  EXPECT_NEAR(norm(forces.on_object() - f * Vec3{-0.6, 0, -0.8}), 0, 1e-9);
  // Behind the cup nothing is pulled.
  EXPECT_EQ(
      calc_forces(make_pair(make_box({0.1, 0.1, 0.1}), RigidTransform::translation({0, 0, -0.12})))
          .signal,
      0);
}

TEST(SuctionCup, IsFiniteAndContinuousInContact) {
  const auto force = [](double d) {
    return calc_forces(
               make_pair(make_box({0.1, 0.1, 0.1}), RigidTransform::translation({0, 0, 0.1 + d})))
        .on_object();
  };
  const Vec3 most{0, 0, -formula(0)};
  for (const double d : {1e-9, 0.0, -1e-9, -1e-3}) {
    EXPECT_NEAR(norm(force(d) - most), 0, 1e-4 * norm(most)) << d;
  }
}

// Forces are opposite and along one line: their torques about the world's origin cancel.
TEST(SuctionCup, ConservesMomentum) {
  for (const bool on_mount : {false, true}) {
    ModelSpec spec = make_pair(make_box({0.05, 0.08, 0.03}),
                               {RigidTransform::rotation({0.5, 0.3, -0.8}).R, {0.02, -0.04, 0.08}});
    if (on_mount) {
      spec.bodies.push_back(
          make_free_body("mount", make_test_geometry("mount", make_sphere(0.01)), {0.4, 0.1, -1}));
      spec.systems[0].system = std::make_shared<SuctionCup>(Suction{.cup = "cup",
                                                                    .p_CupRim = {0, 0, 0.3},
                                                                    .object = "object",
                                                                    .mount = "mount",
                                                                    .strength = kStrength,
                                                                    .softening = kSoftening});
    }
    const Forces forces = calc_forces(spec);
    EXPECT_GT(norm(forces.on_object()), 0.1);
    Vec3 force, torque;
    for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
      const double* tau = forces.tau.data() + 6 * b;
      const Vec3 f{tau[3], tau[4], tau[5]};
      force += f;
      torque += Vec3{tau[0], tau[1], tau[2]} + cross(spec.bodies[b].X_PB.p, f);
    }
    EXPECT_NEAR(norm(force), 0, 1e-12);
    EXPECT_NEAR(norm(torque), 0, 1e-12);
    EXPECT_EQ(norm(forces.on_cup()) == 0, on_mount);
  }
}

TEST(SuctionCup, Complains) {
  const auto message = [](const Suction& suction) -> std::string {
    ModelSpec spec = make_pair(make_sphere(0.1), {});
    spec.bodies[1].geometries[0].collides = false;
    spec.systems[0].system = std::make_shared<SuctionCup>(suction);
    try {
      compile(spec);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  Suction suction{.cup = "cup", .object = "object", .strength = 1, .softening = 1e-3};
  EXPECT_NE(message(suction).find("'object' has no geometry that collides"), std::string::npos);
  suction.object = "none";
  EXPECT_NE(message(suction).find("no body 'none'"), std::string::npos);
  suction.softening = 0;
  EXPECT_NE(message(suction).find("softening is 0"), std::string::npos);
}

}  // namespace
}  // namespace cenic

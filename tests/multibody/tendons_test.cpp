// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Tendons: rates and rows against differences of lengths, inertia against the energy it stores.
#include "multibody/tendons.h"

#include <gtest/gtest.h>

#include "multibody/random_model.h"

namespace cenic::test {
namespace {

constexpr double kStep = 1e-5;

// A random tree with a path of two branches, one around an obstacle, and a sum of joints.
ModelSpec make_spec(Random* random, double armature) {
  ModelSpec spec = make_random_tree({.num_bodies = 5}, random).spec;
  for (std::size_t b = 1; b < spec.bodies.size(); ++b) {  // all in the tree of the first
    BodySpec& body = spec.bodies[b];
    if (body.parent != kWorldName) continue;
    body.parent = spec.bodies[0].name;
    for (JointSpec& joint : body.joints) {
      if (joint.kind == JointKind::kFree) joint.kind = JointKind::kBall;
    }
  }
  const auto pick = [&] {
    return spec.bodies[random->integer(0, static_cast<int>(spec.bodies.size()) - 1)].name;
  };
  for (BodySpec& body : spec.bodies) {
    for (JointSpec& joint : body.joints) {
      joint.stiffness = 0;  // inverse dynamics knows no springs
    }
  }
  TendonSpec path{.name = "path", .armature = armature};
  path.branches = {
      {.points = {{"world", random->vector(2)},
                  {pick(), random->vector(1)},
                  {pick(), random->vector(1)}}},
      {.points = {{pick(), random->vector(1)}, {pick(), random->vector(1)}}, .divisor = 2.5}};
  TendonSpec around = path;
  around.name = "around";
  around.armature = 0;
  around.branches[0].obstacles = {
      {.after = 1, .body = pick(), .X_BG = random->pose(), .obstacle = {.radius = 0.2}}};
  TendonSpec sum{.name = "sum", .armature = armature};
  for (const BodySpec& body : spec.bodies) {
    for (const JointSpec& joint : body.joints) {
      if (joint.kind == JointKind::kRevolute || joint.kind == JointKind::kPrismatic) {
        sum.joints.push_back({joint.name, random->uniform(-2, 2)});
      }
    }
  }
  spec.tendons = {path, around};
  if (!sum.joints.empty()) spec.tendons.push_back(sum);
  return spec;
}

struct Pose {
  std::vector<double> q, v;
};
Pose make_pose(const Model& model, Random* random) {
  return {move(model, model.q0, random->array(model.nv), 1), random->array(model.nv)};
}

TEST(Tendons, RatesAreThoseOfTheirLengths) {
  for (int seed = 0; seed < 30; ++seed) {
    Random random(seed);
    Bench bench(make_spec(&random, 0));
    const Model& model = *bench.model;
    const auto [q, v] = make_pose(model, &random);
    for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
      const auto length = [&](double h) {
        const std::vector<double> there = move(model, q, v, h);
        update_positions(model, there, &bench.kin);
        return calc_tendon_length(model, bench.kin, there, t);
      };
      const double expected = (length(kStep) - length(-kStep)) / (2 * kStep);
      bench.set(q, v);
      EXPECT_NEAR(calc_tendon_rate(model, bench.kin, v, t), expected, 1e-7) << seed;
      std::vector<double> row(model.nv, 0.0);
      add_tendon_row(model, bench.kin, t, 0, 2, row.data());
      EXPECT_NEAR(as_eigen(row).dot(as_eigen(v)), 2 * expected, 1e-7) << seed;
    }
  }
}

TEST(Tendons, BiasIsTheRateOfTheRateAtConstantVelocities) {
  for (int seed = 0; seed < 30; ++seed) {
    Random random(seed);
    Bench bench(make_spec(&random, 0));
    const Model& model = *bench.model;
    const auto [q, v] = make_pose(model, &random);
    const auto rate = [&](double h) {
      bench.set(move(model, q, v, h), v);
      return calc_tendon_rate(model, bench.kin, v, 0);
    };
    const double expected = (rate(kStep) - rate(-kStep)) / (2 * kStep);
    bench.set(q, v);
    EXPECT_NEAR(calc_tendon_bias(model, bench.kin, v, 0), expected,
                1e-6 * std::max(1.0, std::abs(expected)))
        << seed;
  }
}

// Power: the forces that keep all velocities constant make the energy grow at the rate τ · v.
TEST(Tendons, ArmatureStoresTheEnergyThatMovesIt) {
  for (int seed = 0; seed < 20; ++seed) {
    Random random(seed);
    ModelSpec spec = make_spec(&random, 3);
    Bench bench(spec);
    for (TendonSpec& t : spec.tendons) {
      t.armature = 0;
    }
    Bench light(spec);
    const Model& model = *bench.model;
    ASSERT_FALSE(model.heavy_tendons.empty());
    const auto [q, v] = make_pose(model, &random);
    bench.set(q, v);
    light.set(q, v);
    Eigen::MatrixXd expected = light.mass_matrix();
    for (const int t : model.heavy_tendons) {
      std::vector<double> row(model.nv, 0.0);
      add_tendon_row(model, bench.kin, t, 0, 1, row.data());
      expected += 3 * as_eigen(row) * as_eigen(row).transpose();
    }
    EXPECT_LT((bench.mass_matrix() - expected).cwiseAbs().maxCoeff(), 1e-10);
    // M v̇ + bias, by the recursion and by M itself.
    const std::vector<double> vdot = random.array(model.nv);
    const Eigen::VectorXd tau = bench.inverse_dynamics(v, vdot);
    const Eigen::VectorXd bias = bench.inverse_dynamics(v, {});
    EXPECT_LT((tau - expected * as_eigen(vdot) - bias).cwiseAbs().maxCoeff(), 1e-9);
    const auto energy = [&](double h) {
      const Energy e = bench.energy(move(model, q, v, h), v);
      return e.kinetic + e.potential;
    };
    const double power = (energy(kStep) - energy(-kStep)) / (2 * kStep);
    EXPECT_NEAR(bias.dot(as_eigen(v)), power, 1e-5 * std::max(1.0, std::abs(power))) << seed;
  }
}

}  // namespace
}  // namespace cenic::test

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Mass matrix and inverse dynamics against each other, against energy and momentum, and against
// equivalent models.
#include <gtest/gtest.h>

#include "multibody/random_model.h"

namespace cenic::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<double> to_vector(const VectorXd& a) { return {a.data(), a.data() + a.size()}; }

struct RandomBench : Bench {
  RandomBench(const RandomTree& tree, Random* random) : Bench(tree.spec) {
    q = make_random_positions(*model, random);
    v = random->array(model->nv, 2);
    vdot = random->array(model->nv, 5);
    set(q, v);
  }
  std::vector<double> q, v, vdot;
};

RandomTree make_tree(Random* random) {
  return make_random_tree({.num_bodies = random->integer(1, 9)}, random);
}

class TreeDynamics : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Seeds, TreeDynamics, testing::Range(1000, 1060));

TEST_P(TreeDynamics, InverseDynamicsIsMassMatrixTimesAccelerationPlusBias) {
  Random random(GetParam());
  RandomBench bench(make_tree(&random), &random);
  const VectorXd tau = bench.inverse_dynamics(bench.v, bench.vdot);
  const VectorXd bias = bench.inverse_dynamics(bench.v, {});
  const VectorXd expected = bench.mass_matrix() * as_eigen(bench.vdot) + bias;
  EXPECT_LT((tau - expected).norm(), 1e-12 * (1 + expected.norm()));
}

TEST_P(TreeDynamics, MassMatrixIsSymmetricAndPositiveDefinite) {
  Random random(GetParam());
  RandomBench bench(make_tree(&random), &random);
  const MatrixXd M = bench.mass_matrix();
  EXPECT_EQ((M - M.transpose()).cwiseAbs().maxCoeff(), 0);
  // Not bounded away from zero: a stack of joints may be near a singular configuration.
  EXPECT_GT(M.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -1e-12 * M.norm());
}

TEST_P(TreeDynamics, KineticEnergyIsHalfVMV) {
  Random random(GetParam());
  RandomBench bench(make_tree(&random), &random);
  const auto v = as_eigen(bench.v);
  const double expected = 0.5 * v.dot(bench.mass_matrix() * v);
  EXPECT_NEAR(bench.energy(bench.q, bench.v).kinetic, expected, 1e-12 * (1 + expected));
}

// dE/dt = v · (tau + k d): what the joints give, where tau leaves the springs out and E has them.
TEST_P(TreeDynamics, EnergyGrowsByThePowerOfTheJoints) {
  Random random(GetParam());
  RandomBench bench(make_tree(&random), &random);
  const Model& model = *bench.model;
  VectorXd force = bench.inverse_dynamics(bench.v, bench.vdot);
  std::vector<double> d(model.nv, 1e300);
  calc_spring_displacement(model, bench.q, d);
  for (int i = 0; i < model.nv; ++i) {
    force(i) += model.stiffness[i] * d[i];
  }
  const auto energy_at = [&](double h) {
    const Energy e = bench.energy(move(model, bench.q, bench.v, h), axpy(h, bench.vdot, bench.v));
    return e.kinetic + e.potential;
  };
  constexpr double kStep = 1e-5;
  const double rate = (energy_at(kStep) - energy_at(-kStep)) / (2 * kStep);
  const double power = force.dot(as_eigen(bench.v));
  const double scale = force.cwiseAbs().dot(as_eigen(bench.v).cwiseAbs());
  EXPECT_NEAR(rate, power, 1e-7 * (1 + scale));
}

// What hangs on nothing (a free body and what it carries) keeps its momentum but for gravity.
TEST_P(TreeDynamics, MomentumOfAFreeTreeChangesByGravityAlone) {
  Random random(GetParam());
  RandomTree tree = make_tree(&random);
  tree.spec.bodies[0].joints = {{.kind = JointKind::kFree}};
  for (std::size_t b = 1; b < tree.spec.bodies.size(); ++b) {
    BodySpec& body = tree.spec.bodies[b];
    if (body.parent == kWorldName) body.parent = "b0";
    for (JointSpec& joint : body.joints) {
      if (joint.kind == JointKind::kFree) joint = make_random_joint(JointKind::kBall, &random);
    }
  }
  // Armature would act as a fictitious force; gravity must be felt whole.
  for (BodySpec& body : tree.spec.bodies) {
    body.gravity_compensation = 0;
    for (JointSpec& joint : body.joints)
      joint.armature = 0;
  }
  RandomBench bench(tree, &random);
  const Model& model = *bench.model;
  ASSERT_EQ(model.trees.size(), 1U);
  const std::vector<double> vdot =
      to_vector(bench.mass_matrix().ldlt().solve(-bench.inverse_dynamics(bench.v, {})));
  Spatial weight;
  for (std::size_t l = 0; l < model.links.size(); ++l) {
    const SpatialInertia& S = bench.kin.M_BBo_W[l];
    weight += {cross(S.mass * bench.kin.X_WB[l].p + S.mc, model.gravity), S.mass * model.gravity};
  }
  constexpr double kStep = 1e-6;
  bench.set(move(model, bench.q, bench.v, kStep), axpy(kStep, vdot, bench.v));
  const Spatial after = calc_momentum(model, bench.kin);
  bench.set(move(model, bench.q, bench.v, -kStep), axpy(-kStep, vdot, bench.v));
  const Spatial before = calc_momentum(model, bench.kin);
  const Spatial rate = (1 / (2 * kStep)) * (after - before);
  const double scale = 1 + as_eigen(vdot).norm();
  EXPECT_LT(norm(rate.w - weight.w), 1e-6 * scale);
  EXPECT_LT(norm(rate.v - weight.v), 1e-6 * scale);
}

// A screw is a slide and a hinge about the same axis with slide = pitch · angle, so with v₂ = T v₁:
// M₁ = Tᵀ M₂ T and bias₁ = Tᵀ bias₂ (T is constant).
TEST_P(TreeDynamics, ScrewIsASlideAndAHingeTiedTogether) {
  Random random(GetParam());
  RandomTree tree = make_tree(&random);
  tree.spec.bodies[0].joints = {make_random_joint(JointKind::kScrew, &random)};
  tree.spec.bodies[0].joints[0].armature = 0.1;
  RandomBench screw(tree, &random);

  RandomTree split = tree;
  for (BodySpec& body : split.spec.bodies) {
    std::vector<JointSpec> joints;
    for (const JointSpec& joint : body.joints) {
      if (joint.kind == JointKind::kScrew) {
        joints.push_back({.kind = JointKind::kPrismatic, .X_BF = joint.X_BF, .axis = joint.axis});
        joints.push_back(joint);
        joints.back().kind = JointKind::kRevolute;
      } else {
        joints.push_back(joint);
      }
    }
    body.joints = joints;
  }
  Bench pair(split.spec);
  const Model& model = *screw.model;
  const Model& model2 = *pair.model;
  MatrixXd T = MatrixXd::Zero(model2.nv, model.nv);
  std::vector<double> q2(model2.nq, 0.0);
  int l2 = 0;
  for (const Link& link : model.links) {
    if (link.kind == MobilizerKind::kScrew) {
      const Link& slide = model2.links[l2++];
      q2[slide.q_start] = link.pitch * screw.q[link.q_start];
      T(slide.v_start, link.v_start) = link.pitch;
    }
    const Link& same = model2.links[l2++];
    std::copy_n(&screw.q[link.q_start], link.nq, &q2[same.q_start]);
    T.block(same.v_start, link.v_start, link.nv, link.nv).setIdentity();
  }
  const std::vector<double> v2 = to_vector(T * as_eigen(screw.v));
  pair.set(q2, v2);
  const MatrixXd M = screw.mass_matrix();
  EXPECT_LT((T.transpose() * pair.mass_matrix() * T - M).norm(), 1e-11 * M.norm());
  const VectorXd bias = screw.inverse_dynamics(screw.v, {});
  const VectorXd bias2 = T.transpose() * pair.inverse_dynamics(v2, {});
  EXPECT_LT((bias2 - bias).norm(), 1e-11 * (1 + bias.norm()));
}

// A weightless body welded on turns the shortcut for free bodies off.
TEST(FreeBody, ShortcutAgreesWithTheRecursions) {
  Random random(7);
  RandomTree tree = make_random_tree({.num_bodies = 1}, &random);
  tree.spec.bodies[0].joints = {{.kind = JointKind::kFree, .armature = 0.3}};
  RandomBench shortcut(tree, &random);
  RandomTree longer = tree;
  longer.spec.bodies.push_back({.name = "tag", .parent = "b0", .X_PB = random.pose()});
  RandomBench recursion(longer, &random);
  ASSERT_TRUE(shortcut.model->trees[0].free_body);
  ASSERT_FALSE(recursion.model->trees[0].free_body);
  recursion.set(shortcut.q, shortcut.v);

  EXPECT_LT((shortcut.mass_matrix() - recursion.mass_matrix()).norm(), 1e-14);
  EXPECT_LT((shortcut.inverse_dynamics(shortcut.v, shortcut.vdot) -
             recursion.inverse_dynamics(shortcut.v, shortcut.vdot))
                .norm(),
            1e-12);
  const Vec3 dirs[] = {random.direction(), random.direction(), random.direction()};
  const Vec3 p = random.vector();
  double J1[18] = {}, J2[18] = {};
  add_point_jacobian(*shortcut.model, shortcut.kin, 0, p, dirs, -1, 6, J1);
  add_point_jacobian(*recursion.model, recursion.kin, 0, p, dirs, -1, 6, J2);
  for (int i = 0; i < 18; ++i) {
    EXPECT_NEAR(J1[i], J2[i], 1e-14);
  }
}

// With v = 0 the bias is the gradient of the potential, whatever the gravity compensation.
TEST(GravityCompensation, ScalesTheWeightOfItsBodyAlone) {
  ModelSpec spec{.gravity = {0, 0, -10}};
  const InertiaSpec inertia{2, {0.5, 0, 0}, Mat3::diagonal({0.1, 0.1, 0.1})};
  spec.bodies.push_back({.name = "a",
                         .joints = {{.axis = {0, 1, 0}}},
                         .inertia = inertia,
                         .gravity_compensation = 0.25});
  spec.bodies.push_back({.name = "b",
                         .parent = "a",
                         .X_PB = RigidTransform::translation({1, 0, 0}),
                         .joints = {{.axis = {0, 1, 0}}},
                         .inertia = inertia});
  Bench bench(spec);
  const std::vector<double> q(2, 0.0), v(2, 0.0);
  bench.set(q, v);
  const VectorXd hold = bench.inverse_dynamics(v, {});
  // About y, a weight W at x needs the torque −W x to be held.
  EXPECT_NEAR(hold(0), -(0.75 * 20 * 0.5 + 20 * 1.5), 1e-12);
  EXPECT_NEAR(hold(1), -20 * 0.5, 1e-12);
}

// I dw/dt = −w × I w in principal axes.
TEST(FreeBody, FollowsEulersEquations) {
  ModelSpec spec{.gravity = {}};
  const Vec3 I{1, 2, 2.5};
  spec.bodies.push_back({.name = "a",
                         .joints = {{.kind = JointKind::kFree}},
                         .inertia = InertiaSpec{3, {}, Mat3::diagonal(I)}});
  Bench bench(spec);
  const std::vector<double> q{1, 0, 0, 0, 0, 0, 0}, v{0.3, -0.7, 1.1, 5, 6, 7};
  bench.set(q, v);
  const VectorXd bias = bench.inverse_dynamics(v, {});
  EXPECT_NEAR(bias(0), (I.z - I.y) * v[1] * v[2], 1e-15);
  EXPECT_NEAR(bias(1), (I.x - I.z) * v[2] * v[0], 1e-15);
  EXPECT_NEAR(bias(2), (I.y - I.x) * v[0] * v[1], 1e-15);
  EXPECT_NEAR(bias.tail(3).norm(), 0, 1e-15);
}

}  // namespace
}  // namespace cenic::test

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Velocities, accelerations and Jacobians against finite differences of poses; coordinates against
// the group laws.
#include <gtest/gtest.h>

#include "multibody/random_model.h"

namespace cenic::test {
namespace {

class TreeKinematics : public testing::TestWithParam<int> {
 protected:
  TreeKinematics()
      : random_(GetParam()),
        bench_(make_random_tree({.num_bodies = random_.integer(1, 9)}, &random_).spec),
        model_(*bench_.model),
        q_(make_random_positions(model_, &random_)),
        v_(random_.array(model_.nv, 2)) {
    bench_.set(q_, v_);
  }

  Random random_;
  Bench bench_;
  const Model& model_;
  std::vector<double> q_, v_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, TreeKinematics, testing::Range(2000, 2060));

constexpr double kStep = 1e-5;

TEST_P(TreeKinematics, VelocityIsTheRateOfThePose) {
  const std::vector<Spatial> V = bench_.kin.V_WB;
  update_positions(model_, move(model_, q_, v_, kStep), &bench_.kin);
  const std::vector<RigidTransform> after = bench_.kin.X_WB;
  update_positions(model_, move(model_, q_, v_, -kStep), &bench_.kin);
  for (std::size_t l = 0; l < model_.links.size(); ++l) {
    const RigidTransform& before = bench_.kin.X_WB[l];
    const Vec3 v = (after[l].p - before.p) / (2 * kStep);
    const Vec3 w = log_map(to_quaternion(after[l].R * transpose(before.R))) / (2 * kStep);
    const double scale = 1 + norm(V[l].w) * norm(V[l].w) + norm(V[l].v);
    EXPECT_LT(norm(v - V[l].v), 1e-8 * scale * scale);
    EXPECT_LT(norm(w - V[l].w), 1e-8 * scale * scale);
  }
}

TEST_P(TreeKinematics, AccelerationIsTheRateOfTheVelocity) {
  const std::vector<double> vdot = random_.array(model_.nv, 5);
  std::vector<Spatial> A(model_.links.size());
  for (int l = model_.num_anchored_links; l < static_cast<int>(A.size()); ++l) {
    A[l] = calc_link_acceleration(model_, bench_.kin, l, v_, vdot);
  }
  bench_.set(move(model_, q_, v_, kStep), axpy(kStep, vdot, v_));
  const std::vector<Spatial> after = bench_.kin.V_WB;
  bench_.set(move(model_, q_, v_, -kStep), axpy(-kStep, vdot, v_));
  for (const Tree& tree : model_.trees) {
    for (int l = tree.link_begin; l < tree.link_end; ++l) {
      const Spatial rate = (1 / (2 * kStep)) * (after[l] - bench_.kin.V_WB[l]);
      const double scale = 1 + norm(A[l].w) + norm(A[l].v);
      EXPECT_LT(norm(rate.w - A[l].w), 1e-7 * scale);
      EXPECT_LT(norm(rate.v - A[l].v), 1e-7 * scale);
    }
  }
}

// Columns of the Jacobian against the motion of the point when one coordinate moves.
TEST_P(TreeKinematics, PointJacobianIsTheRateOfThePoint) {
  const int l = random_.integer(0, static_cast<int>(model_.links.size()) - 1);
  const Vec3 p_B = random_.vector();
  const Vec3 p_W = bench_.kin.X_WB[l] * p_B;
  const Vec3 dirs[] = {random_.direction(), random_.direction(), random_.direction()};
  const int ld = model_.nv + 2;
  std::vector<double> J(3 * ld, 0.5);  // the function adds
  add_point_jacobian(model_, bench_.kin, l, p_W, dirs, 2, ld, J.data());
  const Vec3 v_point = calc_point_velocity(bench_.kin, l, p_W);

  const int tree = model_.links[l].tree;
  const int v_start = tree < 0 ? 0 : model_.trees[tree].v_start;
  const int nv = tree < 0 ? 0 : model_.trees[tree].nv;
  Vec3 from_columns;  // Σ J v
  for (int i = 0; i < nv; ++i) {
    std::vector<double> unit(model_.nv, 0.0);
    unit[v_start + i] = 1;
    update_positions(model_, move(model_, q_, unit, kStep), &bench_.kin);
    const Vec3 after = bench_.kin.X_WB[l] * p_B;
    update_positions(model_, move(model_, q_, unit, -kStep), &bench_.kin);
    const Vec3 rate = (after - bench_.kin.X_WB[l] * p_B) / (2 * kStep);
    for (int r = 0; r < 3; ++r) {
      EXPECT_NEAR(J[r * ld + i], 0.5 + 2 * dot(rate, dirs[r]), 1e-8);
      from_columns[r] += 0.5 * (J[r * ld + i] - 0.5) * v_[v_start + i];
    }
  }
  for (int r = 0; r < 3; ++r) {
    EXPECT_NEAR(from_columns[r], dot(v_point, dirs[r]), 1e-12 * (1 + norm(v_point)));
    for (int i = nv; i < ld; ++i) {
      EXPECT_EQ(J[r * ld + i], 0.5);  // columns outside the tree are not touched
    }
  }
}

TEST_P(TreeKinematics, DifferenceUndoesIntegration) {
  // Turns up to about 3 rad, below π.
  const std::vector<double> v = random_.array(model_.nv, 1.7);
  const std::vector<double> q2 = move(model_, q_, v, 1);
  std::vector<double> dv(model_.nv, 1e300);
  calc_position_difference(model_, q_, q2, dv);
  for (int i = 0; i < model_.nv; ++i) {
    EXPECT_NEAR(dv[i], v[i], 1e-13);
  }
  // And q ⊕ (q2 ⊖ q) is q2 when the angle is tiny, too.
  const std::vector<double> q3 = move(model_, q_, v, 1e-9);
  calc_position_difference(model_, q_, q3, dv);
  for (int i = 0; i < model_.nv; ++i) {
    EXPECT_NEAR(dv[i], 1e-9 * v[i], 1e-15);
  }
}

TEST_P(TreeKinematics, NormalizedUpdateAgreesToSecondOrder) {
  for (const double h : {1e-2, 1e-3}) {
    std::vector<double> q2(model_.nq), dv(model_.nv);
    integrate_positions(model_, q_, v_, h, RotationUpdate::kNormalized, q2);
    calc_position_difference(model_, move(model_, q_, v_, h), q2, dv);
    // |q + h N v| turns by 2 atan(h|w|/2) = h|w| − (h|w|)³/12.
    const double turn = h * 2 * std::sqrt(3.0);
    EXPECT_LT(as_eigen(dv).cwiseAbs().maxCoeff(), turn * turn * turn / 12 + 1e-15);
    // Quaternions stay of unit length.
    for (const Link& link : model_.links) {
      if (link.nq < 4) continue;
      const double* e = &q2[link.q_start];
      EXPECT_NEAR(norm(Quat{e[0], e[1], e[2], e[3]}), 1, 1e-15);
    }
  }
}

TEST_P(TreeKinematics, RatesOfDisplacementsAndCoordinatesMoveWithTheVelocities) {
  Random random(8);
  const double h = 1e-6;
  for (const double size : {0.0, 1e-3, 0.02, 0.5, 1.5}) {
    // q0 ⊕ (δ ± h δ̇) are 2 h v apart, and so are q ± h q̇.
    const std::vector<double> delta = random.array(model_.nv, size);
    std::vector<double> rate(model_.nv), qdot(model_.nq), dv(model_.nv);
    calc_displacement_rate(model_, delta, v_, rate);
    calc_position_difference(model_, move(model_, q_, axpy(-h, rate, delta), 1),
                             move(model_, q_, axpy(h, rate, delta), 1), dv);
    EXPECT_LT((as_eigen(dv) / (2 * h) - as_eigen(v_)).cwiseAbs().maxCoeff(), 1e-8) << size;
    const std::vector<double> q = move(model_, q_, delta, 1);
    calc_coordinate_rate(model_, q, v_, qdot);
    calc_position_difference(model_, axpy(-h, qdot, q), axpy(h, qdot, q), dv);
    EXPECT_LT((as_eigen(dv) / (2 * h) - as_eigen(v_)).cwiseAbs().maxCoeff(), 1e-8) << size;
  }
}

TEST(Positions, IntegrationMayBeInPlace) {
  Random random(3);
  ModelSpec spec = make_random_tree({.num_bodies = 8}, &random).spec;
  const auto model = compile(spec);
  std::vector<double> q = make_random_positions(*model, &random);
  const std::vector<double> v = random.array(model->nv);
  const std::vector<double> expected = move(*model, q, v, 0.1);
  integrate_positions(*model, q, v, 0.1, RotationUpdate::kExponential, q);
  EXPECT_EQ(q, expected);
}

TEST(Positions, SpringDisplacementIsFromTheRestCoordinates) {
  const Quat rest = exp_map({0.2, -0.4, 0.1});
  ModelSpec spec;
  const InertiaSpec inertia{1, {}, Mat3::identity()};
  spec.bodies.push_back(
      {.name = "hinge", .joints = {{.stiffness = 3, .rest = {0.5}}}, .inertia = inertia});
  spec.bodies.push_back({.name = "ball",
                         .joints = {{.kind = JointKind::kBall,
                                     .stiffness = 4,
                                     .rest = {2 * rest.w, 2 * rest.x, 2 * rest.y, 2 * rest.z}}},
                         .inertia = inertia});
  Bench bench(spec);
  const Vec3 turn{0.3, 0.6, -0.2};
  const Quat e = exp_map(turn) * rest;
  const std::vector<double> q{0.75, e.w, e.x, e.y, e.z}, v(4, 0.0);
  std::vector<double> d(4, 1e300);
  calc_spring_displacement(*bench.model, q, d);
  EXPECT_NEAR(d[0], 0.25, 1e-15);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(d[1 + i], turn[i], 1e-14);
  }
  EXPECT_NEAR(bench.energy(q, v).potential, 0.5 * 3 * 0.25 * 0.25 + 0.5 * 4 * norm_squared(turn),
              1e-14);
}

// The conventions of docs/notation.md, one number each.
TEST(Conventions, UniversalTurnsAboutXThenY) {
  ModelSpec spec;
  spec.bodies.push_back({.name = "u",
                         .joints = {{.kind = JointKind::kUniversal}},
                         .inertia = InertiaSpec{1, {}, Mat3::identity()}});
  Bench bench(spec);
  const std::vector<double> q{0.4, 0.9}, v{1, 0};
  bench.set(q, v);
  const Mat3 R = bench.kin.X_WB[bench.model->bodies[0].link].R;
  const Mat3 expected =
      RigidTransform::rotation({0.4, 0, 0}).R * RigidTransform::rotation({0, 0.9, 0}).R;
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(norm(R.row[i] - expected.row[i]), 1e-15);
  }
}

TEST(Conventions, PlanarSlidesInFThenTurns) {
  ModelSpec spec;
  spec.bodies.push_back({.name = "p",
                         .joints = {{.kind = JointKind::kPlanar}},
                         .inertia = InertiaSpec{1, {}, Mat3::identity()}});
  Bench bench(spec);
  const std::vector<double> q{3, 4, 1.2}, v{1, 2, 3};
  bench.set(q, v);
  const int l = bench.model->bodies[0].link;
  EXPECT_LT(norm(bench.kin.X_WB[l].p - Vec3{3, 4, 0}), 1e-15);
  EXPECT_LT(norm(bench.kin.V_WB[l].v - Vec3{1, 2, 0}), 1e-15);
  EXPECT_LT(norm(bench.kin.V_WB[l].w - Vec3{0, 0, 3}), 1e-15);
}

TEST(Conventions, ScrewTravelsPitchTimesAngle) {
  ModelSpec spec;
  spec.bodies.push_back({.name = "s",
                         .joints = {{.kind = JointKind::kScrew, .axis = {0, 0, 5}, .pitch = 0.1}},
                         .inertia = InertiaSpec{1, {}, Mat3::identity()}});
  Bench bench(spec);
  const std::vector<double> q{2}, v{3};
  bench.set(q, v);
  EXPECT_LT(norm(bench.kin.X_WB[0].p - Vec3{0, 0, 0.2}), 1e-15);
  EXPECT_LT(norm(bench.kin.V_WB[0].v - Vec3{0, 0, 0.3}), 1e-15);
}

}  // namespace
}  // namespace cenic::test

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Curvilinear joints: poses in closed form, and mechanics against slides and hinges.
#include <numbers>

#include <gtest/gtest.h>

#include "multibody/random_model.h"

namespace cenic::test {
namespace {

using std::numbers::pi;

BodySpec make_rider(JointSpec joint) {
  return {.name = "rider",
          .joints = {std::move(joint)},
          .inertia = InertiaSpec{2, {0.1, -0.2, 0.3}, Mat3::diagonal({0.02, 0.03, 0.04})}};
}

RigidTransform pose_at(const ModelSpec& spec, double q) {
  Bench bench(spec);
  bench.set(std::vector{q}, std::vector{0.0});
  return bench.kin.X_WB[0];
}

void expect_pose(const RigidTransform& X, const Vec3& p, double angle) {
  EXPECT_LT(norm(X.p - p), 1e-13);
  EXPECT_LT(norm(X.R.column(0) - Vec3{std::cos(angle), std::sin(angle), 0}), 1e-13);
  EXPECT_LT(norm(X.R.column(2) - Vec3{0, 0, 1}), 1e-13);
}

// A metre straight on, a quarter turn to the left with radius 2, another to the right.
TEST(Curvilinear, FollowsLinesAndArcs) {
  ModelSpec spec;
  spec.bodies = {make_rider(
      {.kind = JointKind::kCurvilinear, .curve = {{1, 0}, {pi, pi / 2}, {pi, -pi / 2}}})};
  expect_pose(pose_at(spec, 0), {}, 0);
  expect_pose(pose_at(spec, 0.4), {0.4, 0, 0}, 0);
  expect_pose(pose_at(spec, 1 + pi / 3), {1 + 2 * std::sin(pi / 6), 2 - 2 * std::cos(pi / 6), 0},
              pi / 6);
  expect_pose(pose_at(spec, 1 + pi), {3, 2, 0}, pi / 2);
  expect_pose(pose_at(spec, 1 + 2 * pi), {5, 4, 0}, 0);
  // Beyond the ends, where only limits hold it: the line and the arc go on.
  expect_pose(pose_at(spec, -0.5), {-0.5, 0, 0}, 0);
  expect_pose(pose_at(spec, 1 + 3 * pi), {7, 2, 0}, -pi / 2);
}

TEST(Curvilinear, PeriodicPathsBeginAgain) {
  ModelSpec spec;
  const double half = 0.3 * pi;
  spec.bodies = {make_rider({.kind = JointKind::kCurvilinear,
                             .curve = {{1, 0}, {half, pi}, {1, 0}, {half, pi}},
                             .periodic = true})};
  const double length = 2 + 2 * half;
  expect_pose(pose_at(spec, 1.5 + half), {0.5, 0.6, 0}, pi);
  for (const int laps : {-3, -1, 1, 40}) {
    expect_pose(pose_at(spec, 0.7 + laps * length), {0.7, 0, 0}, 0);
  }
  EXPECT_TRUE(compile(spec)->limits.empty());
}

TEST(Curvilinear, OpenPathsEndInLimits) {
  JointSpec joint{.kind = JointKind::kCurvilinear, .curve = {{1, 0}, {0.5, -2}}};
  ModelSpec spec;
  spec.bodies = {make_rider(joint)};
  const auto ends = compile(spec)->limits;
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].lower, 0);
  EXPECT_EQ(ends[0].upper, 1.5);
  spec.bodies[0].joints[0].lower = {0.2};  // narrower, on one side
  const auto narrower = compile(spec)->limits;
  EXPECT_EQ(narrower[0].lower, 0.2);
  EXPECT_EQ(narrower[0].upper, 1.5);
}

// A tree that hangs on the rider, and the rider on something that moves.
ModelSpec make_train(const JointSpec& track, Random* random) {
  RandomTree tree = make_random_tree({.num_bodies = 3}, random);
  ModelSpec spec = tree.spec;
  spec.bodies[0].joints = {{.name = "base", .kind = JointKind::kFree}};
  for (std::size_t b = 1; b < spec.bodies.size(); ++b) {
    spec.bodies[b].parent = spec.bodies[b - 1].name;
    spec.bodies[b].joints = {{.name = spec.bodies[b].name, .axis = random->direction()}};
  }
  spec.bodies[1].joints = {track};
  return spec;
}

// The track has one coordinate, the eighth, and one velocity, the seventh: scaled by `scale`, all
// is as on the other joint.
void expect_same(const JointSpec& curve, const JointSpec& other, double q_track, double scale,
                 std::uint64_t seed) {
  Random first(seed), second(seed), random(seed + 1);
  Bench a(make_train(curve, &first)), b(make_train(other, &second));
  std::vector<double> q = make_random_positions(*a.model, &random);
  std::vector<double> v = random.array(a.model->nv, 2), vdot = random.array(a.model->nv, 5);
  q[7] = q_track;
  a.set(q, v);
  const Eigen::MatrixXd Ma = a.mass_matrix();
  const Eigen::VectorXd tau_a = a.inverse_dynamics(v, vdot);
  for (double* x : {&q[7], &v[6], &vdot[6]})
    *x *= scale;
  b.set(q, v);
  Eigen::VectorXd S = Eigen::VectorXd::Ones(a.model->nv);
  S(6) = scale;
  const Eigen::MatrixXd Mb = S.asDiagonal() * b.mass_matrix() * S.asDiagonal();
  const Eigen::VectorXd tau_b = S.asDiagonal() * b.inverse_dynamics(v, vdot);
  EXPECT_LT((Ma - Mb).norm(), 1e-12 * Mb.norm());
  EXPECT_LT((tau_a - tau_b).norm(), 1e-12 * tau_b.norm());
  for (std::size_t l = 0; l < a.model->links.size(); ++l) {
    EXPECT_LT(norm(a.kin.X_WB[l].p - b.kin.X_WB[l].p), 1e-12);
    EXPECT_LT(norm(a.kin.V_WB[l].v - b.kin.V_WB[l].v), 1e-12);
    EXPECT_LT(norm(a.kin.V_WB[l].w - b.kin.V_WB[l].w), 1e-12);
  }
}

TEST(Curvilinear, ALineIsASlideAndAnArcAHingeAboutItsCentre) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const RigidTransform X_BF = random.pose();
    const JointSpec line{
        .name = "t", .kind = JointKind::kCurvilinear, .X_BF = X_BF, .curve = {{5, 0}, {1, 1}}};
    const JointSpec slide{
        .name = "t", .kind = JointKind::kPrismatic, .X_BF = X_BF, .axis = {1, 0, 0}};
    expect_same(line, slide, random.uniform(0, 4), 1, seed);
    const double radius = random.uniform(-2, 2);  // negative: to the right
    const JointSpec arc{.name = "t",
                        .kind = JointKind::kCurvilinear,
                        .X_BF = X_BF,
                        .curve = {{1, 1 / radius}, {1, 0}}};
    const JointSpec hinge{
        .name = "t", .X_BF = X_BF * RigidTransform::translation({0, radius, 0}), .axis = {0, 0, 1}};
    expect_same(arc, hinge, random.uniform(0, 0.9), 1 / radius, seed);
  }
}

}  // namespace
}  // namespace cenic::test

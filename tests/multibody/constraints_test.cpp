// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Rows of constraints against differences of their errors, forces against virtual work and the
// conservation of momentum, and joint limits.
#include "multibody/constraints.h"

#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "core/error.h"
#include "multibody/random_model.h"

namespace cenic::test {
namespace {

constexpr double kStep = 1e-5;

bool compiles(const ModelSpec& spec) {
  try {
    compile(spec);
  } catch (const Error&) {
    return false;
  }
  return true;
}

ConstraintSpec make_random_constraint(const ModelSpec& spec, ConstraintKind kind, Random* random) {
  std::vector<std::string> sides{"world"}, joints;
  for (const BodySpec& body : spec.bodies) {
    sides.push_back(body.name);
    for (const JointSpec& joint : body.joints)
      joints.push_back(joint.name);
  }
  if (kind == ConstraintKind::kCoupler) sides = joints;
  if (kind == ConstraintKind::kTendon) {
    sides = {""};
    for (const TendonSpec& tendon : spec.tendons) {
      sides.push_back(tendon.name);
    }
  }
  const auto pick = [&] {
    return sides[random->integer(0, static_cast<int>(sides.size()) - 1)];
  };
  ConstraintSpec c{.kind = kind, .a = pick(), .b = pick()};
  c.X_AP = random->pose();
  c.X_BQ = random->pose();
  if (kind == ConstraintKind::kDistance) c.length = random->uniform(0.1, 1);
  c.coordinate_a = random->integer(0, 2);
  c.polynomial = random->array(random->integer(1, 4));
  return c;
}

// A random forest with up to six constraints of each kind: within a tree, between two, and with the
// world or an anchored body.
ModelSpec make_random_spec(Random* random) {
  ModelSpec spec = make_random_tree({.num_bodies = random->integer(3, 8)}, random).spec;
  spec.bodies.push_back({.name = "post", .X_PB = random->pose()});
  for (int i = 0; i < 4; ++i) {
    const auto pick = [&] {
      return spec.bodies[random->integer(0, static_cast<int>(spec.bodies.size()) - 1)].name;
    };
    spec.tendons.push_back({.name = fmt::format("t{}", i)});
    spec.tendons.back().branches = {
        {.points = {{pick(), random->vector()}, {"world", random->vector(2)}, {pick(), {}}}}};
    if (!compiles(spec)) spec.tendons.pop_back();
  }
  for (const ConstraintKind kind :
       {ConstraintKind::kCoupler, ConstraintKind::kDistance, ConstraintKind::kBall,
        ConstraintKind::kWeld, ConstraintKind::kTendon}) {
    for (int i = 0; i < 6; ++i) {
      spec.constraints.push_back(make_random_constraint(spec, kind, random));
      if (!compiles(spec)) spec.constraints.pop_back();
    }
  }
  return spec;
}

// Moves Q onto P (ball, weld) at the configuration q.
void close_constraints(const Model& model, const std::vector<double>& q, ModelSpec* spec) {
  Kinematics kin;
  kin.resize(model);
  update_positions(model, q, &kin);
  for (std::size_t c = 0; c < spec->constraints.size(); ++c) {
    const Constraint& constraint = model.constraints[c];
    const auto pose = [&](int side) {
      return constraint.link[side] < 0 ? RigidTransform{} : kin.X_WB[constraint.link[side]];
    };
    if (constraint.kind == ConstraintKind::kCoupler || constraint.kind == ConstraintKind::kTendon) {
      continue;
    }
    spec->constraints[c].X_BQ = inverse(pose(1)) * pose(0) * constraint.X_LP;
    if (constraint.kind == ConstraintKind::kDistance) {
      spec->constraints[c].X_BQ.p += Vec3{0.3, 0.2, 0.1};  // needs a direction
    }
  }
}

using Errors = Eigen::Matrix<double, kMaxConstraintRows, 1>;

class ConstraintRows : public testing::TestWithParam<int> {
 protected:
  ConstraintRows() : random_(GetParam()), spec_(make_random_spec(&random_)), bench_(spec_) {
    q_ = make_random_positions(*bench_.model, &random_);
    v_ = random_.array(bench_.model->nv, 2);
    bench_.set(q_, v_);
  }
  int size() const { return static_cast<int>(bench_.model->constraints.size()); }
  int rows(int c) const { return num_rows(bench_.model->constraints[c].kind); }

  static Errors error(const Bench& bench, const std::vector<double>& q, int c) {
    Kinematics kin = bench.kin;
    update_positions(*bench.model, q, &kin);
    Errors g = Errors::Zero();
    calc_constraint_error(*bench.model, kin, q, c, g.data());
    return g;
  }
  // The rows over all velocities.
  static Eigen::MatrixXd jacobian(const Bench& bench, const std::vector<double>& q, int c) {
    const Model& model = *bench.model;
    using RowMajor = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;
    RowMajor J = RowMajor::Zero(kMaxConstraintRows, model.nv);
    for (int t = 0; t < static_cast<int>(model.trees.size()); ++t) {
      if (model.trees[t].nv == 0) continue;
      add_constraint_rows(model, bench.kin, q, c, t, model.nv, &J(0, model.trees[t].v_start));
    }
    return J;
  }
  // Each column of the Jacobian against differences.
  static void expect_exact_rates(const Bench& bench, const std::vector<double>& q, int c) {
    const Model& model = *bench.model;
    const Eigen::MatrixXd J = jacobian(bench, q, c);
    for (int i = 0; i < model.nv; ++i) {
      std::vector<double> unit(model.nv, 0.0);
      unit[i] = 1;
      const Errors rate = (error(bench, move(model, q, unit, kStep), c) -
                           error(bench, move(model, q, unit, -kStep), c)) /
                          (2 * kStep);
      EXPECT_LT((J.col(i) - rate).norm(), 1e-7 * (1 + rate.norm()))
          << model.describe_constraint(c) << ", velocity " << i;
    }
  }

  Random random_;
  ModelSpec spec_;
  Bench bench_;
  std::vector<double> q_, v_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, ConstraintRows, testing::Range(7000, 7040));

TEST_P(ConstraintRows, AreTheRatesOfClosedConstraints) {
  close_constraints(*bench_.model, q_, &spec_);
  Bench closed(spec_);
  closed.set(q_, v_);
  for (int c = 0; c < size(); ++c) {
    const ConstraintKind kind = closed.model->constraints[c].kind;
    if (kind == ConstraintKind::kBall || kind == ConstraintKind::kWeld) {
      EXPECT_LT(error(closed, q_, c).norm(), 1e-12);
    }
    expect_exact_rates(closed, q_, c);
  }
}

TEST_P(ConstraintRows, OfCouplersAndDistancesAreExactEverywhere) {
  for (int c = 0; c < size(); ++c) {
    if (rows(c) == 1) expect_exact_rates(bench_, q_, c);
  }
}

// gᵀJ v is the rate of ½ |g|² also where the constraint is violated.
TEST_P(ConstraintRows, GiveTheExactGradientOfTheViolation) {
  const Model& model = *bench_.model;
  for (int c = 0; c < size(); ++c) {
    const Errors g = error(bench_, q_, c);
    if (rows(c) == 6 && g.head(3).norm() > 3.1) continue;  // the rotation vector jumps at π
    const double after = error(bench_, move(model, q_, v_, kStep), c).squaredNorm();
    const double before = error(bench_, move(model, q_, v_, -kStep), c).squaredNorm();
    const double rate = 0.5 * (after - before) / (2 * kStep);
    EXPECT_NEAR(g.dot(jacobian(bench_, q_, c) * as_eigen(v_)), rate, 1e-6 * (1 + std::fabs(rate)))
        << model.describe_constraint(c);
  }
}

// λᵀ J v is the power of the force on B and its opposite on A.
TEST_P(ConstraintRows, AgreeWithTheForces) {
  const Model& model = *bench_.model;
  for (int c = 0; c < size(); ++c) {
    const Constraint& constraint = model.constraints[c];
    const std::vector<double> lambda = random_.array(kMaxConstraintRows);
    Vec3 p_WC;
    const Spatial F = calc_constraint_force(model, bench_.kin, q_, c, lambda.data(), &p_WC);
    const double power = (jacobian(bench_, q_, c).topRows(rows(c)) * as_eigen(v_))
                             .dot(as_eigen(lambda).head(rows(c)));
    if (constraint.kind == ConstraintKind::kCoupler || constraint.kind == ConstraintKind::kTendon) {
      EXPECT_EQ(norm(F.w) + norm(F.v), 0);
      continue;
    }
    const auto velocity = [&](int link) {
      return link < 0 ? Spatial{}
                      : shift_motion(bench_.kin.V_WB[link], p_WC - bench_.kin.X_WB[link].p);
    };
    const auto pose = [&](int link) {
      return link < 0 ? RigidTransform{} : bench_.kin.X_WB[link];
    };
    const Vec3 p_WP = pose(constraint.link[0]) * constraint.X_LP.p;
    const Vec3 p_WQ = pose(constraint.link[1]) * constraint.X_LQ.p;
    EXPECT_LT(norm(p_WC - (rows(c) == 1 ? p_WQ : 0.5 * (p_WP + p_WQ))), 1e-13);
    EXPECT_NEAR(power, dot(F, velocity(constraint.link[1]) - velocity(constraint.link[0])),
                1e-11 * (1 + std::fabs(power)));
  }
}

TEST_P(ConstraintRows, AddAndLeaveOtherTreesAlone) {
  const Model& model = *bench_.model;
  for (int c = 0; c < size(); ++c) {
    const Constraint& constraint = model.constraints[c];
    const Eigen::MatrixXd J = jacobian(bench_, q_, c);
    for (int t = 0; t < static_cast<int>(model.trees.size()); ++t) {
      const Tree& tree = model.trees[t];
      const int ld = tree.nv + 2;
      std::vector<double> rows_of_tree(static_cast<std::size_t>(kMaxConstraintRows) * ld, 0.5);
      add_constraint_rows(model, bench_.kin, q_, c, t, ld, rows_of_tree.data());
      const bool touched = std::ranges::find(constraint.trees, t) != constraint.trees.end();
      for (int r = 0; r < kMaxConstraintRows; ++r) {
        for (int i = 0; i < ld; ++i) {
          const bool own = touched && r < rows(c) && i < tree.nv;
          EXPECT_NEAR(rows_of_tree[r * ld + i], own ? 0.5 + J(r, tree.v_start + i) : 0.5, 1e-14);
        }
      }
    }
  }
}

TEST(ConstraintForces, ConserveMomentumOfAViolatedPair) {
  Random random(5);
  for (const ConstraintKind kind :
       {ConstraintKind::kDistance, ConstraintKind::kBall, ConstraintKind::kWeld}) {
    ModelSpec spec;
    for (const char* name : {"a", "b"}) {
      spec.bodies.push_back({.name = name,
                             .joints = {{.kind = JointKind::kFree}},
                             .inertia = InertiaSpec{1, {}, Mat3::identity()}});
    }
    spec.constraints = {{.kind = kind, .a = "a", .b = "b"}};
    spec.constraints[0].X_AP = random.pose();
    spec.constraints[0].X_BQ = random.pose();
    if (spec.constraints[0].kind == ConstraintKind::kDistance) spec.constraints[0].length = 0.2;
    Bench bench(spec);
    const std::vector<double> q = make_random_positions(*bench.model, &random);
    bench.set(q, std::vector<double>(12, 0.0));
    Spatial total;  // Jᵀλ: moment about the body's origin and force; about the world's origin
    double size = 0;
    for (int t = 0; t < 2; ++t) {
      std::vector<double> J(6 * 6, 0.0);
      add_constraint_rows(*bench.model, bench.kin, q, 0, t, 6, J.data());
      Spatial F;
      for (int r = 0; r < num_rows(kind); ++r) {
        const double lambda = 1.0 + r;
        for (int i = 0; i < 3; ++i) {
          F.w[i] += lambda * J[r * 6 + i];
          F.v[i] += lambda * J[r * 6 + 3 + i];
        }
      }
      size += norm(F.v);
      total += shift_force(F, -bench.kin.X_WB[t].p);
    }
    EXPECT_GT(size, 1);
    EXPECT_LT(norm(total.v), 1e-14);
    EXPECT_LT(norm(total.w), 1e-14);
  }
}

TEST(ConstraintErrors, OneNumberEach) {
  ModelSpec spec;
  const InertiaSpec inertia{1, {}, Mat3::identity()};
  spec.bodies = {
      {.name = "a", .joints = {{.name = "j"}}, .inertia = inertia},
      {.name = "b", .joints = {{.name = "k", .kind = JointKind::kPrismatic}}, .inertia = inertia}};
  spec.constraints = {
      {.kind = ConstraintKind::kCoupler, .a = "k", .b = "j", .polynomial = {1, 2, 3}},
      {.kind = ConstraintKind::kDistance, .a = "a", .b = "b", .length = 3},
      {.kind = ConstraintKind::kWeld, .a = "a", .b = "b"}};
  Bench bench(spec);
  const std::vector<double> q{0.5, 2}, v{0, 0};
  bench.set(q, v);
  double g[6];
  calc_constraint_error(*bench.model, bench.kin, q, 0, g);
  EXPECT_DOUBLE_EQ(g[0], 2 - (1 + 2 * 0.5 + 3 * 0.25));
  calc_constraint_error(*bench.model, bench.kin, q, 1, g);
  EXPECT_DOUBLE_EQ(g[0], 2 - 3);
  // A is turned by 0.5 about z, B is not: from P to Q it is −0.5; B is 2 above.
  calc_constraint_error(*bench.model, bench.kin, q, 2, g);
  const double expected[] = {0, 0, -0.5, 0, 0, 2};
  for (int r = 0; r < 6; ++r) {
    EXPECT_NEAR(g[r], expected[r], 1e-15);
  }
}

TEST(ConstraintErrors, ADistanceOfNothingHasADirection) {
  ModelSpec spec;
  spec.bodies = {{.name = "a",
                  .joints = {{.kind = JointKind::kFree}},
                  .inertia = InertiaSpec{1, {}, Mat3::identity()}}};
  spec.constraints = {{.kind = ConstraintKind::kDistance, .a = "world", .b = "a", .length = 1}};
  Bench bench(spec);
  bench.set(bench.model->q0, bench.model->v0);
  double J[6] = {};
  add_constraint_rows(*bench.model, bench.kin, bench.model->q0, 0, 0, 6, J);
  const double expected[] = {0, 0, 0, 1, 0, 0};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(J[i], expected[i]);
  }
}

// A spring between two bodies: ½ k g² is part of the energy, and its force is −k g along the row.
TEST(ConstraintErrors, SpringsStoreEnergy) {
  Random random(9);
  ModelSpec spec = make_random_tree({.num_bodies = 4}, &random).spec;
  const Bench without(spec);
  spec.constraints = {
      {.kind = ConstraintKind::kDistance, .a = "world", .b = "b3", .length = 0.4, .stiffness = 50}};
  Bench bench(spec);
  const std::vector<double> q = make_random_positions(*bench.model, &random);
  const std::vector<double> v = random.array(bench.model->nv);
  bench.set(q, v);
  double g = 0;
  calc_constraint_error(*bench.model, bench.kin, q, 0, &g);
  const double with = bench.energy(q, v).potential;
  EXPECT_NEAR(with - Bench(without).energy(q, v).potential, 0.5 * 50 * g * g, 1e-12);
  // What is rigid stores nothing.
  spec.constraints[0].stiffness = std::numeric_limits<double>::infinity();
  EXPECT_NEAR(Bench(spec).energy(q, v).potential, with - 0.5 * 50 * g * g, 1e-12);
}

TEST(JointLimits, GapsAreWhatIsLeft) {
  ModelSpec spec;
  const InertiaSpec inertia{1, {}, Mat3::identity()};
  spec.bodies = {
      {.name = "hinge", .joints = {{.lower = {-1}, .upper = {2}}}, .inertia = inertia},
      {.name = "ball", .joints = {{.kind = JointKind::kBall, .upper = {0.5}}}, .inertia = inertia}};
  const auto model = compile(spec);
  Random random(4);
  for (const double angle : {0.0, 1e-9, 0.3, 0.5, 1.0, 3.0}) {
    for (const double sign : {1.0, -1.0}) {  // both quaternions of a rotation
      const Vec3 axis = random.direction();
      const Quat e = exp_map(angle * axis);
      const std::vector<double> q{2.25, sign * e.w, sign * e.x, sign * e.y, sign * e.z};
      double lower = 0, upper = 0;
      calc_limit_errors(*model, q, 0, &lower, &upper);
      EXPECT_DOUBLE_EQ(lower, 3.25);
      EXPECT_DOUBLE_EQ(upper, -0.25);
      calc_limit_errors(*model, q, 1, &lower, &upper);
      EXPECT_EQ(lower, std::numeric_limits<double>::infinity());
      EXPECT_NEAR(upper, 0.5 - angle, 1e-15);
      const Vec3 found = calc_ball_limit_axis(*model, q, 1);
      EXPECT_NEAR(norm(found), 1, 1e-15);
      if (angle == 0) continue;
      EXPECT_LT(norm(found - axis), 1e-14);
      if (angle < 1e-3) continue;
      // θ̇ = θ̂ · w
      const std::vector<double> v = random.array(4);
      const auto angle_after = [&](double h) {
        double unused = 0, gap = 0;
        calc_limit_errors(*model, move(*model, q, v, h), 1, &unused, &gap);
        return 0.5 - gap;
      };
      const double rate = (angle_after(kStep) - angle_after(-kStep)) / (2 * kStep);
      EXPECT_NEAR(dot(found, {v[1], v[2], v[3]}), rate, 1e-8);
    }
  }
}

}  // namespace
}  // namespace cenic::test

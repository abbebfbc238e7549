// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "convex/solver.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "convex/random_problem.h"

namespace cenic {
namespace {

std::vector<RandomProblemOptions> make_cases() {
  return {{},
          {.sizes = {6}, .patches = 3, .world_share = 1, .seed = 2},
          {.sizes = {7, 6, 18, 1, 6, 6}, .patches = 9, .seed = 3},
          {.sizes = {6, 6, 37, 9, 6, 2}, .patches = 12, .joint_friction = true, .seed = 4},
          {.sizes = std::vector<int>(20, 6), .patches = 40, .contacts_per_patch = 4, .seed = 5},
          {.sizes = {3, 4}, .patches = 0, .joint_friction = true, .seed = 6},
          {.sizes = {7, 6, 18, 1, 6, 6}, .patches = 9, .constraints = true, .seed = 7},
          {.sizes = {6, 6, 6}, .patches = 3, .constraints = true, .seed = 8},
          {.sizes = {9, 2, 6, 6}, .patches = 0, .constraints = true, .seed = 9},
          {.sizes = {9, 2, 6, 6}, .patches = 4, .constraints = true, .external = true, .seed = 10},
          {.sizes = {9, 1, 6}, .patches = 0, .external = true, .seed = 11}};
}

class SolverTest : public testing::TestWithParam<int> {
 protected:
  RandomProblemOptions options_ = make_cases()[GetParam()];
  ThreadPool pool_{1};
  ConvexSolver solver_;

  SolveResult solve(const ConvexProblem& problem, AlignedVector<double>* v, SolverOptions o = {},
                    double accuracy = 1e-8) {
    o.newton_fraction = 1e-3;
    return solver_.solve(problem, o, accuracy, &pool_, v);
  }
  static double distance(const AlignedVector<double>& a, const AlignedVector<double>& b) {
    double d = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      d = std::max(d, std::abs(a[i] - b[i]));
    }
    return d;
  }
};

TEST_P(SolverTest, GradientIsTheDerivativeOfTheCost) {
  RandomProblem random(options_);
  AlignedVector<double> g;
  for (int trial = 0; trial < 5; ++trial) {
    const AlignedVector<double> v = random.random_velocity(trial < 2 ? 0.01 : 1);
    const AlignedVector<double> u = random.random_velocity();
    solver_.calc_gradient(random.problem, v, &g);
    double slope = 0;
    AlignedVector<double> plus = v, minus = v;
    const double e = 1e-6;
    for (std::size_t i = 0; i < v.size(); ++i) {
      slope += g[i] * u[i];
      plus[i] += e * u[i];
      minus[i] -= e * u[i];
    }
    const double difference =
        (solver_.calc_cost(random.problem, plus) - solver_.calc_cost(random.problem, minus)) /
        (2 * e);
    EXPECT_NEAR(slope, difference, 1e-6 * (1 + std::abs(slope)));
  }
}

TEST_P(SolverTest, HessianIsTheDerivativeOfTheGradientAndPositive) {
  RandomProblem random(options_, false);  // one island: one matrix
  const ConvexProblem& problem = random.problem;
  AlignedVector<double> gp, gm;
  for (int trial = 0; trial < 4; ++trial) {
    const AlignedVector<double> v = random.random_velocity(trial < 2 ? 0.01 : 1);
    const std::vector<double> values = solver_.calc_hessian(problem, 0, v);
    const int n = static_cast<int>(std::lround(std::sqrt(values.size())));
    const Eigen::MatrixXd H = Eigen::Map<const Eigen::MatrixXd>(values.data(), n, n);
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(H).eigenvalues()[0], 0);
    int column = 0;
    for (const auto& t : problem.trees) {
      for (int j = 0; j < t.n; ++j, ++column) {
        AlignedVector<double> plus = v, minus = v;
        const double e = 1e-7;
        plus[t.offset + j] += e;
        minus[t.offset + j] -= e;
        solver_.calc_gradient(problem, plus, &gp);
        solver_.calc_gradient(problem, minus, &gm);
        int row = 0;
        for (const auto& s : problem.trees) {
          for (int i = 0; i < s.n; ++i, ++row) {
            const double difference = (gp[s.offset + i] - gm[s.offset + i]) / (2 * e);
            EXPECT_NEAR(H(row, column), difference, 2e-5 * (1 + H.norm())) << row << " " << column;
          }
        }
      }
    }
  }
}

TEST_P(SolverTest, CostIsConvexOnRandomChords) {
  RandomProblem random(options_);
  for (int trial = 0; trial < 50; ++trial) {
    const AlignedVector<double> a = random.random_velocity(3), b = random.random_velocity(3);
    AlignedVector<double> middle = a;
    for (std::size_t i = 0; i < a.size(); ++i) {
      middle[i] = 0.5 * (a[i] + b[i]);
    }
    const double la = solver_.calc_cost(random.problem, a),
                 lb = solver_.calc_cost(random.problem, b);
    EXPECT_LE(solver_.calc_cost(random.problem, middle),
              0.5 * (la + lb) + 1e-12 * (std::abs(la) + std::abs(lb)));
  }
}

TEST_P(SolverTest, AllVariantsFindTheSameMinimum) {
  RandomProblem random(options_), whole(options_, false);
  const AlignedVector<double> guess = random.random_velocity();
  AlignedVector<double> reference = guess, g;
  ASSERT_EQ(solve(random.problem, &reference).status, SolveStatus::kConverged);
  solver_.calc_gradient(random.problem, reference, &g);
  for (const double x : g) {
    EXPECT_NEAR(x, 0, 1e-8);
  }
  struct Variant {
    const char* name;
    SolverOptions options;
    bool one_island;
  };
  for (const Variant& variant :
       {Variant{"dense", {.dense = true}, false}, Variant{"one island", {}, true},
        Variant{"exact line search", {.exact_line_search = true}, false},
        Variant{"line search afresh", {.affine_line_search = false}, false},
        Variant{"plain friction", {.friction_majorant = false}, false},
        Variant{"reuse", {.reuse_hessian = true}, false},
        Variant{"scalar assembly", {.simd_assembly = false}, false},
        Variant{
            "paper",
            {.rule = ToleranceRule::kScaled, .exact_line_search = true, .friction_majorant = false},
            true}}) {
    SCOPED_TRACE(variant.name);
    AlignedVector<double> v = guess;
    ConvexSolver fresh;
    solver_ = std::move(fresh);
    const SolveResult r =
        solve(variant.one_island ? whole.problem : random.problem, &v, variant.options);
    EXPECT_EQ(r.status, SolveStatus::kConverged);
    EXPECT_LT(distance(v, reference), 1e-6);
  }
}

TEST_P(SolverTest, ExactWarmStartNeedsNoIteration) {
  RandomProblem random(options_);
  AlignedVector<double> v = random.random_velocity();
  ASSERT_EQ(solve(random.problem, &v, {}, 1e-9).status, SolveStatus::kConverged);
  const SolveResult again = solve(random.problem, &v, {}, 1e-3);
  EXPECT_EQ(again.status, SolveStatus::kConverged);
  // An island without contacts or friction always takes its one exact step: a good guess must not
  // leave a bias.
  int linear = 0;
  for (const auto& island : random.problem.islands) {
    const bool contacts = island.patch_begin != island.patch_end;
    const bool friction = island.friction_begin != island.friction_end;
    linear += contacts || friction || island.one_sided ? 0 : 1;
  }
  EXPECT_EQ(again.iterations, linear);
  EXPECT_EQ(again.factorizations, linear);
}

TEST_P(SolverTest, ThreadsDoNotChangeTheBits) {
  RandomProblem random(options_);
  const AlignedVector<double> guess = random.random_velocity();
  AlignedVector<double> one = guess, two = guess;
  solve(random.problem, &one);
  ThreadPool pool(2);
  ConvexSolver solver;
  SolverOptions o;
  o.newton_fraction = 1e-3;
  solver.solve(random.problem, o, 1e-8, &pool, &two);
  EXPECT_EQ(one, two);
}

TEST_P(SolverTest, BadNumbersAreReportedNotThrown) {
  RandomProblem random(options_);
  random.problem.f0[random.problem.trees[0].offset] = std::numeric_limits<double>::quiet_NaN();
  random.problem.set_step(0.01);
  AlignedVector<double> v = random.random_velocity();
  const SolveResult r = solve(random.problem, &v);
  EXPECT_EQ(r.status, SolveStatus::kNotFinite);
  EXPECT_GE(r.tree, 0);
}

INSTANTIATE_TEST_SUITE_P(Problems, SolverTest, testing::Range(0, 11));

TEST(Solver, UnconstrainedIsOneIterationWithoutLineSearch) {
  RandomProblem random({.patches = 0});
  ThreadPool pool(1);
  ConvexSolver solver;
  AlignedVector<double> v = random.random_velocity();
  const SolveResult r = solver.solve(random.problem, {}, 1e-6, &pool, &v);
  EXPECT_EQ(r.iterations, 6);  // one for each island
  EXPECT_EQ(r.line_search_evaluations, 0);
  // A v = r, with A = M + h D + h² K, r = M v0 − h f0
  const ConvexProblem& p = random.problem;
  for (const auto& t : p.trees) {
    for (int i = 0; i < t.n; ++i) {
      const int at = t.offset + i;
      double Av = p.h * (p.damping[at] + p.h * p.stiffness[at]) * v[at];
      double Mv0 = 0;
      for (int j = 0; j < t.n; ++j) {
        const double M = p.M[t.matrix_offset + t.ld * j + i];
        Av += M * v[t.offset + j];
        Mv0 += M * p.v0[t.offset + j];
      }
      EXPECT_NEAR(Av, Mv0 - p.h * p.f0[at], 1e-12);
    }
  }
}

TEST(Solver, TooFewIterationsIsReported) {
  RandomProblem random({.patches = 20});
  ThreadPool pool(1);
  ConvexSolver solver;
  AlignedVector<double> v = random.random_velocity(10);
  const SolveResult r = solver.solve(random.problem, {.max_iterations = 1}, 1e-9, &pool, &v);
  EXPECT_EQ(r.status, SolveStatus::kNotConverged);
}

// Contacts that slip and shall stick: without the majorant the line search stops at one after the
// other.
TEST(Solver, MajorantSavesIterations) {
  ThreadPool pool(1);
  int plain = 0, majorant = 0;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    RandomProblem random(
        {.sizes = std::vector<int>(20, 6), .patches = 40, .contacts_per_patch = 4, .seed = seed});
    for (ContactInput& input : random.problem.inputs) {
      input.fn0 = 100;  // friction can change the speeds by about 1 m/s
      input.slip = 1e-4;
    }
    random.problem.set_step(0.01);
    const AlignedVector<double> guess = random.random_velocity();
    for (const bool on : {false, true}) {
      ConvexSolver solver;
      AlignedVector<double> v = guess;
      const SolveResult r =
          solver.solve(random.problem, {.friction_majorant = on}, 1e-4, &pool, &v);
      EXPECT_EQ(r.status, SolveStatus::kConverged);
      (on ? majorant : plain) += r.iterations;
    }
  }
  EXPECT_LT(majorant, 0.7 * plain);
}

TEST(Solver, ReuseSavesFactorisations) {
  RandomProblem random(
      {.sizes = std::vector<int>(20, 6), .patches = 40, .contacts_per_patch = 4, .seed = 5});
  ThreadPool pool(1);
  int fresh = 0, reused = 0;
  for (const bool reuse : {false, true}) {
    ConvexSolver solver;
    AlignedVector<double> v = random.random_velocity();
    for (const double h : {0.01, 0.0101, 0.0102, 0.0103}) {
      random.problem.set_step(h);
      (reuse ? reused : fresh) +=
          solver.solve(random.problem, {.reuse_hessian = reuse}, 1e-4, &pool, &v).factorizations;
    }
  }
  EXPECT_LT(reused, fresh);
}

}  // namespace
}  // namespace cenic

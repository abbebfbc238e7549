// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "math/dense_cholesky.h"

#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace cenic {
namespace {

TEST(DenseCholesky, SolvesWhatEigenSolves) {
  for (const int n : {0, 1, 2, 6, 13}) {
    const Eigen::MatrixXd B = Eigen::MatrixXd::Random(n, n);
    Eigen::MatrixXd A = B * B.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd b = Eigen::VectorXd::Random(n);
    const Eigen::VectorXd expected = A.ldlt().solve(b);
    Eigen::VectorXd x = b;
    ASSERT_TRUE(factor_cholesky(n, A.data()));
    solve_cholesky(n, A.data(), x.data());
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(x[i], expected[i], 1e-10 * expected.norm());
    }
  }
}

TEST(DenseCholesky, RefusesWhatIsNotPositiveDefinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double indefinite[] = {1, 2, 2, 1}, zero[] = {0}, bad[] = {nan, 0, 0, 1},
         late[] = {1, nan, nan, 1};
  EXPECT_FALSE(factor_cholesky(2, indefinite));
  EXPECT_FALSE(factor_cholesky(1, zero));
  EXPECT_FALSE(factor_cholesky(2, bad));
  EXPECT_FALSE(factor_cholesky(2, late));
}

TEST(DenseCholesky, FactorsSemiDefiniteMatricesByTheirRank) {
  for (const int n : {1, 3, 12}) {
    for (int rank = 0; rank <= n; ++rank) {
      const Eigen::MatrixXd B = Eigen::MatrixXd::Random(rank, n);
      const Eigen::MatrixXd A = 1e6 * B.transpose() * B;
      Eigen::MatrixXd work = A;
      Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> R(n, n);
      ASSERT_EQ(factor_semidefinite(n, work.data(), 1e-9, R.data()), rank);
      const auto rows = R.topRows(rank);
      EXPECT_LT((rows.transpose() * rows - A).norm(), 1e-8 * (1 + A.norm()));
    }
  }
}

TEST(DenseCholesky, RefusesWhatIsNotSemiDefinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double R[4], indefinite[] = {1, 2, 2, 1}, negative[] = {-1}, bad[] = {1, 0, 0, nan},
               saddle[] = {0, 1, 1, 0}, mixed[] = {1, 0, 0, -1e-3};
  EXPECT_EQ(factor_semidefinite(2, indefinite, 1e-9, R), -1);
  EXPECT_EQ(factor_semidefinite(1, negative, 1e-9, R), -1);
  EXPECT_EQ(factor_semidefinite(2, bad, 1e-9, R), -1);
  EXPECT_EQ(factor_semidefinite(2, saddle, 1e-9, R), -1);
  EXPECT_EQ(factor_semidefinite(2, mixed, 1e-9, R), -1);
}

}  // namespace
}  // namespace cenic

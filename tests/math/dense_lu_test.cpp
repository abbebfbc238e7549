// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "math/dense_lu.h"

#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace cenic {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST(DenseLu, SolvesWhatEigenSolves) {
  for (const int n : {0, 1, 2, 5, 11}) {
    RowMajor A = RowMajor::Random(n, n);
    if (n > 1) A(0, 0) = 0;  // needs a pivot
    const RowMajor B = RowMajor::Random(n, 3);
    RowMajor expected = B;
    if (n > 0) expected = A.fullPivLu().solve(B);  // Eigen takes no empty matrix
    RowMajor X = B;
    ASSERT_TRUE(solve_dense(n, A.data(), 3, X.data()));
    EXPECT_LT((X - expected).norm(), 1e-9 * (1 + expected.norm()));
  }
}

TEST(DenseLu, RefusesSingularMatrices) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double X[2] = {1, 1}, rank1[] = {1, 2, 2, 4}, bad[] = {nan, 1, 1, 1}, zero[] = {0};
  EXPECT_FALSE(solve_dense(2, rank1, 1, X));
  EXPECT_FALSE(solve_dense(2, bad, 1, X));
  EXPECT_FALSE(solve_dense(1, zero, 1, X));
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "math/symmetric_eigen.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace cenic {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

TEST(SymmetricEigen, PositivePartIsWhatEigenSays) {
  for (const int n : {1, 2, 3, 7, 18}) {
    const RowMajor B = RowMajor::Random(n, n);
    const RowMajor A = 1e5 * (B + B.transpose());
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(A);
    const Eigen::MatrixXd expected = eigen.eigenvectors() *
                                     eigen.eigenvalues().cwiseMax(0).asDiagonal() *
                                     eigen.eigenvectors().transpose();
    RowMajor work = A, R(n, n);
    factor_positive_part(n, work.data(), R.data());
    EXPECT_LT((R.transpose() * R - expected).norm(), 1e-9 * A.norm());
  }
}

TEST(SymmetricEigen, KeepsWhatIsSemiDefinite) {
  const RowMajor B = RowMajor::Random(3, 8);
  const RowMajor A = B.transpose() * B;
  RowMajor work = A, R(8, 8);
  factor_positive_part(8, work.data(), R.data());
  EXPECT_LT((R.transpose() * R - A).norm(), 1e-12);
}

TEST(SymmetricEigen, NotANumberEnds) {
  double A[] = {1, NAN, NAN, 1}, R[4];
  factor_positive_part(2, A, R);
  EXPECT_FALSE(R[0] == R[0] && R[3] == R[3]);
}

}  // namespace
}  // namespace cenic

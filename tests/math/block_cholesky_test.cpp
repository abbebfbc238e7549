// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "math/block_cholesky.h"

#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

namespace cenic {
namespace {

// A random positive definite matrix with the given block pattern, in both forms.
struct Random {
  std::vector<int> sizes, offset, start;
  std::vector<BlockEdge> edges;
  Eigen::MatrixXd H;
  int padded = 0;
};

Random make_random(int num_blocks, int max_size, double density, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  Random m;
  int n = 0;
  for (int i = 0; i < num_blocks; ++i) {
    m.sizes.push_back(max_size == 6 ? 6 : 1 + static_cast<int>(rng() % max_size));
    m.start.push_back(n);
    m.offset.push_back(m.padded);
    n += m.sizes.back();
    m.padded += (m.sizes.back() + 7) / 8 * 8;
  }
  m.H = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < num_blocks; ++i) {
    for (int j = i + 1; j < num_blocks; ++j) {
      if (std::abs(u(rng)) > density) continue;
      m.edges.push_back({i, j});
      // J = [J_i J_j] random: H += JᵀJ is positive semidefinite with just this coupling.
      const Eigen::MatrixXd Ji = Eigen::MatrixXd::NullaryExpr(3, m.sizes[i], [&] {
        return u(rng);
      });
      const Eigen::MatrixXd Jj = Eigen::MatrixXd::NullaryExpr(3, m.sizes[j], [&] {
        return u(rng);
      });
      m.H.block(m.start[i], m.start[i], m.sizes[i], m.sizes[i]) += Ji.transpose() * Ji;
      m.H.block(m.start[j], m.start[j], m.sizes[j], m.sizes[j]) += Jj.transpose() * Jj;
      m.H.block(m.start[i], m.start[j], m.sizes[i], m.sizes[j]) += Ji.transpose() * Jj;
      m.H.block(m.start[j], m.start[i], m.sizes[j], m.sizes[i]) += Jj.transpose() * Ji;
    }
  }
  m.H.diagonal().array() += 0.5;
  return m;
}

void fill(const Random& m, BlockCholesky* chol) {
  chol->clear_couplings();
  const auto write = [](double* block, const Eigen::MatrixXd& value) {
    const int ld = (static_cast<int>(value.rows()) + 7) / 8 * 8;
    for (int j = 0; j < value.cols(); ++j) {
      for (int i = 0; i < ld; ++i) {
        block[ld * j + i] = i < value.rows() ? value(i, j) : 0;
      }
    }
  };
  for (int i = 0; i < static_cast<int>(m.sizes.size()); ++i) {
    write(chol->diagonal(i), m.H.block(m.start[i], m.start[i], m.sizes[i], m.sizes[i]));
  }
  for (int e = 0; e < static_cast<int>(m.edges.size()); ++e) {
    const int a = m.edges[e].a, b = m.edges[e].b;
    const int row = chol->rows_are_b(e) ? b : a, col = chol->rows_are_b(e) ? a : b;
    write(chol->coupling(e), m.H.block(m.start[row], m.start[col], m.sizes[row], m.sizes[col]));
  }
}

Eigen::VectorXd make_right_side(const Random& m) {
  return Eigen::VectorXd::LinSpaced(m.H.rows(), -1, 2);
}

AlignedVector<double> solve(const Random& m, const BlockCholesky& chol) {
  const Eigen::VectorXd b = make_right_side(m);
  AlignedVector<double> x(m.padded, 0.0);
  for (std::size_t i = 0; i < m.sizes.size(); ++i) {
    for (int j = 0; j < m.sizes[i]; ++j) {
      x[m.offset[i] + j] = b[m.start[i] + j];
    }
  }
  chol.solve(m.offset, x.data());
  return x;
}

class BlockCholeskyTest : public testing::TestWithParam<std::tuple<int, int, double>> {};

TEST_P(BlockCholeskyTest, SolvesLikeADenseFactorisation) {
  const auto [blocks, max_size, density] = GetParam();
  for (unsigned seed = 0; seed < 5; ++seed) {
    BlockCholesky chol;
    const Random m = make_random(blocks, max_size, density, seed);
    EXPECT_TRUE(chol.set_pattern(m.sizes, m.edges));
    EXPECT_FALSE(chol.set_pattern(m.sizes, m.edges)) << "the same pattern is kept";
    fill(m, &chol);
    ASSERT_TRUE(chol.factorize());
    const Eigen::VectorXd b = make_right_side(m);
    const AlignedVector<double> x = solve(m, chol);
    const Eigen::VectorXd expected = m.H.llt().solve(b);
    for (int i = 0; i < blocks; ++i) {
      for (int j = 0; j < m.sizes[i]; ++j) {
        EXPECT_NEAR(x[m.offset[i] + j], expected[m.start[i] + j], 1e-11 * (1 + expected.norm()));
      }
      for (int j = m.sizes[i]; j < (m.sizes[i] + 7) / 8 * 8; ++j) {
        EXPECT_EQ(x[m.offset[i] + j], 0.0) << "pads stay zero";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Patterns, BlockCholeskyTest,
                         testing::Values(std::tuple(1, 6, 1.0), std::tuple(2, 6, 1.0),
                                         std::tuple(20, 6, 0.2), std::tuple(20, 6, 1.0),
                                         std::tuple(60, 6, 0.05), std::tuple(7, 37, 0.5),
                                         std::tuple(15, 20, 0.2), std::tuple(5, 1, 0.7)));

TEST(BlockCholesky, MatricesTakeTurnsInOneRoom) {
  const std::vector<Random> matrices = {make_random(20, 6, 0.3, 1), make_random(3, 6, 1.0, 2),
                                        make_random(7, 37, 0.5, 3)};
  std::vector<BlockCholesky> shared(matrices.size());
  BlockCholesky::Room room;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < matrices.size(); ++i) {
      const Random& m = matrices[i];
      BlockCholesky own;
      AlignedVector<double> x[2];
      for (BlockCholesky* chol : {&own, &shared[i]}) {
        if (chol != &own) chol->swap_room(&room);
        EXPECT_EQ(chol->set_pattern(m.sizes, m.edges), chol == &own || round == 0);
        fill(m, chol);
        ASSERT_TRUE(chol->factorize());
        x[chol != &own] = solve(m, *chol);
        if (chol != &own) chol->swap_room(&room);
      }
      EXPECT_EQ(x[0], x[1]) << "what another left there is of no account";
    }
  }
}

TEST(BlockCholesky, RefusesAnIndefiniteMatrix) {
  Random m = make_random(3, 6, 1.0, 1);
  m.H(8, 8) = -5;
  BlockCholesky chol;
  chol.set_pattern(m.sizes, m.edges);
  fill(m, &chol);
  EXPECT_FALSE(chol.factorize());
  m.H(8, 8) = std::numeric_limits<double>::quiet_NaN();
  fill(m, &chol);
  EXPECT_FALSE(chol.factorize());
}

TEST(BlockCholesky, MinimumDegreeGivesATreeNoFill) {
  // A star and a path have elimination orders without fill: as many factor blocks as blocks and
  // edges.
  for (const bool star : {true, false}) {
    std::vector<int> sizes(50, 6);
    std::vector<BlockEdge> edges;
    for (int i = 1; i < 50; ++i) {
      edges.push_back({star ? 0 : i - 1, i});
    }
    BlockCholesky chol;
    chol.set_pattern(sizes, edges);
    EXPECT_EQ(chol.num_factor_blocks(), 99);
  }
}

}  // namespace
}  // namespace cenic

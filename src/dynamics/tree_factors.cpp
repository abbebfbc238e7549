// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "dynamics/tree_factors.h"

#include <algorithm>
#include <cmath>

#include "math/dense_cholesky.h"

namespace cenic {

void TreeFactors::reset(const ConvexProblem& problem) {
  factors_.resize(problem.num_trees());
  ++state_;
}

double TreeFactors::calc_inverse_mass(const ConvexProblem& problem, int tree, const double* row) {
  const auto& block = problem.trees[tree];
  const std::size_t n = block.n;
  Factor& factor = factors_[tree];
  if (factor.state != state_) {
    factor.state = state_;
    factor.L.resize(n * n);
    for (int j = 0; j < block.n; ++j) {
      std::copy_n(problem.M.data() + block.matrix_offset + block.ld * j, n,
                  factor.L.data() + n * j);
    }
    // Without a factor masses are NaN, and the solve ends as not finite.
    if (!factor_cholesky(block.n, factor.L.data())) std::ranges::fill(factor.L, NAN);
  }
  if (solution_.size() < n) solution_.resize(n);
  std::copy_n(row, n, solution_.data());
  return solve_lower(block.n, factor.L.data(), solution_.data());
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Gaussian elimination with partial pivoting for a small dense system.
#pragma once

#include <algorithm>
#include <cmath>

namespace cenic {

// X ← A⁻¹ X with A (n × n) and X (n × m), both row by row; A is overwritten. False when A is
// singular or not finite.
inline bool solve_dense(int n, double* A, int m, double* X) {
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (std::abs(A[n * i + k]) > std::abs(A[n * pivot + k])) pivot = i;
    }
    if (!(std::abs(A[n * pivot + k]) > 0) || !std::isfinite(A[n * pivot + k])) return false;
    if (pivot != k) {
      std::swap_ranges(A + n * k, A + n * (k + 1), A + n * pivot);
      std::swap_ranges(X + m * k, X + m * (k + 1), X + m * pivot);
    }
    for (int i = k + 1; i < n; ++i) {
      const double factor = A[n * i + k] / A[n * k + k];
      if (factor == 0) continue;
      for (int j = k; j < n; ++j) {
        A[n * i + j] -= factor * A[n * k + j];
      }
      for (int j = 0; j < m; ++j) {
        X[m * i + j] -= factor * X[m * k + j];
      }
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = 0; j < m; ++j) {
      double x = X[m * k + j];
      for (int i = k + 1; i < n; ++i) {
        x -= A[n * k + i] * X[m * i + j];
      }
      X[m * k + j] = x / A[n * k + k];
    }
  }
  return true;
}

}  // namespace cenic

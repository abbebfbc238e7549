// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Dense Cholesky of small symmetric positive definite matrices, column major, in place.
#pragma once

#include <algorithm>
#include <cmath>

namespace cenic {

// A (n × n, lower triangle) becomes L with A = L Lᵀ. A pivot that is not positive is replaced by a
// tiny one: the caller gets large numbers, not NaN.
inline void factorize_small(int n, double* A) {
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < j; ++k) {
      for (int i = j; i < n; ++i) {
        A[n * j + i] -= A[n * k + i] * A[n * k + j];
      }
    }
    const double pivot = std::sqrt(std::max(A[n * j + j], 1e-300));
    for (int i = j; i < n; ++i) {
      A[n * j + i] /= pivot;
    }
  }
}

// x ← L⁻¹ x; returns ‖L⁻¹ x‖².
inline double solve_lower_small(int n, const double* L, double* x) {
  double sum = 0;
  for (int j = 0; j < n; ++j) {
    if (x[j] == 0) continue;
    x[j] /= L[n * j + j];
    for (int i = j + 1; i < n; ++i) {
      x[i] -= L[n * j + i] * x[j];
    }
    sum += x[j] * x[j];
  }
  return sum;
}

}  // namespace cenic

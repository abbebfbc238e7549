// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Cholesky factorisation of a small dense matrix, A = L Lᵀ: the mass matrix of one tree.
#pragma once

#include <algorithm>
#include <cmath>

namespace cenic {

// Overwrites the lower half of A (n × n, column major) by L; false when A is not positive definite
// or not finite.
inline bool factor_cholesky(int n, double* A) {
  double* column = A;
  for (int j = 0; j < n; ++j, column += n) {
    const double* left = A;
    for (int k = 0; k < j; ++k, left += n) {
      for (int i = j; i < n; ++i) {
        column[i] -= left[i] * left[j];
      }
    }
    const double pivot = column[j];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    const double scale = 1 / std::sqrt(pivot);
    for (int i = j; i < n; ++i) {
      column[i] *= scale;
    }
  }
  return true;
}

// A = Rᵀ R for a symmetric positive semi-definite A (n × n, overwritten): R has as many rows, of n
// numbers each, as A's rank, which is returned. −1 when A is not semi-definite, or not finite. What
// is below `tolerance` times the largest diagonal entry counts as zero.
inline int factor_semidefinite(int n, double* A, double tolerance, double* R) {
  double zero = 0;
  for (int i = 0; i < n; ++i) {
    zero = std::max(zero, std::abs(tolerance * A[n * i + i]));
  }
  for (int rank = 0;; ++rank) {
    int pivot = 0;
    double largest = 0;
    for (int i = 0; i < n; ++i) {
      if (A[n * i + i] > A[n * pivot + pivot]) pivot = i;
      for (int j = 0; j < n; ++j) {
        if (!std::isfinite(A[n * i + j])) return -1;
        largest = std::max(largest, std::abs(A[n * i + j]));
      }
    }
    if (largest <= zero) return rank;
    // A semi-definite matrix has its largest entry on the diagonal.
    const double d = A[n * pivot + pivot];
    if (rank == n || !(d > 0) || largest > d + zero) return -1;
    double* row = R + n * rank;
    for (int i = 0; i < n; ++i) {
      row[i] = A[n * pivot + i] / std::sqrt(d);
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        A[n * i + j] -= row[i] * row[j];
      }
    }
  }
}

// x ← L⁻¹ x; returns its squared length, xᵀ A⁻¹ x of the x given.
inline double solve_lower(int n, const double* L, double* x) {
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

// x ← A⁻¹ x with the factor of A.
inline void solve_cholesky(int n, const double* L, double* x) {
  solve_lower(n, L, x);
  for (int j = n - 1; j >= 0; --j) {  // Lᵀ x = y
    for (int i = j + 1; i < n; ++i) {
      x[j] -= L[n * j + i] * x[i];
    }
    x[j] /= L[n * j + j];
  }
}

}  // namespace cenic

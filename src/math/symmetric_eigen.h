// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Eigenvalues of a small symmetric matrix by Jacobi's rotations, and its positive part.
#pragma once

#include <algorithm>
#include <cmath>

namespace cenic {

// A (n × n symmetric, finite) becomes diagonal, and row k of V the eigenvector of A[k][k].
inline void diagonalize_symmetric(int n, double* A, double* V) {
  std::fill_n(V, n * n, 0.0);
  for (int i = 0; i < n; ++i) {
    V[n * i + i] = 1;
  }
  constexpr int kMaxSweeps = 30;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double off = 0, diagonal = 0;
    for (int i = 0; i < n; ++i) {
      diagonal += A[n * i + i] * A[n * i + i];
      for (int j = i + 1; j < n; ++j) {
        off += A[n * i + j] * A[n * i + j];
      }
    }
    if (!(off > 1e-28 * diagonal)) return;
    for (int p = 0; p < n; ++p) {
      for (int q = p + 1; q < n; ++q) {
        if (A[n * p + q] == 0) continue;
        // tan θ of the rotation that makes A_pq zero, the smaller of the two.
        const double x = (A[n * q + q] - A[n * p + p]) / (2 * A[n * p + q]);
        const double t = (x >= 0 ? 1 : -1) / (std::abs(x) + std::sqrt(x * x + 1));
        const double c = 1 / std::sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; ++k) {
          const double a = A[n * k + p], b = A[n * k + q];
          A[n * k + p] = c * a - s * b;
          A[n * k + q] = s * a + c * b;
        }
        for (int k = 0; k < n; ++k) {
          const double a = A[n * p + k], b = A[n * q + k];
          A[n * p + k] = c * a - s * b;
          A[n * q + k] = s * a + c * b;
          const double u = V[n * p + k], v = V[n * q + k];
          V[n * p + k] = c * u - s * v;
          V[n * q + k] = s * u + c * v;
        }
      }
    }
  }
}

// R (n × n) with Rᵀ R the positive part of A (n × n symmetric, overwritten): its eigenvalues below
// zero replaced by zero, the nearest semi-definite matrix. NaN when A is not finite.
inline void factor_positive_part(int n, double* A, double* R) {
  if (!std::all_of(A, A + n * n, [](double a) {
        return std::isfinite(a);
      })) {
    std::fill_n(R, n * n, NAN);
    return;
  }
  diagonalize_symmetric(n, A, R);
  for (int k = 0; k < n; ++k) {
    const double scale = std::sqrt(std::max(A[n * k + k], 0.0));
    for (int i = 0; i < n; ++i) {
      R[n * k + i] *= scale;
    }
  }
}

}  // namespace cenic

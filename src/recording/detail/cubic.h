// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#pragma once

namespace cenic::detail {

// The cubic over s in [0, 1] from 0 to d with the slopes m0 and m1.
template <typename T>
T evaluate_cubic(const T& d, const T& m0, const T& m1, double s) {
  const double s2 = s * s, s3 = s2 * s;
  return (3 * s2 - 2 * s3) * d + (s3 - 2 * s2 + s) * m0 + (s3 - s2) * m1;
}

}  // namespace cenic::detail

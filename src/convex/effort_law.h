// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// An actuator of limited effort e as a potential: with y = b − c v, c ≥ 0,
//
//   force τ = clamp(y, ± e),   cost −∫ τ dv = c v²/2 − b v − (|y| − e)₊²/(2 c),
//
// which is continuous with its slope: the quadratic less its excess beyond the limits. Where c = 0
// the force is constant.
#pragma once

#include <algorithm>
#include <cmath>

namespace cenic {

inline double calc_effort(double b, double c, double e, double v) {
  return std::clamp(b - c * v, -e, e);
}
inline double effort_curvature(double b, double c, double e, double v) {
  return std::abs(b - c * v) < e ? c : 0.0;
}
inline double effort_cost(double b, double c, double e, double v) {
  if (c <= 0) return -std::clamp(b, -e, e) * v;
  const double excess = std::max(0.0, std::abs(b - c * v) - e);
  return 0.5 * c * v * v - b * v - 0.5 * excess * excess / c;
}

}  // namespace cenic

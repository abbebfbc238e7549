// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The potentials of the convex problem, one small function each: formulas alone, no loops, no
// memory. Every potential is convex in the velocity; its negative gradient is the impulse.
#pragma once

#include <algorithm>
#include <cmath>

namespace cenic {

// Compliant normal contact with Hunt & Crossley dissipation over a step h, paper eq.
// (icf_normal_approximation):
//   γₙ(vₙ) = h (fe0 − h k vₙ)₊ (1 − d vₙ)₊.
// Both factors vanish beyond v̂ = min(fe0/(h k), 1/d). With x = (v̂ − vₙ)₊ one of them is
// proportional to x, so
//   γₙ = c0 x + c1 x²/2,   −dγₙ/dvₙ = c0 + c1 x,   cost = c0 x²/2 + c1 x³/6,
// which has no cancellation for speculative contacts (fe0 < 0) however far away they are.
struct NormalLaw {
  double v_hat = 0;
  double c0 = 0;
  double c1 = 0;
};

inline NormalLaw make_normal_law(double h, double fe0, double k, double d) {
  const double v_elastic = fe0 / (h * k);
  const double v_dissipation = d > 0 ? 1 / d : INFINITY;
  NormalLaw law;
  law.v_hat = std::min(v_elastic, v_dissipation);
  const double e = std::max(0.0, fe0 - h * k * law.v_hat);  // one of e and a is zero
  const double a = std::max(0.0, 1 - d * law.v_hat);
  law.c0 = h * (v_elastic <= v_dissipation ? h * k * a : e * d);
  law.c1 = 2 * h * h * k * d;
  return law;
}

inline double normal_impulse(double c0, double c1, double x) { return x * (c0 + 0.5 * c1 * x); }
inline double normal_curvature(double c0, double c1, double x) { return x > 0 ? c0 + c1 * x : 0.0; }
inline double normal_cost(double c0, double c1, double x) {
  return x * x * (0.5 * c0 + c1 * x * (1.0 / 6));
}

// Regularised friction, contact or joint: cost = m (√(|v|² + v_r²) − v_r), impulse −m v/√(|v|² +
// v_r²). The impulse's size is m f(|v|/v_r) with the sigmoid f(s) = s/√(1 + s²): m when slipping.
inline double friction_cost(double m, double v_squared, double v_r) {
  // (√(a + b²) − b) without cancellation
  return m * v_squared / (std::sqrt(v_squared + v_r * v_r) + v_r);
}

// Its gradient in one dimension (the joint's own), and the second derivative.
inline double friction_slope(double m, double v, double v_r) { return m * v / std::hypot(v, v_r); }
inline double friction_curvature(double m, double v, double v_r) {
  const double s = std::hypot(v, v_r);
  return m * v_r * v_r / (s * s * s);
}

// Friction coefficient between μ_s at rest and μ_d when slipping, paper eq. (dynamic_friction):
//   μ(s) = μ_d + (μ_s − μ_d) σ(s), σ(s) = (1 − f(s − Δ)/f(Δ))/2, s = |v_t|/v_s.
inline double friction_coefficient(double mu_s, double mu_d, double s, double delta = 10) {
  const auto f = [](double x) {
    return x / std::sqrt(1 + x * x);
  };
  return mu_d + (mu_s - mu_d) * 0.5 * (1 - f(s - delta) / f(delta));
}

}  // namespace cenic

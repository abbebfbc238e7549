// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Constraints as potentials: limits of joints, couplers, distances, balls and welds, row by row.
// With the constraint error g at the start of the step and its rate c = J v at the end,
//
//   force = −k (g + (h + τ) c)    a spring and damper, both at the end of the step
//   impulse λ = (v̂ − c)/R,  v̂ = −g/(h + τ),  1/R = k h (h + τ),  cost = (v̂ − c)²/(2 R)
//
// and for a limit g ≥ 0 only the pushing part, with (v̂ − c)₊.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cenic {

// A scalar constraint g(q) = 0, or g(q) ≥ 0 when one-sided, besides its Jacobian row.
struct RowInput {
  double g = 0;                 // at the start of the step
  double inverse_mass = 0;      // w = J M⁻¹ Jᵀ
  double scale = 1;             // metres per unit of g
  double stiffness = INFINITY;  // of a spring; infinite: as rigid as the step resolves; 0: a damper
  double damping = 0;
  bool one_sided = false;
};

// How a violated rigid constraint returns: at once when it is off by `distance` at most and what a
// load of `acceleration` times the mass it feels bends it; from twice that and beyond within about
// `time`; never faster than `speed`.
struct Recovery {
  double acceleration = 1e4;  // m/s²
  double distance = 5e-4;     // m
  double time = 0.1;          // s
  double speed = 1;           // m/s
};

struct RowLaw {
  double v_hat = 0;
  double weight = 0;  // 1/R
};

inline double row_impulse(const RowLaw& law, bool one_sided, double c) {
  const double x = law.v_hat - c;
  return law.weight * (one_sided ? std::max(0.0, x) : x);
}
inline double row_curvature(const RowLaw& law, bool one_sided, double c) {
  return one_sided && !(law.v_hat > c) ? 0.0 : law.weight;
}
inline double row_cost(const RowLaw& law, bool one_sided, double c) {
  const double x = one_sided ? std::max(0.0, law.v_hat - c) : law.v_hat - c;
  return 0.5 * law.weight * x * x;
}

// The rate at which a rigid constraint that is off by g returns. Errors that the integration makes
// and what loads bend vanish in one step. A user's initial state may be off by any amount: such a
// constraint returns in recovery.time at a bounded speed, both independent of the step. If a part
// of it jumped in each step, two halves would jump twice as far as one step, so no step would ever
// be short enough for the error control.
inline double calc_return_rate(double g, double step, double period, double scale,
                               const Recovery& recovery) {
  const double omega = 2 * std::numbers::pi / period, size = std::abs(g);
  const double bend = recovery.acceleration / (omega * omega * scale);
  const double near = recovery.distance / scale + bend;
  const double far = std::clamp((size - near) / near, 0.0, 1.0);
  const double slow = std::min(size / (step + far * recovery.time), recovery.speed / scale);
  const double rate = std::min(size / step, std::max(slow, bend / step));
  return g > 0 ? -rate : rate;
}

// The law of a row over a step h. A rigid constraint is a critically damped spring whose period is
// a small part β of rigid_h, too fast for the step to see: k = (2π/(β rigid_h))²/w, τ = β
// rigid_h/π. The paper's β is 0.1; what a constraint gives way under load, and the first-order
// error that remains after extrapolation, go with β².
inline RowLaw make_row_law(double h, double rigid_h, const RowInput& row,
                           const Recovery& recovery) {
  if (row.stiffness == 0) return {0, h * row.damping};
  constexpr double kBeta = 0.03;
  constexpr double kShortest = 1e-4, kLongest = 2e-3;  // s: outside, steps do not change it
  constexpr double kPi = std::numbers::pi;
  if (row.inverse_mass <= 0) return {};  // nothing that could move; NaN passes on
  const double period = kBeta * std::clamp(rigid_h, kShortest, kLongest);
  const double rigid = 4 * kPi * kPi / (period * period * row.inverse_mass);
  const bool compliant = row.stiffness < rigid;
  const double k = compliant ? row.stiffness : rigid;
  const double step = h + (compliant ? row.damping / k : period / kPi);
  RowLaw law;
  law.weight = k * h * step;
  // A limit that is not reached is no error to recover from.
  law.v_hat = compliant || (row.one_sided && row.g > 0)
                  ? -row.g / step
                  : calc_return_rate(row.g, step, period, row.scale, recovery);
  return law;
}

}  // namespace cenic

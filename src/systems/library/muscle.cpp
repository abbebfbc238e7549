// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/muscle.h"

#include <algorithm>

namespace cenic {
namespace {

constexpr double kTiny = 1e-15;

double square(double x) { return x * x; }

// f_L: 0 at lmin, 1 at 1, 0 at lmax, of four parabolas.
double calc_length_factor(double L, double lmin, double lmax) {
  const double a = 0.5 * (lmin + 1), b = 0.5 * (1 + lmax);
  if (L <= lmin || L >= lmax) return 0;
  if (L <= a) return 0.5 * square((L - lmin) / std::max(kTiny, a - lmin));
  if (L <= 1) return 1 - 0.5 * square((1 - L) / std::max(kTiny, 1 - a));
  if (L <= b) return 1 - 0.5 * square((L - 1) / std::max(kTiny, b - 1));
  return 0.5 * square((lmax - L) / std::max(kTiny, lmax - b));
}

// f_V: 0 when it shortens at full speed, 1 at rest, fvmax when it is stretched.
double calc_speed_factor(double V, double fvmax) {
  const double y = fvmax - 1;
  if (V <= -1) return 0;
  if (V <= 0) return square(V + 1);
  if (V <= y) return fvmax - square(y - V) / std::max(kTiny, y);
  return fvmax;
}

// f_P: a parabola from 1 on, then a line.
double calc_passive_factor(double L, double lmax, double fpmax) {
  const double b = 0.5 * (1 + lmax);
  if (L <= 1) return 0;
  if (L <= b) return fpmax * 0.5 * square((L - 1) / std::max(kTiny, b - 1));
  return fpmax * (0.5 + (L - b) / std::max(kTiny, b - 1));
}

}  // namespace

MuscleForce calc_muscle_force(const MuscleParameters& p, double l, double ldot) {
  const double optimal =
      (p.length_range[1] - p.length_range[0]) / std::max(kTiny, p.range[1] - p.range[0]);
  const double L = p.range[0] + (l - p.length_range[0]) / std::max(kTiny, optimal);
  const double V = ldot / std::max(kTiny, optimal * p.vmax);
  return {-p.force * calc_length_factor(L, p.lmin, p.lmax) * calc_speed_factor(V, p.fvmax),
          -p.force * calc_passive_factor(L, p.lmax, p.fpmax)};
}

double calc_muscle_rate(const MuscleParameters& p, double ctrl, double a) {
  const double excitation = std::clamp(ctrl, 0.0, 1.0), active = std::clamp(a, 0.0, 1.0);
  const double up = p.time_constants[0] * (0.5 + 1.5 * active);
  const double down = p.time_constants[1] / (0.5 + 1.5 * active);
  const double change = excitation - a;
  double time = change > 0 ? up : down;
  if (p.smoothing > 0) {  // a polynomial step of fifth order between the two
    const double x = std::clamp(change / p.smoothing + 0.5, 0.0, 1.0);
    time = down + (up - down) * x * x * x * (x * (6 * x - 15) + 10);
  }
  return change / std::max(kTiny, time);
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The muscle of MuJoCo: force −F (a f_L(L) f_V(V) + f_P(L)) for an activation a between 0 and 1, of
// the length L and the speed V in units of the optimal length.
#pragma once

#include <array>

namespace cenic {

struct MuscleParameters {
  std::array<double, 2> length_range{};     // of the transmission, times the gear
  std::array<double, 2> range{0.75, 1.05};  // L at its ends
  double force = 0;                         // F at rest, N
  double lmin = 0.5, lmax = 1.6;            // L beyond which there is no active force
  double vmax = 1.5;                        // speed at which there is none, optimal lengths/s
  double fpmax = 1.3;                       // passive force at lmax, in units of F
  double fvmax = 1.2;                       // force when it is stretched fast, in units of F
  std::array<double, 2> time_constants{0.01, 0.04};  // of activation and deactivation, s
  double smoothing = 0;  // width of the change between the two, in units of ctrl
};

struct MuscleForce {
  double gain = 0, bias = 0;  // force = gain a + bias
};
MuscleForce calc_muscle_force(const MuscleParameters& p, double l, double ldot);
// ȧ
double calc_muscle_rate(const MuscleParameters& p, double ctrl, double a);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What solref and solimp of limits and equality constraints become: nothing where they are no
// softer than MuJoCo's defaults, which stand for rigid, else a spring and a damper.
#pragma once

#include <array>
#include <limits>

#include "loaders/xml/attributes.h"

namespace cenic::detail {

struct SoftParameters {
  std::array<double, 2> solref{0.02, 1};
  std::array<double, 5> solimp{0.9, 0.95, 0.001, 0.5, 2};
};
// The attributes of these names, and the report of what becomes of them.
SoftParameters read_soft_parameters(const Attributes& a, const char* solref, const char* solimp);

struct SoftSpring {
  double stiffness = std::numeric_limits<double>::infinity();
  double damping = 0;
};
// MuJoCo's constraint of error r and speed v makes the force −d/(1 − d) m (k r + b v + a), m the
// mass it feels and a the acceleration: this is its spring and its damper for m = 1/inverse_mass.
// Infinitely stiff when it is to be rigid.
SoftSpring calc_soft_spring(const SoftParameters& p, double inverse_mass);
bool is_soft(const SoftParameters& p);
// The same for a mass of one, soft or not.
SoftSpring calc_spring_by_mass(const SoftParameters& p);

}  // namespace cenic::detail

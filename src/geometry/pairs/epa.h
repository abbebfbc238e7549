// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Depth of two overlapping cores: the least n·(a − b) over unit directions n (van den Bergen's
// expanding polytope).
#pragma once

#include "geometry/pairs/core.h"

namespace cenic::detail {

struct Penetration {
  bool found = false;  // false only when the cores together span no volume
  double depth =
      0;  // max over a, b of nhat·(a − b); slightly negative when the cores just miss each other
  Vec3 nhat;      // from A to B: moving B by depth nhat parts the cores
  Vec3 p_A, p_B;  // deepest points
};

Penetration calc_epa(const Core& A, const Core& B);

}  // namespace cenic::detail

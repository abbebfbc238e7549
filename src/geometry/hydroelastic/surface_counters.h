// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What contact surfaces cost.
#pragma once

#include <cstdint>

namespace cenic {

// Costs of queries, summed.
struct SurfaceCounters {
  std::uint64_t queries = 0;     // pairs of solids
  std::uint64_t rebuilds = 0;    // of candidate lists
  std::uint64_t node_pairs = 0;  // visited while rebuilding
  std::uint64_t candidates = 0;  // pairs of cells looked at
  std::uint64_t polygons = 0;
  std::uint64_t points = 0;
  SurfaceCounters& operator+=(const SurfaceCounters& b);
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Broad phase: which boxes overlap. A hierarchical grid, rebuilt in linear time at each call.
#pragma once

#include <span>
#include <vector>

#include "geometry/aabb.h"

namespace cenic {

struct IndexPair {
  int a, b;  // a < b
  friend bool operator==(const IndexPair&, const IndexPair&) = default;
};

class BroadPhase {
 public:
  // All pairs of overlapping boxes, in increasing order of (a, b), without repetition. Boxes of very different
  // sizes are fine. Replaces `pairs`; no allocation once the capacity has grown.
  void find_pairs(std::span<const Aabb> boxes, std::vector<IndexPair>* pairs);
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/broad_phase.h"

namespace cenic {

void BroadPhase::find_pairs(std::span<const Aabb> boxes, std::vector<IndexPair>* pairs) {
  pairs->clear();
  const int num_boxes = static_cast<int>(boxes.size());
  for (int a = 0; a < num_boxes; ++a) {
    for (int b = a + 1; b < num_boxes; ++b) {
      if (overlap(boxes[a], boxes[b])) pairs->push_back({a, b});
    }
  }
}

}  // namespace cenic

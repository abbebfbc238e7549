// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Broad phase: which boxes overlap. A hierarchical grid, rebuilt in linear time at each call.
#pragma once

#include <cstdint>
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
  // All pairs of overlapping boxes, in increasing order of (a, b), without repetition. Boxes of
  // very different sizes are fine, infinite ones meet everything they overlap, and boxes with NaN
  // meet nothing. Replaces `pairs`; no allocation once the capacity has grown.
  void find_pairs(std::span<const Aabb> boxes, std::vector<IndexPair>* pairs);

 private:
  struct Entry {
    Aabb aabb;
    std::uint64_t key = 0;  // level and cell of the box's centre
    std::int32_t box = 0, level = 0;
  };
  void find_pairs_by_brute_force(std::span<const Aabb> boxes, std::vector<IndexPair>* pairs) const;
  bool make_entries(std::span<const Aabb> boxes);
  void fill_buckets();
  void find_partners(const Entry& entry);
  void look_up(const Entry& entry, std::uint64_t key);
  void find_loose(std::span<const Aabb> boxes);
  void sort_pairs(int num_boxes, std::vector<IndexPair>* pairs);

  double cell_ = 1;               // cell size of level 0
  Vec3 origin_;                   // lower corner of all boxes
  std::uint64_t levels_ = 0;      // bit l: some box lives on level l
  std::vector<Entry> entries_;    // the boxes in the grid
  std::vector<Entry> by_bucket_;  // the same, in the order of their hash buckets
  std::vector<std::int32_t>
      start_;  // first entry of each bucket, a power of two of them and one more
  std::vector<std::int32_t> loose_;  // boxes that do not fit the grid: checked against all
  std::vector<IndexPair> found_;
  std::vector<std::int32_t> count_;  // for the counting sort
};

}  // namespace cenic

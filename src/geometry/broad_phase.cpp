// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Level l has cells of size cell_·2^l. A box lives on the level whose cells are two to four times
// its size, in the cell of its centre, so it reaches at most a quarter of a cell beyond. A box
// looks for partners on its own and each coarser level in the cells that its extent, widened by
// that quarter, covers: at most two along each axis.
#include "geometry/broad_phase.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace cenic {
namespace {

constexpr std::size_t kBruteForceLimit = 64;
constexpr int kMaxLevel = 60;
constexpr double kMaxCell = 1e15;  // cell numbers beyond are not exact
constexpr double kReach = 0.25 + 1e-6;

double extent(const Aabb& box) {
  const Vec3 d = box.upper - box.lower;
  return std::max({d.x, d.y, d.z});
}

// Cells are numbered modulo 2^19 along each axis. Two cells of one key only cost a needless check
// of their boxes.
std::uint64_t pack(int level, std::int64_t x, std::int64_t y, std::int64_t z) {
  constexpr std::uint64_t kMask = (1u << 19) - 1;
  return static_cast<std::uint64_t>(level) << 57 | (static_cast<std::uint64_t>(x) & kMask) << 38 |
         (static_cast<std::uint64_t>(y) & kMask) << 19 | (static_cast<std::uint64_t>(z) & kMask);
}

std::uint64_t scramble(std::uint64_t key) {
  key = (key ^ key >> 31) * 0x9E3779B97F4A7C15ull;
  return key >> 32;
}

std::int64_t floor_to_int(double x) { return static_cast<std::int64_t>(std::floor(x)); }

}  // namespace

void BroadPhase::find_pairs(std::span<const Aabb> boxes, std::vector<IndexPair>* pairs) {
  if (boxes.size() <= kBruteForceLimit || !make_entries(boxes)) {
    find_pairs_by_brute_force(boxes, pairs);
    return;
  }
  found_.clear();
  fill_buckets();
  for (const Entry& entry : by_bucket_) {
    find_partners(entry);
  }
  find_loose(boxes);
  sort_pairs(static_cast<int>(boxes.size()), pairs);
}

void BroadPhase::find_pairs_by_brute_force(std::span<const Aabb> boxes,
                                           std::vector<IndexPair>* pairs) const {
  pairs->clear();
  const int num_boxes = static_cast<int>(boxes.size());
  for (int a = 0; a < num_boxes; ++a) {
    for (int b = a + 1; b < num_boxes; ++b) {
      if (overlap(boxes[a], boxes[b])) pairs->push_back({a, b});
    }
  }
}

// Chooses the levels and gives every finite box its cell. False when no box has a size to build a
// grid on.
bool BroadPhase::make_entries(std::span<const Aabb> boxes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double smallest = kInfinity, largest = 0;
  Vec3 lower{kInfinity, kInfinity, kInfinity};
  for (const Aabb& box : boxes) {
    const double size = extent(box);
    if (!std::isfinite(size) || !is_finite(box.lower)) continue;
    if (size > 0) smallest = std::min(smallest, size);
    largest = std::max(largest, size);
    lower = cwise_min(lower, box.lower);
  }
  if (!(smallest < kInfinity)) return false;
  // The largest boxes fill their cells to the half; then boxes of similar size share one level.
  const double ratio = std::max(1.0, largest / smallest);
  cell_ = std::ldexp(2 * largest, -std::min(kMaxLevel - 2, std::ilogb(ratio) + 1));
  origin_ = lower;
  entries_.clear();
  loose_.clear();
  levels_ = 0;
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
    const Aabb& box = boxes[i];
    const double size = extent(box);
    if (!std::isfinite(size) || !is_finite(box.lower)) {
      loose_.push_back(i);
      continue;
    }
    int level = 2 * size > cell_ ? std::ilogb(2 * size / cell_) : 0;
    if (std::ldexp(cell_, level) < 2 * size) ++level;
    const Vec3 c = (0.5 * (box.lower + box.upper) - origin_) * (1 / std::ldexp(cell_, level));
    if (!(std::max({c.x, c.y, c.z}) < kMaxCell)) {
      loose_.push_back(i);
      continue;
    }
    entries_.push_back(
        {box, pack(level, floor_to_int(c.x), floor_to_int(c.y), floor_to_int(c.z)), i, level});
    levels_ |= std::uint64_t{1} << level;
  }
  return true;
}

void BroadPhase::fill_buckets() {
  const std::size_t num_buckets = std::bit_ceil(2 * entries_.size() + 1);
  start_.assign(num_buckets + 1, 0);
  for (const Entry& entry : entries_) {
    ++start_[(scramble(entry.key) & (num_buckets - 1)) + 1];
  }
  for (std::size_t k = 0; k < num_buckets; ++k) {
    start_[k + 1] += start_[k];
  }
  by_bucket_.resize(entries_.size());
  // Filled from the back, which leaves start_ at the first entry of each bucket.
  for (std::size_t k = num_buckets; k > 0; --k) {
    start_[k] = start_[k - 1];
  }
  for (const Entry& entry : entries_) {
    by_bucket_[start_[(scramble(entry.key) & (num_buckets - 1)) + 1]++] = entry;
  }
}

void BroadPhase::find_partners(const Entry& entry) {
  for (std::uint64_t rest = levels_ >> entry.level << entry.level; rest != 0; rest &= rest - 1) {
    const int level = std::countr_zero(rest);
    const double per_size = 1 / std::ldexp(cell_, level);
    const Vec3 reach{kReach, kReach, kReach};
    const Vec3 low = per_size * (entry.aabb.lower - origin_) - reach;
    const Vec3 high = per_size * (entry.aabb.upper - origin_) + reach;
    const std::int64_t x1 = floor_to_int(high.x), y0 = floor_to_int(low.y),
                       y1 = floor_to_int(high.y), z0 = floor_to_int(low.z),
                       z1 = floor_to_int(high.z);
    std::int64_t x = floor_to_int(low.x), y = y0, z = z0;
    while (x <= x1) {
      look_up(entry, pack(level, x, y, z));
      if (++z > z1) z = z0, ++y;
      if (y > y1) y = y0, ++x;
    }
  }
}

void BroadPhase::look_up(const Entry& entry, std::uint64_t key) {
  const std::uint64_t bucket = scramble(key) & (start_.size() - 2);
  for (std::int32_t k = start_[bucket]; k < start_[bucket + 1]; ++k) {
    const Entry& other = by_bucket_[k];
    // Each pair once: from the finer level, and on one level from the smaller index.
    if (other.key != key || (other.level == entry.level && other.box <= entry.box)) continue;
    if (!overlap(entry.aabb, other.aabb)) continue;
    found_.push_back({std::min(entry.box, other.box), std::max(entry.box, other.box)});
  }
}

// Loose boxes: against the grid, and against the loose ones after them.
void BroadPhase::find_loose(std::span<const Aabb> boxes) {
  for (std::size_t i = 0; i < loose_.size(); ++i) {
    const std::int32_t a = loose_[i];
    for (const Entry& entry : entries_) {
      if (overlap(boxes[a], entry.aabb)) {
        found_.push_back({std::min(a, entry.box), std::max(a, entry.box)});
      }
    }
    for (std::size_t k = i + 1; k < loose_.size(); ++k) {
      if (overlap(boxes[a], boxes[loose_[k]])) found_.push_back({a, loose_[k]});
    }
  }
}

// Counting sort by a, then by b within each a.
void BroadPhase::sort_pairs(int num_boxes, std::vector<IndexPair>* pairs) {
  count_.assign(num_boxes + 1, 0);
  for (const IndexPair& pair : found_) {
    ++count_[pair.a + 1];
  }
  for (int a = 0; a < num_boxes; ++a) {
    count_[a + 1] += count_[a];
  }
  pairs->resize(found_.size());
  for (const IndexPair& pair : found_) {
    (*pairs)[count_[pair.a]++] = pair;
  }
  std::ptrdiff_t start = 0;
  for (int a = 0; a < num_boxes; ++a) {
    const std::ptrdiff_t end = count_[a];
    std::sort(pairs->begin() + start, pairs->begin() + end,
              [](const IndexPair& p, const IndexPair& q) {
                return p.b < q.b;
              });
    start = end;
  }
}

}  // namespace cenic

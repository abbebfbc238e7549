// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/aabb_tree.h"

#include <numeric>

namespace cenic {
namespace {

Aabb join(const Aabb& a, const Aabb& b) {
  return {cwise_min(a.lower, b.lower), cwise_max(a.upper, b.upper)};
}

// Twice the centre along the axis.
double place(const Aabb& box, int axis) { return box.lower[axis] + box.upper[axis]; }

}  // namespace

AabbTree::Box AabbTree::make_box(const Aabb& aabb) {
  const Vec3 center = 0.5 * (aabb.lower + aabb.upper);
  const Vec3 half = cwise_max(aabb.upper - center, center - aabb.lower);
  return {center, (1 + 1e-15) * half};
}

void AabbTree::build(std::span<const Aabb> boxes) {
  nodes_.clear();
  boxes_.clear();
  elements_.resize(boxes.size());
  std::iota(elements_.begin(), elements_.end(), 0);
  if (boxes.empty()) return;
  // Nodes are split in the order they are made, so children follow their parents.
  nodes_.push_back({{}, 0, num_elements()});
  for (int node = 0; node < static_cast<int>(nodes_.size()); ++node) {
    split(node, boxes);
  }
  boxes_.reserve(boxes.size());
  for (const int element : elements_) {
    boxes_.push_back(make_box(boxes[element]));
  }
}

void AabbTree::split(int node, std::span<const Aabb> boxes) {
  const int first = nodes_[node].first, count = nodes_[node].count;
  const auto begin = elements_.begin() + first;
  Aabb all = boxes[*begin];
  Vec3 lower{place(all, 0), place(all, 1), place(all, 2)}, upper = lower;  // of twice the centres
  for (int k = 1; k < count; ++k) {
    const Aabb& box = boxes[begin[k]];
    all = join(all, box);
    lower = cwise_min(lower, {place(box, 0), place(box, 1), place(box, 2)});
    upper = cwise_max(upper, {place(box, 0), place(box, 1), place(box, 2)});
  }
  nodes_[node].box = make_box(all);
  if (count <= kLeafSize) {
    std::sort(begin, begin + count);
    return;
  }

  const Vec3 size = upper - lower;
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
  const int half = count / 2;
  // Equal places go by number, so the halves do not depend on the library's nth_element.
  std::nth_element(begin, begin + half, begin + count, [&](int i, int j) {
    const double a = place(boxes[i], axis), b = place(boxes[j], axis);
    return a != b ? a < b : i < j;
  });
  nodes_[node].first = static_cast<int>(nodes_.size());
  nodes_[node].count = 0;
  nodes_.push_back({{}, first, half});
  nodes_.push_back({{}, first + half, count - half});
}

Aabb AabbTree::bounds() const {
  if (empty()) return {};
  const Box& box = nodes_[0].box;
  return {box.center - box.half, box.center + box.half};
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A tree of bounding boxes over the elements of one mesh, in the mesh's own frame. Built once;
// queries do not allocate.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "geometry/aabb.h"
#include "math/rigid_transform.h"

namespace cenic {

class AabbTree {
 public:
  // One box an element, of finite numbers, lower <= upper. Split at the median centre along the
  // longest axis, so the depth is log2 of the number of elements.
  void build(std::span<const Aabb> boxes);

  bool empty() const { return nodes_.empty(); }
  int num_elements() const { return static_cast<int>(elements_.size()); }
  Aabb bounds() const;  // of all elements; of no meaning for an empty tree

  // f(element) for each element whose box overlaps or touches the given one.
  template <class F>
  void for_each_overlap(const Aabb& box, F&& f) const {
    const Box query = make_box(box);
    visit(
        [&](const Box& b) {
          return overlap(b, query);
        },
        f);
  }

  // f(i, j) for each element i of this tree and j of the other, posed at X_AB in this tree's frame,
  // whose boxes are closer than the margin by the six axes of their faces: a box may pass that an
  // edge against an edge would tell apart. Returns the number of pairs of nodes looked at.
  template <class F>
  std::size_t for_each_pair(const AabbTree& other, const RigidTransform& X_AB, double margin,
                            F&& f) const;

  // f(element) for each box within the margin of the plane nhat·x = offset.
  template <class F>
  void for_each_crossing(const Vec3& nhat, double offset, double margin, F&& f) const {
    const Vec3 abs_n = cwise_abs(nhat);
    visit(
        [&](const Box& b) {
          return std::fabs(dot(nhat, b.center) - offset) <= dot(abs_n, b.half) + margin;
        },
        f);
  }
  // f(element) for each box that reaches below the plane, or above it by no more than the margin.
  template <class F>
  void for_each_below(const Vec3& nhat, double offset, double margin, F&& f) const {
    const Vec3 abs_n = cwise_abs(nhat);
    visit(
        [&](const Box& b) {
          return dot(nhat, b.center) - offset <= dot(abs_n, b.half) + margin;
        },
        f);
  }

  // The smallest distance_squared(element), looking only at elements whose box is nearer to x than
  // the best so far; bound_squared when none is nearer than that.
  template <class F>
  double find_nearest(const Vec3& x, double bound_squared, F&& distance_squared) const;

  // The smallest distance(element) along the ray from x, looking only at elements whose box the ray
  // meets before the best so far; bound when none is nearer than that. dir is a unit vector.
  template <class F>
  double find_first_on_ray(const Vec3& x, const Vec3& dir, double bound, F&& distance) const {
    double best = bound;
    visit(
        [&](const Box& b) {
          return meets(b, x, dir, best);
        },
        [&](int element) {
          best = std::min(best, static_cast<double>(distance(element)));
        });
    return best;
  }

 private:
  // Rounded outward, by a few units in the last place of the half sizes.
  struct Box {
    Vec3 center, half;
  };
  struct Node {
    Box box;
    int first = 0;  // leaf: first of its elements; else the first of its two children
    int count = 0;  // leaf: how many elements; else 0
  };
  // The other tree's pose, with what all box tests share.
  struct PairPose {
    RigidTransform X_AB;
    Mat3 abs_R;
    double margin = 0;
  };
  static constexpr int kLeafSize = 4;
  // Depth first, a stack holds one entry a level and one more: 2³¹ elements have 31 levels.
  static constexpr int kStackSize = 64, kPairStackSize = 128;

  static Box make_box(const Aabb& aabb);
  static bool overlap(const Box& a, const Box& b) {
    const Vec3 gap = cwise_abs(a.center - b.center) - (a.half + b.half);
    return gap.x <= 0 && gap.y <= 0 && gap.z <= 0;
  }
  static bool overlap(const Box& a, const Box& b, const PairPose& pose) {
    const Mat3& R = pose.X_AB.R;
    const Vec3 t = pose.X_AB * b.center - a.center;
    const Vec3 gap_A = cwise_abs(t) - (a.half + pose.abs_R * b.half);
    const Vec3 gap_B =
        cwise_abs(transpose_times(R, t)) - (b.half + transpose_times(pose.abs_R, a.half));
    return std::max({gap_A.x, gap_A.y, gap_A.z, gap_B.x, gap_B.y, gap_B.z}) <= pose.margin;
  }
  // Does the segment of the given length from x meet the box? By separating axes: those of the box,
  // and their products with the segment's. The small addition is for rounding in the products.
  static bool meets(const Box& b, const Vec3& x, const Vec3& dir, double length) {
    const Vec3 half = 0.5 * length * dir, d = x + half - b.center;
    const Vec3 gap = cwise_abs(d) - (b.half + cwise_abs(half));
    if (gap.x > 0 || gap.y > 0 || gap.z > 0) return false;
    const Vec3 a = cwise_abs(dir), c = cwise_abs(cross(dir, d));
    const double tiny = 1e-12 * (norm(d) + norm(b.half));
    return c.x <= b.half.y * a.z + b.half.z * a.y + tiny &&
           c.y <= b.half.z * a.x + b.half.x * a.z + tiny &&
           c.z <= b.half.x * a.y + b.half.y * a.x + tiny;
  }
  static double distance_squared_to(const Box& b, const Vec3& x) {
    return norm_squared(cwise_max(cwise_abs(x - b.center) - b.half, {}));
  }
  void split(int node, std::span<const Aabb> boxes);

  template <class Test, class F>
  void visit(Test&& test, F&& f) const;
  template <class F>
  void visit_leaves(const Node& a, const AabbTree& other, const Node& b, const PairPose& pose,
                    F&& f) const;

  std::vector<Node> nodes_;    // the root first; the two children of a node side by side
  std::vector<int> elements_;  // in the order of the leaves
  std::vector<Box> boxes_;     // of elements_
};

template <class Test, class F>
void AabbTree::visit(Test&& test, F&& f) const {
  if (empty() || !test(nodes_[0].box)) return;
  std::array<int, kStackSize> stack{};
  int size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const Node& node = nodes_[stack[--size]];
    for (int k = node.first; k < node.first + node.count; ++k) {
      if (test(boxes_[k])) f(elements_[k]);
    }
    if (node.count > 0) continue;
    // The first child is taken first.
    if (test(nodes_[node.first + 1].box)) stack[size++] = node.first + 1;
    if (test(nodes_[node.first].box)) stack[size++] = node.first;
  }
}

template <class F>
void AabbTree::visit_leaves(const Node& a, const AabbTree& other, const Node& b,
                            const PairPose& pose, F&& f) const {
  for (int i = a.first; i < a.first + a.count; ++i) {
    for (int j = b.first; j < b.first + b.count; ++j) {
      if (overlap(boxes_[i], other.boxes_[j], pose)) f(elements_[i], other.elements_[j]);
    }
  }
}

template <class F>
std::size_t AabbTree::for_each_pair(const AabbTree& other, const RigidTransform& X_AB,
                                    double margin, F&& f) const {
  if (empty() || other.empty()) return 0;
  PairPose pose{X_AB, {}, margin};
  for (int i = 0; i < 3; ++i) {
    // The addition keeps rounding of R from hiding boxes that touch.
    pose.abs_R.row[i] = cwise_abs(X_AB.R.row[i]) + Vec3{1e-9, 1e-9, 1e-9};
  }
  struct Pair {
    int a, b;
  };
  std::array<Pair, kPairStackSize> stack{};
  int size = 0;
  std::size_t num_visited = 0;
  stack[size++] = {0, 0};
  while (size > 0) {
    const Pair pair = stack[--size];
    const Node& a = nodes_[pair.a];
    const Node& b = other.nodes_[pair.b];
    ++num_visited;
    if (!overlap(a.box, b.box, pose)) continue;
    if (a.count > 0 && b.count > 0) {
      visit_leaves(a, other, b, pose, f);
    } else if (b.count > 0 ||
               (a.count == 0 && norm_squared(a.box.half) > norm_squared(b.box.half))) {
      stack[size++] = {a.first + 1, pair.b};
      stack[size++] = {a.first, pair.b};
    } else {
      stack[size++] = {pair.a, b.first + 1};
      stack[size++] = {pair.a, b.first};
    }
  }
  return num_visited;
}

template <class F>
double AabbTree::find_nearest(const Vec3& x, double bound_squared, F&& distance_squared) const {
  struct Entry {
    int node;
    double distance_squared;  // to its box
  };
  std::array<Entry, kStackSize> stack{};
  int size = 0;
  double best = bound_squared;
  if (!empty()) stack[size++] = {0, distance_squared_to(nodes_[0].box, x)};
  while (size > 0) {
    const Entry entry = stack[--size];
    if (!(entry.distance_squared < best)) continue;
    const Node& node = nodes_[entry.node];
    for (int k = node.first; k < node.first + node.count; ++k) {
      if (distance_squared_to(boxes_[k], x) < best) {
        best = std::min(best, static_cast<double>(distance_squared(elements_[k])));
      }
    }
    if (node.count > 0) continue;
    // The nearer child is taken first.
    Entry near{node.first, distance_squared_to(nodes_[node.first].box, x)};
    Entry far{node.first + 1, distance_squared_to(nodes_[node.first + 1].box, x)};
    if (far.distance_squared < near.distance_squared) std::swap(near, far);
    stack[size++] = far;
    stack[size++] = near;
  }
  return best;
}

}  // namespace cenic

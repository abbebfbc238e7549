// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Disjoint sets with path halving; the root of a set is its smallest member, so labels do not
// depend on order.
#pragma once

#include <numeric>
#include <vector>

namespace cenic {

class UnionFind {
 public:
  void reset(int n) {
    parent_.resize(n);
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  // Makes i a set of its own; sound when all members of its set are isolated.
  void isolate(int i) { parent_[i] = i; }
  int size() const { return static_cast<int>(parent_.size()); }
  int find(int i) {
    while (parent_[i] != i) {
      parent_[i] = parent_[parent_[i]];
      i = parent_[i];
    }
    return i;
  }
  void unite(int i, int j) {
    i = find(i);
    j = find(j);
    if (i < j) {
      parent_[j] = i;
    } else {
      parent_[i] = j;
    }
  }

 private:
  std::vector<int> parent_;
};

}  // namespace cenic

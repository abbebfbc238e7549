// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A small random generator for scenes. The distributions of <random> differ between standard
// libraries; these do not.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "math/vec3.h"

namespace cenic::detail {

// SplitMix64 (Steele, Lea, Flood 2014): a Weyl sequence, each value hashed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  // Uniform in [lo, hi).
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }

  // A uniformly distributed orientation: a point of the 4-ball pushed out to its surface. Needs no
  // sine or cosine, whose last digit differs between platforms.
  Quat orientation() {
    for (;;) {
      const double w = uniform(-1, 1), x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1);
      const double n = w * w + x * x + y * y + z * z;
      if (n > 0.01 && n < 1) return normalized(Quat{w, x, y, z});
    }
  }

  template <typename T>
  void shuffle(std::vector<T>* items) {
    for (std::size_t n = items->size(); n > 1; --n) {
      const auto i = static_cast<std::size_t>(uniform(0, static_cast<double>(n)));
      std::swap((*items)[i], (*items)[n - 1]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace cenic::detail

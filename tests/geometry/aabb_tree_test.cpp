// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The tree against looking at all boxes.
#include "geometry/aabb_tree.h"

#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "geometry/samples.h"

namespace cenic {
namespace {

using test::Random;
using Pairs = std::vector<std::pair<int, int>>;

std::vector<Aabb> random_boxes(Random* random, int count, double size) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < count; ++i) {
    const Vec3 c = random->in_cube(1);
    const Vec3 h = cwise_abs(random->in_cube(size));
    boxes.push_back({c - h, c + h});
  }
  return boxes;
}

// f(collect) hands elements to collect; they come back sorted.
template <class F>
std::vector<int> collected(F&& f) {
  std::vector<int> found;
  f([&](int element) {
    found.push_back(element);
  });
  std::sort(found.begin(), found.end());
  return found;
}

// How far the posed boxes are apart along the six axes of their faces.
double calc_gap(const Aabb& a, const Aabb& b, const RigidTransform& X_AB) {
  const Vec3 t = X_AB * (0.5 * (b.lower + b.upper)) - 0.5 * (a.lower + a.upper);
  const Vec3 half_a = 0.5 * (a.upper - a.lower), half_b = 0.5 * (b.upper - b.lower);
  double gap = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    double reach = half_a[i];
    for (int k = 0; k < 3; ++k) {
      reach += std::fabs(X_AB.R(i, k)) * half_b[k];
    }
    gap = std::max(gap, std::fabs(t[i]) - reach);
    reach = half_b[i];
    for (int k = 0; k < 3; ++k) {
      reach += std::fabs(X_AB.R(k, i)) * half_a[k];
    }
    gap = std::max(gap, std::fabs(dot(X_AB.R.column(i), t)) - reach);
  }
  return gap;
}

TEST(AabbTree, OverlapsEqualBruteForce) {
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    const auto boxes = random_boxes(&random, random.integer(0, 300), 0.2);
    AabbTree tree;
    tree.build(boxes);
    EXPECT_EQ(tree.empty(), boxes.empty());
    const auto query = random_boxes(&random, 1, 0.8)[0];
    std::vector<int> expected;
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
      if (overlap(boxes[i], query)) expected.push_back(i);
    }
    EXPECT_EQ(collected([&](auto&& f) {
                tree.for_each_overlap(query, f);
              }),
              expected);
  }
}

TEST(AabbTree, BoxesThatJustTouchAreFound) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < 1000; ++i) {
    boxes.push_back({{0.1 * i, 0.3, 0.7}, {0.1 * (i + 1), 0.9, 1.1}});
  }
  AabbTree tree;
  tree.build(boxes);
  for (int i = 0; i < 1000; ++i) {
    int count = 0;
    tree.for_each_overlap(boxes[i], [&](int) {
      ++count;
    });
    EXPECT_GE(count, i == 0 || i == 999 ? 2 : 3) << i;
  }
}

TEST(AabbTree, PairsEqualBruteForce) {
  Random random(2);
  std::size_t num_found = 0;
  for (int round = 0; round < 60; ++round) {
    const auto a = random_boxes(&random, random.integer(0, 120), 0.2);
    const auto b = random_boxes(&random, random.integer(0, 120), 0.1);
    const RigidTransform X_AB = random.pose(1.5);
    const double margin = round % 2 == 0 ? 0 : random.uniform(0, 0.1);
    AabbTree tree_a, tree_b;
    tree_a.build(a);
    tree_b.build(b);
    Pairs found, expected;
    tree_a.for_each_pair(tree_b, X_AB, margin, [&](int i, int j) {
      found.emplace_back(i, j);
    });
    std::sort(found.begin(), found.end());
    for (int i = 0; i < static_cast<int>(a.size()); ++i) {
      for (int j = 0; j < static_cast<int>(b.size()); ++j) {
        if (calc_gap(a[i], b[j], X_AB) <= margin) expected.emplace_back(i, j);
      }
    }
    EXPECT_EQ(found, expected);
    num_found += found.size();
  }
  EXPECT_GT(num_found, 300u);
}

TEST(AabbTree, PairsOfDistantTreesCostNothing) {
  Random random(3);
  AabbTree a, b;
  a.build(random_boxes(&random, 1000, 0.1));
  b.build(random_boxes(&random, 1000, 0.1));
  const auto count = [&](double distance) {
    return a.for_each_pair(b, RigidTransform::translation({distance, 0, 0}), 0, [](int, int) {});
  };
  EXPECT_EQ(count(10), 1u);
  EXPECT_GT(count(1.9), 1u);
  EXPECT_LT(count(1.9), 20000u);
}

TEST(AabbTree, PlanesEqualBruteForce) {
  Random random(4);
  for (int round = 0; round < 60; ++round) {
    const auto boxes = random_boxes(&random, random.integer(0, 300), 0.1);
    AabbTree tree;
    tree.build(boxes);
    const Vec3 n = random.direction();
    const double offset = random.uniform(-1, 1), margin = random.uniform(0, 0.1);
    std::vector<int> crossing, below;
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
      double lowest = 1e300, highest = -1e300;
      for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p{(corner & 1) != 0 ? boxes[i].lower.x : boxes[i].upper.x,
                     (corner & 2) != 0 ? boxes[i].lower.y : boxes[i].upper.y,
                     (corner & 4) != 0 ? boxes[i].lower.z : boxes[i].upper.z};
        lowest = std::min(lowest, dot(n, p) - offset);
        highest = std::max(highest, dot(n, p) - offset);
      }
      if (lowest <= margin) below.push_back(i);
      if (lowest <= margin && highest >= -margin) crossing.push_back(i);
    }
    EXPECT_EQ(collected([&](auto&& f) {
                tree.for_each_crossing(n, offset, margin, f);
              }),
              crossing);
    EXPECT_EQ(collected([&](auto&& f) {
                tree.for_each_below(n, offset, margin, f);
              }),
              below);
  }
}

TEST(AabbTree, NearestEqualsBruteForceAndStopsAtTheBound) {
  Random random(5);
  for (int round = 0; round < 100; ++round) {
    const auto boxes = random_boxes(&random, random.integer(1, 300), 0);  // points
    AabbTree tree;
    tree.build(boxes);
    const Vec3 x = random.in_cube(2);
    double expected = 1e300;
    for (const Aabb& box : boxes) {
      expected = std::min(expected, norm_squared(box.lower - x));
    }
    int num_looked_at = 0;
    const auto distance_squared = [&](int i) {
      ++num_looked_at;
      return norm_squared(boxes[i].lower - x);
    };
    EXPECT_EQ(tree.find_nearest(x, 1e300, distance_squared), expected);
    EXPECT_EQ(tree.find_nearest(x, 0.5 * expected, distance_squared), 0.5 * expected);
  }
}

TEST(AabbTree, RaysEqualBruteForce) {
  Random random(7);
  int num_hits = 0;
  for (int round = 0; round < 300; ++round) {
    const auto boxes = random_boxes(&random, random.integer(100, 600), 0.2);
    AabbTree tree;
    tree.build(boxes);
    const Vec3 x = random.in_cube(1.5);
    const Vec3 dir = round % 5 == 0 ? Vec3{0, round % 2 == 0 ? 1.0 : -1.0, 0} : random.direction();
    // To the ball in the box.
    const auto distance = [&](int i) {
      const Vec3 h = 0.5 * (boxes[i].upper - boxes[i].lower);
      const Vec3 d = 0.5 * (boxes[i].upper + boxes[i].lower) - x;
      const double along = dot(d, dir), r = std::min({h.x, h.y, h.z});
      const double q = r * r - (norm_squared(d) - along * along);
      return q < 0 || along - std::sqrt(q) < 0 ? 1e3 : along - std::sqrt(q);
    };
    double expected = 1.5;
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
      expected = std::min(expected, distance(i));
    }
    EXPECT_EQ(tree.find_first_on_ray(x, dir, 1.5, distance), expected);
    num_hits += expected < 1.5 ? 1 : 0;
  }
  EXPECT_GT(num_hits, 20);
}

TEST(AabbTree, ManyEqualBoxesAndTheSameTreeEachTime) {
  const std::vector<Aabb> boxes(5000, Aabb{{1, 1, 1}, {2, 2, 2}});
  AabbTree tree, again;
  tree.build(boxes);
  again.build(boxes);
  std::vector<int> first, second;
  tree.for_each_overlap(boxes[0], [&](int i) {
    first.push_back(i);
  });
  again.for_each_overlap(boxes[0], [&](int i) {
    second.push_back(i);
  });
  EXPECT_EQ(first.size(), boxes.size());
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace cenic

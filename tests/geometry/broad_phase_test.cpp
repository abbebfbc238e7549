// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/broad_phase.h"

#include <limits>

#include <gtest/gtest.h>

#include "geometry/samples.h"

namespace cenic {
namespace {

using test::Random;

std::vector<IndexPair> brute_force(const std::vector<Aabb>& boxes) {
  std::vector<IndexPair> pairs;
  for (int a = 0; a < static_cast<int>(boxes.size()); ++a) {
    for (int b = a + 1; b < static_cast<int>(boxes.size()); ++b) {
      if (overlap(boxes[a], boxes[b])) pairs.push_back({a, b});
    }
  }
  return pairs;
}

void expect_same(const std::vector<Aabb>& boxes, BroadPhase* broad_phase, bool some = true) {
  std::vector<IndexPair> pairs;
  broad_phase->find_pairs(boxes, &pairs);
  const std::vector<IndexPair> expected = brute_force(boxes);
  EXPECT_EQ(pairs, expected);
  if (some) {
    EXPECT_FALSE(expected.empty());
  }
}

TEST(BroadPhase, EqualsBruteForceOnBoxesOfAnySize) {
  Random random(1);
  BroadPhase broad_phase;
  for (int i = 0; i < 60; ++i) {
    std::vector<Aabb> boxes;
    const int count = random.integer(0, 600);
    const double decades = random.uniform(0, 7);
    for (int k = 0; k < count; ++k) {
      const Vec3 c = random.in_cube(10);
      const double size = std::pow(10.0, random.uniform(-decades, 0.5));
      const Vec3 h = size * Vec3{random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1)};
      boxes.push_back({c - h, c + h});
    }
    expect_same(boxes, &broad_phase, false);
  }
}

TEST(BroadPhase, TouchingCellsPointsFlatsAndCopies) {
  BroadPhase broad_phase;
  std::vector<Aabb> boxes;
  // Cubes that share faces, edges and corners; points; plates; the same box ten times.
  for (int i = 0; i < 6 * 6 * 6; ++i) {
    const Vec3 p{1.0 * (i % 6), 1.0 * (i / 6 % 6), 1.0 * (i / 36)};
    boxes.push_back({p, p + Vec3{1, 1, 1}});
  }
  for (int i = 0; i < 20; ++i) {
    boxes.push_back({{0.3 * i, 2, 2}, {0.3 * i, 2, 2}});
  }
  for (int i = 0; i < 7; ++i) {
    boxes.push_back({{-5, -5, 1.0 * i}, {15, 15, 1.0 * i}});
  }
  for (int i = 0; i < 10; ++i) {
    boxes.push_back({{2.25, 2.25, 2.25}, {2.5, 2.5, 2.5}});
  }
  expect_same(boxes, &broad_phase);
}

TEST(BroadPhase, FarAwayInfiniteAndNotANumber) {
  Random random(2);
  BroadPhase broad_phase;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Aabb> boxes;
  for (int k = 0; k < 200; ++k) {
    const Vec3 c = random.in_cube(2) + (k % 2 == 0 ? Vec3{} : Vec3{1e9, -1e9, 1e7});
    boxes.push_back({c - Vec3{0.3, 0.3, 0.3}, c + Vec3{0.3, 0.3, 0.3}});
  }
  boxes.push_back({{1e19, 0, 0}, {1e19, 1, 1}});
  boxes.push_back({{1e19, 0.5, 0.5}, {2e19, 1, 1}});
  boxes.push_back({{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, 0}});
  boxes.push_back({{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}});
  boxes.push_back({{std::nan(""), 0, 0}, {std::nan(""), 1, 1}});
  expect_same(boxes, &broad_phase);
}

TEST(BroadPhase, EmptyAndAllPoints) {
  BroadPhase broad_phase;
  expect_same({}, &broad_phase, false);
  expect_same(std::vector<Aabb>(100, Aabb{{1, 1, 1}, {1, 1, 1}}), &broad_phase);
}

TEST(BroadPhase, ReusesItsMemory) {
  Random random(3);
  BroadPhase broad_phase;
  std::vector<Aabb> boxes;
  for (int k = 0; k < 2000; ++k) {
    const Vec3 c = random.in_cube(6);
    boxes.push_back({c - Vec3{0.3, 0.3, 0.3}, c + Vec3{0.3, 0.3, 0.3}});
  }
  std::vector<IndexPair> pairs;
  broad_phase.find_pairs(boxes, &pairs);
  const IndexPair* data = pairs.data();
  const std::vector<IndexPair> first = pairs;
  broad_phase.find_pairs(boxes, &pairs);
  EXPECT_EQ(pairs.data(), data);
  EXPECT_EQ(pairs, first);
  EXPECT_EQ(pairs, brute_force(boxes));
}

}  // namespace
}  // namespace cenic

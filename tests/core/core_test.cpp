// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/phase_timer.h"
#include "core/thread_pool.h"
#include "core/union_find.h"
#include "core/utf8.h"

namespace cenic {
namespace {

TEST(ThreadPool, EveryItemOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.num_threads(), threads);
    for (int round = 0; round < 200; ++round) {
      const int n = round % 17;
      std::vector<int> visits(n, 0);
      std::vector<int> worker(n, -1);
      pool.parallel_for(n, [&](int i, int w) {
        ++visits[i];
        worker[i] = w;
      });
      for (int i = 0; i < n; ++i) {
        EXPECT_EQ(visits[i], 1);
        EXPECT_GE(worker[i], 0);
        EXPECT_LT(worker[i], threads);
      }
    }
  }
}

TEST(UnionFind, LabelsAreTheSmallestMembersWhateverTheOrder) {
  UnionFind sets;
  for (const bool reversed : {false, true}) {
    sets.reset(8);
    std::vector<std::pair<int, int>> edges{{5, 3}, {3, 7}, {0, 6}, {6, 2}};
    if (reversed) std::ranges::reverse(edges);
    for (const auto& [a, b] : edges) {
      sets.unite(a, b);
    }
    const int expected[] = {0, 1, 0, 3, 4, 3, 0, 3};
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(sets.find(i), expected[i]);
    }
  }
}

TEST(PhaseTimer, LapsAddUpToTheWhole) {
  PhaseTicks phases;
  const std::uint64_t start = now_ticks();
  LapTimer timer(&phases);
  volatile double x = 0;
  for (int i = 0; i < 100000; ++i) {
    x = x + 1;
  }
  timer.lap(Phase::kGeometry);
  timer.lap(Phase::kProblem);
  const std::uint64_t whole = now_ticks() - start;
  EXPECT_GT(phases[Phase::kGeometry], phases[Phase::kProblem]);
  EXPECT_LE(phases[Phase::kGeometry] + phases[Phase::kProblem], whole);
  EXPECT_GT(ticks_to_seconds(whole), 0);
}

TEST(Error, FileErrorsNameFileAndLine) {
  EXPECT_STREQ(FileError("a.obj", 7, "bad index").what(), "a.obj:7: error: bad index");
  EXPECT_THROW(CENIC_CHECK(1 + 1 == 3), std::logic_error);
}

TEST(Utf8, WhatIsNoTextIsReplaced) {
  const std::string r = "\xef\xbf\xbd", good = "a-z \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80";
  EXPECT_EQ(make_utf8(good), good);
  EXPECT_EQ(make_utf8(""), "");
  EXPECT_EQ(make_utf8("s\xff"
                      "3"),
            "s" + r + "3");
  EXPECT_EQ(make_utf8("\x01\n\x7f"), r + r + r);
  EXPECT_EQ(make_utf8("\xe2\x82"), r + r);          // cut off
  EXPECT_EQ(make_utf8("\xc0\xaf"), r + r);          // longer than need be
  EXPECT_EQ(make_utf8("\xed\xa0\x80"), r + r + r);  // a surrogate
  EXPECT_EQ(make_utf8("\xf4\x90\x80\x80"), r + r + r + r);
}

}  // namespace
}  // namespace cenic

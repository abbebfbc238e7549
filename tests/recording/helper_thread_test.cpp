// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/helper_thread.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

namespace cenic {
namespace {

cpu_set_t find_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  EXPECT_EQ(sched_getaffinity(0, sizeof cores, &cores), 0);
  return cores;
}

TEST(HelperThread, DoesItsWorkBeforeItIsJoined) {
  std::atomic<bool> done = false;
  detail::HelperThread thread;
  EXPECT_FALSE(thread.started());
  thread.join();  // there is nothing to wait for
  thread.start([&done] {
    done = true;
  });
  EXPECT_TRUE(thread.started());
  thread.join();
  EXPECT_TRUE(done);
  thread.join();
}

TEST(HelperThread, IsJoinedWhenItIsDestroyed) {
  std::atomic<bool> done = false;
  {
    detail::HelperThread thread;
    thread.start([&done] {
      std::this_thread::yield();
      done = true;
    });
  }
  EXPECT_TRUE(done);
}

// It starts on another core, but is not kept there; a maker that has only one core still gets it.
TEST(HelperThread, MayRunWhereItsMakerMay) {
  std::thread maker([] {
    cpu_set_t cores = find_cores();
    for (bool one_core : {false, true}) {
      if (one_core) {
        const int core = sched_getcpu();
        ASSERT_GE(core, 0);
        CPU_ZERO(&cores);
        CPU_SET(static_cast<unsigned>(core), &cores);
        ASSERT_EQ(sched_setaffinity(0, sizeof cores, &cores), 0);
      }
      cpu_set_t found;
      CPU_ZERO(&found);
      detail::HelperThread thread;
      thread.start([&found] {
        found = find_cores();
      });
      thread.join();
      EXPECT_TRUE(CPU_EQUAL(&found, &cores)) << "one core: " << one_core;
    }
  });
  maker.join();
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// HelperThread: a thread that runs beside its maker from the start. Linux often queues a new thread
// behind its maker, on the same core, while others are idle: it then waits for the next tick of the
// scheduler, up to 4 ms, in which a small run is over.
#pragma once

#include <functional>

#include <pthread.h>

namespace cenic::detail {

class HelperThread {
 public:
  HelperThread() = default;
  ~HelperThread() { join(); }
  HelperThread(const HelperThread&) = delete;
  HelperThread& operator=(const HelperThread&) = delete;

  // Once, on another core than this one where there is one; later the thread runs wherever its
  // maker may. Throws Error when the system has no room for another thread.
  void start(std::function<void()> work);
  bool started() const { return started_; }
  void join();  // does nothing without a thread

 private:
  void run();

  std::function<void()> work_;
  cpu_set_t cores_{};  // on which its maker may run
  pthread_t thread_{};
  bool started_ = false, joined_ = false;
};

}  // namespace cenic::detail

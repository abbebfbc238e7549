// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A pool of threads that share the indices of a loop. Items must not depend on each other; then the
// result has the same bits for any number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace cenic {

class ThreadPool {
 public:
  // num_threads counts the caller; 1 runs everything in place.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return static_cast<int>(workers_.size()) + 1; }

  // body(i, worker) for i in [0, count), in any order, from any thread; returns when all are done.
  // worker is in [0, num_threads) and different for threads that run at the same time. No
  // allocation.
  template <class Body>
  void parallel_for(int count, Body&& body) {
    if (workers_.empty() || count < 2) {
      for (int i = 0; i < count; ++i) {
        body(i, 0);
      }
      return;
    }
    run({[](void* context, int i, int worker) {
           (*static_cast<std::remove_reference_t<Body>*>(context))(i, worker);
         },
         &body},
        count);
  }

 private:
  struct Task {
    void (*call)(void*, int, int) = nullptr;
    void* context = nullptr;
  };
  void stop();
  void run(Task task, int count);
  void work(int worker);
  void drain(int worker);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  Task task_;
  std::atomic<int> next_{0};
  int count_ = 0;
  int active_ = 0;       // workers that have not finished the current task
  long generation_ = 0;  // of the current task
  bool stop_ = false;
};

}  // namespace cenic

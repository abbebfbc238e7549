// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "core/thread_pool.h"

#include <string>
#include <system_error>

#include "core/error.h"

namespace cenic {

ThreadPool::ThreadPool(int num_threads) {
  try {
    for (int i = 1; i < num_threads; ++i) {
      workers_.emplace_back([this, i] {
        work(i);
      });
    }
  } catch (const std::system_error& e) {
    stop();
    throw Error("cannot start " + std::to_string(num_threads) + " threads (" + e.what() +
                "); ask for fewer");
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) {
    worker.join();
  }
}

void ThreadPool::run(Task task, int count) {
  {
    const std::lock_guard lock(mutex_);
    task_ = task;
    count_ = count;
    next_ = 0;
    active_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  start_.notify_all();
  drain(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] {
    return active_ == 0;
  });
}

void ThreadPool::work(int worker) {
  long seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] {
        return stop_ || generation_ != seen;
      });
      if (stop_) return;
      seen = generation_;
    }
    drain(worker);
    {
      const std::lock_guard lock(mutex_);
      --active_;
    }
    done_.notify_one();
  }
}

void ThreadPool::drain(int worker) {
  for (int i = next_++; i < count_; i = next_++) {
    task_.call(task_.context, i, worker);
  }
}

}  // namespace cenic

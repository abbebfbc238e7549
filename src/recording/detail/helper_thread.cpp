// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/helper_thread.h"

#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <sched.h>

#include "core/error.h"

namespace cenic::detail {
namespace {

// Those of the cores on which the caller is not; none when it has no choice.
cpu_set_t find_others(const cpu_set_t& cores) {
  cpu_set_t others = cores;
  if (const int core = sched_getcpu(); core >= 0) CPU_CLR(static_cast<unsigned>(core), &others);
  return others;
}

}  // namespace

void HelperThread::start(std::function<void()> work) {
  work_ = std::move(work);
  const auto body = [](void* self) -> void* {
    static_cast<HelperThread*>(self)->run();
    return nullptr;
  };
  int problem = -1;
  if (sched_getaffinity(0, sizeof cores_, &cores_) == 0) {
    const cpu_set_t others = find_others(cores_);
    pthread_attr_t attributes;
    if (CPU_COUNT(&others) > 0 && pthread_attr_init(&attributes) == 0) {
      problem = pthread_attr_setaffinity_np(&attributes, sizeof others, &others);
      if (problem == 0) problem = pthread_create(&thread_, &attributes, body, this);
      pthread_attr_destroy(&attributes);
    }
  } else {
    CPU_ZERO(&cores_);  // more cores than the set has room for
  }
  if (problem != 0) problem = pthread_create(&thread_, nullptr, body, this);
  if (problem != 0) {
    throw Error(fmt::format("cannot start a thread: {}", std::strerror(problem)));
  }
  started_ = true;
}

void HelperThread::run() {
  if (CPU_COUNT(&cores_) > 0) sched_setaffinity(0, sizeof cores_, &cores_);
  work_();
}

void HelperThread::join() {
  if (!started_ || joined_) return;
  pthread_join(thread_, nullptr);
  joined_ = true;
}

}  // namespace cenic::detail

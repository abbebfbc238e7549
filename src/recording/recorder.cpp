// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/recorder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "recording/detail/recorded_scene.h"
#include "recording/frame_maker.h"

namespace cenic {
namespace {

using Clock = std::chrono::steady_clock;

// Steps that may wait to be written. A simulation that is faster than the disk waits in the end.
constexpr std::size_t kJobs = 256;
// Waking a thread costs as much as a small step: it looks by itself now and then, less often when
// there was nothing to do.
constexpr std::chrono::microseconds kShortPause{100}, kLongPause{2000};
// At the end the simulation looks for as long before it goes to sleep.
constexpr std::chrono::microseconds kLook{1000};

}  // namespace

Recorder::Recorder(const Simulator& sim, const RecordingInfo& info)
    : sim_(sim),
      info_(info),
      scene_(detail::make_recorded_scene(sim.model())),
      job_(std::make_unique<StepCopy>()),
      filling_(kJobs),
      working_(kJobs) {
  if (!(info.fps >= 0) || !std::isfinite(info.fps)) {
    throw Error(
        fmt::format("the frame rate is {}; give a positive number, or 0 for every step", info.fps));
  }
}

Recorder::~Recorder() {
  if (!thread_.joinable()) return;
  stop({});
  thread_.join();
}

void Recorder::add_sink(std::unique_ptr<FrameSink> sink) { sinks_.push_back(std::move(sink)); }

// ---- the simulation's side ----

void Recorder::on_step(const StepEvent& event) {
  if (has_frame(event)) {
    job_->take(event, sim_, &forces_);
    job_->energy_before = point_energy_;
  } else {
    job_->take_step(event, sim_);
  }
  point_energy_ = job_->energy_after;
  hand_over();
}

// Steps are often shorter than the time between frames: those need no copy.
bool Recorder::has_frame(const StepEvent& event) {
  if (info_.fps == 0) return true;
  const long before = num_asked_;
  if (num_asked_ == 0) {
    asked_start_ = event.before.t;
    num_asked_ = 1;
  }
  while (asked_start_ + static_cast<double>(num_asked_) / info_.fps <= event.after.t + kTimeSlack) {
    ++num_asked_;
  }
  return num_asked_ > before;
}

void Recorder::add(const StepCopy& copy) {
  *job_ = copy;
  hand_over();
}

// Only places are exchanged while the thread may have to wait. They are used again from the first
// on: few stay in the caches.
void Recorder::hand_over() {
  if (!thread_.joinable()) thread_ = std::thread(&Recorder::work, this);
  {
    std::unique_lock lock(mutex_);
    while (count_ == kJobs && !problem_) {
      changed_.notify_all();
      changed_.wait_for(lock, kLongPause);
    }
    if (problem_) std::rethrow_exception(problem_);
    std::swap(job_, filling_[count_++]);
  }
  if (!job_) job_ = std::make_unique<StepCopy>();
}

void Recorder::stop(const std::optional<std::string>& failure) {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    failure_ = failure;
  }
  changed_.notify_all();
}

void Recorder::end(const std::string& failure) {
  if (!thread_.joinable()) thread_ = std::thread(&Recorder::work, this);
  stop(failure);
}

void Recorder::finish(const std::string& failure) {
  if (!stop_) end(failure);
  const auto start = Clock::now();
  while (!done_ && Clock::now() < start + kLook) {
    std::this_thread::yield();
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return done_.load();
  });
  if (problem_) std::rethrow_exception(problem_);
}

// ---- the thread's side ----

void Recorder::work() {
  const auto keep_problem = [this] {
    const std::lock_guard lock(mutex_);
    if (!problem_) problem_ = std::current_exception();
  };
  // Made here, so that its memory is the thread's own: cores that write to neighbouring bytes wait
  // for each other.
  std::optional<FrameMaker> maker;
  try {
    maker.emplace(sim_, info_, scene_, sinks_);
    process_jobs(&*maker);
  } catch (...) {
    keep_problem();
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return stop_;
  });
  lock.unlock();
  // The others are finished all the same when one fails.
  for (const auto& sink : sinks_) {
    try {
      if (failure_) sink->finish(*failure_);
    } catch (...) {
      keep_problem();
    }
  }
  lock.lock();
  done_ = true;
  changed_.notify_all();
}

void Recorder::process_jobs(FrameMaker* maker) {
  while (const std::size_t count = wait_for_jobs()) {
    for (std::size_t i = 0; i < count; ++i) {
      maker->process(working_[i].get());
    }
  }
  if (failure_) maker->finish();
}

// Returns how many there are in working_; none: there will be no more.
std::size_t Recorder::wait_for_jobs() {
  auto pause = kShortPause;
  std::unique_lock lock(mutex_);
  while (count_ == 0 && !stop_) {
    changed_.wait_for(lock, pause);
    pause = std::min(2 * pause, kLongPause);
  }
  std::swap(filling_, working_);
  if (count_ == kJobs) changed_.notify_all();  // a simulation that waits for a place
  return std::exchange(count_, 0);
}

}  // namespace cenic

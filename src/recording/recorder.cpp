// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/recorder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "recording/detail/recorded_scene.h"
#include "recording/frame_maker.h"

namespace cenic {
namespace {

// Copies of steps that may wait to be written: so many bytes, or the states of so many steps. A
// simulation that is faster than the disk waits in the end. No more: memory that is used for the
// first time costs the simulation a microsecond each 4 kB.
constexpr std::size_t kLeastRoom = 1 << 16, kStepsWaiting = 32;

std::size_t calc_room(const Model& model) {
  const std::size_t size = 2 * sizeof(double) * (model.nq + model.nv + model.nz);
  return std::max(kLeastRoom, kStepsWaiting * size);
}

// Waking a thread costs as much as a small step: it looks by itself now and then, less often when
// there was nothing to do.
constexpr std::chrono::microseconds kShortPause{100}, kLongPause{2000};
// Who waits at the end does not sleep before he has looked for as long: the simulation for the
// file, and the thread for the last steps. So many that it has caught up by then with what came in
// while it slept: where frames take most of its time, it is slow to.
constexpr std::chrono::microseconds kLook{1000};
constexpr double kLastSteps = 32;

}  // namespace

Recorder::Recorder(const Simulator& sim, const RecordingInfo& info)
    : sim_(sim), info_(info), pipe_(calc_room(sim.model())) {
  if (!(info.fps >= 0) || !std::isfinite(info.fps)) {
    throw Error(
        fmt::format("the frame rate is {}; give a positive number, or 0 for every step", info.fps));
  }
  if (sim.statistics().steps > 0) copy_.take_standing(sim, &forces_);
}

Recorder::~Recorder() {
  if (thread_.started() && !stop_) stop({});
  thread_.join();
}

void Recorder::add_file(const std::string& path) {
  const SinkMaker make_sink = choose_format(path);
  files_.push_back({make_sink, detail::OutputFile(path)});
}

void Recorder::add_sink(std::unique_ptr<FrameSink> sink) { sinks_.push_back(std::move(sink)); }

// ---- the simulation's side ----

void Recorder::on_step(const StepEvent& event) {
  if (!thread_.started()) hand_over_start(event.before);
  if (has_frame(event)) {
    copy_.take(event, sim_, &forces_);
    if (info_.fps > 0) sim_.report_path(event, &copy_.path);
    copy_.energy_before = point_energy_;
  } else {
    copy_.take_step(event, sim_);
  }
  point_energy_ = copy_.energy_after;
  hand_over();
}

// Steps are often shorter than the time between frames: those need no copy.
bool Recorder::has_frame(const StepEvent& event) {
  if (info_.fps == 0) return true;
  const long before = num_asked_;
  if (num_asked_ == 0) {
    asked_ = {event.before.t, info_.fps};
    num_asked_ = 1;
  }
  while (asked_.at(num_asked_) <= event.after.t + kTimeSlack) {
    ++num_asked_;
  }
  return num_asked_ > before;
}

void Recorder::add(const StepCopy& copy) {
  copy_ = copy;
  hand_over();
}

void Recorder::start_thread() {
  if (thread_.started()) return;
  thread_.start([this] {
    work();
  });
}

// A run that goes on starts with the contacts of its last step, unless it was moved since.
void Recorder::hand_over_start(const State& state) {
  if (copy_.stands && is_same_motion(copy_.after, state)) return hand_over();
  copy_.whole = copy_.stands = false;
}

void Recorder::hand_over() {
  start_thread();
  packed_.start_saving();
  copy_.exchange(&packed_);
  const std::size_t size = packed_.bytes().size();
  send({reinterpret_cast<const char*>(&size), sizeof size});
  send(packed_.bytes());
}

void Recorder::send(std::span<const char> bytes) {
  for (;;) {
    if (failed_) {
      const std::lock_guard lock(mutex_);
      std::rethrow_exception(problem_);
    }
    bytes = bytes.subspan(pipe_.write(bytes));
    if (bytes.empty()) return;
    changed_.notify_all();
    std::this_thread::sleep_for(kShortPause);
  }
}

void Recorder::stop(const std::optional<std::string>& failure) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    stop_ = true;  // last: the thread looks at it without the lock
  }
  changed_.notify_all();
}

void Recorder::end(const std::string& failure) {
  const bool at_start = !thread_.started();
  start_thread();
  try {
    if (at_start) hand_over_start(sim_.state());
    if (num_asked_ > 0 && sim_.state().t > asked_.at(num_asked_ - 1) + kTimeSlack) {
      copy_.take_standing(sim_, &forces_);  // between two frames
      hand_over();
    }
  } catch (...) {
    // the problem of a file: finish() says it
  }
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

void Recorder::keep_problem() {
  const std::lock_guard lock(mutex_);
  if (!problem_) problem_ = std::current_exception();
  failed_ = true;
}

void Recorder::work() {
  try {
    process_steps();
  } catch (...) {
    keep_problem();
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return stop_.load();
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
  lock.unlock();
  // The memory of this thread goes back to where it came from, when nobody waits for it any more.
  maker_.reset();
  sinks_.clear();
}

// What the thread works with is made here, so that its memory is the thread's own: cores that write
// to neighbouring bytes wait for each other.
void Recorder::make_sinks() {
  const RecordedScene scene = detail::make_recorded_scene(sim_.model());
  for (NewFile& file : files_) {
    try {
      sinks_.push_back(file.make_sink(std::move(file.file), info_, scene));
    } catch (...) {
      keep_problem();  // the others have frames up to the next step
    }
  }
  maker_ = std::make_unique<FrameMaker>(sim_, info_, scene, sinks_);
}

void Recorder::process_steps() {
  make_sinks();
  Archive packed;
  StepCopy copy;
  std::size_t size = 0;
  while (receive({reinterpret_cast<char*>(&size), sizeof size})) {
    receive(packed.start_loading(size));
    copy.exchange(&packed);
    maker_->process(copy);
    end_is_near_ = copy.step.t + kLastSteps * copy.step.h >= info_.duration;
  }
  if (failure_) maker_->finish();
}

// Returns false when there will be no more.
bool Recorder::receive(std::span<char> bytes) {
  bool last = false;
  std::optional<Clock::time_point> since;  // there was nothing
  for (;;) {
    bytes = bytes.subspan(pipe_.read(bytes));
    if (bytes.empty()) return true;
    if (last) return false;
    if (!since) since = Clock::now();
    if (!stop_) wait_for_steps(*since);
    last = stop_;  // what was sent before is in the pipe by now
  }
}

void Recorder::wait_for_steps(Clock::time_point since) {
  const auto passed = Clock::now() - since;
  if (end_is_near_ && passed < kLook) {
    std::this_thread::yield();
    return;
  }
  std::unique_lock lock(mutex_);
  if (stop_) return;
  changed_.wait_for(lock, std::clamp<Clock::duration>(passed, kShortPause, kLongPause));
}

}  // namespace cenic

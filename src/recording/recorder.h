// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Recorder: watches a simulation and hands frames at a fixed rate, and every step, to the files
// that were asked for. It never changes the steps taken, and hardly delays them: the simulation
// only copies what a step left; a thread of the recorder interpolates, evaluates and writes.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/archive.h"
#include "recording/detail/byte_pipe.h"
#include "recording/detail/helper_thread.h"
#include "recording/recording.h"
#include "recording/sinks.h"
#include "recording/step_copy.h"
#include "sim/simulator.h"

namespace cenic {

class FrameMaker;  // frame_maker.h

class Recorder {
 public:
  // The simulator must outlive the recorder. info.fps: frames a simulated second, or 0 for a frame
  // at the end of each step. Throws Error for a rate that makes no sense. Laws of external systems
  // with outputs are evaluated on the recorder's thread: they must depend on their input alone.
  Recorder(const Simulator& sim, const RecordingInfo& info);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Before the first step. Files are created at once: throws Error for a name that is no format
  // (see sinks.h), and when one cannot be written.
  void add_file(const std::string& path);
  void add_sink(std::unique_ptr<FrameSink> sink);

  // From Simulator::set_monitor. Throws Error when writing failed.
  void on_step(const StepEvent& event);
  void add(const StepCopy& copy);
  // The run is over: files are completed while the caller goes on. The simulator must stay as it
  // is.
  void end(const std::string& failure);
  // Once, at the end of the run: waits until the files are complete. Throws Error when writing
  // failed.
  void finish(const std::string& failure);

 private:
  using Clock = std::chrono::steady_clock;
  struct NewFile {
    SinkMaker make_sink;
    detail::OutputFile file;
  };
  bool has_frame(const StepEvent& event);
  void start_thread();
  void hand_over_start(const State& state);
  void hand_over();
  void send(std::span<const char> bytes);
  void stop(const std::optional<std::string>& failure);
  void work();
  void make_sinks();
  void process_steps();
  bool receive(std::span<char> bytes);
  void wait_for_steps(Clock::time_point since);
  void keep_problem();

  // Of the simulation. The thread reads some of it when it starts.
  const Simulator& sim_;
  RecordingInfo info_;
  std::vector<NewFile> files_;
  std::vector<ContactForce> forces_;
  StepCopy copy_;                       // of the step that is handed over next
  Archive packed_;                      // the same as bytes
  std::optional<double> point_energy_;  // at the end of the last step
  FrameTimes asked_;
  long num_asked_ = 0;  // frames that the thread will make of the steps so far
  detail::HelperThread thread_;
  std::atomic<bool> failed_ = false;  // there is a problem_

  detail::BytePipe pipe_;  // from the simulation to the thread

  // Of the thread, on lines of memory of its own: waiting changes the mutex.
  alignas(detail::kLineSize) std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> stop_ = false;
  std::optional<std::string> failure_;  // of a run that was finished, not broken off
  std::exception_ptr problem_;
  std::atomic<bool> done_ = false;  // the thread needs nothing any more
  std::vector<std::unique_ptr<FrameSink>> sinks_;
  std::unique_ptr<FrameMaker> maker_;
  bool end_is_near_ = false;  // few steps are missing
};

}  // namespace cenic

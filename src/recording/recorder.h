// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Recorder: watches a simulation and hands frames at a fixed rate, and every step, to the files
// that were asked for. It never changes the steps taken, and hardly delays them: the simulation
// only copies what a step left; a thread of the recorder interpolates, evaluates and writes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "recording/recording.h"
#include "recording/sinks.h"
#include "recording/step_copy.h"
#include "sim/simulator.h"

namespace cenic {

class FrameMaker;

class Recorder {
 public:
  // The simulator must outlive the recorder. info.fps: frames a simulated second, or 0 for a frame
  // at the end of each step. Throws Error for a rate that makes no sense. Laws of external systems
  // with outputs are evaluated on the recorder's thread: they must depend on their input alone.
  Recorder(const Simulator& sim, const RecordingInfo& info);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const RecordedScene& scene() const { return scene_; }
  void add_sink(std::unique_ptr<FrameSink> sink);  // before the first step

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
  using Jobs = std::vector<std::unique_ptr<StepCopy>>;  // made when they are needed first
  bool has_frame(const StepEvent& event);
  void hand_over();
  void stop(const std::optional<std::string>& failure);
  void work();
  void process_jobs(FrameMaker* maker);
  std::size_t wait_for_jobs();

  const Simulator& sim_;
  RecordingInfo info_;
  RecordedScene scene_;
  std::vector<std::unique_ptr<FrameSink>> sinks_;
  std::vector<ContactForce> forces_;
  std::unique_ptr<StepCopy> job_;       // to be handed over next
  std::optional<double> point_energy_;  // at the end of the last step
  double asked_start_ = 0;              // time of the first frame
  long num_asked_ = 0;                  // frames that the thread will make of the jobs so far

  // The simulation fills one batch of jobs while the thread works on another.
  Jobs filling_, working_;
  std::size_t count_ = 0;  // jobs in filling_
  bool stop_ = false;
  std::optional<std::string> failure_;  // of a run that was finished, not broken off
  std::exception_ptr problem_;
  std::atomic<bool> done_ = false;  // the thread needs nothing any more
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace cenic

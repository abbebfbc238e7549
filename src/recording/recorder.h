// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Recorder: watches a simulation and hands frames at a fixed rate, and every step, to the files
// that were asked for. It never changes the steps taken.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "multibody/multibody.h"
#include "recording/dense_output.h"
#include "recording/recording.h"
#include "recording/sinks.h"
#include "sim/simulator.h"

namespace cenic {

class Recorder {
 public:
  // The simulator must outlive the recorder. info.fps: frames a simulated second, or 0 for a frame
  // at the end of each step. Throws Error for a rate that makes no sense.
  Recorder(Simulator* sim, const RecordingInfo& info);

  const RecordedScene& scene() const { return scene_; }
  const RecordingInfo& info() const { return info_; }
  void add(std::unique_ptr<FrameSink> sink);

  // From Simulator::set_monitor.
  void on_step(const StepEvent& event);
  // Once, at the end of the run.
  void finish(const std::string& failure);

 private:
  void add_frame(const State& state);
  void gather_contacts();

  Simulator* sim_;
  RecordingInfo info_;
  RecordedScene scene_;
  DenseOutput dense_;
  std::vector<std::unique_ptr<FrameSink>> sinks_;
  State state_;
  Frame frame_;
  Kinematics kin_;
  std::vector<ContactReport> reports_;
  double start_ = 0;
  long num_frames_ = 0;
  bool contacts_gathered_ = false;  // of the present step
};

}  // namespace cenic

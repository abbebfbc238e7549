// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// FrameMaker: from copies of steps to frames. Interpolates, evaluates, and hands frames and steps
// to the files.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "multibody/multibody.h"
#include "recording/contact_query.h"
#include "recording/contact_surfaces.h"
#include "recording/dense_output.h"
#include "recording/recording.h"
#include "recording/sinks.h"
#include "recording/step_copy.h"

namespace cenic {

class FrameMaker {
 public:
  // Simulator and sinks must outlive it; of the simulator it needs model and options. To be made on
  // the thread that uses it.
  FrameMaker(const Simulator& sim, const RecordingInfo& info, const RecordedScene& scene,
             std::span<const std::unique_ptr<FrameSink>> sinks);

  // In the order of the steps.
  void process(const StepCopy& job);
  // After the last step; the simulator stands still. A run without steps gets its one frame.
  void finish();

 private:
  void add_first_frame(const State& state);
  void add_frames(const StepCopy& job);
  void add_last_frame(const StepCopy& job);
  void load_contacts(const StepCopy& job);
  void add_frame(const State& state, double elastic_energy);
  void draw_surfaces();
  double find_elastic_energy(const State& state, std::optional<double> of_points);

  const Simulator& sim_;
  const Model model_;  // a copy
  double fps_;
  bool has_surfaces_;
  std::span<const std::unique_ptr<FrameSink>> sinks_;
  Measurements measurements_;
  DenseOutput dense_;
  Kinematics kin_;
  ContactQuery query_;
  ContactSurfaces surfaces_;
  using Pair = std::array<int, 2>;
  std::vector<Pair> pressing_;  // in hydroelastic contact at some time of the step
  std::vector<Pair> at_end_;    // and at the end of the last one that had frames
  bool contacts_known_ = false;
  bool elastic_known_ = false;
  double elastic_time_ = 0, elastic_ = 0;  // where it was computed last
  State state_;
  Frame frame_;
  FrameTimes times_;
  long num_frames_ = 0;
  int num_steps_ = 0;
};

}  // namespace cenic

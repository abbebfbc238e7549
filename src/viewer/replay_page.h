// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// ReplayRecorder: watches a simulation and writes it as one HTML file that plays it back in a
// browser, without a network or a server. Recording does not change the steps taken.
#pragma once

#include <string>
#include <vector>

#include "sim/simulator.h"
#include "viewer/frame_sampler.h"

namespace cenic {

class ReplayRecorder {
 public:
  // The simulator must outlive the recorder. Throws Error when the program has no page.
  ReplayRecorder(Simulator* sim, double fps);

  // For Simulator::set_monitor. Frames within the step are interpolated.
  void on_step(const StepEvent& event) { sampler_.on_step(event, &sim_); }
  // The HTML file; its last frame is the simulator's state. `failure`: why the run ended early.
  std::string make_page(const std::string& title, const std::string& failure = "");

 private:
  Simulator& sim_;
  std::vector<ViewFrame> frames_;
  FrameSampler sampler_;
};

}  // namespace cenic

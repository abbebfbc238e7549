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
  // The model must outlive the recorder. Throws Error when the program has no page.
  ReplayRecorder(const Model& model, double fps);

  // For Simulator::set_monitor. Frames within the step are interpolated.
  void on_step(const StepEvent& event, Simulator* sim) { sampler_.on_step(event, sim); }
  // The HTML file. A simulation that took no step is shown where it stands.
  std::string make_page(const std::string& title) const;

 private:
  const Model& model_;
  std::vector<ViewFrame> frames_;
  FrameSampler sampler_;
};

}  // namespace cenic

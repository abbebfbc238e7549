// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// ReplayRecorder: watches a simulation and writes it as one HTML file that plays it back in a
// browser, without a network or a server. Recording does not change the steps taken.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "multibody/multibody.h"
#include "sim/simulator.h"

namespace cenic {

class ReplayRecorder {
 public:
  // The model must outlive the recorder.
  ReplayRecorder(const Model& model, double fps);

  // For Simulator::set_monitor. Frames within the step are interpolated.
  void on_step(const StepEvent& event);

  // Throws Error when the file cannot be written.
  void write(const std::string& path, const std::string& title) const;

  int num_frames() const { return num_frames_; }

 private:
  struct Step {
    double t = 0;  // at its start, s
    double h = 0;
    int rejections = 0;
  };
  void add_frame(std::span<const double> q);
  void interpolate(const StepEvent& event, double t);
  std::string make_data(const std::string& title) const;
  std::string make_geometries() const;
  std::string make_poses() const;
  std::string make_steps() const;

  const Model& model_;
  double fps_;
  double start_ = 0;  // time of the first frame, s
  double end_ = 0;    // time of the last step's end, s
  int num_frames_ = 0;
  std::vector<int> moving_;   // links that move and carry geometries
  std::vector<float> poses_;  // position and quaternion (w, x, y, z) (num_frames, num_moving, 7)
  std::vector<Step> steps_;
  Kinematics kin_;
  std::vector<double> q_, dv_;  // scratch
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// FrameSampler: frames at even times from the steps that a simulator takes. Frames within a step
// are interpolated, so that watching does not change the steps.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "multibody/multibody.h"
#include "recording/contact_query.h"
#include "recording/contact_surfaces.h"
#include "recording/dense_output.h"
#include "sim/simulator.h"
#include "viewer/frame.h"

namespace cenic {

class FrameSampler {
 public:
  using Sink = std::function<void(ViewFrame)>;
  // The model must outlive the sampler.
  FrameSampler(const Model& model, double interval, Sink sink);

  // For Simulator::set_monitor: gives the frames that lie in the step, the first of all included.
  void on_step(const StepEvent& event, Simulator* sim);
  // A frame of the present state; the next ones follow from there.
  void add_now(Simulator* sim);
  void set_interval(double interval);  // s of simulated time
  // A simulator of the same bodies takes over.
  void restart() { wall_seconds_ = 0; }

 private:
  void emit(const State& state, Simulator* sim);
  // What all frames within a step share.
  void observe(Simulator* sim);
  // Kinetic and potential, J; leaves the kinematics there.
  double calc_energy_of_motion(const State& state);
  double find_elastic_energy(double t) const;
  void add_contacts(ViewFrame* frame) const;
  void add_surfaces(ViewFrame* frame);

  const Model& model_;
  FrameLayout layout_;
  double interval_ = 0;
  Sink sink_;
  // Frames at start_ + i interval_, i = 0, 1, ...: the next one is that with the number number_.
  void count_from(double start);
  double next() const { return start_ + static_cast<double>(number_) * interval_; }
  double start_ = 0;
  long number_ = 0;
  bool started_ = false, observed_ = false;
  bool has_surfaces_ = false;  // whose energy takes longer than a step
  ContactQuery query_;
  std::vector<ContactReport> contacts_;
  // Elastic energy where the step began and ended, as far as it is known.
  struct Elastic {
    double t = std::numeric_limits<double>::quiet_NaN(), energy = 0;
  } elastic_start_, elastic_end_;
  float rate_ = std::numeric_limits<float>::quiet_NaN();
  double wall_seconds_ = 0, rate_from_ = 0;  // when the rate was last measured
  struct Step {
    double t, h, error;
    int rejections;
  };
  std::vector<Step> steps_;  // since the last frame
  Kinematics kin_;
  ContactSurfaces surfaces_;
  DenseMotion motion_;
  StepPath path_;
  State between_;
};

}  // namespace cenic

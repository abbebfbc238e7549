// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// TrajectoryPlayback: positions at given times, played back as the reference of a controller.
#pragma once

#include <tuple>
#include <vector>

#include "model/external_system.h"

namespace cenic {

// kHold    the last position, no velocity: set-points that jump
// kLinear  straight from one to the next; velocities jump
// kCubic   cubic Hermite; the velocity at an inner position is the slope between its neighbours
//          (Catmull-Rom), and zero at both ends
enum class Interpolation { kHold, kLinear, kCubic };

// Output `reference`: n positions and then n velocities, what controllers with reference_input
// read. Rests at the first position before the first time and at the last after the last. A step of
// the integrator sees the reference at its end: a jump inside a step is found by error control
// alone, and with a fixed step it comes up to a step early.
class TrajectoryPlayback : public ExternalSystem {
 public:
  struct Options {
    Interpolation interpolation = Interpolation::kCubic;
    // From the last time on again from the first: give the first position once more at the end.
    bool repeat = false;
  };
  TrajectoryPlayback(std::vector<double> times, std::vector<std::vector<double>> positions,
                     Options options);
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(times_, positions_, options_); }

 private:
  double calc_slope(int i, int k) const;

  std::vector<double> times_;
  std::vector<std::vector<double>> positions_;
  Options options_;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// When a recording has frames: at the start of the run, then at the multiples of 1/fps, so that
// those of a run that goes on from a checkpoint continue those before it.
#pragma once

#include <cmath>

namespace cenic {

// A frame this long after the end of a step, s, still belongs to it.
inline constexpr double kTimeSlack = 1e-9;

class FrameTimes {
 public:
  FrameTimes() = default;
  FrameTimes(double start, double fps)
      : start_(start), fps_(fps), first_(std::floor((start + kTimeSlack) * fps)) {}

  double at(long i) const { return i == 0 ? start_ : (first_ + static_cast<double>(i)) / fps_; }
  // Of the frames up to t.
  double count(double t) const { return std::floor((t + kTimeSlack) * fps_) - first_ + 1; }

 private:
  double start_ = 0, fps_ = 1;
  double first_ = 0;  // the multiple at or before the start
};

}  // namespace cenic

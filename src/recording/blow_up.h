// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// BlowUpRecorder: keeps the last second of a run in memory, to be written when the run fails.
#pragma once

#include <string>
#include <vector>

#include "recording/recorder.h"

namespace cenic {

class BlowUpRecorder {
 public:
  explicit BlowUpRecorder(const Simulator& sim);

  // From Simulator::set_monitor. Copies the state and the contacts of a step, no more: every step
  // of the last kRecent, and one every kSpacing of the last second. Every run pays for it: few
  // places, so that they stay in the caches.
  void on_step(const StepEvent& event);
  // Writes what is kept as a recording with a frame at each kept step. Throws Error.
  void write(const std::string& path, const RecordingInfo& info, const std::string& failure);

 private:
  static constexpr int kRecent = 16, kCoarse = 62;  // a little more than a second
  // The last entries, oldest overwritten.
  struct Ring {
    std::vector<StepCopy> entries;
    std::size_t next = 0, count = 0;
    StepCopy* advance();
    const StepCopy& at(std::size_t i) const;  // oldest first
  };

  const Simulator& sim_;
  State start_;  // of the run
  Ring recent_, coarse_;
  double next_coarse_ = 0;  // time of the next coarse one, s
  std::vector<ContactForce> forces_;
};

}  // namespace cenic

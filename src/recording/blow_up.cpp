// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/blow_up.h"

#include <algorithm>

#include "recording/detail/recorded_scene.h"

namespace cenic {
namespace {

constexpr double kSpacing = 1.0 / 60;  // s
constexpr double kKept = 1;            // s

}  // namespace

StepCopy* BlowUpRecorder::Ring::advance() {
  StepCopy* entry = &entries[next];
  next = (next + 1) % entries.size();
  if (count < entries.size()) ++count;
  return entry;
}

const StepCopy& BlowUpRecorder::Ring::at(std::size_t i) const {
  return entries[(next + entries.size() - count + i) % entries.size()];
}

BlowUpRecorder::BlowUpRecorder(const Simulator& sim) : sim_(sim) {
  recent_.entries.resize(kRecent);
  coarse_.entries.resize(kCoarse);
}

void BlowUpRecorder::on_step(const StepEvent& event) {
  // A step that leaves the recent ones goes to the coarse ones when it is far enough from the last.
  if (recent_.count == kRecent) {
    const StepCopy& leaving = recent_.at(0);
    const double t = leaving.after.t;
    if (t >= next_coarse_) {
      next_coarse_ = std::max(next_coarse_, t - kSpacing) + kSpacing;
      std::swap(*coarse_.advance(), recent_.entries[recent_.next]);
    }
  }
  if (recent_.count == 0) start_ = event.before;
  recent_.advance()->take_end(event, sim_, &forces_);
}

void BlowUpRecorder::write(const std::string& path, const RecordingInfo& info,
                           const std::string& failure) {
  RecordingInfo each_step = info;
  each_step.fps = 0;
  Recorder recorder(sim_, each_step);
  recorder.add_sink(make_hdf5_sink(detail::OutputFile(path), each_step,
                                   detail::make_recorded_scene(sim_.model())));
  const double start = sim_.state().t - kKept;
  const State* before = &start_;
  for (const Ring* ring : {&coarse_, &recent_}) {
    for (std::size_t i = 0; i < ring->count; ++i) {
      const StepCopy& kept = ring->at(i);
      if (kept.after.t >= start) {
        StepCopy step = kept;
        step.before = *before;
        recorder.add(step);
      }
      before = &kept.after;
    }
  }
  recorder.finish(failure);
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/replay_page.h"

#include "viewer/pack_frames.h"
#include "viewer/page.h"
#include "viewer/scene_json.h"

namespace cenic {

ReplayRecorder::ReplayRecorder(Simulator* sim, double fps)
    : sim_(*sim), sampler_(sim->model(), 1 / fps, [this](ViewFrame frame) {
        frames_.push_back(std::move(frame));
      }) {
  if (!has_page()) make_live_page();  // says what to do
}

std::string ReplayRecorder::make_page(const std::string& title, const std::string& failure) {
  if (frames_.empty() || frames_.back().t < sim_.state().t - kTimeSlack) sampler_.add_now(&sim_);
  const SceneRun run{find_accuracy(sim_.options()), failure};
  return make_replay_page(make_scene_json(sim_.model(), title, false, run), pack_frames(frames_));
}

}  // namespace cenic

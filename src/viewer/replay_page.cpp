// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/replay_page.h"

#include "multibody/multibody.h"
#include "viewer/pack_frames.h"
#include "viewer/page.h"
#include "viewer/scene_json.h"

namespace cenic {
namespace {

ViewFrame make_initial_frame(const Model& model) {
  Kinematics kin;
  kin.resize(model);
  update_positions(model, model.q0, &kin);
  const FrameLayout layout = make_frame_layout(model);
  ViewFrame frame;
  for (const int body : layout.bodies) {
    append_pose(kin.X_WB[model.bodies[body].link], &frame.poses);
  }
  for (const int i : layout.coordinates) {
    frame.joints.push_back(static_cast<float>(model.q0[i]));
  }
  return frame;
}

}  // namespace

ReplayRecorder::ReplayRecorder(const Model& model, double fps)
    : model_(model), sampler_(model, 1 / fps, [this](ViewFrame frame) {
        frames_.push_back(std::move(frame));
      }) {
  if (!has_page()) make_live_page();  // says what to do
}

std::string ReplayRecorder::make_page(const std::string& title) const {
  const std::string scene = make_scene_json(model_, title, false);
  if (!frames_.empty()) return make_replay_page(scene, pack_frames(frames_));
  const ViewFrame initial = make_initial_frame(model_);
  return make_replay_page(scene, pack_frames({&initial, 1}));
}

}  // namespace cenic

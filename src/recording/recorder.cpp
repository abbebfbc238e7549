// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/recorder.h"

#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "recording/detail/recorded_scene.h"

namespace cenic {
namespace {

constexpr double kTimeSlack = 1e-9;  // a frame this late still belongs to a step, s

}  // namespace

Recorder::Recorder(Simulator* sim, const RecordingInfo& info)
    : sim_(sim),
      info_(info),
      scene_(detail::make_recorded_scene(sim->model())),
      dense_(sim->model(), &sim->measurements()) {
  if (!(info.fps >= 0) || !std::isfinite(info.fps)) {
    throw Error(
        fmt::format("the frame rate is {}; give a positive number, or 0 for every step", info.fps));
  }
  kin_.resize(sim->model());
  frame_.poses.resize(7 * scene_.bodies.size());
}

void Recorder::add(std::unique_ptr<FrameSink> sink) { sinks_.push_back(std::move(sink)); }

void Recorder::on_step(const StepEvent& event) {
  contacts_gathered_ = false;
  if (num_frames_ == 0) {
    start_ = event.before.t;
    frame_.contacts.clear();  // nothing has been solved yet
    add_frame(event.before);
  }
  const RecordedStep step{event.after.t,
                          event.result.h,
                          event.result.error,
                          event.result.rejections,
                          event.result.velocity,
                          event.result.state,
                          sim_->statistics().wall_seconds};
  for (const auto& sink : sinks_) {
    sink->on_step(step);
  }
  if (info_.fps == 0) {
    gather_contacts();
    add_frame(event.after);
    return;
  }
  for (;;) {
    const double t = start_ + static_cast<double>(num_frames_) / info_.fps;
    if (t > event.after.t + kTimeSlack) break;
    gather_contacts();
    dense_.interpolate(event.before, event.after, std::min(t, event.after.t), &state_);
    add_frame(state_);
  }
}

void Recorder::gather_contacts() {
  if (contacts_gathered_) return;
  contacts_gathered_ = true;
  sim_->report_contacts(&reports_);
  frame_.contacts.clear();
  for (const ContactReport& c : reports_) {
    // Those that were only about to touch are of no interest.
    if (c.point.phi >= 0 && norm(c.force_B_W) == 0) continue;
    frame_.contacts.push_back({c.point.geometry_a, c.point.geometry_b, c.point.p_WC,
                               c.point.nhat_AB_W, c.force_B_W, -c.point.phi});
  }
}

void Recorder::add_frame(const State& state) {
  const Model& model = sim_->model();
  frame_.t = state.t;
  frame_.q.assign(state.q.begin(), state.q.end());
  frame_.v.assign(state.v.begin(), state.v.end());
  frame_.z.assign(state.z.begin(), state.z.end());
  const std::span<const double> outputs = dense_.calc_outputs(state);
  frame_.outputs.assign(outputs.begin(), outputs.end());
  frame_.energy = sim_->calc_energy(state);
  update_positions(model, state.q, &kin_);
  double* pose = frame_.poses.data();
  for (const Body& body : model.bodies) {
    const RigidTransform& X_WB = kin_.X_WB[body.link];
    const Quat r = to_quaternion(X_WB.R);
    for (const double x : {X_WB.p.x, X_WB.p.y, X_WB.p.z, r.w, r.x, r.y, r.z}) {
      *pose++ = x;
    }
  }
  ++num_frames_;
  for (const auto& sink : sinks_) {
    sink->on_frame(frame_);
  }
}

void Recorder::finish(const std::string& failure) {
  if (num_frames_ == 0) add_frame(sim_->state());
  std::string problem;  // of the first file; the others are finished all the same
  for (const auto& sink : sinks_) {
    try {
      sink->finish(failure);
    } catch (const Error& e) {
      if (problem.empty()) problem = e.what();
    }
  }
  if (!problem.empty()) throw Error(problem);
}

}  // namespace cenic

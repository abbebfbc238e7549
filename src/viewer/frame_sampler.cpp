// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/frame_sampler.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "recording/recording.h"

namespace cenic {
namespace {

void copy_to(const Vec3& v, float* out) {
  for (int i = 0; i < 3; ++i) {
    out[i] = static_cast<float>(v[i]);
  }
}

}  // namespace

FrameSampler::FrameSampler(const Model& model, double interval, Sink sink)
    : model_(model),
      layout_(make_frame_layout(model)),
      sink_(std::move(sink)),
      query_(model),
      surfaces_(model),
      motion_(model) {
  set_interval(interval);
  kin_.resize(model);
  has_surfaces_ = std::ranges::any_of(model.geometries, [](const Geometry& g) {
    return g.field != nullptr;
  });
}

void FrameSampler::set_interval(double interval) {
  if (!(interval > 0) || !std::isfinite(interval)) {
    throw Error(fmt::format("the time between frames is {} s; give a positive number", interval));
  }
  if (started_) count_from(next() - interval_);
  interval_ = interval;
}

void FrameSampler::count_from(double start) {
  start_ = start;
  number_ = 1;
}

void FrameSampler::on_step(const StepEvent& event, Simulator* sim) {
  observed_ = false;
  elastic_start_ = elastic_end_;
  const bool first = !started_;
  if (first) {
    started_ = true;
    count_from(event.before.t);
  }
  const bool has_frame = next() <= event.after.t + kTimeSlack;
  if ((first || has_frame) && elastic_start_.t != event.before.t) {
    elastic_start_ = {event.before.t, query_.at(event.before, *sim).calc_elastic_energy()};
  }
  if (const auto energy = sim->find_point_energy(); energy && !has_surfaces_) {
    elastic_end_ = {event.after.t, *energy};
  }
  if (first) emit(event.before, sim);
  steps_.push_back({event.after.t, event.result.h, event.result.error, event.result.rejections});
  limit_steps(&steps_);
  if (has_frame) sim->report_path(event, &path_);
  for (; next() <= event.after.t + kTimeSlack; ++number_) {
    // A frame at the end of the step is exactly there.
    const double t = next() < event.after.t - kTimeSlack ? next() : event.after.t;
    motion_.interpolate(event.before, event.after, path_, t, &between_);
    emit(between_, sim);
  }
}

void FrameSampler::add_now(Simulator* sim) {
  started_ = true;
  observed_ = false;
  count_from(sim->state().t);
  elastic_start_ = {};
  emit(sim->state(), sim);
}

void FrameSampler::observe(Simulator* sim) {
  if (observed_) return;
  observed_ = true;
  contacts_ = sim->contacts();
  elastic_end_ = {sim->state().t, sim->calc_energy() - calc_energy_of_motion(sim->state())};
  const double wall = sim->statistics().wall_seconds, t = sim->state().t;
  if (wall > wall_seconds_ && t > rate_from_) {
    rate_ = static_cast<float>((t - rate_from_) / (wall - wall_seconds_));
  }
  wall_seconds_ = wall;
  rate_from_ = t;
}

double FrameSampler::calc_energy_of_motion(const State& state) {
  update_positions(model_, state.q, &kin_);
  update_velocities(model_, state.v, &kin_);
  const Energy energy = calc_energy(model_, kin_, state.q, state.v);
  return energy.kinetic + energy.potential;
}

// Linear within the step; that at its end for a frame that is in none.
double FrameSampler::find_elastic_energy(double t) const {
  const auto& [t0, start] = elastic_start_;
  const auto& [t1, end] = elastic_end_;
  return t0 <= t && t < t1 ? start + (t - t0) / (t1 - t0) * (end - start) : end;
}

void FrameSampler::emit(const State& state, Simulator* sim) {
  observe(sim);
  const double t = state.t;
  ViewFrame frame;
  frame.t = t;
  frame.energy = static_cast<float>(calc_energy_of_motion(state) + find_elastic_energy(t));
  frame.rate = rate_;
  for (const int body : layout_.bodies) {
    append_pose(kin_.X_WB[model_.bodies[body].link], &frame.poses);
  }
  for (const int i : layout_.coordinates) {
    frame.joints.push_back(static_cast<float>(state.q[i]));
  }
  add_contacts(&frame);
  add_surfaces(&frame);
  for (const Step& s : steps_) {
    frame.steps.push_back({static_cast<float>(s.t - t), static_cast<float>(s.h),
                           static_cast<float>(s.error), static_cast<float>(s.rejections)});
  }
  steps_.clear();
  sink_(std::move(frame));
}

// Those that carry a force.
void FrameSampler::add_contacts(ViewFrame* frame) const {
  for (const ContactReport& report : contacts_) {
    if (!(norm(report.force_B_W) > 0)) continue;
    FrameContact& c = frame->contacts.emplace_back();
    copy_to(report.point.p_WC, c.p);
    copy_to(report.point.nhat_AB_W, c.normal);
    copy_to(report.force_B_W, c.force);
    c.phi = static_cast<float>(report.point.phi);
    c.geometry_a = report.point.geometry_a;
    c.geometry_b = report.point.geometry_b;
  }
}

// The contact surfaces of the pairs that press, at the poses of the frame.
void FrameSampler::add_surfaces(ViewFrame* frame) {
  const auto add = [&](std::span<const Vec3> corners, double pressure) {
    frame->polygon_sizes.push_back(static_cast<std::uint32_t>(corners.size()));
    frame->pressures.push_back(static_cast<float>(pressure));
    for (const Vec3& p : corners) {
      frame->corners.resize(frame->corners.size() + 3);
      copy_to(p, &frame->corners.back() - 2);
    }
  };
  int a = -1, b = -1;
  for (const ContactReport& report : contacts_) {
    const ContactPoint& c = report.point;
    if (!c.hydroelastic || (c.geometry_a == a && c.geometry_b == b)) continue;
    a = c.geometry_a, b = c.geometry_b;
    surfaces_.draw(kin_, {a, b}, add);
  }
}

}  // namespace cenic

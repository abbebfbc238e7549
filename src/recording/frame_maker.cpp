// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/frame_maker.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "geometry/hydroelastic/pressure_field.h"

namespace cenic {
namespace {

constexpr std::size_t kFewCells = 1000;

// For the memory it stands in: a thread that reads lines next to those that the simulation writes
// holds it up, by up to 4 %. Large fields have few neighbours.
Model copy_for_thread(const Model& model) {
  Model copy = model;
  std::unordered_map<const PressureField*, std::shared_ptr<const PressureField>> fields;
  for (Geometry& geometry : copy.geometries) {
    const PressureField* field = geometry.field.get();
    if (field == nullptr || field->cells.size() + field->faces.size() > kFewCells) continue;
    auto& copied = fields[field];  // equal geometries share one
    if (copied == nullptr) copied = std::make_shared<PressureField>(*field);
    geometry.field = copied;
  }
  return copy;
}

Vec3 lengthen(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

}  // namespace

FrameMaker::FrameMaker(const Simulator& sim, const RecordingInfo& info, const RecordedScene& scene,
                       std::span<const std::unique_ptr<FrameSink>> sinks)
    : sim_(sim),
      model_(copy_for_thread(sim.model())),
      fps_(info.fps),
      has_surfaces_(scene.has_surfaces),
      sinks_(sinks),
      dense_(model_, &measurements_),
      query_(model_),
      surfaces_(model_) {
  kin_.resize(model_);
  measurements_.resize(model_);
  frame_.poses.resize(7 * scene.bodies.size());
}

void FrameMaker::process(const StepCopy& job) {
  if (job.stands) {
    if (num_frames_ == 0) {
      load_contacts(job);
    } else {
      add_last_frame(job);
    }
    return;
  }
  if (job.whole && num_frames_ == 0) {
    times_ = {job.before.t, fps_};
    if (!contacts_known_) load_contacts(job);  // those of the step that begins there
    add_first_frame(job.before);
  }
  ++num_steps_;
  for (const auto& sink : sinks_) {
    sink->on_step(job.step);
  }
  if (job.whole) add_frames(job);
}

void FrameMaker::finish() {
  if (num_frames_ == 0) add_first_frame(sim_.state());
}

// Contacts, if any, are there already.
void FrameMaker::add_first_frame(const State& state) {
  add_frame(state, find_elastic_energy(state, {}));
}

void FrameMaker::add_frames(const StepCopy& job) {
  const State &before = job.before, &after = job.after;
  load_contacts(job);
  frame_.step = num_steps_;
  const double start = fps_ > 0 ? find_elastic_energy(before, job.energy_before) : 0;
  const double end = find_elastic_energy(after, job.energy_after);
  if (fps_ == 0) {
    add_frame(after, end);
    return;
  }
  for (;;) {
    const double t = times_.at(num_frames_);
    if (t > after.t + kTimeSlack) break;
    dense_.interpolate(before, after, job.path, std::min(t, after.t), &state_);
    const double s = (state_.t - before.t) / (after.t - before.t);
    add_frame(state_, start + s * (end - start));
  }
}

// The run ended between two frames.
void FrameMaker::add_last_frame(const StepCopy& job) {
  load_contacts(job);
  frame_.step = num_steps_;
  add_frame(job.after, find_elastic_energy(job.after, job.energy_after));
}

// And what systems measure.
void FrameMaker::load_contacts(const StepCopy& job) {
  contacts_known_ = true;
  if (model_.reads_measurements) measurements_ = job.measurements;
  frame_.contacts.clear();
  pressing_ = at_end_;
  for (const StepCopy::Contact& c : job.contacts) {
    frame_.contacts.push_back({c.geometry_a, c.geometry_b, lengthen(c.point_W), c.nhat_AB_W,
                               from_contact_frame(c.nhat_AB_W, lengthen(c.force_B_C)),
                               c.penetration});
    const Pair pair{c.geometry_a, c.geometry_b};  // those of a pair stand together
    if (!has_surfaces_ || (!pressing_.empty() && pressing_.back() == pair)) continue;
    if (model_.is_hydroelastic(pair[0], pair[1])) pressing_.push_back(pair);
  }
}

// By far the most expensive number of a frame: computed at the ends of steps, and linear in
// between. What presses at the end of a step need not have during it.
double FrameMaker::find_elastic_energy(const State& state, std::optional<double> of_points) {
  if (elastic_known_ && elastic_time_ == state.t) return elastic_;
  elastic_known_ = true;
  elastic_time_ = state.t;
  if (of_points && !has_surfaces_) return elastic_ = *of_points;
  const StepDynamics& there = query_.at(state, sim_);
  elastic_ = of_points ? *of_points : there.calc_point_energy();
  at_end_.clear();
  update_positions(model_, state.q, &kin_);
  for (const ContactPoint& c : there.contacts()) {
    const Pair pair{c.geometry_a, c.geometry_b};
    if (!c.hydroelastic || (!at_end_.empty() && at_end_.back() == pair)) continue;
    at_end_.push_back(pair);
    elastic_ += surfaces_.calc_energy(kin_, pair);
  }
  pressing_.insert(pressing_.end(), at_end_.begin(), at_end_.end());
  std::ranges::sort(pressing_);
  const auto again = std::ranges::unique(pressing_);
  pressing_.erase(again.begin(), again.end());
  return elastic_;
}

void FrameMaker::add_frame(const State& state, double elastic_energy) {
  frame_.t = state.t;
  frame_.q.assign(state.q.begin(), state.q.end());
  frame_.v.assign(state.v.begin(), state.v.end());
  frame_.z.assign(state.z.begin(), state.z.end());
  update_positions(model_, state.q, &kin_);
  update_velocities(model_, state.v, &kin_);
  const std::span<const double> outputs = dense_.calc_outputs(state, kin_);
  frame_.outputs.assign(outputs.begin(), outputs.end());
  const Energy energy = calc_energy(model_, kin_, state.q, state.v);
  frame_.energy = energy.kinetic + energy.potential + elastic_energy;
  double* pose = frame_.poses.data();
  for (const Body& body : model_.bodies) {
    const RigidTransform& X_WB = kin_.X_WB[body.link];
    const Quat r = to_quaternion(X_WB.R);
    for (const double x : {X_WB.p.x, X_WB.p.y, X_WB.p.z, r.w, r.x, r.y, r.z}) {
      *pose++ = x;
    }
  }
  if (has_surfaces_) draw_surfaces();
  ++num_frames_;
  for (const auto& sink : sinks_) {
    sink->on_frame(frame_);
  }
}

// Of the pairs that touch, at the poses of the frame.
void FrameMaker::draw_surfaces() {
  frame_.polygon_sizes.clear();
  frame_.pressures.clear();
  frame_.corners.clear();
  for (const Pair& pair : pressing_) {
    surfaces_.draw(kin_, pair, [this](std::span<const Vec3> corners, double pressure) {
      frame_.polygon_sizes.push_back(static_cast<int>(corners.size()));
      frame_.pressures.push_back(pressure);
      frame_.corners.insert(frame_.corners.end(), corners.begin(), corners.end());
    });
  }
}

}  // namespace cenic

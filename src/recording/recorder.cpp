// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/recorder.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "multibody/multibody.h"
#include "recording/detail/recorded_scene.h"

namespace cenic {
namespace {

constexpr double kTimeSlack = 1e-9;  // a frame this late still belongs to a step, s
// Steps that may wait to be written. A simulation that is faster than the disk waits in the end.
constexpr std::size_t kJobs = 256;
// Waking a thread costs as much as a small step: it looks by itself now and then, less often when
// there was nothing to do.
constexpr std::chrono::microseconds kShortPause{100}, kLongPause{2000};

std::array<float, 3> shorten(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

Vec3 lengthen(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

}  // namespace

void StepCopy::take(const StepEvent& event, const Simulator& sim,
                    std::vector<ContactReport>* scratch) {
  take_step(event, sim);
  whole = true;
  before = event.before;
  after = event.after;
  path = event.path;
  sim.report_contacts(scratch);
  contacts.clear();
  for (const ContactReport& c : *scratch) {
    if (c.point.phi >= 0 && norm(c.force_B_W) == 0) continue;
    contacts.push_back({c.point.geometry_a, c.point.geometry_b, shorten(c.point.p_WC),
                        shorten(c.point.nhat_AB_W), shorten(c.force_B_W),
                        -static_cast<float>(c.point.phi)});
  }
  if (sim.model().reads_measurements) measurements = sim.measurements();
}

void StepCopy::take_step(const StepEvent& event, const Simulator& sim) {
  const StepResult& r = event.result;
  whole = false;
  energy_after = sim.find_point_energy();
  step = {event.after.t, r.h, r.error, r.rejections, r.velocity, r.state, sim.wall_seconds()};
}

Recorder::Recorder(const Simulator& sim, const RecordingInfo& info)
    : sim_(sim),
      info_(info),
      scene_(detail::make_recorded_scene(sim.model())),
      dense_(sim.model(), &measurements_),
      surfaces_(sim.model()),
      filling_(kJobs),
      working_(kJobs) {
  if (!(info.fps >= 0) || !std::isfinite(info.fps)) {
    throw Error(
        fmt::format("the frame rate is {}; give a positive number, or 0 for every step", info.fps));
  }
  kin_.resize(sim.model());
  measurements_.resize(sim.model());
  frame_.poses.resize(7 * scene_.bodies.size());
}

Recorder::~Recorder() { stop(); }

void Recorder::add_sink(std::unique_ptr<FrameSink> sink) { sinks_.push_back(std::move(sink)); }

// ---- the simulation's side ----

void Recorder::on_step(const StepEvent& event) {
  std::unique_lock lock(mutex_);
  StepCopy* job = find_place(&lock);
  if (has_frame(event)) {
    job->take(event, sim_, &reports_);
    job->energy_before = point_energy_;
  } else {
    job->take_step(event, sim_);
  }
  point_energy_ = job->energy_after;
}

// Steps are often shorter than the time between frames: those need no copy.
bool Recorder::has_frame(const StepEvent& event) {
  if (info_.fps == 0) return true;
  const long before = num_asked_;
  if (num_asked_ == 0) {
    asked_start_ = event.before.t;
    num_asked_ = 1;
  }
  while (asked_start_ + static_cast<double>(num_asked_) / info_.fps <= event.after.t + kTimeSlack) {
    ++num_asked_;
  }
  return num_asked_ > before;
}

void Recorder::add(const StepCopy& copy) {
  std::unique_lock lock(mutex_);
  *find_place(&lock) = copy;
}

// The next job to fill. Places are used again from the first on: few stay in the caches.
StepCopy* Recorder::find_place(std::unique_lock<std::mutex>* lock) {
  if (!thread_.joinable()) thread_ = std::thread(&Recorder::work, this);
  while (count_ == kJobs && !problem_) {
    changed_.notify_one();
    changed_.wait_for(*lock, kLongPause);
  }
  if (problem_) std::rethrow_exception(problem_);
  return &filling_[count_++];
}

void Recorder::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Recorder::finish(const std::string& failure) {
  stop();
  if (num_frames_ == 0 && !problem_) {
    add_frame(sim_.state(), query_contacts(sim_.state()).calc_elastic_energy());
  }
  std::string problem;  // of the first file; the others are finished all the same
  for (const auto& sink : sinks_) {
    try {
      sink->finish(failure);
    } catch (const Error& e) {
      if (problem.empty()) problem = e.what();
    }
  }
  if (problem_) std::rethrow_exception(problem_);
  if (!problem.empty()) throw Error(problem);
}

// ---- the thread's side ----

void Recorder::work() {
  auto pause = kShortPause;
  for (;;) {
    std::unique_lock lock(mutex_);
    if (count_ == 0 && !stop_) changed_.wait_for(lock, pause);
    if (count_ == 0 && stop_) return;
    pause = count_ > 0 ? kShortPause : std::min(2 * pause, kLongPause);
    std::swap(filling_, working_);
    const std::size_t count = std::exchange(count_, 0);
    lock.unlock();
    changed_.notify_one();  // a simulation that waits for a place
    try {
      for (std::size_t i = 0; i < count; ++i) {
        process(&working_[i]);
      }
    } catch (...) {
      lock.lock();
      problem_ = std::current_exception();
      return;
    }
  }
}

void Recorder::process(StepCopy* job) {
  if (job->whole && num_frames_ == 0) {
    start_ = job->before.t;
    frame_.contacts.clear();  // nothing has been solved yet
    add_frame(job->before, query_contacts(job->before).calc_elastic_energy());
  }
  ++num_steps_;
  for (const auto& sink : sinks_) {
    sink->on_step(job->step);
  }
  if (job->whole) add_frames(job);
}

void Recorder::add_frames(StepCopy* job) {
  const State &before = job->before, &after = job->after;
  if (sim_.model().reads_measurements) std::swap(measurements_, job->measurements);
  load_contacts(*job);
  frame_.step = num_steps_;
  const double start = info_.fps > 0 ? find_elastic_energy(before, job->energy_before) : 0;
  const double end = find_elastic_energy(after, job->energy_after);
  if (info_.fps == 0) {
    add_frame(after, end);
    return;
  }
  for (;;) {
    const double t = start_ + static_cast<double>(num_frames_) / info_.fps;
    if (t > after.t + kTimeSlack) break;
    dense_.interpolate(before, after, job->path, std::min(t, after.t), &state_);
    const double s = (state_.t - before.t) / (after.t - before.t);
    add_frame(state_, start + s * (end - start));
  }
}

void Recorder::load_contacts(const StepCopy& job) {
  frame_.contacts.clear();
  pressing_.clear();
  for (const StepCopy::Contact& c : job.contacts) {
    frame_.contacts.push_back({c.geometry_a, c.geometry_b, lengthen(c.point_W),
                               lengthen(c.normal_AB_W), lengthen(c.force_B_W), c.penetration});
    const std::array<int, 2> pair{c.geometry_a, c.geometry_b};  // those of a pair stand together
    if (!scene_.has_surfaces || (!pressing_.empty() && pressing_.back() == pair)) continue;
    if (sim_.model().is_hydroelastic(pair[0], pair[1])) pressing_.push_back(pair);
  }
}

// By far the most expensive number of a frame: computed at the ends of steps, and linear in
// between.
double Recorder::find_elastic_energy(const State& state, std::optional<double> of_points) {
  if (elastic_known_ && elastic_time_ == state.t) return elastic_;
  double energy = of_points ? *of_points : query_contacts(state).calc_point_energy();
  if (!pressing_.empty()) update_positions(sim_.model(), state.q, &kin_);
  for (const std::array<int, 2>& pair : pressing_) {
    energy += surfaces_.calc_energy(kin_, pair);
  }
  elastic_known_ = true;
  elastic_time_ = state.t;
  return elastic_ = energy;
}

const StepDynamics& Recorder::query_contacts(const State& state) {
  if (!dynamics_) dynamics_ = std::make_unique<StepDynamics>(sim_.model());
  PhaseTicks unused;
  dynamics_->build_geometry(state, sim_.options().dynamics(), &unused);
  return *dynamics_;
}

void Recorder::add_frame(const State& state, double elastic_energy) {
  const Model& model = sim_.model();
  frame_.t = state.t;
  frame_.q.assign(state.q.begin(), state.q.end());
  frame_.v.assign(state.v.begin(), state.v.end());
  frame_.z.assign(state.z.begin(), state.z.end());
  const std::span<const double> outputs = dense_.calc_outputs(state);
  frame_.outputs.assign(outputs.begin(), outputs.end());
  update_positions(model, state.q, &kin_);
  update_velocities(model, state.v, &kin_);
  const Energy energy = calc_energy(model, kin_, state.q, state.v);
  frame_.energy = energy.kinetic + energy.potential + elastic_energy;
  double* pose = frame_.poses.data();
  for (const Body& body : model.bodies) {
    const RigidTransform& X_WB = kin_.X_WB[body.link];
    const Quat r = to_quaternion(X_WB.R);
    for (const double x : {X_WB.p.x, X_WB.p.y, X_WB.p.z, r.w, r.x, r.y, r.z}) {
      *pose++ = x;
    }
  }
  if (scene_.has_surfaces) draw_surfaces();
  ++num_frames_;
  for (const auto& sink : sinks_) {
    sink->on_frame(frame_);
  }
}

// Of the pairs that touch, at the poses of the frame.
void Recorder::draw_surfaces() {
  frame_.polygon_sizes.clear();
  frame_.pressures.clear();
  frame_.corners.clear();
  for (const std::array<int, 2>& pair : pressing_) {
    surfaces_.draw(kin_, pair, [this](std::span<const Vec3> corners, double pressure) {
      frame_.polygon_sizes.push_back(static_cast<int>(corners.size()));
      frame_.pressures.push_back(pressure);
      frame_.corners.insert(frame_.corners.end(), corners.begin(), corners.end());
    });
  }
}

}  // namespace cenic

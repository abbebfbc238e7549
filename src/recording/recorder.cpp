// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/recorder.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "multibody/multibody.h"
#include "recording/detail/recorded_scene.h"

namespace cenic {
namespace {

constexpr double kTimeSlack = 1e-9;  // a frame this late still belongs to a step, s
// Steps that may wait to be written. A simulation that is faster than the disk waits in the end.
constexpr std::size_t kJobs = 512;
// Waking a thread costs as much as a small step: it looks by itself now and then, and is woken when
// much is waiting.
constexpr std::size_t kMany = kJobs / 4;
constexpr auto kPause = std::chrono::milliseconds(5);
constexpr std::size_t kUsualContacts = 64;

}  // namespace

void StepCopy::take(const StepEvent& event, const Simulator& sim,
                    std::vector<ContactReport>* scratch) {
  take_step(event, sim);
  whole = true;
  before = event.before;
  after = event.after;
  sim.report_contacts(scratch);
  contacts.clear();
  for (const ContactReport& c : *scratch) {
    if (c.point.phi >= 0 && norm(c.force_B_W) == 0) continue;
    contacts.push_back({c.point.geometry_a, c.point.geometry_b, c.point.p_WC, c.point.nhat_AB_W,
                        c.force_B_W, -c.point.phi});
  }
  if (sim.model().reads_measurements) measurements = sim.measurements();
}

void StepCopy::take_step(const StepEvent& event, const Simulator& sim) {
  const StepResult& r = event.result;
  whole = false;
  step = {event.after.t, r.h, r.error, r.rejections, r.velocity, r.state, sim.wall_seconds()};
}

Recorder::Recorder(const Simulator& sim, const RecordingInfo& info)
    : sim_(sim),
      info_(info),
      scene_(detail::make_recorded_scene(sim.model())),
      dense_(sim.model(), &measurements_),
      dynamics_(sim.model()),
      jobs_(kJobs) {
  if (!(info.fps >= 0) || !std::isfinite(info.fps)) {
    throw Error(
        fmt::format("the frame rate is {}; give a positive number, or 0 for every step", info.fps));
  }
  kin_.resize(sim.model());
  measurements_.resize(sim.model());
  frame_.poses.resize(7 * scene_.bodies.size());
  for (StepCopy& job : jobs_) {  // no allocation while the run goes on
    job.before = job.after = sim.state();
    job.contacts.resize(kUsualContacts);
  }
}

Recorder::~Recorder() { stop(); }

void Recorder::add_sink(std::unique_ptr<FrameSink> sink) { sinks_.push_back(std::move(sink)); }

// ---- the simulation's side ----

void Recorder::on_step(const StepEvent& event) {
  StepCopy* job = begin_job();
  if (has_frame(event)) {
    job->take(event, sim_, &reports_);
  } else {
    job->take_step(event, sim_);
  }
  end_job();
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
  *begin_job() = copy;
  end_job();
}

StepCopy* Recorder::begin_job() {
  if (!thread_.joinable()) thread_ = std::thread(&Recorder::work, this);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return count_ < kJobs || problem_;
  });
  if (problem_) std::rethrow_exception(problem_);
  return &jobs_[(first_ + count_) % kJobs];
}

void Recorder::end_job() {
  std::size_t waiting = 0;
  {
    const std::lock_guard lock(mutex_);
    waiting = ++count_;
  }
  if (waiting >= kMany) changed_.notify_one();
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
  if (num_frames_ == 0 && !problem_) add_frame(sim_.state(), calc_elastic_energy(sim_.state()));
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
  for (;;) {
    std::unique_lock lock(mutex_);
    while (count_ == 0 && !stop_) {
      changed_.wait_for(lock, kPause);
    }
    if (count_ == 0) return;
    StepCopy* job = &jobs_[first_];
    lock.unlock();
    std::exception_ptr problem;
    try {
      process(job);
    } catch (...) {
      problem = std::current_exception();
    }
    lock.lock();
    first_ = (first_ + 1) % kJobs;
    --count_;
    if (problem) problem_ = problem;
    if (problem || count_ == kJobs - 1) changed_.notify_one();
    if (problem) return;
  }
}

void Recorder::process(StepCopy* job) {
  const State &before = job->before, &after = job->after;
  if (!job->whole) {
    ++num_steps_;
    for (const auto& sink : sinks_) {
      sink->on_step(job->step);
    }
    return;
  }
  if (sim_.model().reads_measurements) std::swap(measurements_, job->measurements);
  if (num_frames_ == 0) {
    start_ = before.t;
    frame_.contacts.clear();  // nothing has been solved yet
    add_frame(before, calc_elastic_energy(before));
  }
  std::swap(frame_.contacts, job->contacts);
  frame_.step = ++num_steps_;
  for (const auto& sink : sinks_) {
    sink->on_step(job->step);
  }
  if (info_.fps == 0) {
    add_frame(after, calc_elastic_energy(after));
    return;
  }
  double elastic[2] = {0, 0};  // at both ends
  for (bool known = false;; known = true) {
    const double t = start_ + static_cast<double>(num_frames_) / info_.fps;
    if (t > after.t + kTimeSlack) break;
    if (!known) {
      elastic[0] = calc_elastic_energy(before);
      elastic[1] = calc_elastic_energy(after);
    }
    dense_.interpolate(before, after, job->path, std::min(t, after.t), &state_);
    const double s = (state_.t - before.t) / (after.t - before.t);
    add_frame(state_, elastic[0] + s * (elastic[1] - elastic[0]));
  }
}

// It takes a geometry query, by far the most expensive number of a frame: computed at the ends of
// steps, and linear in between.
double Recorder::calc_elastic_energy(const State& state) {
  if (elastic_ >= 0 && elastic_time_ == state.t) return elastic_;
  PhaseTicks unused;
  dynamics_.build_geometry(state, sim_.options().dynamics(), &unused);
  elastic_time_ = state.t;
  return elastic_ = dynamics_.calc_elastic_energy();
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
  ++num_frames_;
  for (const auto& sink : sinks_) {
    sink->on_frame(frame_);
  }
}

}  // namespace cenic

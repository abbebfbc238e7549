// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "sim/simulator.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include "core/error.h"
#include "dynamics/step_dynamics.h"
#include "multibody/assembly.h"
#include "multibody/multibody.h"
#include "sim/model_hash.h"
#include "systems/library/signals.h"

namespace cenic {
namespace {

constexpr double kUnit = 1e-15;  // of a quaternion's length: what rounding leaves

}  // namespace

Simulator::Simulator(std::shared_ptr<const Model> model, const IntegratorOptions& options)
    : model_(std::move(model)),
      integrator_(make_integrator(model_, options)),
      state_(make_initial_state(*model_)),
      before_(state_),
      systems_(*model_) {
  check_assembly(*model_);
  systems_.set_measurements(&integrator_->measurements());
}

Simulator::Simulator(Simulator&&) noexcept = default;
Simulator::~Simulator() = default;

void Simulator::advance_to(double t) {
  if (!(t >= state_.t) || !std::isfinite(t)) {
    throw Error(fmt::format("cannot advance to t = {} s; the simulation is at {} s", t, state_.t));
  }
  while (state_.t < t) {
    const StepResult result = step(t);
    if (result.status != StepStatus::kAccepted) throw AccuracyError(describe_failure(result));
  }
}

StepResult Simulator::step(double t) {
  const auto start = std::chrono::steady_clock::now();
  StepResult result;
  if (!take_samples(&result)) return result;
  if (monitor_) before_ = state_;
  if (model_->nz > 0) t = std::min(t, calc_next_sample_time(*model_, state_.z));
  result = integrator_->step(&state_, t);
  wall_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (monitor_ && result.status == StepStatus::kAccepted) {
    monitor_({before_, state_, result});
  }
  return result;
}

// Sampled systems whose time has come run before the step that starts there.
bool Simulator::take_samples(StepResult* result) {
  if (model_->nz == 0 || !is_sample_due(*model_, state_)) return true;
  systems_.set_state(state_);
  if (systems_.sample(state_.t, state_.z)) return true;
  *result = {
      .status = StepStatus::kTooSmall, .solve = SolveStatus::kBadForce, .fault = systems_.fault()};
  return false;
}

// ", driven by system 'x' with a force of 1e+09 there", when a system pushes the velocity.
std::string Simulator::describe_pusher(int velocity) const {
  SystemEvaluator systems(*model_);
  systems.set_measurements(&integrator_->measurements());
  systems.set_state(state_);
  if (systems.empty() || velocity < 0 || !systems.evaluate(state_.t)) return "";
  return systems.describe_largest_force(velocity);
}

std::string Simulator::describe_failure(const StepResult& result) const {
  if (result.fault.kind != SystemFault::Kind::kNone && result.h == 0) {
    return fmt::format("the sample at t = {:.6g} s failed: {}; check what it computes", state_.t,
                       describe_fault(*model_, result.fault));
  }
  if (result.fault.kind != SystemFault::Kind::kNone) {
    return fmt::format("at t = {:.6g} s no step down to {:.3g} s works: {}; check what it computes",
                       state_.t, result.h, describe_fault(*model_, result.fault));
  }
  const std::string culprit = (result.state >= 0      ? model_->describe_state(result.state)
                               : result.velocity >= 0 ? model_->describe_velocity(result.velocity)
                                                      : "the scene") +
                              describe_pusher(result.velocity);
  if (result.status == StepStatus::kRunaway) {
    return fmt::format(
        "at t = {:.6g} s {} becomes faster than light: the model is unstable; check the signs and "
        "sizes of its forces",
        state_.t, culprit);
  }
  if (integrator_->options().fixed_step > 0) {
    return fmt::format(
        "at t = {:.6g} s the step of {:.3g} s failed at {}: {}; use a smaller step, or an accuracy",
        state_.t, result.h, culprit, to_string(result.solve));
  }
  if (result.solve != SolveStatus::kConverged) {
    return fmt::format(
        "at t = {:.6g} s no step down to {:.3g} s works for {}: {}; check its state and parameters",
        state_.t, result.h, culprit, to_string(result.solve));
  }
  return fmt::format(
      "at t = {:.6g} s the accuracy {:.3g} needs steps below the minimum: {} still has an error of "
      "{:.3g} at a step of "
      "{:.3g} s; relax the accuracy or lower min_step",
      state_.t, integrator_->options().accuracy, culprit, result.error, result.h);
}

void Simulator::set_state(State state) {
  if (state.z.empty()) state.z = model_->z0;
  if (static_cast<int>(state.q.size()) != model_->nq ||
      static_cast<int>(state.v.size()) != model_->nv ||
      static_cast<int>(state.z.size()) != model_->nz) {
    throw Error(fmt::format(
        "the state has {} coordinates, {} velocities and {} states of external systems; the model "
        "has {}, {} and {}",
        state.q.size(), state.v.size(), state.z.size(), model_->nq, model_->nv, model_->nz));
  }
  const auto finite = [](const std::vector<double>& x) {
    return std::ranges::all_of(x, [](double e) {
      return std::isfinite(e);
    });
  };
  if (!finite(state.q) || !finite(state.v) || !finite(state.z) || !std::isfinite(state.t)) {
    throw Error("the state has a number that is not finite");
  }
  for (const Link& link : model_->links) {
    if (link.kind != MobilizerKind::kBall && link.kind != MobilizerKind::kFree) continue;
    double* q = state.q.data() + link.q_start;
    const Quat unit{q[0], q[1], q[2], q[3]};
    if (norm(unit) < 1e-9) {
      throw Error(fmt::format("the quaternion of {} is zero; give (1, 0, 0, 0) for no rotation",
                              model_->describe_velocity(link.v_start)));
    }
    // A state of a run stays as it is, bit for bit.
    if (std::abs(norm(unit) - 1) <= kUnit) continue;
    const Quat n = normalized(unit);
    q[0] = n.w, q[1] = n.x, q[2] = n.y, q[3] = n.z;
  }
  count_samples(*model_, &state);
  state_ = std::move(state);
  integrator_->restart();
}

void Simulator::exchange(Archive* archive) {
  (*archive)(&state_.t);
  for (std::vector<double>* x : {&state_.q, &state_.v, &state_.z}) {
    archive->fixed(x);
  }
  (*archive)(&wall_seconds_);
  integrator_->exchange(archive);
}

std::uint64_t Simulator::model_hash() {
  if (!model_hash_) model_hash_ = calc_model_hash(*model_);
  return *model_hash_;
}

Checkpoint Simulator::checkpoint() {
  Archive archive;
  exchange(&archive);
  return {state_.t, model_hash(), list_option_values(integrator_->options()), archive.bytes()};
}

void Simulator::restore(const Checkpoint& checkpoint) {
  const auto options = list_option_values(integrator_->options());
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (i < checkpoint.options.size() && checkpoint.options[i] == options[i]) continue;
    throw Error(fmt::format(
        "the checkpoint was made with {} = {}, this run has {}; use the same options",
        options[i].first, i < checkpoint.options.size() ? checkpoint.options[i].second : "unknown",
        options[i].second));
  }
  if (checkpoint.model_hash != model_hash()) {
    throw Error(
        fmt::format("the checkpoint is of another model (hash {:016x}, this one has {:016x}); use "
                    "the same scene, settings and seed",
                    checkpoint.model_hash, model_hash()));
  }
  const Checkpoint before = this->checkpoint();
  try {
    Archive archive(checkpoint.data);
    exchange(&archive);
    if (!archive.at_end()) Archive::fail();
  } catch (const Error&) {
    Archive archive(before.data);
    exchange(&archive);
    throw;
  }
}

void Simulator::set_input(const std::string& name, std::span<const double> values) {
  const System& s = model_->systems[model_->find_system(name)];
  if (dynamic_cast<const HeldInput*>(s.law.get()) == nullptr) {
    throw Error(
        fmt::format("system '{}' is no HeldInput; put one where its input comes from", name));
  }
  if (values.size() != s.state_names.size()) {
    throw Error(fmt::format("input '{}' takes {} numbers, not {}", name, s.state_names.size(),
                            values.size()));
  }
  for (const double value : values) {
    if (!std::isfinite(value)) {
      throw Error(fmt::format("input '{}' is set to {}; give finite numbers", name, value));
    }
  }
  std::ranges::copy(values, state_.z.begin() + s.z_start);
}

std::vector<ContactReport> Simulator::contacts() const {
  std::vector<ContactReport> reports;
  report_contacts(&reports);
  return reports;
}

void Simulator::report_contacts(std::vector<ContactReport>* reports) const {
  reports->clear();
  if (integrator_->has_reports()) integrator_->report_contacts(reports);
}

void Simulator::report_forces(std::vector<ContactForce>* forces) const {
  forces->clear();
  if (integrator_->has_reports()) integrator_->report_forces(forces);
}

std::vector<ConstraintReport> Simulator::constraints() const {
  std::vector<ConstraintReport> reports;
  if (integrator_->has_reports()) integrator_->report_constraints(&reports);
  return reports;
}

std::vector<double> Simulator::limit_forces() const {
  std::vector<double> forces(model_->nv, 0.0);
  if (integrator_->has_reports()) integrator_->report_limits(&forces);
  return forces;
}

std::vector<double> Simulator::efforts() const {
  std::vector<double> forces(model_->nv, 0.0);
  if (integrator_->has_reports()) integrator_->report_efforts(&forces);
  return forces;
}

const std::vector<double>& Simulator::outputs() {
  systems_.set_state(state_);
  if (!systems_.evaluate_outputs(state_.t)) {
    throw Error(describe_fault(*model_, systems_.fault()) + "; check what it computes");
  }
  outputs_.assign(systems_.y().begin(), systems_.y().end());
  return outputs_;
}

std::vector<double> Simulator::output(const std::string& name) {
  const std::size_t dot = name.find('.');
  const System& s = model_->systems[model_->find_system(name.substr(0, dot))];
  for (const System::Signal& signal : s.outputs) {
    const bool only = dot == std::string::npos && s.outputs.size() == 1;
    if (!only && (dot == std::string::npos || name.substr(dot + 1) != signal.name)) continue;
    const auto first = outputs().begin() + s.y_start + signal.start;
    return {first, first + signal.size};
  }
  throw Error(fmt::format("there is no output '{}'; write 'system.output'", name));
}

void Simulator::build_here() {
  if (!observer_) observer_ = std::make_unique<StepDynamics>(*model_);
  PhaseTicks unused;
  observer_->build_geometry(state_, integrator_->options().dynamics(), &unused);
}

double Simulator::calc_energy() {
  build_here();
  const Energy e = cenic::calc_energy(*model_, observer_->kinematics(), state_.q, state_.v);
  return e.kinetic + e.potential + observer_->calc_elastic_energy();
}

std::optional<double> Simulator::find_point_energy() const {
  if (!integrator_->has_reports()) return {};
  return integrator_->find_point_energy();
}

double Simulator::calc_penetration() {
  build_here();
  return observer_->max_penetration();
}

Statistics Simulator::statistics() const {
  Statistics s;
  static_cast<IntegratorStatistics&>(s) = integrator_->statistics();
  s.wall_seconds = wall_seconds_;
  return s;
}

}  // namespace cenic

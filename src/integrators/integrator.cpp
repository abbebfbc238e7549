// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/integrator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dynamics/step_dynamics.h"
#include "integrators/baselines/baselines.h"
#include "integrators/cenic_integrator.h"
#include "integrators/trapezoid_integrator.h"

namespace cenic {
namespace {

constexpr double kFirstStep = 0.1;     // of the largest
constexpr double kStretch = 1.001;     // of a step that would end just short of its limit
constexpr double kUnseen = 0.5;        // after a step that missed something: of its size
constexpr double kSpeedOfLight = 3e8;  // m/s

// The largest step towards a limit `room` ahead: exactly there when it is near, not a sliver short
// of it.
struct Clip {
  double h;
  bool artificial;  // the limit, not the error, made it small: do not learn from its size
};
Clip clip_to_limit(double h, double room) {
  if (room < 0.95 * h) return {room, true};
  if (room < kStretch * h) return {room, false};
  return {h, false};
}

}  // namespace

Integrator::Integrator(std::shared_ptr<const Model> model, const IntegratorOptions& options)
    : model_(std::move(model)),
      options_((validate(options), options)),
      measure_(*model_, options),
      measures_(model_->reads_measurements),
      controller_({options.pi_controller, options.accuracy, options.max_step}),
      ideal_step_(options.fixed_step > 0 ? options.fixed_step : kFirstStep * options.max_step) {
  active_.resize(model_->trees.size());
  std::iota(active_.begin(), active_.end(), 0);
  next_ = make_initial_state(*model_);
  measurements_.resize(*model_);
  statistics_.limited_by.assign(model_->nv, 0);
  statistics_.limited_by_state.assign(model_->nz, 0);
}

StepResult Integrator::step(State* state, double t_limit) {
  StepResult result;
  has_reports_ = false;
  const bool fixed = options_.fixed_step > 0;
  const double room = t_limit - state->t;
  const double smallest = std::max(options_.min_step, 1e-14 * std::max(1.0, std::abs(state->t)));
  const auto is_smallest = [smallest](double step) {
    return step <= kStretch * smallest;
  };
  double h = std::max(ideal_step_, smallest);
  bool failed = false;
  for (bool fresh = true;; fresh = false) {
    const Clip clip = clip_to_limit(h, room);
    h = clip.h;
    result.h = h;
    const Trial trial = try_step(*state, h, fresh);
    result.solve = trial.status;
    StepDecision decision{true, h};
    if (trial.status != SolveStatus::kConverged) {
      result.velocity = trial.velocity;
      result.fault = trial.fault;
      result.state = trial.state;
      decision = controller_.decide_after_failure(h);
      failed = true;
      if (fixed) decision.next = 0;  // nothing to shrink
    } else if (!fixed) {
      result.error = trial.error.value;
      result.velocity = trial.error.velocity;
      result.state = trial.error.state;
      decision = controller_.decide(h, trial.error.value, !clip.artificial);
    }
    if (decision.accepted) {
      const double ideal = ideal_step_;
      // After a solve that failed the next step does not grow: it would fail again.
      if (!clip.artificial && !fixed) {
        ideal_step_ = failed ? std::min(decision.next, h) : decision.next;
      }
      if (trial.h > 0) result.h = trial.h;
      finish_step();
      next_.t = result.h >= room ? t_limit : state->t + result.h;
      const double left = t_limit - next_.t;
      if (fixed || is_smallest(h) ||
          verify_end(left > 0 ? clip_to_limit(ideal_step_, left).h : ideal_step_)) {
        break;
      }
      ideal_step_ = ideal;
      decision.next = kUnseen * h;
    }
    ++result.rejections;
    ++statistics_.rejected_steps;
    if (is_smallest(h) || decision.next == 0) {
      result.status = StepStatus::kTooSmall;
      return result;
    }
    h = std::max(decision.next, smallest);
  }
  if (const int runaway = find_runaway(); runaway >= 0) {
    result.status = StepStatus::kRunaway;
    result.velocity = runaway;
    return result;
  }
  record_step(room, result);
  if (measures_) measure(*state, result.h);
  copy_state(next_, state);
  has_reports_ = true;
  return result;
}

void Integrator::copy_state(const State& from, State* to) const {
  to->t = from.t;
  if (active_.size() == model_->trees.size()) {
    std::ranges::copy(from.q, to->q.begin());
    std::ranges::copy(from.v, to->v.begin());
    std::ranges::copy(from.z, to->z.begin());
    return;
  }
  for (const int t : active_) {
    copy_tree(model_->trees[t], from, to);
  }
}

bool Integrator::is_same_state(const State& a, const State& b) const {
  if (a.t != b.t) return false;
  if (active_.size() == model_->trees.size()) return a.q == b.q && a.v == b.v && a.z == b.z;
  return std::ranges::all_of(active_, [&](int t) {
    const Tree& tree = model_->trees[t];
    return std::equal(a.q.begin() + tree.q_start, a.q.begin() + tree.q_start + tree.nq,
                      b.q.begin() + tree.q_start) &&
           std::equal(a.v.begin() + tree.v_start, a.v.begin() + tree.v_start + tree.nv,
                      b.v.begin() + tree.v_start);
  });
}

void Integrator::exchange(Archive* archive) {
  controller_.exchange(archive);
  (*archive)(&ideal_step_);
  (*archive)(&has_reports_);
  Measurements& m = measurements_;
  for (std::vector<double>* x : {&m.vdot, &m.effort, &m.contact_normal}) {
    archive->fixed(x);
  }
  archive->fixed(&m.F_contact_W);
  archive->fixed(&m.F_constraint_W);
  IntegratorStatistics& s = statistics_;
  for (long* x : {&s.steps, &s.rejected_steps, &s.local_steps, &s.solves, &s.solver_iterations,
                  &s.factorizations, &s.linesearch_iterations, &s.geometry_queries}) {
    (*archive)(x);
  }
  for (double* x : {&s.contacts_sum, &s.step_first, &s.step_min, &s.step_max, &s.step_sum,
                    &s.max_penetration, &s.initial_penetration}) {
    (*archive)(x);
  }
  (*archive)(&s.contacts_max);
  (*archive)(&s.surfaces);
  (*archive)(&s.phases);
  archive->fixed(&s.limited_by);
  archive->fixed(&s.limited_by_state);
}

// A velocity beyond all reason; −1: none. Error control follows an unstable motion faithfully, in
// ever smaller steps: better to stop.
int Integrator::find_runaway() const {
  for (const int t : active_) {
    const Tree& tree = model_->trees[t];
    for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
      if (std::abs(next_.v[i]) * model_->reach[i] > kSpeedOfLight) return i;
    }
  }
  return -1;
}

// What sensors cannot compute from the state.
void Integrator::measure(const State& before, double h) {
  Measurements& m = measurements_;
  report_efforts(&m.effort);
  for (int i = 0; i < model_->nv; ++i) {
    m.vdot[i] = (next_.v[i] - before.v[i]) / h;
  }
  std::ranges::fill(m.contact_normal, 0.0);
  std::ranges::fill(m.F_contact_W, Spatial{});
  report_contacts(&contacts_);
  for (const ContactReport& c : contacts_) {
    const double normal = dot(c.force_B_W, c.point.nhat_AB_W);
    const Spatial F{cross(c.point.p_WC, c.force_B_W) + c.torque_B_W, c.force_B_W};
    m.contact_normal[c.point.geometry_a] += normal;
    m.contact_normal[c.point.geometry_b] += normal;
    m.F_contact_W[c.point.geometry_a] -= F;
    m.F_contact_W[c.point.geometry_b] += F;
  }
  report_constraints(&constraints_);
  for (const ConstraintReport& c : constraints_) {
    m.F_constraint_W[c.constraint] = c.F_B_W;
  }
}

void Integrator::record_contacts(StepDynamics* dynamics) {
  record_contacts(static_cast<int>(dynamics->contacts().size()));
  statistics_.surfaces += dynamics->take_surface_counters();
}

void Integrator::record_contacts(int contacts) {
  ++statistics_.geometry_queries;
  statistics_.contacts_sum += contacts;
  statistics_.contacts_max = std::max(statistics_.contacts_max, contacts);
}

void Integrator::record_penetration(double depth) {
  double& deepest =
      statistics_.steps == 0 ? statistics_.initial_penetration : statistics_.max_penetration;
  deepest = std::max(deepest, depth);
}

void Integrator::record_step(double room, const StepResult& result) {
  IntegratorStatistics& s = statistics_;
  const double h = result.h;
  if (s.steps == 0) s.step_first = h;
  // A step cut short by the end of the run says nothing about the smallest the error needed.
  if (h < room || s.step_min == 0) s.step_min = s.step_min == 0 ? h : std::min(s.step_min, h);
  s.step_max = std::max(s.step_max, h);
  s.step_sum += h;
  ++s.steps;
  if (result.velocity >= 0) ++s.limited_by[result.velocity];
  if (result.state >= 0) ++s.limited_by_state[result.state];
}

std::unique_ptr<Integrator> make_integrator(std::shared_ptr<const Model> model,
                                            const IntegratorOptions& options) {
  if (options.name == "cenic-trapezoid") {
    return std::make_unique<TrapezoidIntegrator>(std::move(model), options);
  }
  if (const Baseline* baseline = find_baseline(options.name)) {
    return baseline->make(std::move(model), options);
  }
  return std::make_unique<CenicIntegrator>(std::move(model), options);
}

}  // namespace cenic

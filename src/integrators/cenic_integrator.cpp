// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/cenic_integrator.h"

#include <algorithm>
#include <cmath>

namespace cenic {

namespace {

constexpr double kFirstStep = 0.1;  // of the largest

// The largest step towards a limit `room` ahead: exactly there when it is near, not a sliver short
// of it.
struct Clip {
  double h;
  bool artificial;  // the limit, not the error, made it small: do not learn from its size
};
Clip clip_to_limit(double h, double room) {
  if (room < 0.95 * h) return {room, true};
  if (room < 1.001 * h) return {room, false};
  return {h, false};
}

}  // namespace

CenicIntegrator::CenicIntegrator(std::shared_ptr<const Model> model,
                                 const IntegratorOptions& options)
    : model_(std::move(model)),
      options_((validate(options), options)),
      dynamics_options_(options.dynamics()),
      solver_options_(options.solver()),
      measure_(*model_, options),
      controller_({options.pi_controller, options.accuracy, options.max_step}),
      pool_(options.threads),
      start_(std::make_unique<StepDynamics>(*model_)),
      middle_(std::make_unique<StepDynamics>(*model_)),
      ideal_step_(options.fixed_step > 0 ? options.fixed_step : kFirstStep * options.max_step) {
  for (StepDynamics* dynamics : {start_.get(), middle_.get()}) {
    dynamics->set_error_weights(measure_.solver_weights());
  }
  for (Solution* s : {&full_, &half_, &end_}) {
    s->q.resize(model_->nq);
    s->v.resize(model_->nv);
  }
  changed_.resize(model_->trees.size());
  statistics_.limited_by.assign(model_->nv, 0);
}

void CenicIntegrator::restart() { controller_.reset(); }

StepResult CenicIntegrator::step(State* state, double t_limit) {
  StepResult result;
  const bool fixed = options_.fixed_step > 0;
  const double room = t_limit - state->t;
  const double smallest = std::max(options_.min_step, 1e-14 * std::max(1.0, std::abs(state->t)));
  double h = std::max(ideal_step_, smallest);
  bool fresh = true, artificial = false;
  for (;;) {
    const Clip clip = clip_to_limit(h, room);
    h = clip.h;
    artificial = clip.artificial;
    result.h = h;
    const bool solved = try_step(*state, h, fresh);
    fresh = false;
    StepDecision decision{true, h};
    result.solve = last_solve_.status;
    if (!solved) {
      result.velocity = failed_tree_ >= 0 ? model_->trees[failed_tree_].v_start : -1;
      decision = controller_.decide_after_failure(h);
      if (fixed) decision.next = 0;  // nothing to shrink
    } else if (!fixed) {
      const ErrorEstimate error = measure_.calc(full_.q, end_.q, full_.v, end_.v);
      result.error = error.value;
      result.velocity = error.velocity;
      decision = controller_.decide(h, error.value, !artificial);
    }
    if (decision.accepted) {
      if (!artificial && !fixed) ideal_step_ = decision.next;
      break;
    }
    ++result.rejections;
    ++statistics_.rejected_steps;
    if (h <= smallest || decision.next == 0) {
      result.status = StepStatus::kTooSmall;
      return result;
    }
    h = std::max(decision.next, smallest);
  }
  if (!fixed && options_.extrapolate) extrapolate();
  record(result.h, room, result);
  state->t = result.h >= room ? t_limit : state->t + result.h;
  std::ranges::copy(fixed ? full_.q : end_.q, state->q.begin());
  std::ranges::copy(fixed ? full_.v : end_.v, state->v.begin());
  return result;
}

// The three solves. False when one of them failed.
bool CenicIntegrator::try_step(const State& state, double h, bool fresh) {
  const RotationUpdate update = options_.rotation_update();
  if (fresh) {  // a rejected step keeps geometry, Jacobians, M and k
    build(start_.get(), state.q, state.v, h);
    double& deepest =
        statistics_.steps == 0 ? statistics_.initial_penetration : statistics_.max_penetration;
    deepest = std::max(deepest, start_->max_penetration());
  }
  std::ranges::copy(state.v, full_.v.begin());
  if (!solve(start_.get(), h, &full_)) return false;
  integrate_positions(*model_, state.q, full_.v, h, update, full_.q);
  if (options_.fixed_step > 0) return true;

  for (int i = 0; i < model_->nv; ++i) {
    half_.v[i] = 0.5 * (state.v[i] + full_.v[i]);
  }
  if (!solve(start_.get(), h / 2, &half_)) return false;
  integrate_positions(*model_, state.q, half_.v, h / 2, update, half_.q);

  build(middle_.get(), half_.q, half_.v, h / 2);
  std::ranges::copy(full_.v, end_.v.begin());
  if (!solve(middle_.get(), h / 2, &end_)) return false;
  integrate_positions(*model_, half_.q, end_.v, h / 2, update, end_.q);
  return true;
}

void CenicIntegrator::build(StepDynamics* dynamics, std::span<const double> q,
                            std::span<const double> v, double h) {
  dynamics->build(q, v, h, dynamics_options_, &statistics_.phases);
  ++statistics_.geometry_queries;
  const int contacts = static_cast<int>(dynamics->contacts().size());
  statistics_.contacts_sum += contacts;
  statistics_.contacts_max = std::max(statistics_.contacts_max, contacts);
}

bool CenicIntegrator::solve(StepDynamics* dynamics, double h, Solution* solution) {
  last_solve_ = dynamics->solve(h, solver_options_, options_.fixed_step > 0 ? 0 : options_.accuracy,
                                &pool_, solution->v);
  ++statistics_.solves;
  statistics_.solver_iterations += last_solve_.iterations;
  statistics_.factorizations += last_solve_.factorizations;
  statistics_.linesearch_iterations += last_solve_.line_search_evaluations;
  statistics_.phases += last_solve_.phases;
  failed_tree_ = last_solve_.status == SolveStatus::kConverged ? -1 : last_solve_.tree;
  if (options_.extrapolate && options_.fixed_step == 0)
    dynamics->calc_contact_signatures(&solution->signatures);
  return failed_tree_ < 0;
}

// Islands of both contact sets together; one changed tree spoils its island.
void CenicIntegrator::extrapolate() {
  const int n = static_cast<int>(model_->trees.size());
  coupled_.reset(n);
  for (const StepDynamics* dynamics : {start_.get(), middle_.get()}) {
    for (const ConvexProblem::Patch& patch : dynamics->problem().patches) {
      if (patch.tree[1] >= 0) coupled_.unite(patch.tree[0], patch.tree[1]);
    }
  }
  std::ranges::fill(changed_, 0);
  for (int i = 0; i < n; ++i) {
    const bool same =
        full_.signatures[i] == half_.signatures[i] && half_.signatures[i] == end_.signatures[i];
    if (!same) changed_[coupled_.find(i)] = 1;
  }
  for (int i = 0; i < n; ++i) {
    if (changed_[coupled_.find(i)] == 0) extrapolate_tree(model_->trees[i]);
  }
}

// v ← 2 v − v̂; q ← q ⊕ (q ⊖ q̂), rotations by the relative quaternion.
void CenicIntegrator::extrapolate_tree(const Tree& tree) {
  for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
    end_.v[i] = 2 * end_.v[i] - full_.v[i];
  }
  for (int i = tree.link_begin; i < tree.link_end; ++i) {
    const Link& link = model_->links[i];
    int first = link.q_start;
    if (link.kind == MobilizerKind::kBall || link.kind == MobilizerKind::kFree) {
      double* q = end_.q.data() + first;
      const double* p = full_.q.data() + first;
      const Quat end{q[0], q[1], q[2], q[3]}, full{p[0], p[1], p[2], p[3]};
      const Quat next = normalized((end * conjugate(full)) * end);
      q[0] = next.w, q[1] = next.x, q[2] = next.y, q[3] = next.z;
      first += 4;
    }
    for (int k = first; k < link.q_start + link.nq; ++k) {
      end_.q[k] = 2 * end_.q[k] - full_.q[k];
    }
  }
}

void CenicIntegrator::record(double h, double h_limit, const StepResult& result) {
  IntegratorStatistics& s = statistics_;
  if (s.steps == 0) s.step_first = h;
  // A step cut short by the end of the run says nothing about the smallest the error needed.
  if (h < h_limit || s.step_min == 0) s.step_min = s.step_min == 0 ? h : std::min(s.step_min, h);
  s.step_max = std::max(s.step_max, h);
  s.step_sum += h;
  ++s.steps;
  if (result.velocity >= 0) ++s.limited_by[result.velocity];
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/cenic_integrator.h"

#include <algorithm>
#include <cmath>

namespace cenic {
namespace {

// Long steps of third order let constraints drift by up to a quarter of the accuracy; this makes it
// less than a tenth.
constexpr double kConstraintSafety = 3;

}  // namespace

CenicIntegrator::CenicIntegrator(std::shared_ptr<const Model> model,
                                 const IntegratorOptions& options, int levels)
    : ConvexIntegrator(std::move(model), options),
      full_(next_),
      half_(next_),
      third_(next_),
      extrapolated_(next_),
      part_starts_{next_, next_, next_} {
  const std::size_t n = model_->trees.size();
  changed_.resize(n);
  tree_error_.resize(n);
  measures_ = measures_ && levels == kLevels;  // the whole alone
  prepare_local_steps(levels);
}

Integrator::Trial CenicIntegrator::try_step(const State& state, double h, bool fresh) {
  begin_try(state, h, fresh);
  third_ok_ = false;
  forget_local_steps();
  if (coupled_.size() == 0) coupled_.reset(static_cast<int>(model_->trees.size()));
  for (const int t : active_) {
    changed_[t] = 0;
    coupled_.isolate(t);
  }
  if (options_.fixed_step > 0) {
    advance(state, h, 1, &next_);
    return trial_;
  }
  if (!advance(state, h, 1, &full_) || !advance(state, h, 2, &half_)) return trial_;
  trial_.error = calc_error(full_, half_);
  set_error_order(2);
  if (!options_.extrapolate) return trial_;
  bool changed = couple_changed_trees();
  // A long step of third order is accurate enough in position there and hides what happens.
  if (second_->is_friction_in_transition()) calm_steps_ = 0;
  if (!changed && wants_third_order()) {
    const ErrorEstimate error2 = trial_.error;
    if (!advance(state, h, 3, &third_)) {  // the step in two parts still stands
      trial_ = {.error = error2};
      for (const int t : active_) {
        changed_[t] = 0;
      }
      wait_ = kLookAgain;
      return trial_;
    }
    changed = couple_changed_trees();
    if (!changed) estimate_third_order(h);
  }
  if (changed) calm_steps_ = 0;
  if (local_ != nullptr && !third_ok_) follow_local_islands(state, h);
  return trial_;
}

ErrorEstimate CenicIntegrator::calc_error(const State& a, const State& b) {
  ErrorEstimate worst;
  for (const int t : active_) {
    tree_error_[t] = measure_.calc_tree(model_->trees[t], a, b);
    if (tree_error_[t].is_worse_than(worst)) worst = tree_error_[t];
  }
  const ErrorEstimate e = measure_.calc_states(a, b);
  return e.is_worse_than(worst) ? e : worst;
}

void CenicIntegrator::restart() {
  ConvexIntegrator::restart();
  forget_local_steps();
  calm_steps_ = kCalm;
  wait_ = 0;
}

void CenicIntegrator::exchange(Archive* archive) {
  (*archive)(&calm_steps_);
  (*archive)(&wait_);
  for (CenicIntegrator* part = local_.get(); part != nullptr; part = part->local_.get()) {
    part->exchange_kept(archive);
  }
  if (archive->loading()) forget_local_steps();
  ConvexIntegrator::exchange(archive);
}

// The third column doubles the work of a step. Worth it where motion is smooth: no contact came or
// went lately, and the longer step made up for it when last tried.
bool CenicIntegrator::wants_third_order() const {
  return options_.third_order && calm_steps_ >= kCalm && wait_ == 0;
}

// From the state over h in equal parts, each a convex step.
bool CenicIntegrator::advance(const State& state, double h, int parts, State* end) {
  // Extrapolation needs rigid constraints to be equally stiff in all solves.
  const StepForm form{.h = h / parts, .rigid_h = options_.extrapolate ? h : 0};
  for (int part = 0; part < parts; ++part) {
    StepDynamics* dynamics = part == 0 ? first_.get() : second_.get();
    if (part > 0) {
      end->t = state.t + part * form.h;
      copy_state(*end, &part_starts_[parts == 2 ? 0 : part]);
      build(dynamics, *end, form.h);
      if (options_.extrapolate) dynamics->continue_constraints(constraint_errors_);
    }
    // Guess: along the full step.
    const double s = parts == 1 ? 0 : static_cast<double>(part + 1) / parts;
    for (const int t : active_) {
      const Tree& tree = model_->trees[t];
      for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
        end->v[i] = (1 - s) * state.v[i] + (s > 0 ? s * full_.v[i] : 0);
      }
    }
    if (!solve_and_compare(dynamics, form, end, parts == 1)) return false;
    for (const int t : active_) {
      integrate_positions(*model_, model_->trees[t], part == 0 ? state.q : end->q, end->v, form.h,
                          options_.rotation_update(), end->q);
    }
    if (options_.extrapolate) dynamics->predict_constraint_errors(form.h, &constraint_errors_);
  }
  return true;
}

// Solves, and marks the trees whose contacts are not those of the first solve of the step.
bool CenicIntegrator::solve_and_compare(StepDynamics* dynamics, const StepForm& form, State* end,
                                        bool first) {
  if (!solve(dynamics, form, end)) return false;
  if (!options_.extrapolate || options_.fixed_step > 0) return true;
  dynamics->calc_contact_signatures(first ? &signatures_ : &other_signatures_, &coupled_);
  if (first) return true;
  for (const int t : active_) {
    if (other_signatures_[t] != signatures_[t]) changed_[t] = 1;
  }
  return true;
}

// One changed tree spoils its island: all that pressed on each other in a solve of the step, or are
// constrained. Any?
bool CenicIntegrator::couple_changed_trees() {
  for (const StepDynamics* dynamics : {first_.get(), second_.get()}) {
    for (const ConvexProblem::Patch& patch : dynamics->problem().couplings) {
      coupled_.unite(patch.tree[0], patch.tree[1]);
    }
  }
  bool any = false;
  for (const int i : active_) {
    if (changed_[i] == 0) continue;
    changed_[coupled_.find(i)] = 1;
    any = true;
  }
  if (!any) return false;
  for (const int i : active_) {
    changed_[i] = changed_[coupled_.find(i)];
  }
  return true;
}

bool CenicIntegrator::has_changed(const SystemGroup& group) const {
  return std::ranges::any_of(group.trees, [this](int tree) {
    return changed_[tree] != 0;
  });
}

// Aitken and Neville with 1, 2 and 3 parts: T22 and T32 are of second order, T33 of third. T32 is
// in next_ meanwhile.
void CenicIntegrator::estimate_third_order(double h) {
  for (State* state : {&next_, &extrapolated_}) {
    std::ranges::copy(half_.z, state->z.begin());  // what sampled systems hold is in no group
  }
  for (const int t : active_) {
    const Tree& tree = model_->trees[t];
    combine(tree, half_, full_, 1, &extrapolated_);
    combine(tree, third_, half_, 2, &next_);
    combine(tree, next_, extrapolated_, 0.5, &extrapolated_);
  }
  for (const SystemGroup& group : model_->system_groups) {
    combine_states(group.states, half_, full_, 1, &extrapolated_);
    combine_states(group.states, third_, half_, 2, &next_);
    combine_states(group.states, next_, extrapolated_, 0.5, &extrapolated_);
  }
  third_ok_ = true;
  const double error2 = trial_.error.value;
  trial_.error = calc_error(next_, extrapolated_);
  if (!model_->constraints.empty()) trial_.error.value *= kConstraintSafety;
  set_error_order(3);
  // Steps that the two orders could take now, h (ε/e)^(1/order): is the longer worth two of the
  // shorter?
  step2_ = h * std::sqrt(options_.accuracy / std::max(error2, 1e-300));
  const double step3 = h * std::cbrt(options_.accuracy / std::max(trial_.error.value, 1e-300));
  if (std::min(step3, options_.max_step) < 2 * std::min(step2_, options_.max_step)) {
    wait_ = kLookAgain;
  }
}

void CenicIntegrator::finish_step() {
  if (options_.fixed_step > 0) return;
  ++calm_steps_;
  wait_ = std::max(0, wait_ - 1);
  if (third_ok_) {
    std::swap(next_, extrapolated_);
    // A step too long for a contact's oscillation is not extrapolated: better stay below it than
    // fall back to the steps of second order.
    const double resolving = 0.95 * second_->calc_resolving_step();
    if (resolving > step2_) limit_next_step(resolving);
    return;
  }
  copy_state(half_, &next_);
  if (!options_.extrapolate) return;
  for (const int i : active_) {
    if (changed_[i] == 0) combine(model_->trees[i], half_, full_, 1, &next_);
  }
  for (const SystemGroup& group : model_->system_groups) {
    if (!has_changed(group)) combine_states(group.states, half_, full_, 1, &next_);
  }
  for (const int t : local_trees_) {
    copy_tree(model_->trees[t], local_state_, &next_);
  }
}

// As finish_step() does with the states: the mean rate over the first part of a step differs from
// the rate at its start, and that over the last part from the rate at its end, by a series in h
// (Hairer & Ostermann, Dense output for extrapolation methods, Numer. Math. 58, 1990).
void CenicIntegrator::report_path(const State& before, StepPath* path) const {
  if (options_.fixed_step > 0) return Integrator::report_path(before, path);
  path->clear();
  path->append_knots(path_);
  path->start.resize(*model_);
  path->end.resize(*model_);
  const auto set = [&](const Weights& weights, Range range) {
    extrapolate_rates(before, weights, &State::v, &StateRate::v, range, path);
  };
  const auto set_states = [&](const Weights& weights, Range range) {
    extrapolate_rates(before, weights, &State::z, &StateRate::z, range, path);
  };
  constexpr Weights kHalves{0, 1, 0};
  const Weights weights = !options_.extrapolate ? kHalves
                          : third_ok_           ? Weights{0.5, -4, 4.5}
                                                : Weights{-1, 2, 0};
  set(weights, {0, model_->nv});
  set_states(weights, {0, model_->nz});
  for (const int t : active_) {
    const Tree& tree = model_->trees[t];
    if (changed_[t] != 0) set(kHalves, {tree.v_start, tree.v_start + tree.nv});
  }
  for (const SystemGroup& group : model_->system_groups) {
    if (!has_changed(group)) continue;
    for (const int i : group.states) {
      set_states(kHalves, {i, i + 1});
    }
  }
  // Constraints bind the velocities at the end of a part at the configuration of its start: the
  // first part of all brings them there, and its mean rate is not one of the motion. The rate at
  // the end is that of the parts after it, and the mean of both that of the step.
  const double h = next_.t - before.t;
  for (const int t : first_->bound_trees()) {
    const Tree& tree = model_->trees[t];
    set(third_ok_ ? Weights{0, -2, 3} : kHalves, {tree.v_start, tree.v_start + tree.nv});
    for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
      path->start.v[i] = 2 * (next_.v[i] - before.v[i]) / h - path->end.v[i];
    }
  }
  for (const int t : local_trees_) {  // even, between knots
    const Tree& tree = model_->trees[t];
    for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
      path->start.v[i] = path->end.v[i] = (next_.v[i] - before.v[i]) / h;
    }
  }
}

// Of the numbers in a range.
void CenicIntegrator::extrapolate_rates(const State& before, const Weights& weights,
                                        std::vector<double> State::*x,
                                        std::vector<double> StateRate::*rate, Range range,
                                        StepPath* path) const {
  const double h = next_.t - before.t;
  const double w1 = weights.whole / h, w2 = 2 * weights.halves / h, w3 = 3 * weights.thirds / h;
  // A column without weight may be of another step.
  const auto find = [&](double weight, const State& state) {
    return ((weight != 0 ? state : before).*x).data();
  };
  const auto& [at_half, at_third, at_two_thirds] = part_starts_;
  const double *x0 = (before.*x).data(), *whole = find(w1, full_);
  const double *h1 = find(w2, at_half), *h2 = find(w2, half_);
  const double *t1 = find(w3, at_third), *t2 = find(w3, at_two_thirds), *t3 = find(w3, third_);
  double *start_rate = (path->start.*rate).data(), *end_rate = (path->end.*rate).data();
#pragma GCC ivdep
  for (int i = range.begin; i < range.end; ++i) {
    const double of_whole = w1 * (whole[i] - x0[i]);
    start_rate[i] = of_whole + w2 * (h1[i] - x0[i]) + w3 * (t1[i] - x0[i]);
    end_rate[i] = of_whole + w2 * (h2[i] - h1[i]) + w3 * (t3[i] - t2[i]);
  }
}

void CenicIntegrator::combine_states(const std::vector<int>& states, const State& a, const State& b,
                                     double s, State* c) const {
  for (const int i : states) {
    c->z[i] = a.z[i] + s * (a.z[i] - b.z[i]);
  }
}

// c ← a ⊕ s (a ⊖ b), s = ½, 1 or 2: rotations by the relative quaternion r = a b⁻¹, whose power s
// needs no angle.
void CenicIntegrator::combine(const Tree& tree, const State& a, const State& b, double s,
                              State* c) const {
  for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
    c->v[i] = a.v[i] + s * (a.v[i] - b.v[i]);
  }
  for (int i = tree.link_begin; i < tree.link_end; ++i) {
    const Link& link = model_->links[i];
    int first = link.q_start;
    if (link.kind == MobilizerKind::kBall || link.kind == MobilizerKind::kFree) {
      const double *p = a.q.data() + first, *q = b.q.data() + first;
      const Quat qa{p[0], p[1], p[2], p[3]}, qb{q[0], q[1], q[2], q[3]};
      Quat r = qa * conjugate(qb);
      if (r.w < 0) r = {-r.w, -r.x, -r.y, -r.z};
      if (s == 2) r = r * r;
      if (s == 0.5) r = normalized(Quat{r.w + 1, r.x, r.y, r.z});
      const Quat next = normalized(r * qa);
      double* out = c->q.data() + first;
      out[0] = next.w, out[1] = next.x, out[2] = next.y, out[3] = next.z;
      first += 4;
    }
    for (int k = first; k < link.q_start + link.nq; ++k) {
      c->q[k] = a.q[k] + s * (a.q[k] - b.q[k]);
    }
  }
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/cenic_integrator.h"

#include <algorithm>

namespace cenic {

CenicIntegrator::CenicIntegrator(std::shared_ptr<const Model> model,
                                 const IntegratorOptions& options)
    : ConvexIntegrator(std::move(model), options), full_(next_), half_(next_) {
  changed_.resize(model_->trees.size());
}

// The three solves.
Integrator::Trial CenicIntegrator::try_step(const State& state, double h, bool fresh) {
  const RotationUpdate update = options_.rotation_update();
  begin_try(state, h, fresh);
  if (options_.fixed_step > 0) {
    std::ranges::copy(state.v, next_.v.begin());
    if (!solve(first_.get(), {.h = h}, next_.v)) return trial_;
    integrate_positions(*model_, state.q, next_.v, h, update, next_.q);
    return trial_;
  }
  std::ranges::copy(state.v, full_.v.begin());
  if (!solve_and_sign(first_.get(), {.h = h}, full_.v, &full_signatures_)) return trial_;
  integrate_positions(*model_, state.q, full_.v, h, update, full_.q);

  // Extrapolation needs rigid constraints to be equally stiff in all three solves.
  const StepForm half{.h = h / 2, .rigid_h = options_.extrapolate ? h : 0};
  for (int i = 0; i < model_->nv; ++i) {
    half_.v[i] = 0.5 * (state.v[i] + full_.v[i]);
  }
  if (!solve_and_sign(first_.get(), half, half_.v, &half_signatures_)) return trial_;
  integrate_positions(*model_, state.q, half_.v, h / 2, update, half_.q);

  build(second_.get(), state.t + h / 2, half_.q, half_.v, h / 2);
  if (options_.extrapolate) second_->continue_constraints(*first_, h / 2);
  std::ranges::copy(full_.v, next_.v.begin());
  if (!solve_and_sign(second_.get(), half, next_.v, &end_signatures_)) return trial_;
  integrate_positions(*model_, half_.q, next_.v, h / 2, update, next_.q);
  trial_.error = measure_.calc(full_.q, next_.q, full_.v, next_.v);
  return trial_;
}

bool CenicIntegrator::solve_and_sign(StepDynamics* dynamics, const StepForm& form,
                                     std::span<double> v, Signatures* signatures) {
  if (!solve(dynamics, form, v)) return false;
  if (options_.extrapolate) dynamics->calc_contact_signatures(signatures);
  return true;
}

// Extrapolates the islands of both contact sets together; one changed tree spoils its island.
void CenicIntegrator::finish_step() {
  if (options_.fixed_step > 0 || !options_.extrapolate) return;
  const int n = static_cast<int>(model_->trees.size());
  coupled_.reset(n);
  for (const StepDynamics* dynamics : {first_.get(), second_.get()}) {
    const ConvexProblem& problem = dynamics->problem();
    for (const auto* couplings : {&problem.patches, &problem.groups}) {
      for (const ConvexProblem::Patch& patch : *couplings) {
        if (patch.tree[1] >= 0) coupled_.unite(patch.tree[0], patch.tree[1]);
      }
    }
  }
  std::ranges::fill(changed_, 0);
  for (int i = 0; i < n; ++i) {
    const bool same =
        full_signatures_[i] == half_signatures_[i] && half_signatures_[i] == end_signatures_[i];
    if (!same) changed_[coupled_.find(i)] = 1;
  }
  for (int i = 0; i < n; ++i) {
    if (changed_[coupled_.find(i)] == 0) extrapolate_tree(model_->trees[i]);
  }
}

// v ← 2 v − v̂; q ← q ⊕ (q ⊖ q̂), rotations by the relative quaternion.
void CenicIntegrator::extrapolate_tree(const Tree& tree) {
  for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
    next_.v[i] = 2 * next_.v[i] - full_.v[i];
  }
  for (int i = tree.link_begin; i < tree.link_end; ++i) {
    const Link& link = model_->links[i];
    int first = link.q_start;
    if (link.kind == MobilizerKind::kBall || link.kind == MobilizerKind::kFree) {
      double* q = next_.q.data() + first;
      const double* p = full_.q.data() + first;
      const Quat end{q[0], q[1], q[2], q[3]}, full{p[0], p[1], p[2], p[3]};
      const Quat next = normalized((end * conjugate(full)) * end);
      q[0] = next.w, q[1] = next.x, q[2] = next.y, q[3] = next.z;
      first += 4;
    }
    for (int k = first; k < link.q_start + link.nq; ++k) {
      next_.q[k] = 2 * next_.q[k] - full_.q[k];
    }
  }
}

}  // namespace cenic

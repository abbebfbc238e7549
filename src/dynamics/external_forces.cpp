// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The laws of the external systems over a step, τ = c − G v and z = zb + w + Z v, and their states
// at its end. What of G the convex problem takes is in external_gains.cpp.
#include "dynamics/external_forces.h"

#include <algorithm>
#include <cmath>

#include "math/dense_lu.h"

namespace cenic {
namespace {

// A limited effort that was at its limit counts as within it again below this share.
constexpr double kWithin = 0.95;

}  // namespace

const char* to_string(ExternalTreatment treatment) {
  switch (treatment) {
    case ExternalTreatment::kImplicit:
      return "implicit";
    case ExternalTreatment::kDiagonal:
      return "diagonal";
    case ExternalTreatment::kExplicit:
      return "explicit";
  }
  return "";
}

ExternalForces::ExternalForces(const Model& model)
    : model_(model), evaluator_(model), steps_(model.system_groups.size()) {
  if (empty()) return;
  vb_.resize(model.nv);
  zb_.resize(model.nz);
  tau_.resize(model.nv);
  v_end_.resize(model.nv);
  joinable_.assign(model.limited_efforts.size(), 0);
  within_.assign(model.limited_efforts.size(), 1);
  std::size_t largest_nz = 0, largest_nd = 0, largest_block = 0;
  for (std::size_t g = 0; g < steps_.size(); ++g) {
    const SystemGroup& group = model.system_groups[g];
    GroupStep& step = steps_[g];
    const std::size_t nd = group.dofs.size(), nz = group.states.size(),
                      forces = group.driven.size() + group.limited.size();
    step.Z.assign(nz * nd, 0.0);
    step.w.assign(nz, 0.0);
    step.G.assign(forces * nd, 0.0);
    step.c.assign(forces, 0.0);
    step.plain.assign(forces, 0.0);
    step.implicit.assign(group.driven.size(), 0);
    const auto add = [&](int velocity, std::size_t row) {
      const auto dof = std::ranges::lower_bound(group.dofs, velocity);
      if (dof == group.dofs.end() || *dof != velocity) return false;
      const int tree = model.links[model.dof_link[velocity]].tree;
      if (step.blocks.empty() || step.blocks.back().tree != tree) {
        step.blocks.emplace_back().tree = tree;
      }
      Block& block = step.blocks.back();
      block.row.push_back(static_cast<int>(row));
      block.dof.push_back(static_cast<int>(dof - group.dofs.begin()));
      block.local.push_back(velocity - model.trees[tree].v_start);
      return true;
    };
    for (std::size_t i = 0; i < group.driven.size(); ++i) {
      add(group.driven[i], i);
    }
    for (std::size_t l = 0; l < group.limited.size() && group.driven.empty(); ++l) {
      const auto velocity = [&](std::size_t k) {
        return model.limited_efforts[group.limited[k]].velocity;
      };
      const bool shared = (l > 0 && velocity(l - 1) == velocity(l)) ||
                          (l + 1 < group.limited.size() && velocity(l + 1) == velocity(l));
      if (!shared && add(velocity(l), l)) joinable_[group.limited[l]] = 1;
    }
    for (Block& block : step.blocks) {
      const std::size_t n = block.local.size();
      gained_trees_.push_back(block.tree);
      block.gain.resize(n * n);
      largest_block = std::max(largest_block, n);
    }
    for (std::size_t a = 0; a < step.blocks.size() && !group.driven.empty(); ++a) {
      for (std::size_t b = a + 1; b < step.blocks.size(); ++b) {
        const std::size_t n = step.blocks[a].local.size() + step.blocks[b].local.size();
        Pair& pair = step.pairs.emplace_back();
        pair.block[0] = static_cast<int>(a);
        pair.block[1] = static_cast<int>(b);
        pair.n = static_cast<int>(n);
        pair.R.resize(n * n);
        largest_block = std::max(largest_block, n);
      }
    }
    largest_nz = std::max(largest_nz, nz);
    largest_nd = std::max(largest_nd, nd);
  }
  S_.resize(largest_nz * largest_nz);
  X_.resize(largest_nz * (largest_nd + 1));
  gain_.resize(largest_block * largest_block);
  factor_.resize(gain_.size());
  joined_ = joinable_;
}

std::vector<ConvexProblem::EffortDof> ExternalForces::make_effort_dofs() const {
  std::vector<ConvexProblem::EffortDof> dofs;
  for (const LimitedEffort& e : model_.limited_efforts) {
    const int tree = model_.links[model_.dof_link[e.velocity]].tree;
    dofs.push_back({tree, e.velocity - model_.trees[tree].v_start, e.limit});
  }
  return dofs;
}

void ExternalForces::attach(ConvexProblem* problem) const {
  if (!empty()) problem->set_external(gained_trees_);
}

void ExternalForces::build(const State& state, const Kinematics& kin, double horizon,
                           ExternalTreatment treatment) {
  if (empty()) return;
  treatment_ = treatment;
  at_end_ = false;
  t_ = evaluated_at_ = state.t;
  beta_.clear();
  e_.clear();
  std::ranges::copy(state.v, vb_.begin());
  std::ranges::copy(state.z, zb_.begin());
  evaluator_.set_state(state, kin);
  const bool ok = evaluator_.evaluate(t_) &&
                  (treatment == ExternalTreatment::kExplicit || evaluator_.linearize(t_));
  fault_ = {};
  build_fault_ = ok ? SystemFault{} : evaluator_.fault();
  for (std::size_t l = 0; l < joined_.size(); ++l) {
    joined_[l] = joinable_[l] != 0 && within_[l] != 0 ? 1 : 0;
  }
  set_form(horizon);
  for (int g = 0; g < static_cast<int>(steps_.size()); ++g) {
    for (Pair& pair : steps_[g].pairs) {
      pair.coupled = false;
    }
    if (steps_[g].pairs.empty() || !ok || treatment != ExternalTreatment::kImplicit) continue;
    update_law(g);
    find_couplings(g);
  }
}

void ExternalForces::average_with(ExternalForces* start, double h, std::span<double> f0) {
  if (empty()) return;
  at_end_ = true;
  // The first solve evaluated the systems at its end.
  if (start->evaluated_at_ != start->t_ && !start->evaluator_.evaluate(start->t_)) {
    build_fault_ = start->evaluator_.fault();
    return;
  }
  start->evaluated_at_ = start->t_;
  std::ranges::fill(tau_, 0.0);
  start->evaluator_.add_forces(tau_);
  for (int i = 0; i < model_.nv; ++i) {
    f0[i] -= 0.5 * tau_[i];
  }
  // q = q0 + ½ h (v0 + v) and z = z0 + ½ h (ż0 + ż), seen from the end of the full step.
  beta_.resize(model_.nv);
  for (int i = 0; i < model_.nv; ++i) {
    beta_[i] = 0.5 * h * start->vb_[i] - h * vb_[i];
  }
  e_.resize(model_.nz);
  for (int i = 0; i < model_.nz; ++i) {
    e_[i] = start->zb_[i] - zb_[i] + 0.5 * h * start->evaluator_.zdot()[i];
  }
}

bool ExternalForces::set_step(double h, ConvexProblem* problem) {
  if (empty()) return true;
  fault_ = {};
  if (build_fault_.kind != SystemFault::Kind::kNone) return false;
  const bool explicitly = treatment_ == ExternalTreatment::kExplicit;
  const double t = at_end_ || explicitly ? t_ : t_ + h;
  const bool timed = std::ranges::any_of(model_.system_groups, &SystemGroup::depends_on_time);
  if (timed && t != evaluated_at_) {
    evaluated_at_ = NAN;  // until it is
    if (!evaluator_.evaluate(t)) {
      fault_ = evaluator_.fault();
      return false;
    }
    evaluated_at_ = t;
  }
  set_form(h);
  std::ranges::fill(problem->external_force, 0.0);
  for (const int tree : gained_trees_) {
    const auto& block = problem->trees[tree];
    std::fill_n(problem->external_gain.begin() + block.matrix_offset, block.ld * block.n, 0.0);
  }
  for (int g = 0; g < static_cast<int>(steps_.size()); ++g) {
    if (model_.system_groups[g].passive()) continue;
    update_law(g);
    write_driven(g, problem);
    write_limited(g, problem);
  }
  std::ranges::fill(tau_, 0.0);
  evaluator_.add_held_forces(tau_);
  for (const System& s : model_.systems) {
    if (s.period == 0) continue;
    // Their limits are in tau already.
    for (const System::Effort& e : s.efforts) {
      if (e.limited >= 0) problem->effort_dofs[e.limited].b = problem->effort_dofs[e.limited].c = 0;
    }
  }
  for (std::size_t t_index = 0; t_index < model_.trees.size(); ++t_index) {
    const auto& block = problem->trees[t_index];
    for (int i = 0; i < block.n; ++i) {
      problem->external_force[block.offset + i] += tau_[model_.trees[t_index].v_start + i];
    }
  }
  return true;
}

void ExternalForces::update_law(int g) {
  solve_states(g);
  set_law(g);
}

// Z and w of a group: (1 − γ H_z)⁻¹ applied to γ (H_v + α H_q) and to what does not depend on v.
void ExternalForces::solve_states(int g) {
  const SystemGroup& spec = model_.system_groups[g];
  const SystemEvaluator::Group& group = evaluator_.groups()[g];
  GroupStep& step = steps_[g];
  const int nd = group.nd, nz = group.nz;
  const bool explicitly = treatment_ == ExternalTreatment::kExplicit;
  if (explicitly) {
    std::ranges::fill(step.Z, 0.0);
    for (int i = 0; i < nz; ++i) {
      step.w[i] = gamma_ * group.value[i] + (e_.empty() ? 0 : e_[spec.states[i]]);
    }
    return;
  }
  const int m = nd + 1;
  for (int i = 0; i < nz; ++i) {
    const double* H = group.row(i);
    double rest = group.value[i];
    for (int d = 0; d < nd; ++d) {
      const int v = spec.dofs[d];
      X_[m * i + d] = gamma_ * (H[nd + d] + alpha_ * H[d]);
      rest -= H[nd + d] * vb_[v];
      if (!beta_.empty()) rest += H[d] * beta_[v];
    }
    X_[m * i + nd] = gamma_ * rest + (e_.empty() ? 0 : e_[spec.states[i]]);
    for (int j = 0; j < nz; ++j) {
      S_[nz * i + j] = (i == j ? 1 : 0) - gamma_ * H[2 * nd + j];
    }
  }
  // Where 1 − γ H_z is singular z grows beyond all bounds within the step: not finite, the step is
  // rejected.
  if (!solve_dense(nz, S_.data(), m, X_.data())) std::fill_n(X_.begin(), nz * m, NAN);
  for (int i = 0; i < nz; ++i) {
    std::copy_n(X_.begin() + m * i, nd, step.Z.begin() + nd * i);
    step.w[i] = X_[m * i + nd];
  }
}

// τ = c − G v of all forces of a group.
void ExternalForces::set_law(int g) {
  const SystemGroup& spec = model_.system_groups[g];
  const SystemEvaluator::Group& group = evaluator_.groups()[g];
  GroupStep& step = steps_[g];
  const int nd = group.nd, nz = group.nz;
  for (int r = 0; r < group.driven + group.limited; ++r) {
    double* G = step.G.data() + nd * r;
    double& c = step.c[r];
    c = step.plain[r] = group.value[nz + r];
    if (treatment_ == ExternalTreatment::kExplicit) {
      std::fill_n(G, nd, 0.0);
      continue;
    }
    const double* T = group.row(nz + r);
    for (int d = 0; d < nd; ++d) {
      const int v = spec.dofs[d];
      G[d] = -(T[nd + d] + alpha_ * T[d]);
      c -= T[nd + d] * vb_[v];
      if (!beta_.empty()) c += T[d] * beta_[v];
    }
    for (int i = 0; i < nz; ++i) {
      const double slope = T[2 * nd + i];
      if (slope == 0) continue;
      c += slope * step.w[i];
      step.plain[r] += slope * step.w[i];
      for (int d = 0; d < nd; ++d) {
        G[d] -= slope * step.Z[nd * i + d];
        step.plain[r] += slope * step.Z[nd * i + d] * vb_[spec.dofs[d]];
      }
    }
  }
}

void ExternalForces::advance(const ConvexProblem& problem, std::span<const double> v,
                             std::span<double> z) {
  if (empty()) return;
  for (std::size_t l = 0; l < within_.size(); ++l) {
    const double y =
        problem.effort_dofs[l].b - problem.effort_dofs[l].c * v[model_.limited_efforts[l].velocity];
    within_[l] = std::abs(y) < kWithin * model_.limited_efforts[l].limit ? 1 : 0;
  }
  std::ranges::copy(v, v_end_.begin());
  std::ranges::copy(zb_, z.begin());
  for (std::size_t g = 0; g < steps_.size(); ++g) {
    const SystemGroup& spec = model_.system_groups[g];
    const GroupStep& step = steps_[g];
    const std::size_t nd = spec.dofs.size();
    for (std::size_t i = 0; i < spec.states.size(); ++i) {
      double dz = step.w[i];
      for (std::size_t d = 0; d < nd; ++d) {
        dz += step.Z[nd * i + d] * v[spec.dofs[d]];
      }
      z[spec.states[i]] += dz;
    }
  }
}

}  // namespace cenic

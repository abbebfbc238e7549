// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "dynamics/external_forces.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "convex/effort_law.h"
#include "math/dense_cholesky.h"
#include "math/dense_lu.h"
#include "math/symmetric_eigen.h"

namespace cenic {
namespace {

// A matrix is semi-definite when this share of its largest diagonal entry makes it definite.
constexpr double kSemiDefinite = 1e-9;
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

int ExternalForces::padded(const ConvexProblem& problem, int velocity) const {
  const int tree = model_.links[model_.dof_link[velocity]].tree;
  return problem.trees[tree].offset + velocity - model_.trees[tree].v_start;
}

void ExternalForces::build(const State& state, double horizon, ExternalTreatment treatment) {
  if (empty()) return;
  treatment_ = treatment;
  at_end_ = false;
  t_ = evaluated_at_ = state.t;
  beta_.clear();
  e_.clear();
  std::ranges::copy(state.v, vb_.begin());
  std::ranges::copy(state.z, zb_.begin());
  evaluator_.set_state(state);
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

// ½ (G + Gᵀ) at velocity i of block a and j of block b.
double ExternalForces::symmetric_part(const GroupStep& step, int nd, const Block& a, int i,
                                      const Block& b, int j) const {
  return 0.5 * (step.G[nd * a.row[i] + b.dof[j]] + step.G[nd * b.row[j] + a.dof[i]]);
}

double ExternalForces::calc_coupling(const GroupStep& step, int nd, const Pair& pair) const {
  const Block &a = step.blocks[pair.block[0]], &b = step.blocks[pair.block[1]];
  double sum = 0;
  for (int i = 0; i < static_cast<int>(a.local.size()); ++i) {
    for (int j = 0; j < static_cast<int>(b.local.size()); ++j) {
      const double x = symmetric_part(step, nd, a, i, b, j);
      sum += x * x;
    }
  }
  return std::sqrt(sum);
}

// Which blocks of a group need rows between them.
void ExternalForces::find_couplings(int g) {
  GroupStep& step = steps_[g];
  const int nd = static_cast<int>(model_.system_groups[g].dofs.size());
  for (Pair& pair : step.pairs) {
    pair.coupled = calc_coupling(step, nd, pair) > 0;
  }
}

// R with Rᵀ R the positive part of the pair's share of the symmetric part of G.
void ExternalForces::factor_pair(const GroupStep& step, int nd, Pair* pair) {
  const Block &a = step.blocks[pair->block[0]], &b = step.blocks[pair->block[1]];
  const int n0 = static_cast<int>(a.local.size()), n = pair->n;
  const double coupling = calc_coupling(step, nd, *pair);
  const double share_a = a.coupling > 0 ? coupling / a.coupling : 0,
               share_b = b.coupling > 0 ? coupling / b.coupling : 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const Block &row = i < n0 ? a : b, &column = j < n0 ? a : b;
      const double share = &row != &column ? 1 : i < n0 ? share_a : share_b;
      gain_[n * i + j] =
          share * symmetric_part(step, nd, row, i < n0 ? i : i - n0, column, j < n0 ? j : j - n0);
    }
  }
  std::copy_n(gain_.begin(), n * n, factor_.begin());
  const int rank = factor_semidefinite(n, factor_.data(), kSemiDefinite, pair->R.data());
  if (rank >= 0) {
    std::fill_n(pair->R.begin() + n * rank, n * (n - rank), 0.0);
  } else {
    factor_positive_part(n, gain_.data(), pair->R.data());
  }
}

void ExternalForces::add_groups(ConvexProblem* problem) {
  for (GroupStep& step : steps_) {
    for (Pair& pair : step.pairs) {
      if (!pair.coupled) continue;
      pair.first_row = static_cast<int>(problem->row_inputs.size());
      problem->add_group(step.blocks[pair.block[0]].tree, step.blocks[pair.block[1]].tree);
      for (int r = 0; r < pair.n; ++r) {
        problem->add_row({.inverse_mass = 1, .stiffness = 0, .damping = 1});
      }
    }
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

// C over the active entries of the block: the positive part of the symmetric part of G, or the
// diagonal if that is asked for (false).
bool ExternalForces::choose_gains(const GroupStep& step, int nd, Block* block) {
  const int n = static_cast<int>(block->active.size());
  std::vector<double>& C = block->gain;
  const auto S = [&](int i, int j) {
    return symmetric_part(step, nd, *block, block->active[i], *block, block->active[j]);
  };
  if (treatment_ != ExternalTreatment::kImplicit) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        C[n * i + j] = i == j ? std::max(0.0, S(i, i)) : 0;
      }
    }
    return false;
  }
  double largest = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      C[n * i + j] = S(i, j);
    }
    largest = std::max(largest, C[n * i + i]);
  }
  std::copy_n(C.begin(), n * n, factor_.begin());
  for (int i = 0; i < n; ++i) {
    factor_[n * i + i] += kSemiDefinite * largest;
  }
  if (factor_cholesky(n, factor_.data())) return true;
  factor_positive_part(n, C.data(), gain_.data());
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      C[n * i + j] = 0;
      for (int k = 0; k < n; ++k) {
        C[n * i + j] += gain_[n * k + i] * gain_[n * k + j];
      }
    }
  }
  return true;
}

// The active entries of a block: C to the gains, C vb to the forces.
void ExternalForces::add_gains(const SystemGroup& spec, const Block& block,
                               ConvexProblem* problem) const {
  const auto& t = problem->trees[block.tree];
  const int n = static_cast<int>(block.active.size());
  for (int i = 0; i < n; ++i) {
    const int row = block.local[block.active[i]];
    for (int j = 0; j < n; ++j) {
      const double C = block.gain[n * i + j];
      const int entry = block.active[j];
      problem->external_gain[t.matrix_offset + t.ld * block.local[entry] + row] += C;
      problem->external_force[t.offset + row] += C * vb_[spec.dofs[block.dof[entry]]];
    }
  }
}

void ExternalForces::write_driven(int g, ConvexProblem* problem) {
  const SystemGroup& spec = model_.system_groups[g];
  GroupStep& step = steps_[g];
  if (spec.driven.empty()) {
    join_limited(g, problem);
    return;
  }
  const int nd = static_cast<int>(spec.dofs.size());
  std::ranges::fill(step.implicit, 0);
  for (Block& block : step.blocks) {
    block.coupling = 0;
  }
  for (const Pair& pair : step.pairs) {
    if (!pair.coupled) continue;
    for (const int b : pair.block) {
      step.blocks[b].coupling += calc_coupling(step, nd, pair);
    }
  }
  for (Pair& pair : step.pairs) {
    if (pair.coupled) write_pair(g, &pair, problem);
  }
  for (Block& block : step.blocks) {
    if (block.coupling > 0) continue;
    const int n = static_cast<int>(block.local.size());
    block.active.resize(n);
    std::iota(block.active.begin(), block.active.end(), 0);
    choose_gains(step, nd, &block);
    for (int i = 0; i < n; ++i) {
      step.implicit[block.row[i]] = block.gain[n * i + i] > 0 ? 1 : 0;
    }
    add_gains(spec, block, problem);
  }
  for (std::size_t r = 0; r < spec.driven.size(); ++r) {
    problem->external_force[padded(*problem, spec.driven[r])] +=
        step.implicit[r] != 0 ? calc_at_base(spec, step, r) : step.plain[r];
  }
}

// A potential on each velocity cannot hold the coupling between limited efforts. While none is at
// its limit there is no need for it: they are taken together like unlimited ones.
void ExternalForces::join_limited(int g, ConvexProblem* problem) {
  const SystemGroup& spec = model_.system_groups[g];
  GroupStep& step = steps_[g];
  for (Block& block : step.blocks) {
    block.active.clear();
    for (int i = 0; i < static_cast<int>(block.local.size()); ++i) {
      if (joined_[spec.limited[block.row[i]]] != 0) block.active.push_back(i);
    }
    if (!choose_gains(step, static_cast<int>(spec.dofs.size()), &block)) {
      for (const int i : block.active) {
        joined_[spec.limited[block.row[i]]] = 0;
      }
      block.active.clear();
    }
    add_gains(spec, block, problem);
    for (const int i : block.active) {
      problem->external_force[problem->trees[block.tree].offset + block.local[i]] +=
          calc_at_base(spec, step, block.row[i]);
    }
  }
}

bool ExternalForces::keeps_limits(std::span<const double> v) {
  bool kept = true;
  for (std::size_t g = 0; g < steps_.size(); ++g) {
    const SystemGroup& spec = model_.system_groups[g];
    if (!spec.driven.empty() || spec.limited.empty()) continue;
    for (const Block& block : steps_[g].blocks) {
      const int n = static_cast<int>(block.active.size());
      for (int i = 0; i < n; ++i) {
        const int row = block.row[block.active[i]], limited = spec.limited[row];
        double tau = calc_at_base(spec, steps_[g], row);
        for (int j = 0; j < n; ++j) {
          const int velocity = spec.dofs[block.dof[block.active[j]]];
          tau += block.gain[n * i + j] * (vb_[velocity] - v[velocity]);
        }
        if (std::abs(tau) <= model_.limited_efforts[limited].limit) continue;
        joined_[limited] = 0;
        kept = false;
      }
    }
  }
  return kept;
}

// body(R_r, R_r v) for each row of a pair.
template <class Body>
void ExternalForces::for_each_row(int g, const Pair& pair, std::span<const double> v,
                                  Body body) const {
  const GroupStep& step = steps_[g];
  for (int r = 0; r < pair.n; ++r) {
    const double* R = pair.R.data() + pair.n * r;
    double rate = 0;
    int at = 0;
    for (const int b : pair.block) {
      for (const int dof : step.blocks[b].dof) {
        rate += R[at++] * v[model_.system_groups[g].dofs[dof]];
      }
    }
    body(R, rate, r);
  }
}

// C of a pair to its rows, C vb = Rᵀ R vb to the forces.
void ExternalForces::write_pair(int g, Pair* pair, ConvexProblem* problem) {
  GroupStep& step = steps_[g];
  factor_pair(step, static_cast<int>(model_.system_groups[g].dofs.size()), pair);
  for_each_row(g, *pair, vb_, [&](const double* R, double rate, int r) {
    for (int side = 0; side < 2; ++side) {
      const Block& block = step.blocks[pair->block[side]];
      double* row = problem->constraint_row(pair->first_row + r, side);
      double* force = problem->external_force.data() + problem->trees[block.tree].offset;
      for (std::size_t i = 0; i < block.local.size(); ++i, ++R) {
        if (*R != 0) step.implicit[block.row[i]] = 1;
        row[block.local[i]] = *R;
        force[block.local[i]] += *R * rate;
      }
    }
  });
}

// c − G vb.
double ExternalForces::calc_at_base(const SystemGroup& spec, const GroupStep& step,
                                    std::size_t row) const {
  double tau = step.c[row];
  for (std::size_t d = 0; d < spec.dofs.size(); ++d) {
    tau -= step.G[spec.dofs.size() * row + d] * vb_[spec.dofs[d]];
  }
  return tau;
}

void ExternalForces::write_limited(int g, ConvexProblem* problem) const {
  const SystemGroup& spec = model_.system_groups[g];
  const GroupStep& step = steps_[g];
  const int nd = static_cast<int>(spec.dofs.size());
  for (std::size_t l = 0; l < spec.limited.size(); ++l) {
    const std::size_t r = spec.driven.size() + l;
    const int velocity = model_.limited_efforts[spec.limited[l]].velocity;
    ConvexProblem::EffortDof& dof = problem->effort_dofs[spec.limited[l]];
    if (joined_[spec.limited[l]] != 0) {
      dof.b = dof.c = 0;
      continue;
    }
    const auto own = std::ranges::lower_bound(spec.dofs, velocity);
    const bool read = own != spec.dofs.end() && *own == velocity;
    dof.c = read ? std::max(0.0, step.G[nd * r + (own - spec.dofs.begin())]) : 0;
    dof.b = dof.c > 0 ? calc_at_base(spec, step, r) + dof.c * vb_[velocity] : step.plain[r];
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

int ExternalForces::calc_stage(const ConvexProblem& problem, int effort, double v) const {
  if (joined_[effort] != 0) return 0;
  const ConvexProblem::EffortDof& dof = problem.effort_dofs[effort];
  const double y = dof.b - dof.c * v;
  return y >= dof.limit ? 2 : y <= -dof.limit ? 3 : 1;
}

void ExternalForces::report_efforts(const ConvexProblem& problem, std::span<double> tau) const {
  std::ranges::fill(tau, 0.0);
  if (empty()) return;
  for (std::size_t t = 0; t < model_.trees.size(); ++t) {
    const auto& block = problem.trees[t];
    const int start = model_.trees[t].v_start;
    for (int i = 0; i < block.n; ++i) {
      tau[start + i] = problem.external_force[block.offset + i];
      for (int j = 0; j < block.n && block.gained; ++j) {
        tau[start + i] -=
            problem.external_gain[block.matrix_offset + block.ld * j + i] * v_end_[start + j];
      }
    }
  }
  for (std::size_t g = 0; g < steps_.size(); ++g) {
    for (const Pair& pair : steps_[g].pairs) {
      if (!pair.coupled) continue;
      for_each_row(static_cast<int>(g), pair, v_end_, [&](const double* R, double rate, int) {
        for (const int b : pair.block) {
          for (const int dof : steps_[g].blocks[b].dof) {
            tau[model_.system_groups[g].dofs[dof]] -= *R++ * rate;
          }
        }
      });
    }
  }
  for (std::size_t e = 0; e < problem.effort_dofs.size(); ++e) {
    const auto& dof = problem.effort_dofs[e];
    const int velocity = model_.limited_efforts[e].velocity;
    tau[velocity] += calc_effort(dof.b, dof.c, dof.limit, v_end_[velocity]);
  }
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// From τ = c − G v to the τ = b − C v of a convex problem: which part C of the gains is implicit,
// within a tree, between two trees, and of limited efforts; and the forces that were applied.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "convex/effort_law.h"
#include "dynamics/external_forces.h"
#include "math/dense_cholesky.h"
#include "math/symmetric_eigen.h"

namespace cenic {
namespace {

// A matrix is semi-definite when this share of its largest diagonal entry makes it definite.
constexpr double kSemiDefinite = 1e-9;

}  // namespace

int ExternalForces::padded(const ConvexProblem& problem, int velocity) const {
  const int tree = model_.links[model_.dof_link[velocity]].tree;
  return problem.trees[tree].offset + velocity - model_.trees[tree].v_start;
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

void ExternalForces::add_groups(ConvexProblem* problem) {
  for (GroupStep& step : steps_) {
    for (Pair& pair : step.pairs) {
      if (!pair.coupled) continue;
      pair.first_row = static_cast<int>(problem->row_inputs.size());
      problem->add_group(
          std::array{step.blocks[pair.block[0]].tree, step.blocks[pair.block[1]].tree});
      for (int r = 0; r < pair.n; ++r) {
        problem->add_row({.inverse_mass = 1, .stiffness = 0, .damping = 1});
      }
    }
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

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The loop: gradient, tests, direction, line search. Kernels are in assembly.cpp, the line search
// in line_search.cpp.
#include <algorithm>
#include <cmath>

#include "convex/contact_law.h"
#include "convex/solver_context.h"
#include "math/simd.h"

namespace cenic {
namespace {

constexpr double kLongStep = 0.1;  // s
constexpr double kFallen = 0.1;  // of the gradient, in a first step that is only just short enough
constexpr int kFetchedTrees = 8, kFetchedSlots = 16;
constexpr double kContracts = 0.5;  // and in a much shorter one

}  // namespace

const char* to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::kConverged:
      return "converged";
    case SolveStatus::kNotConverged:
      return "Newton's method did not converge";
    case SolveStatus::kNotFinite:
      return "a velocity or force is not finite";
    case SolveStatus::kNotPositiveDefinite:
      return "the Hessian is not positive definite";
    case SolveStatus::kBadForce:
      return "an external force is not finite";
  }
  return "";
}

void ConvexSolver::resize(const ConvexProblem& problem, int num_threads) {
  const std::size_t slots = problem.slot_input.size(), trees = problem.trees.size();
  for (Slots* s : {&velocity_, &impulse_, &applied_}) {
    for (AlignedVector<double>* x : {&s->n, &s->t1, &s->t2}) {
      x->resize(slots);
    }
  }
  for (std::vector<double>* x : {&row_velocity_, &row_direction_, &row_impulse_}) {
    x->resize(problem.row_inputs.size());
  }
  limit_impulse_.resize(problem.limit_dofs.size());
  effort_impulse_.resize(problem.effort_dofs.size());
  while (static_cast<int>(work_.size()) < num_threads) {
    Work& work = work_.emplace_back();
    for (int n = 1; n <= kSmall; ++n) {
      const std::vector<int> sizes(n, 6);
      std::vector<BlockEdge> pairs;
      for (int a = 0; a < n; ++a) {
        for (int b = a + 1; b < n; ++b) {
          pairs.push_back({a, b});
        }
      }
      work.small.emplace_back().set_pattern(sizes, pairs);
    }
  }
  if (factor_.size() != trees) {
    factor_.resize(trees);
    factor_valid_.assign(trees, 0);
  }
}

void ConvexSolver::exchange(Archive* archive) {
  (*archive)(&factor_valid_);
  factor_.resize(factor_valid_.size());
  for (std::size_t i = 0; i < factor_.size(); ++i) {
    if (factor_valid_[i] != 0) factor_[i].exchange(archive);
  }
}

SolveResult ConvexSolver::solve(const ConvexProblem& problem, const SolverOptions& options,
                                double accuracy, ThreadPool* pool, AlignedVector<double>* v) {
  resize(problem, pool->num_threads());
  double scale = 1;
  if (options.rule == ToleranceRule::kScaled) {
    double sum = 0;  // ‖D r‖², D = diag(M)^(−1/2)
    AlignedVector<double>& r_tree = work_.front().step.r;
    for (const int i : problem.active) {
      const auto& t = problem.trees[i];
      work_.front().step.make_room(t.ld, 0);
      problem.calc_tree_r(t, r_tree.data());
      for (int j = 0; j < t.n; ++j) {
        const double r = r_tree[j];
        sum += r * r / problem.M[t.matrix_offset + t.ld * j + j];
      }
    }
    scale = std::max(1.0, std::sqrt(sum));
  }
  const int n = static_cast<int>(problem.islands.size());
  results_.assign(n, {});
  pool->parallel_for(n, [&](int i, int worker) {
    const ConvexProblem::Island& island = problem.islands[i];
    Context c(problem, options, island, &work_[worker]);
    c.linear = island.patch_begin == island.patch_end &&
               island.friction_begin == island.friction_end && !island.one_sided;
    c.fixed_step = accuracy <= 0;
    if (options.rule == ToleranceRule::kScaled) {
      c.tolerance = (c.fixed_step ? 1e-8 : std::max(options.kappa * accuracy, 1e-8)) * scale;
      c.gradient_tolerance = c.tolerance;
    } else {
      c.tolerance = c.fixed_step ? 1e-10 : options.newton_fraction * accuracy;
      c.time = options.bound_velocities ? std::max(problem.h, 1.0) : problem.h;
      // An accepted guess leaves a velocity error behind at every step. Bounding h Δv alone would
      // let their sum stay finite as the steps shrink (accuracy ~ h²); hence the bound on Δv itself
      // below kLongStep.
      c.gradient_tolerance =
          options.gradient_fraction * c.tolerance * std::min(1.0, problem.h / kLongStep);
    }
    if (i + 1 < n) fetch(problem, problem.islands[i + 1]);
    results_[i] = solve_island(&c, v->data());
  });
  SolveResult total;
  for (const SolveResult& r : results_) {
    total += r;
  }
  return total;
}

// Asks for what the solve of an island reads first. Scenes that do not fit into the near caches are
// read from afar at each solve; it hides behind the solve of the island before.
void ConvexSolver::fetch(const ConvexProblem& problem, const ConvexProblem::Island& island) {
  const int trees = std::min(island.tree_end, island.tree_begin + kFetchedTrees);
  for (int i = island.tree_begin; i < trees; ++i) {
    fetch_tree(problem, problem.island_trees[i]);
  }
  const int slots = std::min(island.slot_end, island.slot_begin + kFetchedSlots);
  if (slots == island.slot_begin) return;
  for (int s = island.slot_begin; s < slots; ++s) {
    prefetch(&problem.inputs[s]);
  }
  const double* end = problem.rows(slots - 1, 0);
  for (const double* J = problem.rows(island.slot_begin, 0); J < end; J += kLanes) {
    prefetch(J);
  }
}

void ConvexSolver::fetch_tree(const ConvexProblem& problem, int tree) {
  const auto& t = problem.trees[tree];
  const double* M = problem.M.data() + t.matrix_offset;
  for (int k = 0; k < t.ld * t.n; k += kLanes) {
    prefetch(M + k);
  }
  for (const auto* x : {&problem.v0, &problem.f0, &problem.damping, &problem.stiffness,
                        &problem.error_weight, &problem.inverse_inertia}) {
    for (int row = 0; row < t.ld; row += kLanes) {
      prefetch(x->data() + t.offset + row);
    }
  }
}

SolveResult ConvexSolver::solve_island(Context* c, double* v) {
  c->result.tree = c->root;
  if (c->linear && c->options.rule == ToleranceRule::kErrorUnits && !c->options.dense) {
    solve_linear(c);
    finish_island(*c, v);
    c->timer.lap(Phase::kProblem);
    return c->result;
  }
  start_island(c, v);
  update_gradient(c);
  for (c->iteration = 0;; ++c->iteration) {
    if (gradient_is_small(c, c->gradient_tolerance)) break;
    if (c->result.status != SolveStatus::kConverged) break;
    if (c->iteration >= 1 && c->linear) break;  // exact up to roundoff
    if (c->options.rule == ToleranceRule::kScaled && c->iteration >= 1 && step_is_small(c)) break;
    if (c->iteration >= c->options.max_iterations) {
      c->result.status = SolveStatus::kNotConverged;
      break;
    }
    if (!update_direction(c)) break;
    c->timer.lap(Phase::kProblem);
    const double alpha = search_line(c);
    c->timer.lap(Phase::kLineSearch);
    advance(c, alpha);
    ++c->result.iterations;
    if (ends_here(c)) break;
  }
  finish_island(*c, v);
  c->timer.lap(Phase::kProblem);
  return c->result;
}

// Was the last step of Newton's method the last? If not, the gradient is that after it.
bool ConvexSolver::ends_here(Context* c) {
  bool small = c->options.rule == ToleranceRule::kErrorUnits && step_is_small(c);
  if (small && c->linearised) small = update_applied_impulses(*c);
  c->applied = small && c->linearised;
  if (small && c->iteration >= 1) {
    update_impulses(*c);
    update_row_impulses(*c);
    return true;
  }
  const double before = c->gradient_norm;
  update_gradient(c);
  if (!small) return false;
  // One step says nothing of the rate: out of sticking friction, where the Hessian is huge, it is
  // short however far the solution is. So the gradient must have fallen. Its fall Θ is the rate,
  // and Θ/(1 − Θ) ‖Δv‖ what is still missing: the shorter the step, the less it must fall.
  if (gradient_is_small(c, c->tolerance)) return true;
  const double theta = c->gradient_norm / before;
  const bool fell = theta <= kContracts &&
                    theta / (1 - theta) * c->step_norm <= kFallen / (1 - kFallen) * c->tolerance;
  c->applied = c->applied && fell;
  return fell;
}

// No contacts, friction or limits: (A + Gᵀ R⁻¹ G) v = r + Gᵀ R⁻¹ v̂ with the rows G of the
// constraints. The guess is not even looked at, so that a good one leaves no bias.
void ConvexSolver::solve_linear(Context* c) {
  Work& w = c->work;
  ++c->result.iterations;
  ++c->result.factorizations;
  c->problem.calc_island_step(c->island, &w.step);
  std::copy_n(w.step.r.begin(), c->padded_size(), w.v.begin());
  set_pattern(c);
  assemble_mass(c);
  add_row_targets(*c, w.v.data());
  add_row_curvature(c);
  const bool ok = c->factor->factorize();
  factor_valid_[c->root] = 0;  // of A alone: of no use once contacts come
  if (ok) c->factor->solve(w.offset, w.v.data());
  double sum = 0;
  for (int i = 0; i < c->num_trees(); ++i) {
    for (int j = 0; j < c->block(i).n; ++j) {
      sum += w.v[c->offset(i) + j];
    }
  }
  if (!std::isfinite(sum)) {
    c->result.status = SolveStatus::kNotFinite;
  } else if (!ok) {
    c->result.status = SolveStatus::kNotPositiveDefinite;
  }
  apply_rows(*c, w.v.data(), &row_velocity_);
  update_row_impulses(*c);
}

// Are we done, judged by the gradient? Also finds numbers that are not finite.
bool ConvexSolver::gradient_is_small(Context* c, double tolerance) {
  const ConvexProblem& problem = c->problem;
  const bool scaled = c->options.rule == ToleranceRule::kScaled;
  double norm = 0;  // ‖D g‖², or ‖S M⁻¹ g‖∞
  V8 largest = {}, zero = {};
  for (int i = 0; i < c->num_trees(); ++i) {
    const auto& t = c->block(i);
    for (int row = 0; row < t.ld; row += kLanes) {
      const V8 g = load8(&c->work.g[c->offset(i) + row]);
      zero += 0.0 * g;  // unless a number is not finite
      const V8 weight = load8(&problem.error_weight[t.offset + row]) *
                        load8(&problem.inverse_inertia[t.offset + row]);
      largest = max8(largest, abs8(g) * weight);
    }
    for (int j = 0; j < t.n && scaled; ++j) {
      const double g = c->work.g[c->offset(i) + j];
      norm += g * g / problem.M[t.matrix_offset + t.ld * j + j];
    }
  }
  if (sum(zero) != 0) {
    c->result.status = SolveStatus::kNotFinite;
    return false;
  }
  if (!scaled) norm = max(largest);
  c->gradient_norm = scaled ? std::sqrt(norm) : c->time * norm;
  return scaled ? c->gradient_norm < tolerance : c->gradient_norm <= tolerance;
}

// Are we done, judged by the last change of v? Θ estimates the rate, η‖Δv‖ what is still missing
// (Hairer & Wanner, IV.8). The reference runs this test before Θ is refreshed; kScaled keeps that
// order.
bool ConvexSolver::step_is_small(Context* c) {
  const auto update_rate = [c] {
    if (!(c->previous_step_norm > 0)) return;
    c->theta = std::clamp(c->step_norm / c->previous_step_norm, 0.0, 0.9999);
    c->eta = c->theta / (1 - c->theta);
    if (!c->options.reuse_hessian) return;
    c->stale = std::pow(c->theta, 10 - c->iteration) / (1 - c->theta) * c->step_norm > c->tolerance;
  };
  if (c->options.rule == ToleranceRule::kScaled) {
    const bool done = c->eta * c->step_norm < c->tolerance;
    update_rate();
    return done;
  }
  update_rate();
  // With an old Hessian a small step is not a small error: the first step alone proves nothing.
  if (c->options.reuse_hessian && c->iteration == 0 && c->result.factorizations == 0) return false;
  return c->eta * c->step_norm <= c->tolerance;
}

// Chooses the island's factorisation and tells it which trees are coupled.
void ConvexSolver::set_pattern(Context* c) {
  Work& w = c->work;
  const int n = c->num_trees();
  const bool free = std::ranges::all_of(w.size, [](int size) {
    return size == 6;
  });
  c->complete = n <= kSmall && free && !c->options.reuse_hessian && !c->options.dense;
  if (c->complete) {
    c->factor = &w.small[n - 1];
    return;
  }
  c->factor = &factor_[c->root];
  if (!c->options.reuse_hessian && c->room == nullptr) {
    c->room = &w.room;
    c->factor->swap_room(c->room);
  }
  const BlockEdge* edges = c->problem.edges.data();
  if (c->factor->set_pattern(w.size, {edges + c->island.edge_begin, edges + c->island.edge_end})) {
    factor_valid_[c->root] = 0;
  }
}

// p ← H⁻¹ p with a new factorisation, or the last one when it may be kept.
bool ConvexSolver::solve_for_direction(Context* c) {
  if (c->iteration == 0) set_pattern(c);
  const bool keep =
      c->options.reuse_hessian && factor_valid_[c->root] != 0 && !c->stale && !c->linear;
  c->linearised = !keep;
  if (!keep) {
    if (c->options.friction_majorant && c->iteration > 0) update_reversals(*c);
    update_weights(*c);
    assemble(c);
    c->timer.lap(Phase::kHessian);
    ++c->result.factorizations;
    factor_valid_[c->root] = 0;
    if (c->options.dense) return solve_dense(c);
    if (!c->factor->factorize()) return false;
    factor_valid_[c->root] = c->options.reuse_hessian ? 1 : 0;
  }
  c->factor->solve(c->work.offset, c->work.p.data());
  return true;
}

// p = −H⁻¹ g and what the line search needs of it.
bool ConvexSolver::update_direction(Context* c) {
  const ConvexProblem& problem = c->problem;
  Work& w = c->work;
  for (int k = 0; k < c->padded_size(); k += kLanes) {
    ref8(&w.p[k]) = -load8(&w.g[k]);
  }
  c->timer.lap(Phase::kProblem);
  if (!solve_for_direction(c)) {
    c->result.status = SolveStatus::kNotPositiveDefinite;
    return false;
  }
  c->timer.lap(Phase::kFactorization);

  c->slope0 = c->quadratic_slope = c->quadratic_curvature = 0;
  for (int i = 0; i < c->num_trees(); ++i) {
    const auto& t = c->block(i);
    const int at = c->offset(i);
    V8 slope0 = {}, slope = {}, curvature = {};
    for (int row = 0; row < t.ld; row += kLanes) {
      const V8 p = load8(&w.p[at + row]);
      V8 Ap = load8(&w.step.A_diagonal[at + row]) * p;
      for (int j = 0; j < t.n; ++j) {
        Ap += load8(problem.A(t) + t.ld * j + row) * w.p[at + j];
      }
      ref8(&w.Ap[at + row]) = Ap;
      slope0 += p * load8(&w.g[at + row]);
      slope += p * (load8(&w.Av[at + row]) - load8(&w.step.r[at + row]));
      curvature += p * Ap;
    }
    c->slope0 += sum(slope0);
    c->quadratic_slope += sum(slope);
    c->quadratic_curvature += sum(curvature);
  }
  apply_jacobian(*c, w.p.data(), &w.direction);
  apply_rows(*c, w.p.data(), &row_direction_);
  if (!std::isfinite(c->slope0)) {
    c->result.status = SolveStatus::kNotFinite;
    return false;
  }
  return true;
}

// v ← v + α p and everything that is linear in v.
void ConvexSolver::advance(Context* c, double alpha) {
  const ConvexProblem& problem = c->problem;
  double sum = 0;
  V8 largest = {};
  c->alpha = alpha;
  Work& w = c->work;
  for (int i = 0; i < c->num_trees(); ++i) {
    const auto& t = c->block(i);
    const int at = c->offset(i);
    for (int row = 0; row < t.ld; row += kLanes) {
      const V8 p = load8(&w.p[at + row]);
      ref8(&w.v[at + row]) += alpha * p;
      ref8(&w.Av[at + row]) += alpha * load8(&w.Ap[at + row]);
      largest = max8(largest, abs8(p) * load8(&problem.error_weight[t.offset + row]));
    }
    for (int j = 0; j < t.n && c->options.rule == ToleranceRule::kScaled; ++j) {
      const double dv = alpha * w.p[at + j];
      sum += dv * dv * problem.M[t.matrix_offset + t.ld * j + j];
    }
  }
  c->previous_step_norm = c->step_norm;
  // The whole Newton step: one that the line search cut short is no sign of convergence.
  c->step_norm =
      c->options.rule == ToleranceRule::kScaled ? std::sqrt(sum) : c->time * max(largest);
  for (int s = 0; s < c->num_slots(); s += kLanes) {
    ref8(&w.velocity.n[s]) += alpha * load8(&w.direction.n[s]);
    ref8(&w.velocity.t1[s]) += alpha * load8(&w.direction.t1[s]);
    ref8(&w.velocity.t2[s]) += alpha * load8(&w.direction.t2[s]);
  }
  for (int g = c->island.group_begin; g < c->island.group_end; ++g) {
    const ConvexProblem::Group& group = problem.groups[g];
    for (int r = group.first; r < group.first + group.count; ++r) {
      row_velocity_[r] += alpha * row_direction_[r];
    }
  }
}

}  // namespace cenic

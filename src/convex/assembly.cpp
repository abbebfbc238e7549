// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Kernels of the solver: contact velocities J x, gradient A v − r − Jᵀγ, Hessian A + Jᵀ G J.
#include <algorithm>
#include <cmath>

#include "convex/contact_law.h"
#include "convex/solver_context.h"
#include "math/simd.h"

namespace cenic {
namespace {

using Patch = ConvexProblem::Patch;

constexpr int kAhead = 8;               // trees
constexpr double kStaysReversed = 0.5;  // see update_reversals()

// Where the slots and trees of an island stand in its vectors.
struct Layout {
  int slot_begin;     // of the island in the problem
  const int* offset;  // of each tree
};

// J x of the slots of an island.
struct Target {
  double *n, *t1, *t2;
  void set(int s, const V4& u) const { n[s] = u[0], t1[s] = u[1], t2[s] = u[2]; }
};

// Contact velocities of a patch between trees of at most eight velocities each.
template <bool kTwo>
void apply_patch_8(const ConvexProblem& problem, const Layout& at, const Patch& patch,
                   const double* x, const Target& u) {
  const V8 x0 = load8(x + at.offset[patch.local[0]]);
  V8 x1 = {};
  if constexpr (kTwo) x1 = load8(x + at.offset[patch.local[1]]);
  for (int s = patch.first; s < patch.first + patch.count; ++s) {
    const double* J0 = problem.rows(s, 0);
    V8 a = load8(J0) * x0, b = load8(J0 + kLanes) * x0, c = load8(J0 + 2 * kLanes) * x0;
    if constexpr (kTwo) {
      const double* J1 = problem.rows(s, 1);
      a += load8(J1) * x1;
      b += load8(J1 + kLanes) * x1;
      c += load8(J1 + 2 * kLanes) * x1;
    }
    u.set(s - at.slot_begin, sum3(a, b, c));
  }
}

void apply_patch(const ConvexProblem& problem, const Layout& at, const Patch& patch,
                 const double* x, const Target& u) {
  for (int s = patch.first; s < patch.first + patch.count; ++s) {
    V8 a = {}, b = {}, c = {};
    for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
      const int ld = problem.trees[patch.tree[side]].ld;
      const double* J = problem.rows(s, side);
      for (int row = 0; row < ld; row += kLanes) {
        const V8 xs = load8(x + at.offset[patch.local[side]] + row);
        a += load8(J + row) * xs;
        b += load8(J + ld + row) * xs;
        c += load8(J + 2 * ld + row) * xs;
      }
    }
    u.set(s - at.slot_begin, sum3(a, b, c));
  }
}

// The same and assemble_patch() one number at a time: what the vector kernels are measured against.
[[gnu::optimize("no-tree-vectorize")]] void apply_patch_scalar(const ConvexProblem& problem,
                                                               const Layout& at, const Patch& patch,
                                                               const double* x, const Target& u) {
  for (int s = patch.first; s < patch.first + patch.count; ++s) {
    V4 sums = {};
    for (int d = 0; d < 3; ++d) {
      double sum = 0;
      for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
        const auto& t = problem.trees[patch.tree[side]];
        const double* J = problem.rows(s, side) + t.ld * d;
        for (int i = 0; i < t.n; ++i) {
          sum += J[i] * x[at.offset[patch.local[side]] + i];
        }
      }
      sums[d] = sum;
    }
    u.set(s - at.slot_begin, sums);
  }
}

// The two trees of a patch have at most eight velocities.
bool is_small(const ConvexProblem& problem, const Patch& patch) {
  return problem.trees[patch.tree[0]].ld == kLanes &&
         (patch.tree[1] < 0 || problem.trees[patch.tree[1]].ld == kLanes);
}

// Adds Jᵀ G J of the contacts of a patch between free bodies as outer products of the rows of J
// with the rows of G J: the sums stay in registers over the patch.
template <bool kTwo, class Weights, class Blocks>
void assemble_patch_6(const ConvexProblem& problem, int slot_begin, const Patch& patch,
                      const Weights& w, const Blocks& blocks) {
  constexpr int kN = 6;
  V8 H00[kN] = {}, H11[kN] = {}, H10[kN] = {};
  for (int s = patch.first - slot_begin; s < patch.first - slot_begin + patch.count; ++s) {
    if (w.n[s] == 0 && w.t11[s] == 0 && w.t22[s] == 0) continue;
    alignas(64) double GJ[2][3][kLanes];
    V8 J[2][3];
    for (int side = 0; side < (kTwo ? 2 : 1); ++side) {
      const double* rows = problem.rows(slot_begin + s, side);
      for (int d = 0; d < 3; ++d) {
        J[side][d] = load8(rows + kLanes * d);
      }
      ref8(GJ[side][0]) = J[side][0] * w.n[s];
      ref8(GJ[side][1]) = J[side][1] * w.t11[s] + J[side][2] * w.t12[s];
      ref8(GJ[side][2]) = J[side][1] * w.t12[s] + J[side][2] * w.t22[s];
    }
    for (int j = 0; j < kN; ++j) {
      H00[j] += J[0][0] * GJ[0][0][j] + J[0][1] * GJ[0][1][j] + J[0][2] * GJ[0][2][j];
    }
    if constexpr (kTwo) {
      const int rows = blocks.rows_are_0 ? 0 : 1;
      for (int j = 0; j < kN; ++j) {
        H11[j] += J[1][0] * GJ[1][0][j] + J[1][1] * GJ[1][1][j] + J[1][2] * GJ[1][2][j];
        const auto& G = GJ[1 - rows];
        H10[j] += J[rows][0] * G[0][j] + J[rows][1] * G[1][j] + J[rows][2] * G[2][j];
      }
    }
  }
  for (int j = 0; j < kN; ++j) {
    ref8(blocks.H00 + kLanes * j) += H00[j];
    if constexpr (kTwo) {
      ref8(blocks.H11 + kLanes * j) += H11[j];
      ref8(blocks.H10 + kLanes * j) += H10[j];
    }
  }
}

// The same for trees of any size: H += J_rowsᵀ G J_cols, straight into memory.
struct Rows {
  const double* J;
  const ConvexProblem::TreeBlock& tree;
};

template <class Weights>
void add_contact_block(const Weights& w, int s, const Rows& rows, const Rows& cols, double* H) {
  const int ld = rows.tree.ld, ldc = cols.tree.ld;
  for (int row = 0; row < ld; row += kLanes) {
    const V8 Jn = load8(rows.J + row), J1 = load8(rows.J + ld + row),
             J2 = load8(rows.J + 2 * ld + row);
    for (int j = 0; j < cols.tree.n; ++j) {
      const double cn = cols.J[j], c1 = cols.J[ldc + j], c2 = cols.J[2 * ldc + j];
      ref8(H + ld * j + row) += Jn * (w.n[s] * cn) + J1 * (w.t11[s] * c1 + w.t12[s] * c2) +
                                J2 * (w.t12[s] * c1 + w.t22[s] * c2);
    }
  }
}

template <class Weights>
[[gnu::optimize("no-tree-vectorize")]] void add_contact_block_scalar(const Weights& w, int s,
                                                                     const Rows& rows,
                                                                     const Rows& cols, double* H) {
  const int ld = rows.tree.ld, ldc = cols.tree.ld;
  for (int j = 0; j < cols.tree.n; ++j) {
    const double cn = w.n[s] * cols.J[j];
    const double c1 = w.t11[s] * cols.J[ldc + j] + w.t12[s] * cols.J[2 * ldc + j];
    const double c2 = w.t12[s] * cols.J[ldc + j] + w.t22[s] * cols.J[2 * ldc + j];
    for (int i = 0; i < rows.tree.n; ++i) {
      H[ld * j + i] += rows.J[i] * cn + rows.J[ld + i] * c1 + rows.J[2 * ld + i] * c2;
    }
  }
}

template <bool kScalar, class Weights, class Blocks>
void assemble_patch(const ConvexProblem& problem, int slot_begin, const Patch& patch,
                    const Weights& w, const Blocks& blocks) {
  const auto add = [&](int s, const Rows& rows, const Rows& cols, double* H) {
    if constexpr (kScalar) {
      add_contact_block_scalar(w, s, rows, cols, H);
    } else {
      add_contact_block(w, s, rows, cols, H);
    }
  };
  for (int s = patch.first - slot_begin; s < patch.first - slot_begin + patch.count; ++s) {
    if (w.n[s] == 0 && w.t11[s] == 0 && w.t22[s] == 0) continue;
    const Rows side0{problem.rows(slot_begin + s, 0), problem.trees[patch.tree[0]]};
    add(s, side0, side0, blocks.H00);
    if (patch.tree[1] < 0) continue;
    const Rows side1{problem.rows(slot_begin + s, 1), problem.trees[patch.tree[1]]};
    add(s, side1, side1, blocks.H11);
    add(s, blocks.rows_are_0 ? side0 : side1, blocks.rows_are_0 ? side1 : side0, blocks.H10);
  }
}

}  // namespace

void ConvexSolver::apply_jacobian(const Context& c, const double* x, Slots* result) {
  const Layout at{c.island.slot_begin, c.work.offset.data()};
  const Target u{result->n.data(), result->t1.data(), result->t2.data()};
  for (int i = c.island.patch_begin; i < c.island.patch_end; ++i) {
    const Patch& patch = c.problem.patches[i];
    if (!c.options.simd_assembly) {
      apply_patch_scalar(c.problem, at, patch, x, u);
    } else if (!is_small(c.problem, patch)) {
      apply_patch(c.problem, at, patch, x, u);
    } else if (patch.tree[1] >= 0) {
      apply_patch_8<true>(c.problem, at, patch, x, u);
    } else {
      apply_patch_8<false>(c.problem, at, patch, x, u);
    }
  }
}

// Sizes and places of the island's trees, and room for all that is about them.
void ConvexSolver::lay_out(Context* c) {
  Work& w = c->work;
  const int n = c->num_trees();
  w.offset.resize(n + 1);
  w.size.resize(n);
  w.offset[0] = 0;
  for (int i = 0; i < n; ++i) {
    const auto& t = c->block(i);
    w.size[i] = t.n;
    w.offset[i + 1] = w.offset[i] + t.ld;
  }
  w.step.make_room(c->padded_size(), c->num_slots());
  grow_to(c->padded_size(), {&w.v, &w.p, &w.g, &w.Av, &w.Ap});
  grow_to(c->num_slots(),
          {&w.velocity.n,   &w.velocity.t1, &w.velocity.t2, &w.direction.n, &w.direction.t1,
           &w.direction.t2, &w.impulse.n,   &w.impulse.t1,  &w.impulse.t2,  &w.applied.n,
           &w.applied.t1,   &w.applied.t2,  &w.trial.n,     &w.trial.t1,    &w.trial.t2,
           &w.weight.n,     &w.weight.t11,  &w.weight.t12,  &w.weight.t22,  &w.reverses});
}

void ConvexSolver::start_island(Context* c, const double* v) {
  const ConvexProblem& problem = c->problem;
  Work& w = c->work;
  problem.calc_island_step(c->island, &w.step);
  for (int i = 0; i < c->num_trees(); ++i) {
    if (i + kAhead < c->num_trees()) fetch_tree(problem, c->tree(i + kAhead));
    const auto& t = c->block(i);
    const int at = c->offset(i);
    for (int row = 0; row < t.ld; row += kLanes) {
      ref8(&w.v[at + row]) = load8(v + t.offset + row);
    }
    for (int row = 0; row < t.ld; row += kLanes) {
      V8 Av = load8(&w.step.A_diagonal[at + row]) * load8(&w.v[at + row]);
      for (int j = 0; j < t.n; ++j) {
        Av += load8(problem.A(t) + t.ld * j + row) * w.v[at + j];
      }
      ref8(&w.Av[at + row]) = Av;
    }
  }
  std::fill_n(w.reverses.begin(), c->num_slots(), 0.0);
  // Pads, at the end, have no rows: give them defined, harmless velocities.
  for (int s = c->num_slots(); s > 0 && problem.slot_input[c->island.slot_begin + s - 1] < 0; --s) {
    for (Slots* x : {&w.velocity, &w.direction, &w.trial}) {
      x->n[s - 1] = x->t1[s - 1] = x->t2[s - 1] = 0;
    }
  }
  apply_jacobian(*c, w.v.data(), &w.velocity);
  if (!problem.belt_t1.empty()) {
    for (int s = 0; s < c->num_slots(); ++s) {
      w.velocity.t1[s] += problem.belt_t1[c->island.slot_begin + s];
      w.velocity.t2[s] += problem.belt_t2[c->island.slot_begin + s];
    }
  }
  apply_rows(*c, w.v.data(), &row_velocity_);
}

// What is left of an island: its velocities, and those of its contacts and their impulses.
void ConvexSolver::finish_island(const Context& c, double* v) {
  const Work& w = c.work;
  for (int i = 0; i < c.num_trees(); ++i) {
    const auto& t = c.block(i);
    for (int row = 0; row < t.ld; row += kLanes) {
      ref8(v + t.offset + row) = load8(&w.v[c.offset(i) + row]);
    }
  }
  for (int s = 0; s < c.num_slots(); s += kLanes) {
    const int to = c.island.slot_begin + s;
    ref8(&velocity_.n[to]) = load8(&w.velocity.n[s]);
    ref8(&velocity_.t1[to]) = load8(&w.velocity.t1[s]);
    ref8(&velocity_.t2[to]) = load8(&w.velocity.t2[s]);
    ref8(&impulse_.n[to]) = load8(&w.impulse.n[s]);
    ref8(&impulse_.t1[to]) = load8(&w.impulse.t1[s]);
    ref8(&impulse_.t2[to]) = load8(&w.impulse.t2[s]);
    const Slots& applied = c.applied ? w.applied : w.impulse;
    ref8(&applied_.n[to]) = load8(&applied.n[s]);
    ref8(&applied_.t1[to]) = load8(&applied.t1[s]);
    ref8(&applied_.t2[to]) = load8(&applied.t2[s]);
  }
}

// γ at the current contact velocities.
void ConvexSolver::update_impulses(const Context& c) {
  Work& w = c.work;
  const ConvexProblem::IslandStep& law = w.step;
  const double *v_hat = law.v_hat.data(), *c0 = law.c0.data(), *c1 = law.c1.data();
  const double *m = law.m.data(), *v_r = law.v_r.data();
  const double *vn = w.velocity.n.data(), *vt1 = w.velocity.t1.data(), *vt2 = w.velocity.t2.data();
  double *gn = w.impulse.n.data(), *gt1 = w.impulse.t1.data(), *gt2 = w.impulse.t2.data();
  const int num_slots = c.num_slots();
#pragma omp simd
  for (int s = 0; s < num_slots; ++s) {
    const double x = std::max(0.0, v_hat[s] - vn[s]);
    const double f = -m[s] / std::sqrt(vt1[s] * vt1[s] + vt2[s] * vt2[s] + v_r[s] * v_r[s]);
    gn[s] = normal_impulse(c0[s], c1[s], x);
    gt1[s] = f * vt1[s];
    gt2[s] = f * vt2[s];
  }
}

// Before a step p: γ(v) − W J p with the Hessian W of the contacts. As H p = −g, Jᵀ γ is then
// A (v + p) − r, however far the laws are from it. The whole p, also when the line search took less
// of it: all of p is small when this is used, g need not be. False: a contact would pull, and so
// the laws are not what they are taken for. Where it is next to nothing it counts as none.
bool ConvexSolver::update_applied_impulses(const Context& c) {
  constexpr double kPull = 0.3;  // of the strongest push
  Work& work = c.work;
  const Weights& w = work.weight;
  const Slots &p = work.direction, &law = work.impulse;
  V8 push = {}, pull = {};
  const V8 zero = {};
  for (int s = 0; s < c.num_slots(); s += kLanes) {
    const V8 t1 = load8(&p.t1[s]), t2 = load8(&p.t2[s]), w12 = load8(&w.t12[s]);
    const V8 n = load8(&law.n[s]) - load8(&w.n[s]) * load8(&p.n[s]);
    push = max8(push, n);
    pull = max8(pull, -n);
    ref8(&work.applied.n[s]) = max8(n, zero);
    ref8(&work.applied.t1[s]) = load8(&law.t1[s]) - load8(&w.t11[s]) * t1 - w12 * t2;
    ref8(&work.applied.t2[s]) = load8(&law.t2[s]) - w12 * t1 - load8(&w.t22[s]) * t2;
  }
  return max(pull) <= kPull * max(push);
}

void ConvexSolver::update_gradient(Context* c) {
  const ConvexProblem& problem = c->problem;
  Work& w = c->work;
  for (int k = 0; k < c->padded_size(); k += kLanes) {
    ref8(&w.g[k]) = load8(&w.Av[k]) - load8(&w.step.r[k]);
  }
  update_impulses(*c);
  const int slot_begin = c->island.slot_begin;
  for (int i = c->island.patch_begin; i < c->island.patch_end; ++i) {
    const Patch& patch = problem.patches[i];
    for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
      const int ld = problem.trees[patch.tree[side]].ld;
      double* g_tree = &w.g[c->offset(patch.local[side])];
      for (int row = 0; row < ld; row += kLanes) {
        V8 g = load8(g_tree + row);
        for (int s = patch.first - slot_begin; s < patch.first - slot_begin + patch.count; ++s) {
          const double* J = problem.rows(slot_begin + s, side) + row;
          g -= load8(J) * w.impulse.n[s] + load8(J + ld) * w.impulse.t1[s] +
               load8(J + 2 * ld) * w.impulse.t2[s];
        }
        ref8(g_tree + row) = g;
      }
    }
  }
  add_constraint_gradient(*c);
}

// Marks the contacts whose slip would have reversed in the last direction.
//
// Of a contact that slips, friction has next to no curvature along its slip: the force is −m
// whatever the speed. Newton's method then steps far beyond the point where the slip reverses and
// the force with it; the line search stops at that kink, and the next iteration at the kink of the
// next contact. So a marked contact takes m/s 1 instead of m/s (1 − t tᵀ), the curvature of
//   m (|v|² + v_r²)/(2 s) + m s/2 ≥ m √(|v|² + v_r²),   s and t at the present v,
// a quadratic which touches the potential there, lies above it everywhere else, and is least at
// rest. The mark stays until a direction takes less than half of the slip, as all do in the end:
// the last iterations are Newton's.
void ConvexSolver::update_reversals(const Context& c) {
  Work& w = c.work;
  const double *vt1 = w.velocity.t1.data(), *vt2 = w.velocity.t2.data();
  const double *pt1 = w.direction.t1.data(), *pt2 = w.direction.t2.data();
  double* reverses = w.reverses.data();
  const int num_slots = c.num_slots();
#pragma omp simd
  for (int s = 0; s < num_slots; ++s) {
    // The slip (a, b) before the step was taken; the whole direction takes `taken` of |(a, b)|².
    const double a = vt1[s] - c.alpha * pt1[s], b = vt2[s] - c.alpha * pt2[s];
    const double taken = -(a * pt1[s] + b * pt2[s]), most = 1 - kStaysReversed * reverses[s];
    reverses[s] = taken > most * (a * a + b * b) ? 1.0 : 0.0;
  }
}

// Second derivatives of all contacts' potentials at the current contact velocities; for marked
// ones, of the majorant.
void ConvexSolver::update_weights(const Context& c) {
  Work& work = c.work;
  const ConvexProblem::IslandStep& law = work.step;
  const Slots& velocity = work.velocity;
  const double *v_hat = law.v_hat.data(), *c0 = law.c0.data(), *c1 = law.c1.data();
  const double *m = law.m.data(), *v_r = law.v_r.data(), *reverses = work.reverses.data();
  const double *vn = velocity.n.data(), *vt1 = velocity.t1.data(), *vt2 = velocity.t2.data();
  double *wn = work.weight.n.data(), *t11 = work.weight.t11.data();
  double *t12 = work.weight.t12.data(), *t22 = work.weight.t22.data();
  const int num_slots = c.num_slots();
#pragma omp simd
  for (int s = 0; s < num_slots; ++s) {
    wn[s] = normal_curvature(c0[s], c1[s], v_hat[s] - vn[s]);
    // ∇² of m(√(|v|² + v_r²) − v_r) = m/s (1 − t tᵀ), t = v/s, s = √(|v|² + v_r²)
    const double inverse = 1 / std::sqrt(vt1[s] * vt1[s] + vt2[s] * vt2[s] + v_r[s] * v_r[s]);
    const double u1 = vt1[s] * inverse, u2 = vt2[s] * inverse, w = m[s] * inverse;
    const double slips = w * (1 - reverses[s]);
    t11[s] = w - slips * u1 * u1;
    t12[s] = -slips * u1 * u2;
    t22[s] = w - slips * u2 * u2;
  }
}

// H ← A, or M alone, no couplings.
void ConvexSolver::assemble_mass(Context* c, bool whole) {
  c->factor->clear_couplings();
  for (int i = 0; i < c->num_trees(); ++i) {
    const auto& t = c->block(i);
    double* H = c->factor->diagonal(i);
    const double* M = c->problem.M.data() + t.matrix_offset;
    const double* A = whole ? c->problem.A(t) : M;
    for (int k = 0; k < t.ld * t.n; k += kLanes) {
      ref8(H + k) = load8(A + k);
    }
    for (int j = 0; j < t.n && whole; ++j) {
      H[t.ld * j + j] += c->work.step.A_diagonal[c->offset(i) + j];
    }
  }
}

ConvexSolver::Context::Blocks ConvexSolver::Context::blocks(
    const ConvexProblem::Patch& patch) const {
  Blocks H{.H00 = factor->diagonal(patch.local[0])};
  if (patch.tree[1] < 0) return H;
  H.H11 = factor->diagonal(patch.local[1]);
  // Edges of a complete pattern stand in the order (0,1), (0,2), …, (1,2), …
  const int a = patch.local[0], b = patch.local[1], n = num_trees();
  const int edge = complete ? a * n - a * (a + 1) / 2 + b - a - 1 : patch.edge;
  H.H10 = factor->coupling(edge);
  H.rows_are_0 = !factor->rows_are_b(edge);
  return H;
}

void ConvexSolver::assemble(Context* c) {
  const ConvexProblem& problem = c->problem;
  assemble_mass(c);
  for (int i = c->island.patch_begin; i < c->island.patch_end; ++i) {
    const Patch& patch = problem.patches[i];
    const bool two = patch.tree[1] >= 0;
    const Context::Blocks blocks = c->blocks(patch);
    const bool free =
        problem.trees[patch.tree[0]].n == 6 && (!two || problem.trees[patch.tree[1]].n == 6);
    if (!c->options.simd_assembly) {
      assemble_patch<true>(problem, c->island.slot_begin, patch, c->work.weight, blocks);
    } else if (free && two) {
      assemble_patch_6<true>(problem, c->island.slot_begin, patch, c->work.weight, blocks);
    } else if (free) {
      assemble_patch_6<false>(problem, c->island.slot_begin, patch, c->work.weight, blocks);
    } else {
      assemble_patch<false>(problem, c->island.slot_begin, patch, c->work.weight, blocks);
    }
  }
  add_constraint_curvature(c);
}

}  // namespace cenic

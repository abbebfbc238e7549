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

// Contact velocities of a patch between trees of at most eight velocities each.
template <bool kTwo>
void apply_patch_8(const ConvexProblem& problem, const Patch& patch, const double* x, double* n,
                   double* t1, double* t2) {
  const V8 x0 = load8(x + problem.trees[patch.tree[0]].offset);
  V8 x1 = {};
  if constexpr (kTwo) x1 = load8(x + problem.trees[patch.tree[1]].offset);
  for (int s = patch.first; s < patch.first + patch.count; ++s) {
    const double* J0 = problem.rows(s, 0);
    V8 a = load8(J0) * x0, b = load8(J0 + kLanes) * x0, c = load8(J0 + 2 * kLanes) * x0;
    if constexpr (kTwo) {
      const double* J1 = problem.rows(s, 1);
      a += load8(J1) * x1;
      b += load8(J1 + kLanes) * x1;
      c += load8(J1 + 2 * kLanes) * x1;
    }
    const V4 u = sum3(a, b, c);
    n[s] = u[0];
    t1[s] = u[1];
    t2[s] = u[2];
  }
}

void apply_patch(const ConvexProblem& problem, const Patch& patch, const double* x, double* n,
                 double* t1, double* t2) {
  for (int s = patch.first; s < patch.first + patch.count; ++s) {
    V8 a = {}, b = {}, c = {};
    for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
      const auto& t = problem.trees[patch.tree[side]];
      const double* J = problem.rows(s, side);
      for (int row = 0; row < t.ld; row += kLanes) {
        const V8 xs = load8(x + t.offset + row);
        a += load8(J + row) * xs;
        b += load8(J + t.ld + row) * xs;
        c += load8(J + 2 * t.ld + row) * xs;
      }
    }
    const V4 u = sum3(a, b, c);
    n[s] = u[0];
    t1[s] = u[1];
    t2[s] = u[2];
  }
}

// The same and assemble_patch() one number at a time: what the vector kernels are measured against.
[[gnu::optimize("no-tree-vectorize")]] void apply_patch_scalar(const ConvexProblem& problem,
                                                               const Patch& patch, const double* x,
                                                               double* n, double* t1, double* t2) {
  double* out[3] = {n, t1, t2};
  for (int s = patch.first; s < patch.first + patch.count; ++s) {
    for (int d = 0; d < 3; ++d) {
      double sum = 0;
      for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
        const auto& t = problem.trees[patch.tree[side]];
        const double* J = problem.rows(s, side) + t.ld * d;
        for (int i = 0; i < t.n; ++i) {
          sum += J[i] * x[t.offset + i];
        }
      }
      out[d][s] = sum;
    }
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
void assemble_patch_6(const ConvexProblem& problem, const Patch& patch, const Weights& w,
                      const Blocks& blocks) {
  constexpr int kN = 6;
  V8 H00[kN] = {}, H11[kN] = {}, H10[kN] = {};
  for (int s = patch.first; s < patch.first + patch.count; ++s) {
    if (w.n[s] == 0 && w.t11[s] == 0 && w.t22[s] == 0) continue;
    alignas(64) double GJ[2][3][kLanes];
    V8 J[2][3];
    for (int side = 0; side < (kTwo ? 2 : 1); ++side) {
      const double* rows = problem.rows(s, side);
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
void assemble_patch(const ConvexProblem& problem, const Patch& patch, const Weights& w,
                    const Blocks& blocks) {
  const auto add = [&](int s, const Rows& rows, const Rows& cols, double* H) {
    if constexpr (kScalar) {
      add_contact_block_scalar(w, s, rows, cols, H);
    } else {
      add_contact_block(w, s, rows, cols, H);
    }
  };
  for (int s = patch.first; s < patch.first + patch.count; ++s) {
    if (w.n[s] == 0 && w.t11[s] == 0 && w.t22[s] == 0) continue;
    const Rows side0{problem.rows(s, 0), problem.trees[patch.tree[0]]};
    add(s, side0, side0, blocks.H00);
    if (patch.tree[1] < 0) continue;
    const Rows side1{problem.rows(s, 1), problem.trees[patch.tree[1]]};
    add(s, side1, side1, blocks.H11);
    add(s, blocks.rows_are_0 ? side0 : side1, blocks.rows_are_0 ? side1 : side0, blocks.H10);
  }
}

}  // namespace

void ConvexSolver::apply_jacobian(const Context& c, const double* x, Slots* result) {
  for (int i = c.island.patch_begin; i < c.island.patch_end; ++i) {
    const Patch& patch = c.problem.patches[i];
    double *n = result->n.data(), *t1 = result->t1.data(), *t2 = result->t2.data();
    if (!c.options.simd_assembly) {
      apply_patch_scalar(c.problem, patch, x, n, t1, t2);
    } else if (!is_small(c.problem, patch)) {
      apply_patch(c.problem, patch, x, n, t1, t2);
    } else if (patch.tree[1] >= 0) {
      apply_patch_8<true>(c.problem, patch, x, n, t1, t2);
    } else {
      apply_patch_8<false>(c.problem, patch, x, n, t1, t2);
    }
  }
}

void ConvexSolver::start_island(Context* c) {
  const ConvexProblem& problem = c->problem;
  for (int i = 0; i < c->num_trees(); ++i) {
    if (i + kAhead < c->num_trees()) fetch_tree(problem, c->tree(i + kAhead));
    const auto& t = c->block(i);
    for (int row = 0; row < t.ld; row += kLanes) {
      V8 Av = load8(problem.A_diagonal.data() + t.offset + row) * load8(v_.data() + t.offset + row);
      for (int j = 0; j < t.n; ++j) {
        Av += load8(problem.A(t) + t.ld * j + row) * v_[t.offset + j];
      }
      ref8(Av_.data() + t.offset + row) = Av;
    }
  }
  std::fill(reverses_.begin() + c->island.slot_begin, reverses_.begin() + c->island.slot_end, 0.0);
  // Pads have no rows: give them defined, harmless velocities.
  for (int s = c->island.slot_begin; s < c->island.slot_end; ++s) {
    if (problem.slot_input[s] < 0) {
      for (Slots* x : {&velocity_, &direction_, &trial_}) {
        x->n[s] = x->t1[s] = x->t2[s] = 0;
      }
    }
  }
  apply_jacobian(*c, v_.data(), &velocity_);
  if (!problem.belt_t1.empty()) {
    for (int s = c->island.slot_begin; s < c->island.slot_end; ++s) {
      velocity_.t1[s] += problem.belt_t1[s];
      velocity_.t2[s] += problem.belt_t2[s];
    }
  }
  apply_rows(*c, v_.data(), &row_velocity_);
}

// γ at the current contact velocities.
void ConvexSolver::update_impulses(const Context& c) {
  const ConvexProblem::Slots& law = c.problem.slots;
  const double *v_hat = law.v_hat.data(), *c0 = law.c0.data(), *c1 = law.c1.data();
  const double *m = law.m.data(), *v_r = law.v_r.data();
  const double *vn = velocity_.n.data(), *vt1 = velocity_.t1.data(), *vt2 = velocity_.t2.data();
  double *gn = impulse_.n.data(), *gt1 = impulse_.t1.data(), *gt2 = impulse_.t2.data();
#pragma omp simd
  for (int s = c.island.slot_begin; s < c.island.slot_end; ++s) {
    const double x = std::max(0.0, v_hat[s] - vn[s]);
    const double f = -m[s] / std::sqrt(vt1[s] * vt1[s] + vt2[s] * vt2[s] + v_r[s] * v_r[s]);
    gn[s] = normal_impulse(c0[s], c1[s], x);
    gt1[s] = f * vt1[s];
    gt2[s] = f * vt2[s];
  }
}

void ConvexSolver::update_gradient(Context* c) {
  const ConvexProblem& problem = c->problem;
  for (int i = 0; i < c->num_trees(); ++i) {
    const auto& t = c->block(i);
    for (int row = 0; row < t.ld; row += kLanes) {
      ref8(g_.data() + t.offset + row) =
          load8(Av_.data() + t.offset + row) - load8(problem.r.data() + t.offset + row);
    }
  }
  update_impulses(*c);
  for (int i = c->island.patch_begin; i < c->island.patch_end; ++i) {
    const Patch& patch = problem.patches[i];
    for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
      const auto& t = problem.trees[patch.tree[side]];
      for (int row = 0; row < t.ld; row += kLanes) {
        V8 g = load8(g_.data() + t.offset + row);
        for (int s = patch.first; s < patch.first + patch.count; ++s) {
          const double* J = problem.rows(s, side) + row;
          g -= load8(J) * impulse_.n[s] + load8(J + t.ld) * impulse_.t1[s] +
               load8(J + 2 * t.ld) * impulse_.t2[s];
        }
        ref8(g_.data() + t.offset + row) = g;
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
  const double *vt1 = velocity_.t1.data(), *vt2 = velocity_.t2.data();
  const double *pt1 = direction_.t1.data(), *pt2 = direction_.t2.data();
  double* reverses = reverses_.data();
#pragma omp simd
  for (int s = c.island.slot_begin; s < c.island.slot_end; ++s) {
    // The slip (a, b) before the step was taken; the whole direction takes `taken` of |(a, b)|².
    const double a = vt1[s] - c.alpha * pt1[s], b = vt2[s] - c.alpha * pt2[s];
    const double taken = -(a * pt1[s] + b * pt2[s]), most = 1 - kStaysReversed * reverses[s];
    reverses[s] = taken > most * (a * a + b * b) ? 1.0 : 0.0;
  }
}

// Second derivatives of all contacts' potentials at the current contact velocities; for marked
// ones, of the majorant.
void ConvexSolver::update_weights(const Context& c) {
  const ConvexProblem::Slots& law = c.problem.slots;
  const double *v_hat = law.v_hat.data(), *c0 = law.c0.data(), *c1 = law.c1.data();
  const double *m = law.m.data(), *v_r = law.v_r.data(), *reverses = reverses_.data();
  const double *vn = velocity_.n.data(), *vt1 = velocity_.t1.data(), *vt2 = velocity_.t2.data();
  double *wn = weight_.n.data(), *t11 = weight_.t11.data();
  double *t12 = weight_.t12.data(), *t22 = weight_.t22.data();
#pragma omp simd
  for (int s = c.island.slot_begin; s < c.island.slot_end; ++s) {
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
      H[t.ld * j + j] += c->problem.A_diagonal[t.offset + j];
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
      assemble_patch<true>(problem, patch, weight_, blocks);
    } else if (free && two) {
      assemble_patch_6<true>(problem, patch, weight_, blocks);
    } else if (free) {
      assemble_patch_6<false>(problem, patch, weight_, blocks);
    } else {
      assemble_patch<false>(problem, patch, weight_, blocks);
    }
  }
  add_constraint_curvature(c);
}

}  // namespace cenic

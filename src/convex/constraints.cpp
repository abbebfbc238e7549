// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What acts on single velocities (dry friction, limits and actuators of joints) and on rows of
// constraints, in the gradient, the Hessian and the line search.
#include <algorithm>
#include <cmath>

#include "convex/contact_law.h"
#include "convex/effort_law.h"
#include "convex/solver_context.h"
#include "math/simd.h"

namespace cenic {
namespace {

using Group = ConvexProblem::Group;
using Patch = ConvexProblem::Patch;

// Σ over the row's trees of J · x. Vectors are those of an island, with its trees at `offset`.
double dot_row(const ConvexProblem& problem, const std::vector<int>& offset, const Group& group,
               int row, const double* x) {
  V8 sum8 = {};
  int side = 0;
  for (const auto& [tree, local] : problem.sides(group)) {
    const double* J = problem.constraint_row(row, side++);
    for (int i = 0; i < problem.trees[tree].ld; i += kLanes) {
      sum8 += load8(J + i) * load8(x + offset[local] + i);
    }
  }
  return sum(sum8);
}

// x += scale Jᵀ.
void add_row(const ConvexProblem& problem, const std::vector<int>& offset, const Group& group,
             int row, double scale, double* x) {
  int side = 0;
  for (const auto& [tree, local] : problem.sides(group)) {
    const double* J = problem.constraint_row(row, side++);
    for (int i = 0; i < problem.trees[tree].ld; i += kLanes) {
      ref8(x + offset[local] + i) += scale * load8(J + i);
    }
  }
}

// H += scale a bᵀ, H of a's leading dimension.
void add_outer(double scale, const double* a, int ld, const double* b, int n, double* H) {
  for (int j = 0; j < n; ++j) {
    if (b[j] == 0) continue;
    for (int i = 0; i < ld; i += kLanes) {
      ref8(H + ld * j + i) += (scale * b[j]) * load8(a + i);
    }
  }
}

template <class Body>
void for_each_row(const ConvexProblem& problem, const ConvexProblem::Island& island, Body body) {
  for (int g = island.group_begin; g < island.group_end; ++g) {
    const Group& group = problem.groups[g];
    for (int r = group.first; r < group.first + group.count; ++r) {
      body(group, r);
    }
  }
}

}  // namespace

void ConvexSolver::apply_rows(const Context& c, const double* x, std::vector<double>* result) {
  for_each_row(c.problem, c.island, [&](const Group& group, int r) {
    (*result)[r] = dot_row(c.problem, c.work.offset, group, r, x);
  });
}

// r += Gᵀ R⁻¹ v̂.
void ConvexSolver::add_row_targets(const Context& c, double* r) {
  for_each_row(c.problem, c.island, [&](const Group& group, int row) {
    const RowLaw& law = c.problem.row_laws[row];
    add_row(c.problem, c.work.offset, group, row, law.weight * law.v_hat, r);
  });
}

void ConvexSolver::update_row_impulses(const Context& c) {
  const ConvexProblem& problem = c.problem;
  for_each_row(problem, c.island, [&](const Group&, int r) {
    row_impulse_[r] =
        row_impulse(problem.row_laws[r], problem.row_inputs[r].one_sided, row_velocity_[r]);
  });
  for (int i = c.island.limit_begin; i < c.island.limit_end; ++i) {
    const int l = problem.island_limits[i];
    const auto& dof = problem.limit_dofs[l];
    const auto& law = problem.limit_laws[l];
    const double v = c.work.v[c.offset(dof.local) + dof.index];
    limit_impulse_[l] = row_impulse(law.lower, true, v) - row_impulse(law.upper, true, -v);
  }
  for (int i = c.island.effort_begin; i < c.island.effort_end; ++i) {
    const int e = problem.island_efforts[i];
    const auto& dof = problem.effort_dofs[e];
    const double v = c.work.v[c.offset(dof.local) + dof.index];
    effort_impulse_[e] = problem.share * problem.h * calc_effort(dof.b, dof.c, dof.limit, v);
  }
}

void ConvexSolver::add_constraint_gradient(const Context& c) {
  const ConvexProblem& problem = c.problem;
  update_row_impulses(c);
  for_each_row(problem, c.island, [&](const Group& group, int r) {
    add_row(problem, c.work.offset, group, r, -row_impulse_[r], c.work.g.data());
  });
  for (int i = c.island.limit_begin; i < c.island.limit_end; ++i) {
    const int l = problem.island_limits[i];
    const auto& dof = problem.limit_dofs[l];
    c.work.g[c.offset(dof.local) + dof.index] -= limit_impulse_[l];
  }
  for (int i = c.island.effort_begin; i < c.island.effort_end; ++i) {
    const int e = problem.island_efforts[i];
    const auto& dof = problem.effort_dofs[e];
    c.work.g[c.offset(dof.local) + dof.index] -= effort_impulse_[e];
  }
  for (int i = c.island.friction_begin; i < c.island.friction_end; ++i) {
    const int f = problem.island_friction[i];
    const auto& dof = problem.friction_dofs[f];
    const int at = c.offset(dof.local) + dof.index;
    c.work.g[at] +=
        friction_slope(problem.friction_bound[f], c.work.v[at], problem.friction_v_r[f]);
  }
}

// H += Gᵀ diag(weights) G.
template <class RowWeights>
void ConvexSolver::add_row_curvature(Context* c, RowWeights weights) {
  const ConvexProblem& problem = c->problem;
  for_each_row(problem, c->island, [&](const Group& group, int r) {
    const double weight = weights(r);
    if (weight == 0) return;
    int side = 0;
    for (const auto& [tree, local] : problem.sides(group)) {
      const auto& t = problem.trees[tree];
      const double* J = problem.constraint_row(r, side++);
      add_outer(weight, J, t.ld, J, t.n, c->factor->diagonal(local));
    }
  });
  for (int k = c->island.coupling_begin; k < c->island.coupling_end; ++k) {
    const Patch& pair = problem.couplings[k];
    const Context::Blocks blocks = c->blocks(pair);
    const auto &t0 = problem.trees[pair.tree[0]], &t1 = problem.trees[pair.tree[1]];
    for (int r = pair.first; r < pair.first + pair.count; ++r) {
      const double weight = weights(r);
      if (weight == 0) continue;
      const double* J0 = problem.constraint_row(r, pair.side[0]);
      const double* J1 = problem.constraint_row(r, pair.side[1]);
      if (blocks.rows_are_0) {
        add_outer(weight, J0, t0.ld, J1, t1.n, blocks.H10);
      } else {
        add_outer(weight, J1, t1.ld, J0, t0.n, blocks.H10);
      }
    }
  }
}

void ConvexSolver::add_row_curvature(Context* c) {
  const ConvexProblem& problem = c->problem;
  add_row_curvature(c, [&](int r) {
    return row_curvature(problem.row_laws[r], problem.row_inputs[r].one_sided, row_velocity_[r]);
  });
}

void ConvexSolver::add_constraint_curvature(Context* c) {
  const ConvexProblem& problem = c->problem;
  add_row_curvature(c);
  const auto add = [&](const auto& dof, double curvature) {
    const int ld = problem.trees[dof.tree].ld;
    c->factor->diagonal(dof.local)[ld * dof.index + dof.index] += curvature;
  };
  for (int i = c->island.limit_begin; i < c->island.limit_end; ++i) {
    const int l = problem.island_limits[i];
    const auto& dof = problem.limit_dofs[l];
    const auto& law = problem.limit_laws[l];
    const double v = c->work.v[c->offset(dof.local) + dof.index];
    add(dof, row_curvature(law.lower, true, v) + row_curvature(law.upper, true, -v));
  }
  for (int i = c->island.effort_begin; i < c->island.effort_end; ++i) {
    const auto& dof = problem.effort_dofs[problem.island_efforts[i]];
    const double v = c->work.v[c->offset(dof.local) + dof.index];
    add(dof, problem.share * problem.h * effort_curvature(dof.b, dof.c, dof.limit, v));
  }
  for (int i = c->island.friction_begin; i < c->island.friction_end; ++i) {
    const int f = problem.island_friction[i];
    const auto& dof = problem.friction_dofs[f];
    const double v = c->work.v[c->offset(dof.local) + dof.index];
    add(dof, friction_curvature(problem.friction_bound[f], v, problem.friction_v_r[f]));
  }
}

// (M + ρ Gᵀ W⁻¹ G) x = M v, with ρ large enough to be as good as infinite.
void ConvexSolver::project(const ConvexProblem& problem, AlignedVector<double>* v) {
  constexpr double kStiff = 1e8;
  resize(problem);
  const SolverOptions options{.dense = false};
  for (const ConvexProblem::Island& island : problem.islands) {
    if (island.group_begin == island.group_end) continue;
    Context c(problem, options, island, &work_.front());
    Work& w = c.work;
    set_pattern(&c);
    factor_valid_[c.root] = 0;
    assemble_mass(&c, false);
    add_row_curvature(&c, [&](int r) {
      const RowInput& row = problem.row_inputs[r];
      const bool held =
          !(row.one_sided && row.g > 0) && row.inverse_mass > 0 && std::isinf(row.stiffness);
      return held ? kStiff / row.inverse_mass : 0;
    });
    for (int i = 0; i < c.num_trees(); ++i) {
      const auto& t = c.block(i);
      double* p = &w.p[c.offset(i)];
      std::fill_n(p, t.ld, 0.0);
      for (int k = 0; k < t.n; ++k) {
        for (int j = 0; j < t.n; ++j) {
          p[j] += problem.M[t.matrix_offset + t.ld * k + j] * (*v)[t.offset + k];
        }
      }
    }
    if (!c.factor->factorize()) continue;
    c.factor->solve(w.offset, w.p.data());
    for (int i = 0; i < c.num_trees(); ++i) {
      std::copy_n(w.p.begin() + c.offset(i), c.block(i).n, v->begin() + c.block(i).offset);
    }
  }
}

void ConvexSolver::add_constraint_line(const Context& c, double alpha, LinePoint* point) {
  const ConvexProblem& problem = c.problem;
  const auto add_law = [&](const RowLaw& law, bool one_sided, double u, double du) {
    point->slope -= row_impulse(law, one_sided, u) * du;
    point->curvature += row_curvature(law, one_sided, u) * du * du;
    point->cost += row_cost(law, one_sided, u);
  };
  for_each_row(problem, c.island, [&](const Group&, int r) {
    add_law(problem.row_laws[r], problem.row_inputs[r].one_sided,
            row_velocity_[r] + alpha * row_direction_[r], row_direction_[r]);
  });
  for (int i = c.island.limit_begin; i < c.island.limit_end; ++i) {
    const int l = problem.island_limits[i];
    const auto& dof = problem.limit_dofs[l];
    const int at = c.offset(dof.local) + dof.index;
    const double p = c.work.p[at], v = c.work.v[at] + alpha * p;
    add_law(problem.limit_laws[l].lower, true, v, p);
    add_law(problem.limit_laws[l].upper, true, -v, -p);
  }
  for (int i = c.island.effort_begin; i < c.island.effort_end; ++i) {
    const auto& dof = problem.effort_dofs[problem.island_efforts[i]];
    const int at = c.offset(dof.local) + dof.index;
    const double p = c.work.p[at], v = c.work.v[at] + alpha * p;
    const double h = problem.share * problem.h;
    point->slope -= h * calc_effort(dof.b, dof.c, dof.limit, v) * p;
    point->curvature += h * effort_curvature(dof.b, dof.c, dof.limit, v) * p * p;
    point->cost += h * effort_cost(dof.b, dof.c, dof.limit, v);
  }
  for (int i = c.island.friction_begin; i < c.island.friction_end; ++i) {
    const int f = problem.island_friction[i];
    const auto& dof = problem.friction_dofs[f];
    const int at = c.offset(dof.local) + dof.index;
    const double m = problem.friction_bound[f], v_r = problem.friction_v_r[f];
    const double p = c.work.p[at], v = c.work.v[at] + alpha * p;
    point->slope += friction_slope(m, v, v_r) * p;
    point->curvature += friction_curvature(m, v, v_r) * p * p;
    point->cost += friction_cost(m, v * v, v_r);
  }
}

}  // namespace cenic

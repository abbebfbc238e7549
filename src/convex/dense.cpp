// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The dense mode (a second algorithm for the same linear system) and what tests look at.
#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "convex/contact_law.h"
#include "convex/solver_context.h"

namespace cenic {
namespace {

using Matrix = Eigen::MatrixXd;

// The blocks of an island as one dense symmetric matrix.
Matrix gather(const ConvexProblem& problem, const ConvexProblem::Island& island,
              BlockCholesky* blocks) {
  std::vector<int> start{0};
  for (int t = island.tree_begin; t < island.tree_end; ++t) {
    start.push_back(start.back() + problem.trees[problem.island_trees[t]].n);
  }
  Matrix H = Matrix::Zero(start.back(), start.back());
  const auto copy = [&](const double* block, int row, int col) {
    const auto& r = problem.trees[problem.island_trees[island.tree_begin + row]];
    const auto& c = problem.trees[problem.island_trees[island.tree_begin + col]];
    for (int j = 0; j < c.n; ++j) {
      for (int i = 0; i < r.n; ++i) {
        H(start[row] + i, start[col] + j) = block[r.ld * j + i];
        H(start[col] + j, start[row] + i) = block[r.ld * j + i];
      }
    }
  };
  for (int i = 0; i < island.tree_end - island.tree_begin; ++i) {
    copy(blocks->diagonal(i), i, i);
  }
  for (int e = 0; e < island.edge_end - island.edge_begin; ++e) {
    const BlockEdge edge = problem.edges[island.edge_begin + e];
    if (blocks->rows_are_b(e)) {
      copy(blocks->coupling(e), edge.b, edge.a);
    } else {
      copy(blocks->coupling(e), edge.a, edge.b);
    }
  }
  return H;
}

}  // namespace

bool ConvexSolver::solve_dense(Context* c) {
  const Eigen::LLT<Matrix> llt(gather(c->problem, c->island, c->factor));
  if (llt.info() != Eigen::Success) return false;
  Eigen::VectorXd x(llt.rows());
  int at = 0;
  for (int i = 0; i < c->num_trees(); ++i) {
    for (int j = 0; j < c->block(i).n; ++j) {
      x[at++] = c->work.p[c->offset(i) + j];
    }
  }
  x = llt.solve(x);
  at = 0;
  for (int i = 0; i < c->num_trees(); ++i) {
    for (int j = 0; j < c->block(i).n; ++j) {
      c->work.p[c->offset(i) + j] = x[at++];
    }
  }
  return true;
}

double ConvexSolver::calc_cost(const ConvexProblem& problem, const AlignedVector<double>& v) {
  resize(problem);
  const SolverOptions options;
  double cost = 0;
  for (const auto& island : problem.islands) {
    Context c(problem, options, island, &work_.front());
    Work& w = c.work;
    start_island(&c, v.data());
    std::ranges::copy(w.v, w.p.begin());  // any direction does: the cost is taken at α = 0
    apply_jacobian(c, w.p.data(), &w.direction);
    apply_rows(c, w.p.data(), &row_direction_);
    cost += evaluate_line(&c, 0, true).cost;
    for (int i = 0; i < c.num_trees(); ++i) {
      for (int k = c.offset(i); k < c.offset(i) + c.block(i).n; ++k) {
        cost += w.v[k] * (0.5 * w.Av[k] - w.step.r[k]);
      }
    }
  }
  return cost;
}

void ConvexSolver::calc_gradient(const ConvexProblem& problem, const AlignedVector<double>& v,
                                 AlignedVector<double>* g) {
  resize(problem);
  g->assign(problem.padded_size(), 0.0);
  const SolverOptions options;
  for (const auto& island : problem.islands) {
    Context c(problem, options, island, &work_.front());
    start_island(&c, v.data());
    update_gradient(&c);
    for (int i = 0; i < c.num_trees(); ++i) {
      std::copy_n(c.work.g.begin() + c.offset(i), c.block(i).ld, g->begin() + c.block(i).offset);
    }
  }
}

std::vector<double> ConvexSolver::calc_hessian(const ConvexProblem& problem, int island,
                                               const AlignedVector<double>& v) {
  resize(problem);
  const SolverOptions options{.dense = true};  // the blocks of the pattern and no others
  Context c(problem, options, problem.islands[island], &work_.front());
  start_island(&c, v.data());
  update_gradient(&c);
  set_pattern(&c);
  update_weights(c);
  assemble(&c);
  const Matrix H = gather(problem, c.island, c.factor);
  return {H.data(), H.data() + H.size()};
}

}  // namespace cenic

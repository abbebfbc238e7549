// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What solve_island() carries around: the problem, the island and the state of its iteration.
#pragma once

#include "convex/solver.h"

namespace cenic {

struct ConvexSolver::Context {
  Context(const ConvexProblem& p, const SolverOptions& o, const ConvexProblem::Island& i, Work* w)
      : problem(p), options(o), island(i), work(*w), root(p.island_trees[i.tree_begin]) {
    lay_out(this);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    if (room != nullptr) factor->swap_room(room);
  }

  const ConvexProblem& problem;
  const SolverOptions& options;
  const ConvexProblem::Island& island;
  Work& work;
  int root;              // first tree: key of the island's caches
  bool linear = false;   // no contacts, friction or limits: one Newton step is exact
  double tolerance = 0;  // of the step test
  double gradient_tolerance = 0;
  bool fixed_step = false;
  double time = 0;  // that turns a velocity error into an error in the units of the norm

  BlockCholesky* factor = nullptr;      // set by set_pattern()
  BlockCholesky::Room* room = nullptr;  // lent to it
  bool complete = false;                // it has all pairs of trees, not just the coupled ones

  int iteration = 0;
  double gradient_norm = 0;  // in the units of the tolerance
  double step_norm = 0, previous_step_norm = 0;
  double eta = 1;           // error of the iterate relative to its last change, Θ/(1 − Θ)
  double theta = 0;         // rate of convergence
  bool stale = false;       // the stored factorisation converges too slowly
  double slope0 = 0;        // g·p
  double alpha = 0;         // the last step was α p
  bool linearised = false;  // by the Hessian in work.weight
  bool applied = false;     // impulses by that are known
  double quadratic_slope = 0, quadratic_curvature = 0;  // (A v − r)·p and pᵀ A p
  SolveResult result{};
  LapTimer timer{&result.phases};

  int num_trees() const { return island.tree_end - island.tree_begin; }
  int tree(int i) const { return problem.island_trees[island.tree_begin + i]; }
  const ConvexProblem::TreeBlock& block(int i) const { return problem.trees[tree(i)]; }
  int offset(int i) const { return work.offset[i]; }  // of its i-th tree in vectors
  int padded_size() const { return work.offset.back(); }
  int num_slots() const { return island.slot_end - island.slot_begin; }

  // The blocks of H that a patch or group adds to: the trees' diagonal blocks and, between two
  // trees, their coupling.
  struct Blocks {
    double* H00 = nullptr;
    double* H11 = nullptr;
    double* H10 = nullptr;  // rows of side 1 unless rows_are_0
    bool rows_are_0 = false;
  };
  Blocks blocks(const ConvexProblem::Patch& patch) const;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Limits of joints and tendons, and constraints, of a model as dofs and rows of the convex problem.
#pragma once

#include <span>
#include <vector>

#include "convex/problem.h"
#include "dynamics/tree_factors.h"
#include "model/model.h"
#include "multibody/constraints.h"
#include "multibody/multibody.h"

namespace cenic {

class ConstraintSet {
 public:
  explicit ConstraintSet(const Model& model);

  // Limits on single velocities, for ConvexProblem::set_trees; update() fills in the gaps.
  std::vector<ConvexProblem::LimitDof> make_limit_dofs() const;
  // Declares the rows; between begin() and finish().
  void add_groups(ConvexProblem* problem) const;
  // Errors, Jacobians and effective masses of all rows and limits at a configuration; after
  // finish().
  void update(const Kinematics& kin, std::span<const double> q, TreeFactors* factors,
              ConvexProblem* problem);

  const std::vector<int>& trees() const { return trees_; }  // touched by limits or constraints
  // By rows, whose directions change with the configuration.
  const std::vector<int>& bound_trees() const { return bound_trees_; }
  int row_of(int constraint) const { return first_row_[constraint]; }

 private:
  void update_limits(std::span<const double> q, ConvexProblem* problem);
  void update_tendons(const Kinematics& kin, std::span<const double> q, ConvexProblem* problem);
  void update_constraint(int c, const Kinematics& kin, std::span<const double> q,
                         ConvexProblem* problem);
  void update_row_masses(int first, int count, std::span<const int> trees, ConvexProblem* problem);

  const Model& model_;
  std::vector<int> first_row_;    // of each constraint
  std::vector<int> dof_limits_;   // of Model::limits: those of one velocity
  std::vector<int> ball_limits_;  // and of ball joints; their rows follow the constraints'
  std::vector<int> tendons_;      // with limits; their rows follow those of ball joints
  std::vector<int> trees_;        // that any of them touches
  std::vector<int> bound_trees_;  // that rows touch
  int num_constraint_rows_ = 0;
  TreeFactors* factors_ = nullptr;  // during update()
  std::vector<double> unit_;
};

}  // namespace cenic

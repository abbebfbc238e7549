// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "dynamics/constraint_set.h"

#include <algorithm>
#include <cmath>

#include "multibody/tendons.h"

namespace cenic {
namespace {

// Metres per unit of a tendon's length: those of a path are metres.
double calc_scale(const Model& model, int tendon, const ConvexProblem& problem) {
  const std::vector<Tendon::Part>& parts = model.tendons[tendon].parts;
  const auto moving = std::ranges::find_if(parts, [](const Tendon::Part& part) {
    return part.coefficient != 0;
  });
  if (moving == parts.end()) return 1;
  const Link& link = model.links[moving->link];
  const int index = link.v_start - model.trees[link.tree].v_start;
  return problem.error_weight[problem.trees[link.tree].offset + index] /
         std::abs(moving->coefficient);
}

}  // namespace

ConstraintSet::ConstraintSet(const Model& model) : model_(model) {
  const auto touch = [&](int tree) {
    if (std::ranges::find(trees_, tree) == trees_.end()) trees_.push_back(tree);
  };
  const auto bind = [&](int tree) {
    touch(tree);
    if (std::ranges::find(bound_trees_, tree) == bound_trees_.end()) bound_trees_.push_back(tree);
  };
  int row = 0;
  for (const Constraint& c : model.constraints) {
    first_row_.push_back(row);
    row += num_rows(c.kind);
    std::ranges::for_each(c.trees, bind);
  }
  num_constraint_rows_ = row;
  for (int l = 0; l < static_cast<int>(model.limits.size()); ++l) {
    const Link& link = model.links[model.limits[l].link];
    (link.nv == 1 ? dof_limits_ : ball_limits_).push_back(l);
    touch(link.tree);
    if (link.nv > 1) bind(link.tree);
  }
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    const Tendon& tendon = model.tendons[t];
    if (std::isinf(tendon.lower) && std::isinf(tendon.upper)) continue;
    tendons_.push_back(t);
    std::ranges::for_each(tendon.trees, bind);
  }
}

std::vector<ConvexProblem::LimitDof> ConstraintSet::make_limit_dofs() const {
  std::vector<ConvexProblem::LimitDof> dofs;
  for (const int l : dof_limits_) {
    const Link& link = model_.links[model_.limits[l].link];
    dofs.push_back({.tree = link.tree,
                    .index = link.v_start - model_.trees[link.tree].v_start,
                    .stiffness = model_.limits[l].stiffness,
                    .damping = model_.limits[l].damping});
  }
  return dofs;
}

void ConstraintSet::add_groups(ConvexProblem* problem) const {
  for (const Constraint& c : model_.constraints) {
    problem->add_group(c.trees);
    for (int r = 0; r < num_rows(c.kind); ++r) {
      const auto [stiffness, damping] = c.spring(r);
      problem->add_row({.stiffness = stiffness, .damping = damping});
    }
  }
  for (const int l : ball_limits_) {
    problem->add_group({&model_.links[model_.limits[l].link].tree, 1});
    problem->add_row({.stiffness = model_.limits[l].stiffness,
                      .damping = model_.limits[l].damping,
                      .one_sided = true});
  }
  for (const int t : tendons_) {
    const Tendon& tendon = model_.tendons[t];
    problem->add_group(tendon.trees);
    for (const double limit : {tendon.lower, tendon.upper}) {
      if (std::isinf(limit)) continue;
      problem->add_row(
          {.stiffness = tendon.stiffness, .damping = tendon.damping, .one_sided = true});
    }
  }
}

void ConstraintSet::update(const Kinematics& kin, std::span<const double> q, TreeFactors* factors,
                           ConvexProblem* problem) {
  if (trees_.empty()) return;
  factors_ = factors;
  for (int c = 0; c < static_cast<int>(model_.constraints.size()); ++c) {
    update_constraint(c, kin, q, problem);
  }
  update_limits(q, problem);
  update_tendons(kin, q, problem);
}

void ConstraintSet::update_row_masses(int first, int count, std::span<const int> trees,
                                      ConvexProblem* problem) {
  for (int r = first; r < first + count; ++r) {
    double w = 0;
    int side = 0;
    for (const int tree : trees) {
      w += factors_->calc_inverse_mass(*problem, tree, problem->constraint_row(r, side++));
    }
    problem->row_inputs[r].inverse_mass = w;
  }
}

void ConstraintSet::update_constraint(int c, const Kinematics& kin, std::span<const double> q,
                                      ConvexProblem* problem) {
  const Constraint& constraint = model_.constraints[c];
  const int first = first_row_[c], count = num_rows(constraint.kind);
  double g[kMaxConstraintRows];
  calc_constraint_error(model_, kin, q, c, g);
  int side = 0;
  for (const int tree : constraint.trees) {
    add_constraint_rows(model_, kin, q, c, tree, problem->trees[tree].ld,
                        problem->constraint_row(first, side++));
  }
  update_row_masses(first, count, constraint.trees, problem);
  for (int r = 0; r < count; ++r) {
    problem->row_inputs[first + r].g = g[r];
  }
  // Metres per unit: a coupler's by its first coordinate, a weld's rotations by the radius of
  // gyration √(w_translation/w_rotation).
  if (constraint.kind == ConstraintKind::kCoupler) {
    const Link& link = model_.links[constraint.link[0]];
    const int index = link.v_start - model_.trees[link.tree].v_start;
    problem->row_inputs[first].scale =
        problem->error_weight[problem->trees[link.tree].offset + index];
  } else if (constraint.kind == ConstraintKind::kTendon) {
    problem->row_inputs[first].scale = calc_scale(model_, constraint.tendon[0], *problem);
  } else if (constraint.kind == ConstraintKind::kWeld) {
    double rotation = 0, translation = 0;
    for (int r = 0; r < 3; ++r) {
      rotation += problem->row_inputs[first + r].inverse_mass;
      translation += problem->row_inputs[first + 3 + r].inverse_mass;
    }
    for (int r = 0; r < 3; ++r) {
      if (rotation > 0 && translation > 0) {
        problem->row_inputs[first + r].scale = std::sqrt(translation / rotation);
      }
    }
  }
}

void ConstraintSet::update_limits(std::span<const double> q, ConvexProblem* problem) {
  for (std::size_t i = 0; i < dof_limits_.size(); ++i) {
    ConvexProblem::LimitDof& dof = problem->limit_dofs[i];
    calc_limit_errors(model_, q, dof_limits_[i], &dof.lower, &dof.upper);
    unit_.assign(problem->trees[dof.tree].n, 0.0);
    unit_[dof.index] = 1;
    dof.inverse_mass = factors_->calc_inverse_mass(*problem, dof.tree, unit_.data());
    dof.scale = problem->error_weight[problem->trees[dof.tree].offset + dof.index];
  }
  int row = num_constraint_rows_;
  for (const int l : ball_limits_) {
    const Link& link = model_.links[model_.limits[l].link];
    const int index = link.v_start - model_.trees[link.tree].v_start;
    RowInput& input = problem->row_inputs[row];
    double none = 0;
    calc_limit_errors(model_, q, l, &none, &input.g);
    const Vec3 axis = calc_ball_limit_axis(model_, q, l);
    for (int i = 0; i < 3; ++i) {
      problem->constraint_row(row, 0)[index + i] = -axis[i];
    }
    update_row_masses(row, 1, {&link.tree, 1}, problem);
    input.scale = problem->error_weight[problem->trees[link.tree].offset + index];
    ++row;
  }
}

// A row for each limit that there is.
void ConstraintSet::update_tendons(const Kinematics& kin, std::span<const double> q,
                                   ConvexProblem* problem) {
  int row = num_constraint_rows_ + static_cast<int>(ball_limits_.size());
  for (const int t : tendons_) {
    const Tendon& tendon = model_.tendons[t];
    double gaps[2];
    calc_tendon_gaps(model_, kin, q, t, &gaps[0], &gaps[1]);
    for (int end = 0; end < 2; ++end) {
      if (std::isinf(gaps[end])) continue;
      int side = 0;
      for (const int tree : tendon.trees) {
        add_tendon_row(model_, kin, t, tree, end == 0 ? 1 : -1,
                       problem->constraint_row(row, side++));
      }
      update_row_masses(row, 1, tendon.trees, problem);
      problem->row_inputs[row].g = gaps[end];
      problem->row_inputs[row].scale = calc_scale(model_, t, *problem);
      ++row;
    }
  }
}

}  // namespace cenic

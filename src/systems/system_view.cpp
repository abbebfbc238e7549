// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/system_view.h"

#include <algorithm>

namespace cenic {

void Measurements::resize(const Model& model) {
  vdot.assign(model.nv, 0.0);
  effort.assign(model.nv, 0.0);
  contact_normal.assign(model.geometries.size(), 0.0);
  F_contact_W.assign(model.geometries.size(), {});
  F_constraint_W.assign(model.constraints.size(), {});
}

SystemView::SystemView(const Model& model) : model_(model), q_(model.q0), v_(model.v0) {
  for (const System& s : model.systems) {
    trees_.insert(trees_.end(), s.trees.begin(), s.trees.end());
  }
  std::ranges::sort(trees_);
  trees_.erase(std::unique(trees_.begin(), trees_.end()), trees_.end());
  kin_.resize(model);
  scratch_.resize(model);
  vdot_.resize(model.nv);
  tau_.resize(model.nv);
  positions_valid_.assign(model.trees.size(), 0);
  velocities_valid_.assign(model.trees.size(), 0);
}

void SystemView::set(std::span<const double> q, std::span<const double> v) {
  for (const int t : trees_) {
    const Tree& tree = model_.trees[t];
    const Link& first = model_.links[tree.link_begin];
    const Link& last = model_.links[tree.link_end - 1];
    std::copy(q.begin() + first.q_start, q.begin() + last.q_start + last.nq,
              q_.begin() + first.q_start);
    std::copy_n(v.begin() + tree.v_start, tree.nv, v_.begin() + tree.v_start);
    positions_valid_[t] = velocities_valid_[t] = 0;
  }
}

void SystemView::take_over(const Kinematics& kin) {
  for (const int t : trees_) {
    const Tree& tree = model_.trees[t];
    const auto copy_links = [&tree](const auto& from, auto* to) {
      std::copy(from.begin() + tree.link_begin, from.begin() + tree.link_end,
                to->begin() + tree.link_begin);
    };
    copy_links(kin.X_WB, &kin_.X_WB);
    copy_links(kin.M_BBo_W, &kin_.M_BBo_W);
    copy_links(kin.V_WB, &kin_.V_WB);
    std::copy_n(kin.H_W.begin() + tree.v_start, tree.nv, kin_.H_W.begin() + tree.v_start);
    positions_valid_[t] = velocities_valid_[t] = 1;
  }
}

void SystemView::save(int velocity) {
  const Link& link = model_.links[model_.dof_link[velocity]];
  std::copy_n(q_.begin() + link.q_start, link.nq, saved_q_);
  saved_v_ = v_[velocity];
}

void SystemView::displace(int velocity, double delta) {
  displace_coordinate(model_, velocity, delta, q_);
  const int tree = model_.links[model_.dof_link[velocity]].tree;
  positions_valid_[tree] = velocities_valid_[tree] = 0;
}

void SystemView::add_velocity(int velocity, double delta) {
  v_[velocity] += delta;
  velocities_valid_[model_.links[model_.dof_link[velocity]].tree] = 0;
}

void SystemView::restore(int velocity) {
  const Link& link = model_.links[model_.dof_link[velocity]];
  std::copy_n(saved_q_, link.nq, q_.begin() + link.q_start);
  v_[velocity] = saved_v_;
  positions_valid_[link.tree] = velocities_valid_[link.tree] = 0;
}

const Kinematics& SystemView::kinematics(int t) {
  if (positions_valid_[t] == 0) {
    update_positions(model_, model_.trees[t], q_, &kin_);
    positions_valid_[t] = 1;
    velocities_valid_[t] = 0;
  }
  if (velocities_valid_[t] == 0) {
    update_velocities(model_, model_.trees[t], v_, &kin_);
    velocities_valid_[t] = 1;
  }
  return kin_;
}

std::vector<double>& SystemView::reserve(std::vector<double>* matrix, int n) {
  const std::size_t size = static_cast<std::size_t>(n) * n;
  if (matrix->size() < size) matrix->resize(size);
  return *matrix;
}

std::vector<Spatial>& SystemView::body_jacobian(int i) {
  if (i >= static_cast<int>(body_jacobians_.size())) body_jacobians_.resize(i + 1);
  return body_jacobians_[i];
}

const RigidTransform& SystemView::X_WB(int link) {
  if (model_.links[link].tree >= 0) kinematics(model_.links[link].tree);
  return kin_.X_WB[link];
}

const Spatial& SystemView::V_WB(int link) {
  if (model_.links[link].tree >= 0) kinematics(model_.links[link].tree);
  return kin_.V_WB[link];
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/system_io.h"

#include <algorithm>

namespace cenic {
namespace {

const RigidTransform kIdentity{};
const Spatial kRest{};

}  // namespace

const RigidTransform& SystemInput::X_WB(int i) const {
  const int link = link_of(i);
  return link < 0 ? kIdentity : view_.X_WB(link);
}

const Spatial& SystemInput::V_WB(int i) const {
  const int link = link_of(i);
  return link < 0 ? kRest : view_.V_WB(link);
}

void SystemInput::calc_body_jacobian(int i, std::span<Spatial> columns) const {
  std::ranges::fill(columns, Spatial{});
  const Model& m = view_.model();
  const int body = link_of(i);
  if (body < m.num_anchored_links) return;
  const Kinematics& kin = view_.kinematics(m.links[body].tree);
  for (int l = body; l >= m.num_anchored_links; l = m.links[l].parent) {
    const Vec3 p = kin.X_WB[body].p - kin.X_WB[l].p;
    for (int k = 0; k < m.links[l].nv; ++k) {
      const int v_index = m.links[l].v_start + k;
      const auto at = std::ranges::find(system_.dofs, v_index) - system_.dofs.begin();
      columns[at] = shift_motion(kin.H_W[v_index], p);
    }
  }
}

std::span<const Spatial> SystemInput::calc_body_jacobian(int i) const {
  std::vector<Spatial>& columns = view_.body_jacobian(i);
  columns.resize(system_.dofs.size());
  calc_body_jacobian(i, columns);
  return columns;
}

Spatial SystemInput::calc_body_acceleration(int i) const {
  const Model& m = view_.model();
  const int link = link_of(i);
  if (link < m.num_anchored_links) return {};
  return calc_link_acceleration(m, view_.kinematics(m.links[link].tree), link, view_.v(),
                                measured().vdot);
}

void SystemInput::calc_inverse_dynamics(std::span<const double> vdot, std::span<double> tau) const {
  const Model& m = view_.model();
  std::vector<double>& a = view_.accelerations();
  std::vector<double>& f = view_.forces();
  for (const int tree : system_.trees) {
    std::fill_n(a.begin() + m.trees[tree].v_start, m.trees[tree].nv, 0.0);
  }
  for (std::size_t i = 0; i < vdot.size(); ++i) {
    a[system_.velocities[i]] = vdot[i];
  }
  for (const int tree : system_.trees) {
    cenic::calc_inverse_dynamics(m, view_.kinematics(tree), tree, view_.v(), a, view_.scratch(), f);
  }
  for (std::size_t i = 0; i < tau.size(); ++i) {
    tau[i] = f[system_.velocities[i]];
  }
}

void SystemInput::calc_gravity(std::span<double> tau) const {
  const Model& m = view_.model();
  std::ranges::fill(tau, 0.0);
  for (const int tree : system_.trees) {
    const Kinematics& kin = view_.kinematics(tree);
    // Newton-Euler at rest, with gravity alone: Σ over links of their weight, seen by each joint.
    for (int l = m.trees[tree].link_begin; l < m.trees[tree].link_end; ++l) {
      const SpatialInertia& M = kin.M_BBo_W[l];
      const Vec3 g = m.links[l].gravity_factor * m.gravity;
      const Spatial F{cross(M.mc, g), M.mass * g};
      if (M.mass == 0) continue;
      for (int a = l; a >= m.trees[tree].link_begin; a = m.links[a].parent) {
        const Spatial at = shift_force(F, kin.X_WB[a].p - kin.X_WB[l].p);
        for (int k = 0; k < m.links[a].nv; ++k) {
          const auto i = std::ranges::find(system_.velocities, m.links[a].v_start + k);
          if (i == system_.velocities.end()) continue;
          tau[i - system_.velocities.begin()] += dot(kin.H_W[m.links[a].v_start + k], at);
        }
      }
    }
  }
}

std::span<const double> SystemInput::calc_mass_matrix() const {
  const Model& m = view_.model();
  const int n = static_cast<int>(system_.velocities.size());
  std::vector<double>& M = view_.mass_matrix(n);
  std::fill_n(M.begin(), n * n, 0.0);
  for (const int tree : system_.trees) {
    const int n_tree = m.trees[tree].nv, start = m.trees[tree].v_start;
    std::vector<double>& whole = view_.tree_matrix(n_tree);
    cenic::calc_mass_matrix(m, view_.kinematics(tree), tree, view_.scratch(), n_tree, whole.data());
    const auto local = [&](int i) {
      const int index = system_.velocities[i] - start;
      return index >= 0 && index < n_tree ? index : -1;
    };
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n && local(i) >= 0; ++j) {
        if (local(j) >= 0) M[n * i + j] = whole[n_tree * local(j) + local(i)];
      }
    }
  }
  return std::span(M).first(static_cast<std::size_t>(n) * n);
}

void SystemJacobian::resize(const System& s) {
  nz_ = static_cast<int>(s.state_names.size());
  ny_ = s.ny;
  ntau_ = static_cast<int>(s.efforts.size());
  nd_ = static_cast<int>(s.dofs.size());
  rows_ = nz_ + ny_ + ntau_ + 6 * static_cast<int>(s.pushed.size());
  columns_ = 2 * nd_ + nz_ + s.nu;
  values_.assign(static_cast<std::size_t>(rows_) * columns_, 0.0);
}

}  // namespace cenic

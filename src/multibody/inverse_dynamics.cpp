// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The recursive Newton-Euler algorithm (Featherstone, Rigid Body Dynamics Algorithms, ch. 5), with
// the acceleration of the origin as linear part and everything in world axes.
#include <algorithm>

#include "multibody/mobilizer.h"
#include "multibody/multibody.h"
#include "multibody/tendons.h"

namespace cenic {

namespace {

// Force on the link at Bo that gives it A_WB, less gravity:
//   torque = I α + mc × a + w × I w − mc × g
//   force  = m a − mc × α + w × (w × mc) − m g
Spatial calc_link_force(const Link& link, const SpatialInertia& M, const Spatial& A_WB,
                        const Vec3& w, const Vec3& gravity) {
  // Gravity is an acceleration of −g of the frame, felt in the share gravity_factor.
  const Spatial A{A_WB.w, A_WB.v - link.gravity_factor * gravity};
  Spatial F = M * A;
  F.w += cross(w, M.I * w);
  F.v += cross(w, cross(w, M.mc));
  return F;
}

void calc_free_body(const Model& model, const Kinematics& kin, const Tree& tree,
                    std::span<const double> vdot, std::span<double> tau) {
  const int l = tree.link_begin;
  Spatial A;
  if (!vdot.empty()) {
    A = {detail::load_vector(&vdot[tree.v_start]), detail::load_vector(&vdot[tree.v_start + 3])};
  }
  const Spatial F =
      calc_link_force(model.links[l], kin.M_BBo_W[l], A, kin.V_WB[l].w, model.gravity);
  detail::store_vector(F.w, &tau[tree.v_start]);
  detail::store_vector(F.v, &tau[tree.v_start + 3]);
}

// What the link's own joint adds to its acceleration, and what its parent's passes on.
Spatial calc_A_WB(const Model& model, const Kinematics& kin, int l, const Spatial* A_WP,
                  std::span<const double> v, std::span<const double> vdot) {
  const Link& link = model.links[l];
  const Spatial* H = kin.H_W.data() + link.v_start;
  Spatial A;
  if (!vdot.empty()) A = detail::calc_V_PB_W(link, H, vdot.data() + link.v_start);
  if (link.kind == MobilizerKind::kFree) return A;  // the axes do not move, no velocity terms
  const Spatial V_PB_W = detail::calc_V_PB_W(link, H, v.data() + link.v_start);
  if (A_WP == nullptr) {
    A += detail::calc_velocity_terms({}, V_PB_W, {});
  } else {
    const Vec3 p_PoBo_W = kin.X_WB[l].p - kin.X_WB[link.parent].p;
    A += shift_motion(*A_WP, p_PoBo_W);
    A += detail::calc_velocity_terms(kin.V_WB[link.parent].w, V_PB_W, p_PoBo_W);
  }
  return A;
}

// Outwards: accelerations, and the force each link needs by itself.
void calc_link_forces(const Model& model, const Kinematics& kin, const Tree& tree,
                      std::span<const double> v, std::span<const double> vdot,
                      TreeScratch* scratch) {
  for (int l = tree.link_begin; l < tree.link_end; ++l) {
    const Link& link = model.links[l];
    const bool root = link.parent < tree.link_begin;
    const Spatial A =
        calc_A_WB(model, kin, l, root ? nullptr : &scratch->A_WB[link.parent], v, vdot);
    scratch->A_WB[l] = A;
    scratch->F_BBo_W[l] = calc_link_force(link, kin.M_BBo_W[l], A, kin.V_WB[l].w, model.gravity);
  }
}

// Jᵀ A (J vdot + J̇ v) of the tendons with inertia.
void add_tendon_forces(const Model& model, const Kinematics& kin, int tree_index,
                       std::span<const double> v, std::span<const double> vdot,
                       TreeScratch* scratch, std::span<double> tau) {
  const Tree& tree = model.trees[tree_index];
  for (const int t : model.heavy_tendons) {
    if (model.tendons[t].trees.front() != tree_index) continue;
    double* J = scratch->row.data();
    std::fill_n(J, tree.nv, 0.0);
    add_tendon_row(model, kin, t, tree_index, 1, J);
    double acceleration = calc_tendon_bias(model, kin, v, t);
    for (int i = 0; i < tree.nv && !vdot.empty(); ++i) {
      acceleration += J[i] * vdot[tree.v_start + i];
    }
    for (int i = 0; i < tree.nv; ++i) {
      tau[tree.v_start + i] += J[i] * model.tendons[t].armature * acceleration;
    }
  }
}

}  // namespace

void TreeScratch::resize(const Model& model) {
  A_WB.assign(model.links.size(), {});
  F_BBo_W.assign(model.links.size(), {});
  composite.assign(model.links.size(), {});
  int largest = 0;
  for (const Tree& tree : model.trees) {
    largest = std::max(largest, tree.nv);
  }
  row.assign(largest, 0.0);
}

Spatial calc_link_acceleration(const Model& model, const Kinematics& kin, int link,
                               std::span<const double> v, std::span<const double> vdot) {
  const int parent = model.links[link].parent;
  if (parent < model.num_anchored_links) return calc_A_WB(model, kin, link, nullptr, v, vdot);
  const Spatial A_WP = calc_link_acceleration(model, kin, parent, v, vdot);
  return calc_A_WB(model, kin, link, &A_WP, v, vdot);
}

void calc_inverse_dynamics(const Model& model, const Kinematics& kin, int tree_index,
                           std::span<const double> v, std::span<const double> vdot,
                           TreeScratch* scratch, std::span<double> tau) {
  const Tree& tree = model.trees[tree_index];
  if (tree.free_body) {
    calc_free_body(model, kin, tree, vdot, tau);
  } else {
    calc_link_forces(model, kin, tree, v, vdot, scratch);
    // Inwards: tau = Hᵀ F, and the force passes on to the parent.
    for (int l = tree.link_end - 1; l >= tree.link_begin; --l) {
      const Link& link = model.links[l];
      const Spatial& F = scratch->F_BBo_W[l];
      for (int i = link.v_start; i < link.v_start + link.nv; ++i) {
        tau[i] = dot(kin.H_W[i], F);
      }
      if (link.parent >= tree.link_begin) {
        const Vec3 p_BoPo_W = kin.X_WB[link.parent].p - kin.X_WB[l].p;
        scratch->F_BBo_W[link.parent] += shift_force(F, p_BoPo_W);
      }
    }
  }
  add_tendon_forces(model, kin, tree_index, v, vdot, scratch, tau);
  if (vdot.empty()) return;
  for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
    tau[i] += model.armature[i] * vdot[i];
  }
}

}  // namespace cenic

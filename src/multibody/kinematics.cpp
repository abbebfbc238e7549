// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Poses, hinge axes, inertias and velocities of the links, from the roots outwards.
#include "multibody/mobilizer.h"
#include "multibody/multibody.h"

namespace cenic {

namespace {

// X_WB = X_WP X_PF X_FM(q) X_MB and what follows from it, for one link whose parent is done.
void update_link(const Model& model, int l, const double* q, Kinematics* kin) {
  const Link& link = model.links[l];
  RigidTransform& X_WB = kin->X_WB[l];
  if (link.kind == MobilizerKind::kFree) {
    X_WB = detail::calc_X_FM(link, q + link.q_start);
  } else {
    const RigidTransform X_WF = link.parent < 0 ? link.X_PF : kin->X_WB[link.parent] * link.X_PF;
    if (link.kind == MobilizerKind::kFixed) {
      X_WB = X_WF * link.X_MB;
    } else {
      const RigidTransform X_WM = X_WF * detail::calc_X_FM(link, q + link.q_start);
      const Vec3 p_MoBo_W = X_WM.R * link.X_MB.p;
      X_WB = {X_WM.R * link.X_MB.R, X_WM.p + p_MoBo_W};
      detail::calc_H_W(link, q + link.q_start, X_WF.R, p_MoBo_W, kin->H_W.data() + link.v_start);
    }
  }
  if (link.M_BBo_B.mass > 0) kin->M_BBo_W[l] = rotate(X_WB.R, link.M_BBo_B);
}

}  // namespace

void Kinematics::resize(const Model& model) {
  const std::size_t n = model.links.size();
  X_WB.assign(n, {});
  H_W.assign(model.nv, {});
  M_BBo_W.assign(n, {});
  V_WB.assign(n, {});
  // What never changes is written here once: the axes of free joints and the poses of anchored
  // links.
  for (const Link& link : model.links) {
    if (link.kind != MobilizerKind::kFree) continue;
    for (int i = 0; i < 3; ++i) {
      H_W[link.v_start + i].w[i] = 1;
      H_W[link.v_start + 3 + i].v[i] = 1;
    }
  }
  for (int l = 0; l < model.num_anchored_links; ++l) {
    update_link(model, l, nullptr, this);
  }
}

namespace {

void update_positions_of(const Model& model, int begin, int end, const double* q, Kinematics* kin) {
  for (int l = begin; l < end; ++l) {
    update_link(model, l, q, kin);
  }
}

void update_velocities_of(const Model& model, int begin, int end, const double* v,
                          Kinematics* kin) {
  for (int l = begin; l < end; ++l) {
    const Link& link = model.links[l];
    // V_WB = shift(V_WP, p_PoBo) + V_PB
    Spatial V = detail::calc_V_PB_W(link, kin->H_W.data() + link.v_start, v + link.v_start);
    if (link.parent >= model.num_anchored_links) {
      const Vec3 p_PoBo_W = kin->X_WB[l].p - kin->X_WB[link.parent].p;
      V += shift_motion(kin->V_WB[link.parent], p_PoBo_W);
    }
    kin->V_WB[l] = V;
  }
}

}  // namespace

void update_positions(const Model& model, std::span<const double> q, Kinematics* kin) {
  update_positions_of(model, model.num_anchored_links, static_cast<int>(model.links.size()),
                      q.data(), kin);
}

void update_velocities(const Model& model, std::span<const double> v, Kinematics* kin) {
  update_velocities_of(model, model.num_anchored_links, static_cast<int>(model.links.size()),
                       v.data(), kin);
}

void update_positions(const Model& model, const Tree& tree, std::span<const double> q,
                      Kinematics* kin) {
  update_positions_of(model, tree.link_begin, tree.link_end, q.data(), kin);
}

void update_velocities(const Model& model, const Tree& tree, std::span<const double> v,
                       Kinematics* kin) {
  update_velocities_of(model, tree.link_begin, tree.link_end, v.data(), kin);
}

}  // namespace cenic

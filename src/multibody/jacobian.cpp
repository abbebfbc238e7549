// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "multibody/multibody.h"

namespace cenic {

void add_point_jacobian(const Model& model, const Kinematics& kin, int link_index, const Vec3& p_W,
                        const Vec3* dirs, double sign, int ld, double* J) {
  if (link_index < model.num_anchored_links) return;
  const Tree& tree = model.trees[model.links[link_index].tree];
  if (tree.free_body) {
    // (v + w × r) · d = w · (r × d) + v · d
    const Vec3 r = p_W - kin.X_WB[link_index].p;
    for (int k = 0; k < 3; ++k) {
      const Vec3 rxd = cross(r, dirs[k]);
      for (int i = 0; i < 3; ++i) {
        J[k * ld + i] += sign * rxd[i];
        J[k * ld + i + 3] += sign * dirs[k][i];
      }
    }
    return;
  }
  // Each velocity on the way to the root moves the point by (H.v + H.w × r), r from the origin of
  // its link.
  for (int l = link_index; l >= tree.link_begin; l = model.links[l].parent) {
    const Link& link = model.links[l];
    const Vec3 r = p_W - kin.X_WB[l].p;
    for (int i = link.v_start; i < link.v_start + link.nv; ++i) {
      const Vec3 v_point = shift_motion(kin.H_W[i], r).v;
      for (int k = 0; k < 3; ++k) {
        J[k * ld + i - tree.v_start] += sign * dot(v_point, dirs[k]);
      }
    }
  }
}

void add_spatial_jacobian(const Model& model, const Kinematics& kin, int link_index,
                          const Vec3& p_W, std::span<const Spatial> dirs, double sign, int ld,
                          double* J) {
  if (link_index < model.num_anchored_links) return;
  const Tree& tree = model.trees[model.links[link_index].tree];
  const int n = static_cast<int>(dirs.size());
  // V · D is the same at every point when D is moved like a force: to the origin of each link.
  for (int l = link_index; l >= tree.link_begin; l = model.links[l].parent) {
    const Link& link = model.links[l];
    const Vec3 r = kin.X_WB[l].p - p_W;
    for (int k = 0; k < n; ++k) {
      const Spatial D = shift_force(dirs[k], r);
      for (int i = link.v_start; i < link.v_start + link.nv; ++i) {
        J[k * ld + i - tree.v_start] += sign * dot(kin.H_W[i], D);
      }
    }
  }
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The composite-rigid-body algorithm (Featherstone, ch. 6): M_ij = H_iᵀ Mᶜ_k H_j, where Mᶜ_k is the
// inertia of all that the link k of velocity j carries, and i runs over the velocities of k and of
// the links it hangs on.
#include <algorithm>

#include "multibody/multibody.h"
#include "multibody/tendons.h"

namespace cenic {

namespace {

// M = [I, m [c]×; −m [c]×, m 1], straight from the body. R I Rᵀ is symmetric up to rounding; a
// symmetric solver reads one half, so write the mean.
void write_free_body(const SpatialInertia& S, int ld, double* M) {
  const Mat3 mcx = skew(S.mc);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      M[j * ld + i] = 0.5 * (S.I(i, j) + S.I(j, i));
      M[(j + 3) * ld + i] = mcx(i, j);
      M[j * ld + i + 3] = mcx(j, i);
      M[(j + 3) * ld + i + 3] = i == j ? S.mass : 0.0;
    }
  }
}

// Writes the entries of the velocity j of link k with its own link's velocities up to j and with
// all those inwards.
void write_velocity(const Model& model, const Kinematics& kin, const SpatialInertia& composite,
                    int j, int ld, double* M) {
  int l = model.dof_link[j];
  const Tree& tree = model.trees[model.links[l].tree];
  Spatial F = composite * kin.H_W[j];  // at the origin of link l
  int end = j + 1;
  while (true) {
    const Link& link = model.links[l];
    for (int i = link.v_start; i < end; ++i) {
      const double entry = dot(kin.H_W[i], F);
      M[(j - tree.v_start) * ld + i - tree.v_start] = entry;
      M[(i - tree.v_start) * ld + j - tree.v_start] = entry;
    }
    if (link.parent < tree.link_begin) return;
    F = shift_force(F, kin.X_WB[link.parent].p - kin.X_WB[l].p);
    l = link.parent;
    end = model.links[l].v_start + model.links[l].nv;
  }
}

void write_tree(const Model& model, const Kinematics& kin, const Tree& tree, TreeScratch* scratch,
                int ld, double* M) {
  for (int j = 0; j < tree.nv; ++j) {
    std::fill_n(&M[j * ld], tree.nv, 0.0);
  }
  std::copy(kin.M_BBo_W.begin() + tree.link_begin, kin.M_BBo_W.begin() + tree.link_end,
            scratch->composite.begin() + tree.link_begin);
  for (int l = tree.link_end - 1; l >= tree.link_begin; --l) {
    const Link& link = model.links[l];
    const SpatialInertia& composite = scratch->composite[l];
    for (int j = link.v_start; j < link.v_start + link.nv; ++j) {
      write_velocity(model, kin, composite, j, ld, M);
    }
    if (link.parent >= tree.link_begin) {
      scratch->composite[link.parent] +=
          shift_inertia(composite, kin.X_WB[l].p - kin.X_WB[link.parent].p);
    }
  }
}

// A J Jᵀ of the tendons with inertia.
void add_tendons(const Model& model, const Kinematics& kin, int tree, TreeScratch* scratch, int ld,
                 double* M) {
  const int n = model.trees[tree].nv;
  for (const int t : model.heavy_tendons) {
    if (model.tendons[t].trees.front() != tree) continue;
    double* J = scratch->row.data();
    std::fill_n(J, n, 0.0);
    add_tendon_row(model, kin, t, tree, 1, J);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) {
        M[j * ld + i] += model.tendons[t].armature * J[i] * J[j];
      }
    }
  }
}

}  // namespace

void calc_mass_matrix(const Model& model, const Kinematics& kin, int tree_index,
                      TreeScratch* scratch, int ld, double* M) {
  const Tree& tree = model.trees[tree_index];
  if (tree.free_body) {
    write_free_body(kin.M_BBo_W[tree.link_begin], ld, M);
  } else {
    write_tree(model, kin, tree, scratch, ld, M);
  }
  for (int i = 0; i < tree.nv; ++i) {
    M[i * ld + i] += model.armature[tree.v_start + i];
  }
  add_tendons(model, kin, tree_index, scratch, ld, M);
}

}  // namespace cenic

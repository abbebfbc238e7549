// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "convex/problem.h"

#include <algorithm>

#include "convex/contact_law.h"
#include "core/error.h"
#include "math/simd.h"

namespace cenic {

void ConvexProblem::set_trees(std::span<const int> sizes, std::span<const FrictionDof> friction) {
  CENIC_CHECK(sizes.size() < (1U << 21));  // sort_patches() packs three indices into 64 bits
  trees.clear();
  padded_size_ = 0;
  int matrix = 0;
  for (const int n : sizes) {
    const int ld = round_up_to_lanes(n);
    trees.push_back({n, ld, padded_size_, matrix});
    padded_size_ += ld;
    matrix += ld * n;
  }
  M.assign(matrix, 0.0);
  for (AlignedVector<double>* x : {&v0, &momentum, &f0, &damping, &stiffness, &error_weight,
                                   &inverse_inertia, &gradient_weight, &A_diagonal, &r}) {
    x->assign(padded_size_, 0.0);
  }
  friction_dofs.assign(friction.begin(), friction.end());
  friction_v_r.assign(friction.size(), 0.0);
  begin();
}

void ConvexProblem::begin() {
  inputs.clear();
  unsorted_.clear();
}

void ConvexProblem::add_patch(int tree_a, int tree_b) {
  const bool swap = tree_b >= 0 && tree_b < tree_a;
  Patch patch;
  patch.tree[0] = swap ? tree_b : tree_a;
  patch.tree[1] = swap ? tree_a : tree_b;
  patch.first = num_contacts();
  unsorted_.push_back(patch);
}

void ConvexProblem::add_contact(const ContactInput& input) {
  ++unsorted_.back().count;
  inputs.push_back(input);
}

void ConvexProblem::finish(bool split) {
  // momentum = M v0, tree by tree
  for (const TreeBlock& t : trees) {
    for (int row = 0; row < t.ld; row += kLanes) {
      V8 s = {};
      for (int j = 0; j < t.n; ++j) {
        s += load8(M.data() + t.matrix_offset + t.ld * j + row) * v0[t.offset + j];
      }
      ref8(momentum.data() + t.offset + row) = s;
    }
  }

  for (int i = 0; i < padded_size_; ++i) {
    gradient_weight[i] = error_weight[i] * inverse_inertia[i];
  }

  const int n = num_trees();
  sets_.reset(n);
  if (split) {
    for (const Patch& p : unsorted_) {
      if (p.tree[1] >= 0) sets_.unite(p.tree[0], p.tree[1]);
    }
  } else {
    for (int i = 1; i < n; ++i) {
      sets_.unite(0, i);
    }
  }
  // Islands in order of their smallest tree; trees ascending inside.
  islands.clear();
  island_of_tree_.resize(n);
  local_of_tree_.resize(n);
  tree_count_.clear();
  for (int i = 0; i < n; ++i) {
    const int root = sets_.find(i);
    if (root == i) {
      island_of_tree_[i] = static_cast<int>(islands.size());
      islands.emplace_back();
      tree_count_.push_back(0);
    }
    island_of_tree_[i] = island_of_tree_[root];
    local_of_tree_[i] = tree_count_[island_of_tree_[i]]++;
  }
  int begin = 0;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    islands[i].tree_begin = begin;
    begin += tree_count_[i];
    islands[i].tree_end = begin;
  }
  island_trees.resize(n);
  for (int i = 0; i < n; ++i) {
    island_trees[islands[island_of_tree_[i]].tree_begin + local_of_tree_[i]] = i;
  }
  sort_patches();
  lay_out_slots();
}

void ConvexProblem::sort_patches() {
  keys_.clear();
  for (std::size_t i = 0; i < unsorted_.size(); ++i) {
    const Patch& p = unsorted_[i];
    const auto island = static_cast<std::uint64_t>(island_of_tree_[p.tree[0]]);
    const auto a = static_cast<std::uint64_t>(local_of_tree_[p.tree[0]]);
    const auto b = static_cast<std::uint64_t>(p.tree[1] < 0 ? 0 : local_of_tree_[p.tree[1]] + 1);
    keys_.push_back({(island << 42) | (a << 21) | b, static_cast<int>(i)});
  }
  std::ranges::sort(keys_, [](const PatchKey& x, const PatchKey& y) {
    return x.key != y.key ? x.key < y.key : x.patch < y.patch;
  });
  patches.clear();
  for (const PatchKey& k : keys_) {
    patches.push_back(unsorted_[k.patch]);
  }
}

void ConvexProblem::lay_out_slots() {
  slot_input.clear();
  row_offset_.clear();
  int offset = 0;
  edges.clear();
  island_friction.clear();
  std::size_t p = 0;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    Island& island = islands[i];
    island.patch_begin = static_cast<int>(p);
    island.slot_begin = static_cast<int>(slot_input.size());
    island.edge_begin = static_cast<int>(edges.size());
    for (; p < patches.size() && island_of_tree_[patches[p].tree[0]] == static_cast<int>(i); ++p) {
      Patch& patch = patches[p];
      patch.local[0] = local_of_tree_[patch.tree[0]];
      if (patch.tree[1] >= 0) {
        patch.local[1] = local_of_tree_[patch.tree[1]];
        const BlockEdge edge{patch.local[0], patch.local[1]};
        if (island.edge_begin == static_cast<int>(edges.size()) || !(edges.back() == edge))
          edges.push_back(edge);
        patch.edge = static_cast<int>(edges.size()) - 1 - island.edge_begin;
      }
      const int first = static_cast<int>(slot_input.size());
      for (int c = 0; c < patch.count; ++c) {
        slot_input.push_back(patch.first + c);
        for (const int tree : patch.tree) {
          row_offset_.push_back(offset);
          if (tree >= 0) offset += 3 * trees[tree].ld;
        }
      }
      patch.first = first;
    }
    while (slot_input.size() % kLanes != 0) {
      slot_input.push_back(-1);
      row_offset_.insert(row_offset_.end(), 2, offset);
    }
    island.patch_end = static_cast<int>(p);
    island.slot_end = static_cast<int>(slot_input.size());
    island.edge_end = static_cast<int>(edges.size());
  }
  // Friction dofs are given by increasing tree; islands interleave trees, so collect by island.
  for (Island& island : islands) {
    island.friction_begin = static_cast<int>(island_friction.size());
    if (!friction_dofs.empty()) {
      for (int t = island.tree_begin; t < island.tree_end; ++t) {
        const auto [lo, hi] =
            std::ranges::equal_range(friction_dofs, island_trees[t], {}, &FrictionDof::tree);
        for (auto f = lo; f != hi; ++f) {
          island_friction.push_back(static_cast<int>(f - friction_dofs.begin()));
        }
      }
    }
    island.friction_end = static_cast<int>(island_friction.size());
  }
  jacobian_.resize(offset);
  const std::size_t n = slot_input.size();
  for (AlignedVector<double>* x : {&slots.v_hat, &slots.c0, &slots.c1, &slots.m, &slots.v_r}) {
    x->resize(n);
  }
}

void ConvexProblem::set_step(double step) {
  h = step;
  for (int i = 0; i < padded_size_; ++i) {
    A_diagonal[i] = h * (damping[i] + h * stiffness[i]);
    r[i] = momentum[i] - h * f0[i];
  }
  for (std::size_t s = 0; s < slot_input.size(); ++s) {
    if (slot_input[s] < 0) {  // inert pad
      slots.v_hat[s] = slots.c0[s] = slots.c1[s] = slots.m[s] = 0;
      slots.v_r[s] = 1;
      continue;
    }
    const ContactInput& in = inputs[slot_input[s]];
    const NormalLaw law = make_normal_law(h, in.fe0, in.k, in.d);
    slots.v_hat[s] = law.v_hat;
    slots.c0[s] = law.c0;
    slots.c1[s] = law.c1;
    slots.m[s] = in.mu * h * in.fn0;
    slots.v_r[s] = std::max(in.slip, friction_regularization * in.inverse_mass * slots.m[s]);
  }
  for (std::size_t i = 0; i < friction_dofs.size(); ++i) {
    const FrictionDof& f = friction_dofs[i];
    const double w = inverse_inertia[trees[f.tree].offset + f.index];
    friction_v_r[i] = std::max(f.slip, friction_regularization * w * h * f.force);
  }
}

}  // namespace cenic

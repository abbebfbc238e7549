// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "convex/problem.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "convex/contact_law.h"
#include "core/error.h"
#include "math/simd.h"

namespace cenic {

void ConvexProblem::set_trees(std::span<const int> sizes, std::span<const FrictionDof> friction,
                              std::span<const LimitDof> limits,
                              std::span<const EffortDof> efforts) {
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
  for (AlignedVector<double>* x :
       {&v0, &f0, &damping, &stiffness, &error_weight, &inverse_inertia}) {
    x->assign(padded_size_, 0.0);
  }
  friction_dofs.assign(friction.begin(), friction.end());
  friction_bound.assign(friction.size(), 0.0);
  friction_v_r.assign(friction.size(), 0.0);
  limit_dofs.assign(limits.begin(), limits.end());
  limit_laws.assign(limits.size(), {});
  effort_dofs.assign(efforts.begin(), efforts.end());
  active.resize(trees.size());
  std::iota(active.begin(), active.end(), 0);
  begin();
}

void ConvexProblem::set_active(std::span<const int> list) {
  active.assign(list.begin(), list.end());
}

void ConvexProblem::set_external(std::span<const int> gained_trees) {
  external_force.assign(padded_size_, 0.0);
  for (const int t : gained_trees) {
    trees[t].gained = true;
  }
  if (gained_trees.empty()) return;
  external_gain.assign(M.size(), 0.0);
  A_gained_.assign(M.size(), 0.0);
}

void ConvexProblem::begin() {
  num_contacts_ = 0;
  unsorted_.clear();
  row_inputs.clear();
  unsorted_groups_.clear();
  group_trees.clear();
}

void ConvexProblem::add_patch(int tree_a, int tree_b) {
  const bool swap = tree_b >= 0 && tree_b < tree_a;
  Patch& patch = unsorted_.emplace_back();
  patch.tree[0] = swap ? tree_b : tree_a;
  patch.tree[1] = swap ? tree_a : tree_b;
  patch.first = num_contacts_;
}

void ConvexProblem::add_group(std::span<const int> trees_of_group) {
  Group& group = unsorted_groups_.emplace_back();
  group.first = static_cast<int>(row_inputs.size());
  group.tree_begin = static_cast<int>(group_trees.size());
  for (const int tree : trees_of_group) {
    group_trees.push_back({.tree = tree});
  }
  group.tree_end = static_cast<int>(group_trees.size());
}

void ConvexProblem::add_row(const RowInput& input) {
  ++unsorted_groups_.back().count;
  row_inputs.push_back(input);
}

void ConvexProblem::add_contact() {
  ++unsorted_.back().count;
  ++num_contacts_;
}

void ConvexProblem::finish(bool split) {
  make_islands(split);
  sort_patches(unsorted_, &patches);
  sort_groups();
  list_couplings();
  sort_patches(unsorted_couplings_, &couplings);
  lay_out_slots();
  lay_out_rows();
  collect(&Island::friction_begin, &Island::friction_end, &friction_dofs, &island_friction);
  collect(&Island::limit_begin, &Island::limit_end, &limit_dofs, &island_limits);
  collect(&Island::effort_begin, &Island::effort_end, &effort_dofs, &island_efforts);
  for (Island& island : islands) {
    island.one_sided =
        island.limit_begin != island.limit_end || island.effort_begin != island.effort_end;
    for (int g = island.group_begin; g < island.group_end; ++g) {
      for (int i = groups[g].first; i < groups[g].first + groups[g].count; ++i) {
        island.one_sided = island.one_sided || row_inputs[i].one_sided;
      }
    }
  }
}

void ConvexProblem::make_islands(bool split) {
  const int n = num_trees();
  if (sets_.size() != n) sets_.reset(n);
  for (const int i : active) {
    sets_.isolate(i);
  }
  if (split) {
    for (const Patch& p : unsorted_) {
      if (p.tree[1] >= 0) sets_.unite(p.tree[0], p.tree[1]);
    }
    for (const Group& group : unsorted_groups_) {
      for (const GroupTree& side : sides(group)) {
        sets_.unite(sides(group).front().tree, side.tree);
      }
    }
  } else {
    for (const int i : active) {
      sets_.unite(active.front(), i);
    }
  }
  // Islands in order of their smallest tree; trees ascending inside.
  islands.clear();
  island_of_tree_.resize(n);
  local_of_tree_.resize(n);
  tree_count_.clear();
  for (const int i : active) {
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
  island_trees.resize(active.size());
  for (const int i : active) {
    island_trees[islands[island_of_tree_[i]].tree_begin + local_of_tree_[i]] = i;
  }
}

void ConvexProblem::sort_groups() {
  const auto place = [this](const Group& group) {
    const int tree = sides(group).front().tree;
    return std::tuple(island_of_tree_[tree], local_of_tree_[tree], group.first);
  };
  groups.assign(unsorted_groups_.begin(), unsorted_groups_.end());
  std::ranges::sort(groups, {}, place);
  for (GroupTree& side : group_trees) {
    side.local = local_of_tree_[side.tree];
  }
}

void ConvexProblem::list_couplings() {
  unsorted_couplings_.clear();
  for (const Group& group : groups) {
    const auto trees_of_group = sides(group);
    for (int a = 0; a < group.num_sides(); ++a) {
      for (int b = a + 1; b < group.num_sides(); ++b) {
        Patch& pair = unsorted_couplings_.emplace_back();
        pair.first = group.first;
        pair.count = group.count;
        for (int k = 0; k < 2; ++k) {
          pair.side[k] = k == 0 ? a : b;
          pair.tree[k] = trees_of_group[pair.side[k]].tree;
        }
      }
    }
  }
}

// By island, first tree, second tree, and as they came: counted by first tree in the order of
// island_trees; the few of one tree are nearly in order.
void ConvexProblem::sort_patches(const std::vector<Patch>& unsorted, std::vector<Patch>* sorted) {
  const auto place = [this](const Patch& p) {
    return islands[island_of_tree_[p.tree[0]]].tree_begin + local_of_tree_[p.tree[0]];
  };
  patch_begin_.assign(island_trees.size() + 1, 0);
  for (const Patch& p : unsorted) {
    ++patch_begin_[place(p) + 1];
  }
  std::partial_sum(patch_begin_.begin(), patch_begin_.end(), patch_begin_.begin());
  sorted->resize(unsorted.size());
  for (const Patch& p : unsorted) {
    Patch& patch = (*sorted)[patch_begin_[place(p)]++] = p;
    for (int side = 0; side < 2 && p.tree[side] >= 0; ++side) {
      patch.local[side] = local_of_tree_[p.tree[side]];
    }
  }
  const auto precedes = [](const Patch& a, const Patch& b) {
    return a.tree[1] != b.tree[1] ? a.tree[1] < b.tree[1] : a.first < b.first;
  };
  auto begin = sorted->begin();
  for (std::size_t i = 0; i < island_trees.size(); ++i) {
    const auto end = sorted->begin() + patch_begin_[i];
    if (!std::is_sorted(begin, end, precedes)) std::sort(begin, end, precedes);
    begin = end;
  }
}

// Patches and couplings come in the order of their trees: equal edges follow each other.
void ConvexProblem::add_edge(Island* island, Patch* patch) {
  if (patch->tree[1] < 0) return;
  const BlockEdge edge{patch->local[0], patch->local[1]};
  if (island->edge_begin == static_cast<int>(edges.size()) || !(edges.back() == edge)) {
    edges.push_back(edge);
  }
  patch->edge = static_cast<int>(edges.size()) - 1 - island->edge_begin;
}

void ConvexProblem::lay_out_slots() {
  slot_input.clear();
  row_offset_.clear();
  int offset = 0;
  edges.clear();
  std::size_t p = 0, g = 0, k = 0;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    Island& island = islands[i];
    island.patch_begin = static_cast<int>(p);
    island.coupling_begin = static_cast<int>(k);
    island.group_begin = static_cast<int>(g);
    while (g < groups.size() && island_of_tree_[sides(groups[g])[0].tree] == static_cast<int>(i)) {
      ++g;
    }
    island.group_end = static_cast<int>(g);
    island.slot_begin = static_cast<int>(slot_input.size());
    island.edge_begin = static_cast<int>(edges.size());
    const auto belongs = [&](const std::vector<Patch>& list, std::size_t at) {
      return at < list.size() && island_of_tree_[list[at].tree[0]] == static_cast<int>(i);
    };
    const auto is_before = [](const Patch& a, const Patch& b) {
      return a.local[0] != b.local[0] ? a.local[0] < b.local[0] : a.local[1] < b.local[1];
    };
    while (belongs(patches, p) || belongs(couplings, k)) {
      if (belongs(couplings, k) && !(belongs(patches, p) && is_before(patches[p], couplings[k]))) {
        add_edge(&island, &couplings[k++]);
        continue;
      }
      Patch& patch = patches[p++];
      add_edge(&island, &patch);
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
    island.coupling_end = static_cast<int>(k);
    island.slot_end = static_cast<int>(slot_input.size());
    island.edge_end = static_cast<int>(edges.size());
  }
  jacobian_.resize(offset);
  inputs.resize(slot_input.size());
}

void ConvexProblem::lay_out_rows() {
  row_start_.resize(row_inputs.size());
  row_laws.resize(row_inputs.size());
  constraint_offset_.clear();
  int offset = 0;
  for (const Group& group : groups) {
    const auto start = static_cast<int>(constraint_offset_.size()), n = group.num_sides();
    constraint_offset_.resize(start + n * group.count);
    for (int side = 0; side < n; ++side) {
      for (int i = 0; i < group.count; ++i) {
        row_start_[group.first + i] = start + n * i;
        constraint_offset_[start + n * i + side] = offset;
        offset += trees[sides(group)[side].tree].ld;
      }
    }
  }
  row_jacobian_.assign(offset, 0.0);
}

// Friction and limits are given by increasing tree; islands interleave trees, so collect by island.
template <class Dof>
void ConvexProblem::collect(int Island::*begin, int Island::*end, std::vector<Dof>* dofs,
                            std::vector<int>* indices) {
  indices->clear();
  for (Island& island : islands) {
    island.*begin = static_cast<int>(indices->size());
    for (int t = island.tree_begin; t < island.tree_end && !dofs->empty(); ++t) {
      const auto [lo, hi] = std::ranges::equal_range(*dofs, island_trees[t], {}, &Dof::tree);
      for (auto f = lo; f != hi; ++f) {
        f->local = t - island.tree_begin;
        indices->push_back(static_cast<int>(f - dofs->begin()));
      }
    }
    island.*end = static_cast<int>(indices->size());
  }
}

void ConvexProblem::set_step(const StepForm& form) {
  h = form.h;
  share = form.share;
  const double rigid_h = form.rigid_h > 0 ? form.rigid_h : h;
  for (const TreeBlock& t : trees) {
    if (!t.gained) continue;
    for (int i = t.matrix_offset; i < t.matrix_offset + t.ld * t.n; ++i) {
      A_gained_[i] = M[i] + share * h * external_gain[i];
    }
  }
  for (std::size_t i = 0; i < friction_dofs.size(); ++i) {
    const FrictionDof& f = friction_dofs[i];
    const double w = inverse_inertia[trees[f.tree].offset + f.index];
    friction_bound[i] = share * h * f.force;
    friction_v_r[i] = std::max(f.slip, friction_regularization * w * h * f.force);
  }
  const auto make_law = [&](const RowInput& row) {
    return make_row_law(h, rigid_h, row, recovery);
  };
  for (std::size_t i = 0; i < row_inputs.size(); ++i) {
    row_laws[i] = make_law(row_inputs[i]);
    if (row_inputs[i].stiffness == 0) row_laws[i].weight *= share;
  }
  for (std::size_t i = 0; i < limit_dofs.size(); ++i) {
    const LimitDof& dof = limit_dofs[i];
    RowInput row{.inverse_mass = dof.inverse_mass,
                 .scale = dof.scale,
                 .stiffness = dof.stiffness,
                 .damping = dof.damping,
                 .one_sided = true};
    row.g = dof.lower;
    limit_laws[i].lower = make_law(row);
    row.g = dof.upper;
    limit_laws[i].upper = make_law(row);
  }
}

void ConvexProblem::calc_tree_r(const TreeBlock& t, double* r) const {
  for (int row = 0; row < t.ld; row += kLanes) {
    V8 momentum = {};
    for (int j = 0; j < t.n; ++j) {
      momentum += load8(&M[t.matrix_offset + t.ld * j + row]) * v0[t.offset + j];
    }
    ref8(r + row) = momentum - h * load8(&f0[t.offset + row]);
    if (external_force.empty()) continue;
    ref8(r + row) += share * h * load8(&external_force[t.offset + row]);
  }
}

void ConvexProblem::IslandStep::make_room(int padded_size, int num_slots) {
  grow_to(padded_size, {&A_diagonal, &r});
  grow_to(num_slots, {&v_hat, &c0, &c1, &m, &v_r});
}

void ConvexProblem::calc_island_step(const Island& island, IslandStep* step) const {
  const int num_slots = island.slot_end - island.slot_begin;
  int at = 0;
  for (int i = island.tree_begin; i < island.tree_end; ++i) {
    const TreeBlock& t = trees[island_trees[i]];
    for (int row = 0; row < t.ld; row += kLanes) {
      const V8 D = load8(&damping[t.offset + row]), K = load8(&stiffness[t.offset + row]);
      ref8(&step->A_diagonal[at + row]) = share * h * (D + share * h * K);
    }
    calc_tree_r(t, &step->r[at]);
    at += t.ld;
  }
  for (int i = 0; i < num_slots; ++i) {
    const int s = island.slot_begin + i;
    if (slot_input[s] < 0) {  // inert pad
      step->v_hat[i] = step->c0[i] = step->c1[i] = step->m[i] = 0;
      step->v_r[i] = 1;
      continue;
    }
    const ContactInput& in = inputs[s];
    const NormalLaw law = make_normal_law(h, in.fe0, in.k, in.d);
    step->v_hat[i] = law.v_hat;
    step->c0[i] = share * law.c0;
    step->c1[i] = share * law.c1;
    step->m[i] = calc_friction_bound(in);
    step->v_r[i] = calc_regularization_speed(in);
  }
}

}  // namespace cenic

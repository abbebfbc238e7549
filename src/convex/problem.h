// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The convex problem of one step, in matrices: no bodies, no joints, no shapes.
//
//   min over v of  ½ vᵀ A v − rᵀ v + Σ contacts ℓ_c(J_c v) + Σ rows ℓ_r(J_r v) + Σ dofs ℓ_f(v_i)
//   A = M + h (D + C) + h² K,  r = M v0 − h f0 + h b
//
// with external forces b − C v.
//
// Velocities are grouped by tree. Vectors are "padded": tree c occupies ld(c) = n(c) rounded up to
// eight entries from offset(c) on, pads zero. Contacts couple one or two trees, rows of constraints
// any number; trees coupled by them form an island, which is solved on its own (solver.h). Filled
// by dynamics/, in this order:
//   set_trees once; then for each state: begin, the tree arrays, add_patch/add_contact,
//   add_group/add_row, finish, inputs and rows, the limits' gaps; then for each h: set_step.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "convex/constraint_law.h"
#include "core/aligned_vector.h"
#include "core/union_find.h"
#include "math/block_cholesky.h"

namespace cenic {

// What a contact needs to know besides its Jacobian.
struct ContactInput {
  double fe0 = 0;   // elastic force at the start of the step; negative for a speculative contact, N
  double k = 0;     // stiffness, N/m
  double d = 0;     // Hunt & Crossley dissipation, s/m
  double mu = 0;    // friction coefficient at the slip speed of the start of the step
  double fn0 = 0;   // normal force at the start of the step (lagged into the friction), N
  double slip = 0;  // least regularisation speed v_s, m/s
  // Estimates of the inverse mass w that the contact feels along its normal and along its surface,
  // 1/kg
  double inverse_mass = 0, tangential_inverse_mass = 0;
};

// The size of a step, and how the laws are taken over it.
struct StepForm {
  double h = 0;
  double rigid_h = 0;  // step that sets how stiff rigid constraints are; 0: h
  // Share of the step over which contact, friction, springs and dampers act as at its end: ½ in the
  // trapezoid rule. Constraints and limits are never shared, rows that only damp are.
  double share = 1;
};

class ConvexProblem {
 public:
  struct TreeBlock {
    int n = 0, ld = 0;
    int offset = 0;         // in padded vectors
    int matrix_offset = 0;  // in M, ld × n column major
    bool gained = false;    // has external gains C
  };
  // Contacts between the same two trees, one after the other; or the rows of a group as they couple
  // two of its trees.
  struct Patch {
    int tree[2] = {-1, -1};    // tree[0] < tree[1], or tree[1] = −1 when only one tree moves
    int first = 0, count = 0;  // contacts or rows; slots of contacts after finish
    int edge = -1;             // of the island's pattern
    int local[2] = {-1, -1};   // block index of the trees in the island
    int side[2] = {0, 1};      // which of the group's trees they are
  };
  // Rows of constraints on the same trees, one after the other.
  struct Group {
    int tree_begin = 0, tree_end = 0;  // in group_trees: its sides
    int first = 0, count = 0;          // in row_inputs
    int num_sides() const { return tree_end - tree_begin; }
  };
  struct GroupTree {
    int tree = -1;
    int local = -1;  // block index in the island
  };
  struct Island {
    int tree_begin = 0, tree_end = 0;          // in island_trees
    int patch_begin = 0, patch_end = 0;        // in patches
    int slot_begin = 0, slot_end = 0;          // contacts, padded to lanes
    int edge_begin = 0, edge_end = 0;          // in edges
    int friction_begin = 0, friction_end = 0;  // in island_friction
    int group_begin = 0, group_end = 0;        // in groups
    int coupling_begin = 0, coupling_end = 0;  // in couplings
    int limit_begin = 0, limit_end = 0;        // in island_limits
    int effort_begin = 0, effort_end = 0;      // in island_efforts
    bool one_sided = false;                    // has limits, one-sided rows or limited efforts
  };
  struct FrictionDof {
    int tree = 0, index = 0;  // velocity `index` of the tree
    double force = 0;         // N m or N
    double slip = 0;          // regularisation speed
    int local = -1;           // block index of the tree in its island, after finish
  };

  // A velocity whose coordinate is limited.
  struct LimitDof {
    int tree = 0, index = 0;
    double lower = 0, upper = 0;  // gaps to the limits at the start of the step, negative: violated
    double inverse_mass = 0;
    double scale = 1;  // metres per unit
    double stiffness = INFINITY, damping = 0;
    int local = -1;
  };

  // An actuator of limited effort on one velocity: force clamp(b − c v, ± limit).
  struct EffortDof {
    int tree = 0, index = 0;
    double limit = 0;
    double b = 0, c = 0;  // of the step: set them before set_step
    int local = -1;
  };

  // ---- structure, constant; friction, limits and efforts by increasing tree ----
  void set_trees(std::span<const int> sizes, std::span<const FrictionDof> friction,
                 std::span<const LimitDof> limits = {}, std::span<const EffortDof> efforts = {});
  // External forces act on some velocities: makes room for b and, in these trees, C. All zero.
  void set_external(std::span<const int> gained_trees);
  int num_trees() const { return static_cast<int>(trees.size()); }
  // From now on the problem is about these trees alone, ascending: nothing else is read, written or
  // solved for, and no contact may touch another. set_trees() takes all.
  void set_active(std::span<const int> list);
  int padded_size() const { return padded_size_; }

  // ---- one state ----
  // Starts a new problem: no contacts. The tree arrays below keep their values until overwritten.
  void begin();
  // A new patch between two different trees (tree_b may be −1).
  void add_patch(int tree_a, int tree_b);
  // One more contact of the last patch.
  void add_contact();
  // A new group of rows on one or more trees, ascending, and a row of the last group.
  void add_group(std::span<const int> trees_of_group);
  void add_row(const RowInput& input);
  // Sorts contacts and rows into islands and gives each contact its slot. With split = false the
  // whole scene is one island. Then fill in input and rows of every slot, and the rows of
  // constraints.
  void finish(bool split);
  // The Jacobian of a slot on one side of its patch: three rows (normal, two tangents) of length
  // ld(tree of that side). Not initialised: write all of it, pads (zero) included.
  double* rows(int slot, int side) { return jacobian_.data() + row_offset_[2 * slot + side]; }
  const double* rows(int slot, int side) const {
    return jacobian_.data() + row_offset_[2 * slot + side];
  }

  // The Jacobian row of a constraint on one side of its group: ld(tree of that side) numbers, zero
  // until written. The rows of a group follow each other.
  double* constraint_row(int row, int side) {
    return row_jacobian_.data() + constraint_offset_[row_start_[row] + side];
  }
  const double* constraint_row(int row, int side) const {
    return row_jacobian_.data() + constraint_offset_[row_start_[row] + side];
  }
  // The trees of a group, ascending: side s is the s-th.
  std::span<const GroupTree> sides(const Group& group) const {
    return {group_trees.data() + group.tree_begin, group_trees.data() + group.tree_end};
  }

  std::vector<TreeBlock> trees;
  std::vector<int> active;   // those the problem is about
  AlignedVector<double> M;   // mass matrices
  AlignedVector<double> v0;  // padded
  AlignedVector<double>
      f0;  // forces at v = v0 that are treated explicitly: Coriolis − gravity + K (q0 − rest)
  AlignedVector<double> external_force;   // b, at v = 0, padded; empty: none
  AlignedVector<double> external_gain;    // C, laid out as M, symmetric, positive semi-definite
  AlignedVector<double> damping;          // D
  AlignedVector<double> stiffness;        // K
  AlignedVector<double> error_weight;     // S: metres of error per unit of each velocity times 1 s
  AlignedVector<double> inverse_inertia;  // estimate of (M⁻¹)_ii
  std::vector<RowInput> row_inputs;       // set g, w and scale any time before set_step
  std::vector<LimitDof> limit_dofs;
  std::vector<EffortDof> effort_dofs;
  Recovery recovery;

  // ---- after finish ----
  std::vector<Island> islands;
  std::vector<int> island_trees;  // ascending inside an island
  std::vector<Patch> patches;     // by island, then by trees
  std::vector<Group> groups;      // of rows, by island
  std::vector<GroupTree> group_trees;
  std::vector<Patch> couplings;      // each two trees of a group; by island, then by trees
  std::vector<BlockEdge> edges;      // by island, local block indices
  std::vector<int> island_friction;  // indices into friction_dofs
  std::vector<int> island_limits;    // indices into limit_dofs
  std::vector<int> island_efforts;   // indices into effort_dofs
  std::vector<FrictionDof> friction_dofs;
  std::vector<int> slot_input;       // the contact of each slot, as they were added; −1 for a pad
  std::vector<ContactInput> inputs;  // by slot

  // ---- one step size ----
  void set_step(const StepForm& form);
  void set_step(double step) { set_step(StepForm{.h = step}); }
  // A, r and the laws of the contacts of one island, its trees and slots one after the other. They
  // are made where they are needed, and are gone when the next island's are made: kept for all
  // islands they would only be in the way of what must be kept.
  struct IslandStep {
    AlignedVector<double> A_diagonal;  // h D + h² K
    AlignedVector<double> r;
    AlignedVector<double> v_hat, c0, c1;  // normal law
    AlignedVector<double> m, v_r;         // friction bound μ h fn0, regularisation speed
    void make_room(int padded_size, int num_slots);  // of the island
  };
  // There must be room in `step`.
  void calc_island_step(const Island& island, IslandStep* step) const;
  double calc_friction_bound(const ContactInput& in) const { return share * (in.mu * h * in.fn0); }
  double calc_regularization_speed(const ContactInput& in) const {
    return std::max(in.slip,
                    friction_regularization * in.tangential_inverse_mass * (in.mu * h * in.fn0));
  }
  // r of one tree.
  void calc_tree_r(const TreeBlock& tree, double* r) const;
  // Friction is regularised at v_r = max(v_s, σ w_t μ h fn0): a fraction σ of the speed that the
  // friction impulse of the step can change. Without it long steps through impacts lock bodies by
  // their lagged normal force.
  double friction_regularization = 3e-4;
  double h = 0;
  double share = 1;
  // A without its diagonal part: M + h C, ld × n column major.
  const double* A(const TreeBlock& t) const {
    return (t.gained ? A_gained_ : M).data() + t.matrix_offset;
  }
  // What moving surfaces add to the tangential velocities, by slot; empty: nothing.
  std::vector<double> belt_t1, belt_t2;
  std::vector<double> friction_bound, friction_v_r;  // of friction_dofs
  std::vector<RowLaw> row_laws;
  struct LimitLaw {
    RowLaw lower, upper;  // on v and on −v
  };
  std::vector<LimitLaw> limit_laws;

 private:
  void make_islands(bool split);
  void sort_patches(const std::vector<Patch>& unsorted, std::vector<Patch>* sorted);
  void sort_groups();
  void list_couplings();
  void add_edge(Island* island, Patch* patch);
  void lay_out_slots();
  void lay_out_rows();
  template <class Dof>
  void collect(int Island::*begin, int Island::*end, std::vector<Dof>* dofs,
               std::vector<int>* indices);

  int padded_size_ = 0;
  int num_contacts_ = 0;  // added
  AlignedVector<double> A_gained_;
  std::vector<int> row_offset_;
  AlignedVector<double> jacobian_;
  UnionFind sets_;
  std::vector<int> island_of_tree_, local_of_tree_, tree_count_;
  std::vector<Patch> unsorted_, unsorted_couplings_;
  std::vector<Group> unsorted_groups_;
  std::vector<int> patch_begin_;                    // by place of the first tree in island_trees
  std::vector<int> row_start_, constraint_offset_;  // of each row; of each of its sides
  AlignedVector<double> row_jacobian_;
};

}  // namespace cenic

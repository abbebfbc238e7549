// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// External systems in a convex step (paper, section V-C). Linearised about a state (qb, vb, zb),
// and with coordinates that follow the velocities at the end of the step, q − qb = α v + β,
//
//   z − zb = e + γ (ż_b + H_z (z − zb) + H_v (v − vb) + H_q (α v + β))   ⇒  z = zb + w + Z v
//   τ = τ_b + T_v (v − vb) + T_q (α v + β) + T_z (z − zb)                ⇒  τ = c − G v
//
// Implicit Euler from the start of the step: e = 0, γ = α = h, β = 0; times are of its end. A
// convex problem takes C, the positive part of the symmetric part of G; the rest is evaluated at
// vb: τ = b − C v, b = c − (G − C) vb. A force without a part in C (a law that pushes the way it is
// pushed) is taken as it is at the start of the step. Between two trees C = Rᵀ R enters as rows
// that damp R v; a system of more trees is taken pair by pair, where each tree's own block is
// divided by how strongly it is coupled to the others.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "convex/problem.h"
#include "core/archive.h"
#include "dynamics/options.h"
#include "systems/evaluator.h"

namespace cenic {

class ExternalForces {
 public:
  explicit ExternalForces(const Model& model);
  bool empty() const { return evaluator_.empty(); }

  std::vector<ConvexProblem::EffortDof> make_effort_dofs() const;
  // Once: makes room in the problem.
  void attach(ConvexProblem* problem) const;
  void set_measurements(const Measurements* m) { evaluator_.set_measurements(m); }

  // Linearises about the state, whose kinematics are known, for a step of about `horizon`.
  void build(const State& state, const Kinematics& kin, double horizon,
             ExternalTreatment treatment);
  // Forgets what was learnt of a state that is no more.
  void restart() { std::ranges::fill(within_, 1); }
  void exchange(Archive* archive) { archive->fixed(&within_); }
  // Rows of the groups that couple two trees: before the problem is finished.
  void add_groups(ConvexProblem* problem);
  // After a build at the end of a step of size h from where `start` was built: the trapezoid rule.
  // Adds −½ the forces at the start to f0 (nv).
  void average_with(ExternalForces* start, double h, std::span<double> f0);
  // Writes b and C of a step of size h into the problem; false when a system fails, see fault().
  bool set_step(double h, ConvexProblem* problem);
  // After a solve: limited efforts are taken together, as if there were no limits, as long as they
  // keep within them. False when some do not at v: set the step and solve again, those are now held
  // at their limits.
  bool keeps_limits(std::span<const double> v);
  // z at the end of that step, where the velocities are v.
  void advance(const ConvexProblem& problem, std::span<const double> v, std::span<double> z);

  const SystemFault& fault() const {
    return build_fault_.kind != SystemFault::Kind::kNone ? build_fault_ : fault_;
  }
  // How the effort-th limited effort is taken at v at the end of the step: 0 as if unlimited, else
  // by itself: 1 within, 2 at its upper and 3 at its lower limit.
  int calc_stage(const ConvexProblem& problem, int effort, double v) const;
  // Generalised forces on all velocities (nv) as applied in the step that ended with advance().
  void report_efforts(const ConvexProblem& problem, std::span<double> tau) const;

 private:
  // A group's velocities in one tree that are both driven and read: rows and columns of C. Limited
  // efforts are in blocks where they are all that the group drives.
  struct Block {
    int tree = 0;
    std::vector<int> row, dof, local;  // indices in G, in the group's dofs and in the tree
    std::vector<int> active;           // entries that are in C in this step
    std::vector<double> gain;          // C over them
    double coupling = 0;               // to other blocks of the group, Σ ‖G_ab‖; 0: by itself
  };
  // Two blocks that are coupled: R over the velocities of both, and its rows in the problem.
  struct Pair {
    int block[2] = {0, 0};  // the trees ascend, as the sides of a group of rows do
    std::vector<double> R;  // n × n
    int n = 0, first_row = 0;
    bool coupled = false;  // in this step
  };
  struct GroupStep {
    std::vector<Block> blocks;
    std::vector<Pair> pairs;
    std::vector<double> Z, w;    // nz × nd, nz
    std::vector<double> G, c;    // (driven + limited) × nd, (driven + limited)
    std::vector<double> plain;   // τ without derivatives in q and v (driven + limited)
    std::vector<char> implicit;  // has a part in C (driven)
  };
  void set_form(double h) { gamma_ = alpha_ = at_end_ ? 0.5 * h : h; }
  void solve_states(int group);
  void set_law(int group);
  void update_law(int group);
  double symmetric_part(const GroupStep& step, int nd, const Block& a, int i, const Block& b,
                        int j) const;
  double calc_coupling(const GroupStep& step, int nd, const Pair& pair) const;
  void find_couplings(int group);
  void factor_pair(const GroupStep& step, int nd, Pair* pair);
  bool choose_gains(const GroupStep& step, int nd, Block* block);
  void write_pair(int group, Pair* pair, ConvexProblem* problem);
  void add_gains(const SystemGroup& spec, const Block& block, ConvexProblem* problem) const;
  void join_limited(int group, ConvexProblem* problem);
  template <class Body>
  void for_each_row(int group, const Pair& pair, std::span<const double> v, Body body) const;
  double calc_at_base(const SystemGroup& spec, const GroupStep& step, std::size_t row) const;
  void write_driven(int group, ConvexProblem* problem);
  void write_limited(int group, ConvexProblem* problem) const;
  int padded(const ConvexProblem& problem, int velocity) const;

  const Model& model_;
  SystemEvaluator evaluator_;
  std::vector<GroupStep> steps_;
  std::vector<int> gained_trees_;
  ExternalTreatment treatment_ = ExternalTreatment::kImplicit;
  SystemFault build_fault_, fault_;  // at the start of the step, and at its end
  double t_ = 0, evaluated_at_ = 0;
  bool at_end_ = false;  // built at the end of the step: the trapezoid rule
  double gamma_ = 0, alpha_ = 0;
  std::vector<double> vb_, zb_;      // where it is linearised (nv, nz)
  std::vector<double> beta_, e_;     // (nv, nz); empty: zero
  std::vector<double> tau_, v_end_;  // (nv)
  std::vector<double> S_, X_, gain_, factor_;
  // Limited efforts: may be taken together with others; are; were within their limits last time.
  std::vector<char> joinable_, joined_, within_;
};

}  // namespace cenic

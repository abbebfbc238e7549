// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Levenberg-Marquardt on ½ |r(q)|², r being the errors g of the rigid constraints and what joints
// are beyond their limits, loop by loop (trees coupled by constraints). The rows of constraints are
// not quite ∂g/∂v away from g = 0, but Jᵀg is the exact gradient everywhere (constraints.h), which
// is what descent needs.
#include "multibody/assembly.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/union_find.h"
#include "multibody/constraints.h"

namespace cenic {

namespace {

constexpr double kFine = 1e-3;       // a start this good is not looked at further, m or rad
constexpr double kAssembled = 1e-6;  // m or rad
constexpr int kMaxIterations = 200;
constexpr int kNumRestarts = 100;
constexpr int kNumRestartsLarge = 5;  // for loops of more than kLarge velocities
constexpr int kLarge = 200;

bool is_rigid(const Constraint& constraint) {
  return std::isinf(constraint.translation.stiffness) || std::isinf(constraint.spring(0).stiffness);
}

// Trees coupled by rigid constraints, with these and the limits of the trees.
struct Loop {
  std::vector<int> trees, constraints, limits;
};

// How far a constraint is open: the larger of its rotation and its translation.
struct Opening {
  double size = 0;
  const char* unit = "m";
};

Opening calc_opening(const Model& model, const Kinematics& kin, std::span<const double> q, int c) {
  const Constraint& constraint = model.constraints[c];
  double g[kMaxConstraintRows] = {};
  calc_constraint_error(model, kin, q, c, g);
  switch (constraint.kind) {
    case ConstraintKind::kCoupler: {
      const bool length = slides(model.links[constraint.link[0]].kind);
      return {std::fabs(g[0]), length ? "m" : "rad"};
    }
    case ConstraintKind::kDistance:
    case ConstraintKind::kTendon:
      return {std::fabs(g[0]), "m"};
    case ConstraintKind::kBall:
      return {norm(Vec3{g[0], g[1], g[2]}), "m"};
    case ConstraintKind::kWeld: {
      const double turn = norm(Vec3{g[0], g[1], g[2]}), travel = norm(Vec3{g[3], g[4], g[5]});
      return turn > travel ? Opening{turn, "rad"} : Opening{travel, "m"};
    }
  }
  return {};
}

// The loops in which a constraint is open at q0, in the order of their first tree.
std::vector<Loop> find_open_loops(const Model& model) {
  const int num_trees = static_cast<int>(model.trees.size());
  const int num_constraints = static_cast<int>(model.constraints.size());
  Kinematics kin;
  kin.resize(model);
  update_positions(model, model.q0, &kin);
  const auto tree_of = [&](int c) {
    return model.constraints[c].trees.front();
  };
  UnionFind sets;
  sets.reset(num_trees);
  for (int c = 0; c < num_constraints; ++c) {
    const Constraint& constraint = model.constraints[c];
    if (!is_rigid(constraint)) continue;
    for (const int tree : constraint.trees) {
      sets.unite(tree_of(c), tree);
    }
  }
  std::vector<bool> open(num_trees, false);
  for (int c = 0; c < num_constraints; ++c) {
    if (!is_rigid(model.constraints[c])) continue;
    if (calc_opening(model, kin, model.q0, c).size > kFine) open[sets.find(tree_of(c))] = true;
  }
  std::vector<Loop> loops;
  std::vector<int> loop_of(num_trees, -1);  // of each tree
  for (int t = 0; t < num_trees; ++t) {
    const int root = sets.find(t);
    if (!open[root]) continue;
    if (root == t) {
      loop_of[t] = static_cast<int>(loops.size());
      loops.emplace_back();
    }
    loop_of[t] = loop_of[root];
    loops[loop_of[t]].trees.push_back(t);
  }
  for (int c = 0; c < num_constraints; ++c) {
    if (!is_rigid(model.constraints[c]) || loop_of[tree_of(c)] < 0) continue;
    loops[loop_of[tree_of(c)]].constraints.push_back(c);
  }
  for (int i = 0; i < static_cast<int>(model.limits.size()); ++i) {
    const int loop = loop_of[model.links[model.limits[i].link].tree];
    if (loop >= 0) loops[loop].limits.push_back(i);
  }
  return loops;
}

// Tries to close one loop.
class Assembler {
 public:
  Assembler(const Model& model, const Loop& loop)
      : model_(model), loop_(loop), step_(model.nv, 0.0), trial_(model.q0) {
    kin_.resize(model);
    column_.assign(model.trees.size(), -1);
    int max_nv = 0;
    for (const int t : loop.trees) {
      column_[t] = num_columns_;
      num_columns_ += model.trees[t].nv;
      max_nv = std::max(max_nv, model.trees[t].nv);
    }
    rows_.resize(static_cast<std::size_t>(kMaxConstraintRows) * max_nv);
  }

  // False when no configuration is found that meets everything; the best one is kept. A search in
  // a large loop that ran out of iterations proves nothing, and lets it pass.
  bool run() {
    if (descend(model_.q0)) return true;
    std::minstd_rand engine(1);  // the same starts in each run
    const int n = num_columns_ > kLarge ? kNumRestartsLarge : kNumRestarts;
    for (int i = 1; i <= n; ++i) {
      const double u = static_cast<double>(i) / n;
      if (descend(perturb(u * u, &engine))) return true;  // first just off a dead centre
    }
    return num_columns_ > kLarge && ran_out_;
  }

  std::string describe_failure() {
    update_positions(model_, best_, &kin_);
    int worst = loop_.constraints.front();
    Opening largest;
    std::vector<std::string> names;
    for (const int c : loop_.constraints) {
      const Opening opening = calc_opening(model_, kin_, best_, c);
      if (opening.size > largest.size) {
        largest = opening;
        worst = c;
      }
      if (names.size() < 3) names.push_back(model_.describe_constraint(c));
    }
    if (loop_.constraints.size() > names.size()) {
      names.push_back(fmt::format("{} more", loop_.constraints.size() - names.size()));
    }
    return fmt::format(
        "the loop of {} cannot close: {} stays open by {:.3g} {} however the joints are turned; "
        "check lengths, frames and limits",
        fmt::join(names, ", "), model_.describe_constraint(worst), largest.size, largest.unit);
  }

 private:
  using Matrix = Eigen::SparseMatrix<double>;

  // Residuals at q, and their Jacobian when asked for. Returns ½ |r|².
  double evaluate(const std::vector<double>& q, bool with_jacobian) {
    update_positions(model_, q, &kin_);
    residual_.clear();
    entries_.clear();
    for (const int c : loop_.constraints) {
      double g[kMaxConstraintRows];
      calc_constraint_error(model_, kin_, q, c, g);
      if (with_jacobian) add_constraint_entries(q, c);
      residual_.insert(residual_.end(), g, g + num_rows(model_.constraints[c].kind));
    }
    for (const int i : loop_.limits) {
      add_limit(q, i, with_jacobian);
    }
    return 0.5 * as_vector(residual_).squaredNorm();
  }

  void add_constraint_entries(const std::vector<double>& q, int c) {
    const Constraint& constraint = model_.constraints[c];
    const int first = static_cast<int>(residual_.size());
    for (const int t : constraint.trees) {
      const int nv = model_.trees[t].nv;
      std::fill(rows_.begin(), rows_.end(), 0.0);
      add_constraint_rows(model_, kin_, q, c, t, nv, rows_.data());
      for (int r = 0; r < num_rows(constraint.kind); ++r) {
        for (int i = 0; i < nv; ++i) {
          const double entry = rows_[r * nv + i];
          if (entry != 0) entries_.emplace_back(first + r, column_[t] + i, entry);
        }
      }
    }
  }

  // A gap below zero is a residual.
  void add_limit(const std::vector<double>& q, int i, bool with_jacobian) {
    double gaps[2];
    calc_limit_errors(model_, q, i, &gaps[0], &gaps[1]);
    const Link& link = model_.links[model_.limits[i].link];
    const int column = column_[link.tree] + link.v_start - model_.trees[link.tree].v_start;
    for (int side = 0; side < 2; ++side) {
      if (!(gaps[side] < 0)) continue;
      const int row = static_cast<int>(residual_.size());
      residual_.push_back(gaps[side]);
      if (!with_jacobian) continue;
      const double sign = side == 0 ? 1 : -1;
      if (link.kind == MobilizerKind::kBall) {
        const Vec3 axis = calc_ball_limit_axis(model_, q, i);
        for (int k = 0; k < 3; ++k) {
          entries_.emplace_back(row, column + k, sign * axis[k]);
        }
      } else {
        entries_.emplace_back(row, column, sign);
      }
    }
  }

  // q ⊕ dx into trial_.
  void move(const std::vector<double>& q, const Eigen::VectorXd& dx) {
    for (const int t : loop_.trees) {
      const Tree& tree = model_.trees[t];
      std::copy_n(dx.data() + column_[t], tree.nv, step_.begin() + tree.v_start);
    }
    integrate_positions(model_, q, step_, 1, RotationUpdate::kExponential, trial_);
  }

  // Levenberg-Marquardt from q; true when it ends with every residual below kAssembled.
  bool descend(std::vector<double> q) {
    double mu = 1e-3, cost = 0;
    bool stalled = false;
    for (int iteration = 0; !stalled && iteration < kMaxIterations; ++iteration) {
      cost = evaluate(q, true);
      if (as_vector(residual_).lpNorm<Eigen::Infinity>() < kAssembled) return true;
      Matrix J(static_cast<int>(residual_.size()), num_columns_);
      J.setFromTriplets(entries_.begin(), entries_.end());
      const double after = try_steps(J, q, cost, &mu);
      stalled = !(after < (1 - 1e-6) * cost);
      if (after < cost) q = trial_;
      cost = after;
    }
    if (!stalled) ran_out_ = true;
    if (best_.empty() || cost < best_cost_) {
      best_ = q;
      best_cost_ = cost;
    }
    return false;
  }

  // The first step (JᵀJ + μ s 1) dx = −Jᵀr that lowers the cost, μ growing from try to try and s
  // being the scale of J. Solved as dx = −Jᵀ (J Jᵀ + μ s 1)⁻¹ r: a loop has fewer rows than
  // velocities, and long chains stay sparse. Leaves the configuration in trial_ and returns its
  // cost.
  double try_steps(const Matrix& J, const std::vector<double>& q, double cost, double* mu) {
    const Eigen::VectorXd r = as_vector(residual_);
    const Matrix A = J * J.transpose();
    const double scale = std::max(1e-300, Eigen::VectorXd(A.diagonal()).maxCoeff());
    Matrix identity(A.rows(), A.cols());
    identity.setIdentity();
    Eigen::SimplicialLDLT<Matrix> solver;
    for (int trial = 0; trial < 16; ++trial) {
      solver.compute(A + (*mu * scale) * identity);
      if (solver.info() == Eigen::Success) {
        move(q, -(J.transpose() * solver.solve(r)));
        const double after = evaluate(trial_, false);
        if (after < cost) {
          *mu = std::max(1e-12, 0.1 * *mu);
          return after;
        }
      }
      *mu *= 10;
    }
    return cost;
  }

  // q0 with rotations turned by up to `amount` half turns and translations by up to as much of the
  // largest opening: how far things have to move.
  std::vector<double> perturb(double amount, std::minstd_rand* engine) {
    update_positions(model_, model_.q0, &kin_);
    double length = 0;
    for (const int c : loop_.constraints) {
      const Opening opening = calc_opening(model_, kin_, model_.q0, c);
      if (*opening.unit == 'm') length = std::max(length, opening.size);
    }
    Eigen::VectorXd dx(num_columns_);
    for (const int t : loop_.trees) {
      const Tree& tree = model_.trees[t];
      for (int i = 0; i < tree.nv; ++i) {
        const double u = 2.0 * static_cast<double>((*engine)()) / std::minstd_rand::max() - 1;
        const double size = turns(tree.v_start + i) ? std::numbers::pi : length;
        dx[column_[t] + i] = amount * size * u;
      }
    }
    move(model_.q0, dx);
    return trial_;
  }

  bool turns(int v) const {
    const Link& link = model_.links[model_.dof_link[v]];
    return !slides(link.kind) && v - link.v_start < 3;
  }

  static Eigen::Map<const Eigen::VectorXd> as_vector(const std::vector<double>& a) {
    return {a.data(), static_cast<Eigen::Index>(a.size())};
  }

  const Model& model_;
  const Loop& loop_;
  Kinematics kin_;
  int num_columns_ = 0;
  std::vector<int> column_;  // first column of each tree, −1: not of the loop
  std::vector<double> rows_, residual_, step_, trial_, best_;
  std::vector<Eigen::Triplet<double>> entries_;
  double best_cost_ = 0;
  bool ran_out_ = false;  // a descent was cut short by kMaxIterations
};

}  // namespace

void check_assembly(const Model& model) {
  if (std::none_of(model.constraints.begin(), model.constraints.end(), is_rigid)) return;
  std::string text;
  for (const Loop& loop : find_open_loops(model)) {
    Assembler assembler(model, loop);
    if (!assembler.run()) text += "\n  " + assembler.describe_failure();
  }
  if (!text.empty()) {
    throw Error(fmt::format("model '{}' cannot be assembled:{}", model.name, text));
  }
}

}  // namespace cenic

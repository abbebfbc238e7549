// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Newton's method on the convex problem, island by island:
//
//   H_k p = −g_k,  v_{k+1} = v_k + α p,  H = ∇²ℓ positive definite, α from a line search on the
//   slope of ℓ(v + α p).
//
// Converges from any guess. Nothing here throws: failures are statuses.
#pragma once

#include <vector>

#include "convex/problem.h"
#include "convex/solve_status.h"
#include "core/archive.h"
#include "core/phase_timer.h"
#include "core/thread_pool.h"

namespace cenic {

enum class ToleranceRule {
  kErrorUnits,  // per island: h ‖S Δv‖∞ against the accuracy, i.e. in the units of the error norm
  kScaled,  // scene-wide momentum norm of the paper: ‖D g‖ and ‖D⁻¹ Δv‖ against ε max(1, ‖D r‖)
};

struct SolverOptions {
  ToleranceRule rule = ToleranceRule::kErrorUnits;
  // kErrorUnits: stop when the estimated error is this fraction of the accuracy
  double newton_fraction = 0.1;
  double gradient_fraction = 1e-2;  // and the gradient test is tighter than that by this factor
  bool bound_velocities = false;    // kErrorUnits: the norm holds velocities (times 1 s) as well
  double kappa = 1e-3;              // kScaled: ε = max(kappa · accuracy, 1e-8)
  // True: to 1e-8 from the cubic start; false: to a tenth of the initial slope.
  bool exact_line_search = false;
  // Contacts whose slip would reverse in the Newton step take the curvature of a majorant.
  bool friction_majorant = true;
  // False: evaluate everything afresh from the Jacobians at each trial.
  bool affine_line_search = true;
  // Keep the factorisation while it is expected to converge in ten iterations.
  bool reuse_hessian = false;
  // Contact velocities and Hessian blocks eight numbers at a time; false: one by one, to measure
  // it.
  bool simd_assembly = true;
  bool dense = false;  // one dense factorisation an island instead of the block-sparse one
  int max_iterations = 100;
};

struct SolveResult {
  SolveStatus status = SolveStatus::kConverged;
  int tree = -1;  // a tree of the island that failed
  int iterations = 0;
  int factorizations = 0;
  int line_search_evaluations = 0;
  PhaseTicks phases;

  // Sums of the work; the first failure.
  SolveResult& operator+=(const SolveResult& r) {
    if (status == SolveStatus::kConverged) {
      status = r.status;
      tree = r.tree;
    }
    iterations += r.iterations;
    factorizations += r.factorizations;
    line_search_evaluations += r.line_search_evaluations;
    phases += r.phases;
    return *this;
  }
};

class ConvexSolver {
 public:
  // Solves from the guess in v (padded) and leaves the solution there. accuracy is that of the
  // error control; 0 means a fixed step: converge tightly.
  SolveResult solve(const ConvexProblem& problem, const SolverOptions& options, double accuracy,
                    ThreadPool* pool, AlignedVector<double>* v);

  // Saves or loads the factorisations that later solves may reuse.
  void exchange(Archive* archive);

  // Removes from v (padded) what violates the rigid rows (one-sided ones when reached): argmin
  // ½ |x − v|²_M with G x = 0, in islands that have rows.
  void project(const ConvexProblem& problem, AlignedVector<double>* v);

  // Impulses at the last solution, by slot of the problem: (normal, two tangents), N s.
  struct Slots {
    AlignedVector<double> n, t1, t2;
  };
  const Slots& impulses() const { return impulse_; }
  // The same as they moved the bodies. A solve ends while its last step is small, not when the laws
  // agree with it: on a stiff contact the force of its law is anything there, but that by which
  // Newton's method linearised it balances the momentum that v has, or would have had after the
  // whole of a step that the line search cut short. With an old Hessian, and by other rules of
  // tolerance, they are those of the laws.
  const Slots& applied_impulses() const { return applied_; }
  const Slots& velocities() const { return velocity_; }  // of the contacts there, m/s
  // And those of the rows and limits of the problem, and the rates c = J v of the rows.
  const std::vector<double>& row_impulses() const { return row_impulse_; }
  const std::vector<double>& row_velocities() const { return row_velocity_; }
  const std::vector<double>& limit_impulses() const { return limit_impulse_; }

  // For tests: ℓ(v), its gradient (padded) and the Hessian of one island as the solver assembles it
  // (dense, row i and column j over the island's velocities, without pads).
  double calc_cost(const ConvexProblem& problem, const AlignedVector<double>& v);
  void calc_gradient(const ConvexProblem& problem, const AlignedVector<double>& v,
                     AlignedVector<double>* g);
  std::vector<double> calc_hessian(const ConvexProblem& problem, int island,
                                   const AlignedVector<double>& v);

 private:
  struct Context;
  struct LinePoint {
    double slope = 0, curvature = 0, cost = 0;
  };

  struct Weights {
    AlignedVector<double> n, t11, t12,
        t22;  // 3×3 Hessian in the contact frame: normal, and symmetric tangential part
  };
  // Of a thread, for the island that it solves: in the nearest cache, whatever the size of the
  // scene. Trees and slots stand one after the other, as in IslandStep.
  struct Work {
    std::vector<int> offset, size;  // of the trees; in padded vectors
    ConvexProblem::IslandStep step;
    AlignedVector<double> v, p, g, Av, Ap;  // padded
    // By slot: contact velocity and its change along the direction; impulse; scratch.
    Slots velocity, direction, impulse, applied, trial;
    Weights weight;
    AlignedVector<double> reverses;  // 1: the slip would reverse in the last direction, else 0
    // Islands of up to kSmall free bodies share one factorisation for each size, with all pairs
    // coupled: it needs no pattern of its own.
    std::vector<BlockCholesky> small;
    BlockCholesky::Room room;  // of the others, when nothing is reused
  };
  static constexpr int kSmall = 4;

  void resize(const ConvexProblem& problem, int num_threads = 1);
  static void fetch(const ConvexProblem& problem, const ConvexProblem::Island& island);
  static void fetch_tree(const ConvexProblem& problem, int tree);
  SolveResult solve_island(Context* c, double* v);
  void solve_linear(Context* c);
  void set_pattern(Context* c);
  static void lay_out(Context* c);
  void start_island(Context* c, const double* v);
  void finish_island(const Context& c, double* v);
  void update_gradient(Context* c);
  static void update_impulses(const Context& c);
  static bool update_applied_impulses(const Context& c);
  bool gradient_is_small(Context* c, double tolerance);
  bool step_is_small(Context* c);
  bool ends_here(Context* c);
  bool update_direction(Context* c);
  bool solve_for_direction(Context* c);
  static void update_reversals(const Context& c);
  static void update_weights(const Context& c);
  void assemble(Context* c);
  void assemble_mass(Context* c, bool whole = true);
  void apply_rows(const Context& c, const double* x, std::vector<double>* result);
  void add_row_targets(const Context& c, double* r);
  void add_constraint_gradient(const Context& c);
  template <class RowWeights>
  void add_row_curvature(Context* c, RowWeights weights);
  void add_row_curvature(Context* c);
  void add_constraint_curvature(Context* c);
  void add_constraint_line(const Context& c, double alpha, LinePoint* point);
  void update_row_impulses(const Context& c);
  bool solve_dense(Context* c);
  double search_line(Context* c);
  double search_to_wolfe(Context* c, double slope0, const LinePoint& one);
  double search_exactly(Context* c, const LinePoint& zero, const LinePoint& one);
  LinePoint evaluate_line(Context* c, double alpha, bool with_cost);
  void refresh_velocities_along(Context* c, double alpha);
  void advance(Context* c, double alpha);
  static void apply_jacobian(const Context& c, const double* x, Slots* result);

  std::vector<Work> work_;                                          // by thread
  Slots impulse_, applied_, velocity_;                              // by slot of the problem
  std::vector<double> row_velocity_, row_direction_, row_impulse_;  // by row of the problem
  std::vector<double> limit_impulse_, effort_impulse_;
  std::vector<BlockCholesky> factor_;  // of the island whose first tree it is
  std::vector<char> factor_valid_;
  std::vector<SolveResult> results_;
};

}  // namespace cenic

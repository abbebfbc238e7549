// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// CENIC: step doubling over the convex step (paper, section V-A). From (q0, v0), three solves:
//
//   full:  one step of h              → (q̂, v̂)
//   half:  two steps of h/2           → (q, v)     geometry is queried again at the middle
//   error: e = ‖S (q ⊖ q̂)‖∞, accepted when e ≤ accuracy
//
// Propagated is the half solution, or, for islands whose contacts stayed the same in all three
// solves, 2 (q, v) − (q̂, v̂), which is of second order and L-stable. Where motion is calm, three
// steps of h/3 are taken as well, and the next column of extrapolation, of third order, is
// propagated and judged instead.
//
// One impact somewhere needs a short step; the rest of a large scene does not. Islands whose error
// is too large while that of most others is not are followed once more through the step on their
// own, in shorter steps (local_steps.cpp).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/union_find.h"
#include "integrators/convex_integrator.h"

namespace cenic {

class CenicIntegrator : public ConvexIntegrator {
 public:
  CenicIntegrator(std::shared_ptr<const Model> model, const IntegratorOptions& options)
      : CenicIntegrator(std::move(model), options, kLevels) {}
  void exchange(Archive* archive) override;
  void report_contacts(std::vector<ContactReport>* reports) const override;
  void report_forces(std::vector<ContactForce>* forces) const override;
  void report_path(const State& before, StepPath* path) const override;

 private:
  static constexpr int kLevels = 2;  // of parts within parts
  struct Weights {
    double whole, halves, thirds;
  };
  struct Range {
    int begin, end;
  };
  // With so many levels of parts below.
  CenicIntegrator(std::shared_ptr<const Model> model, const IntegratorOptions& options, int levels);

  static constexpr int kCalm = 3;        // steps without a change of contacts
  static constexpr int kLookAgain = 16;  // steps after which a rejected order gets another chance
  using Signatures = std::vector<std::uint64_t>;  // of the contacts that carried force, per tree

  // The last part of the step: forces as applied.
  const StepDynamics& last_dynamics() const override {
    return options_.fixed_step > 0 ? *first_ : *second_;
  }
  template <class Report>
  void replace_local(const std::vector<Report>& local, std::vector<Report>* reports) const;
  void restart() override;
  Trial try_step(const State& state, double h, bool fresh) override;
  void finish_step() override;
  bool advance(const State& state, double h, int parts, State* end);
  bool solve_and_compare(StepDynamics* dynamics, const StepForm& form, State* end, bool first);
  bool couple_changed_trees();
  bool has_changed(const SystemGroup& group) const;
  void estimate_third_order(double h);
  bool wants_third_order() const;
  void combine_states(const std::vector<int>& states, const State& a, const State& b, double s,
                      State* c) const;
  ErrorEstimate calc_error(const State& a, const State& b);
  bool knows_pair(int a, int b) const override;
  bool verify_end(double h) override;

  // local_steps.cpp
  void prepare_local_steps(int levels);
  void update_islands();
  ErrorEstimate choose_local_islands(double share);
  void follow_local_islands(const State& state, double h);
  bool follow(const State& state, double h);
  bool add_touched_islands();
  bool follow_part(const Surroundings& surroundings, double first_step, std::span<const int> trees,
                   State* state, StepPath* path);
  void forget_local_steps() {
    local_trees_.clear();
    path_.clear();
  }
  void absorb(IntegratorStatistics* part);

  void combine(const Tree& tree, const State& a, const State& b, double s, State* c) const;
  void extrapolate_rates(const State& before, const Weights& weights, std::vector<double> State::*x,
                         std::vector<double> StateRate::*rate, Range range, StepPath* path) const;

  State full_, half_, third_;  // ends of the last try: whole, in two parts, in three
  State extrapolated_;
  std::array<State, 3> part_starts_;  // at 1/2, 1/3 and 2/3 of the last try
  Signatures signatures_, other_signatures_;
  UnionFind coupled_;
  std::vector<char> changed_;  // trees in whose island contacts changed during the step
  std::vector<double> constraint_errors_;

  double part_end_ = INFINITY;             // of a part: the end of the step of the whole
  std::vector<ErrorEstimate> tree_error_;  // of the last try (num_trees)

  // Local steps.
  struct Island {
    ErrorEstimate error;
    int trees = 0;
    bool detachable = true;
  };
  std::vector<Island> islands_;             // of the last try, at their roots (num_trees)
  std::vector<int> roots_;                  // of the islands, worst first
  std::vector<char> detachable_;            // trees that may be followed on their own (num_trees)
  std::unique_ptr<CenicIntegrator> local_;  // follows them
  std::vector<int> local_trees_;            // those that are, in the last try; ascending
  StepPath path_;                           // their steps: knots alone
  std::vector<char> is_local_;              // roots of islands that are (num_trees)
  State local_state_;                       // of these trees
  mutable std::vector<ContactReport> local_reports_;
  mutable std::vector<ContactForce> local_forces_;

  // Order selection: see wants_third_order().
  bool third_ok_ = false;   // the last try was of third order
  double step2_ = 0;        // and the step that would do in second order
  int calm_steps_ = kCalm;  // accepted in a row without a change of contacts
  int wait_ = 0;            // steps until the third order is worth another look
};

}  // namespace cenic

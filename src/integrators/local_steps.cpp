// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Islands with steps of their own. Where a few islands err too much and the others do not, the
// others keep what they have, and the few are followed again from the start of the step to its end,
// in the steps that they need. No force passed between islands during the step, so nothing couples
// the two, unless the few now move so that they touch others: these then join them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "integrators/cenic_integrator.h"

namespace cenic {
namespace {

// Work on local islands as a share of the work of a step of all. The step is chosen for a share
// that pays; once it is taken, a larger one is still less than taking it again.
constexpr double kUsualShare = 0.1;
constexpr double kMostShare = 0.5;
// Trees of a scene in which that pays: among few, one that steps alone saves next to nothing, and
// errors that were far below the accuracy grow to it.
constexpr std::size_t kFewest = 50;
constexpr double kSafety = 0.9;
constexpr int kMostAttempts = 4;  // to find all that are touched

}  // namespace

// Trees may be followed on their own when nothing acts on them but contacts and their own joints.
void CenicIntegrator::prepare_local_steps(int levels) {
  const std::size_t n = model_->trees.size();
  const bool moving_planes = std::ranges::any_of(model_->geometries, [&](const Geometry& g) {
    return g.collides && g.shape.kind == ShapeKind::kHalfSpace && g.link >= 0 &&
           model_->links[g.link].tree >= 0;
  });
  if (levels == 0 || !options_.local_steps || !options_.extrapolate || !options_.islands ||
      !options_.speculative_contacts || options_.fixed_step > 0 || n < kFewest || moving_planes) {
    return;
  }
  detachable_.assign(n, 1);
  for (const int tree : first_->constrained_trees()) {
    detachable_[tree] = 0;
  }
  for (const System& system : model_->systems) {
    for (const int tree : system.trees) {
      detachable_[tree] = 0;
    }
    for (const System::Effort& effort : system.efforts) {
      detachable_[model_->links[model_->dof_link[effort.velocity]].tree] = 0;
    }
  }
  if (std::ranges::count(detachable_, 1) < 2) return;
  IntegratorOptions options = options_;
  options.third_order = false;
  options.threads = 1;
  local_ = std::unique_ptr<CenicIntegrator>(new CenicIntegrator(model_, options, levels - 1));
  local_state_ = next_;
  is_local_.assign(n, 0);
}

// Islands of the last try with their errors, worst first.
void CenicIntegrator::update_islands() {
  islands_.resize(model_->trees.size());
  roots_.clear();
  for (const int t : active_) {
    const int root = coupled_.find(t);
    Island& island = islands_[root];
    if (root == t) {  // comes first: it is the smallest of its island
      island = {};
      roots_.push_back(t);
      is_local_[t] = 0;
    }
    if (tree_error_[t].is_worse_than(island.error)) island.error = tree_error_[t];
    island.detachable = island.detachable && detachable_[t] != 0;
    ++island.trees;
  }
  std::ranges::sort(roots_, [this](int a, int b) {
    const double x = islands_[a].error.value, y = islands_[b].error.value;
    return x != y ? x > y : a < b;
  });
}

// Marks the islands to follow on their own. Returns the error of the worst of all others, which is
// what the step shall be chosen by.
ErrorEstimate CenicIntegrator::choose_local_islands(double share) {
  double budget = share * static_cast<double>(active_.size());
  for (const int root : roots_) {
    const Island& island = islands_[root];
    const double parts = std::sqrt(island.error.value / options_.accuracy);
    budget -= std::max(1.0, parts) * island.trees;
    if (budget < 0 || !island.detachable) return island.error;
    if (island.error.value > options_.accuracy) is_local_[root] = 1;
  }
  return {};
}

void CenicIntegrator::follow_local_islands(const State& state, double h) {
  if (!std::isfinite(trial_.error.value)) return;
  update_islands();
  const ErrorEstimate worst = trial_.error;
  const ErrorEstimate states = measure_.calc_states(full_, half_);
  ErrorEstimate rest = choose_local_islands(kUsualShare);
  if (states.is_worse_than(rest)) rest = states;
  trial_.error = rest;
  if (worst.value <= options_.accuracy) return;
  if (rest.value > options_.accuracy) {
    if (states.value > options_.accuracy ||
        choose_local_islands(kMostShare).value > options_.accuracy) {
      return;
    }
    trial_.error.value = options_.accuracy;  // accepted, and the next step shall be shorter
  }
  half_.t = state.t + h;
  calm_steps_ = 0;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    local_trees_.clear();
    for (const int t : active_) {
      if (is_local_[coupled_.find(t)] != 0) local_trees_.push_back(t);
    }
    for (const int t : local_trees_) {
      copy_tree(model_->trees[t], state, &local_state_);
    }
    local_state_.t = state.t;
    const double first = kSafety * h * std::sqrt(options_.accuracy / worst.value);
    const bool done = local_->follow_part({first_.get(), &state, &half_}, first, local_trees_,
                                          &local_state_, &path_);
    absorb(&local_->statistics_);
    if (done) return;
    if (!add_touched_islands()) break;
  }
  forget_local_steps();
  trial_.error = worst;  // a shorter step for all
}

// Integrates some trees alone, from the state to the end of the surroundings. False: not possible.
bool CenicIntegrator::follow_part(const Surroundings& surroundings, double first_step,
                                  std::span<const int> trees, State* state, StepPath* path) {
  active_.assign(trees.begin(), trees.end());
  part_end_ = surroundings.end->t;
  for (StepDynamics* dynamics : {first_.get(), second_.get(), ahead_.get()}) {
    dynamics->restrict_to(active_, surroundings);
  }
  forget_ahead();
  begin_with_step(first_step);
  path->clear();
  while (state->t < part_end_) {
    if (step(state, part_end_).status != StepStatus::kAccepted) return false;
    for (const StepDynamics* dynamics : {first_.get(), second_.get()}) {
      if (dynamics->outside().left || !dynamics->outside().touched.empty()) return false;
    }
    path->append_knots(path_);
    if (state->t >= part_end_) break;
    for (const int t : active_) {
      path->add_knot(*model_, t, *state);
    }
  }
  forget_ahead();
  return true;
}

// Islands that the local ones touched come along. False when that does not help.
bool CenicIntegrator::add_touched_islands() {
  bool added = false;
  for (const StepDynamics* dynamics : {local_->first_.get(), local_->second_.get()}) {
    if (dynamics->outside().left) return false;
    for (const int tree : dynamics->outside().touched) {
      if (!std::ranges::binary_search(active_, tree)) return false;  // outside of this part, too
      const int root = coupled_.find(tree);
      if (!islands_[root].detachable) return false;
      is_local_[root] = 1;
      added = true;
    }
  }
  return added;
}

// The end of a part is looked at with the whole.
bool CenicIntegrator::verify_end(double h) {
  return next_.t >= part_end_ || ConvexIntegrator::verify_end(h);
}

void CenicIntegrator::absorb(IntegratorStatistics* part) {
  IntegratorStatistics& s = statistics_;
  s.local_steps += part->steps;
  s.solves += part->solves;
  s.solver_iterations += part->solver_iterations;
  s.factorizations += part->factorizations;
  s.linesearch_iterations += part->linesearch_iterations;
  s.surfaces += part->surfaces;
  s.phases += part->phases;
  s.max_penetration = std::max(s.max_penetration, part->max_penetration);
  for (const int t : local_trees_) {
    const Tree& tree = model_->trees[t];
    for (int v = tree.v_start; v < tree.v_start + tree.nv; ++v) {
      s.limited_by[v] += std::exchange(part->limited_by[v], 0);
    }
  }
  IntegratorStatistics none;
  none.limited_by.swap(part->limited_by);
  none.limited_by_state.swap(part->limited_by_state);
  *part = std::move(none);
}

// Forces as applied in the last part of the step, which is shorter for local trees.
template <class Report>
void CenicIntegrator::replace_local(const std::vector<Report>& local,
                                    std::vector<Report>* reports) const {
  const auto is_local = [this](int link) {
    return link >= 0 && std::ranges::binary_search(local_trees_, model_->links[link].tree);
  };
  std::erase_if(*reports, [&](const Report& report) {
    return is_local(get_point(report).link_a) || is_local(get_point(report).link_b);
  });
  reports->insert(reports->end(), local.begin(), local.end());
}

void CenicIntegrator::report_contacts(std::vector<ContactReport>* reports) const {
  ConvexIntegrator::report_contacts(reports);
  if (local_trees_.empty()) return;
  local_->report_contacts(&local_reports_);
  replace_local(local_reports_, reports);
}

void CenicIntegrator::report_forces(std::vector<ContactForce>* forces) const {
  ConvexIntegrator::report_forces(forces);
  if (local_trees_.empty()) return;
  local_->report_forces(&local_forces_);
  replace_local(local_forces_, forces);
}

bool CenicIntegrator::knows_pair(int a, int b) const {
  return ConvexIntegrator::knows_pair(a, b) || (!local_trees_.empty() && local_->knows_pair(a, b));
}

}  // namespace cenic

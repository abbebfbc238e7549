// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/convex_integrator.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cenic {
namespace {

void exchange_report(Archive* archive, ContactReport* r) {
  ContactPoint& c = r->point;
  for (int* x : {&c.geometry_a, &c.geometry_b, &c.link_a, &c.link_b}) {
    (*archive)(x);
  }
  for (Vec3* x : {&c.p_WC, &c.nhat_AB_W, &c.v_AB_W, &r->force_B_W, &r->torque_B_W, &r->slip_W}) {
    (*archive)(x);
  }
  for (double* x : {&c.phi, &c.elastic_force, &c.stiffness, &c.dissipation, &c.mu_static,
                    &c.mu_dynamic, &c.torsional_friction, &c.rolling_friction}) {
    (*archive)(x);
  }
  (*archive)(&c.key);
  (*archive)(&c.hydroelastic);
}

}  // namespace

ConvexIntegrator::ConvexIntegrator(std::shared_ptr<const Model> model,
                                   const IntegratorOptions& options)
    : Integrator(std::move(model), options),
      solver_(std::make_shared<ConvexSolver>()),
      first_(std::make_unique<StepDynamics>(*model_, solver_)),
      second_(std::make_unique<StepDynamics>(*model_, solver_)),
      ahead_(std::make_unique<StepDynamics>(*model_, solver_)),
      dynamics_options_(options.dynamics()),
      solver_options_(options.solver()),
      pool_(options.threads) {
  for (StepDynamics* dynamics : {first_.get(), second_.get(), ahead_.get()}) {
    dynamics->set_error_weights(measure_.solver_weights());
    dynamics->set_measurements(&measurements());
  }
  for (std::size_t l = 0; l < model_->links.size(); ++l) {
    if (model_->links[l].kind == MobilizerKind::kCurvilinear) {
      curved_links_.push_back(static_cast<int>(l));
    }
  }
}

void ConvexIntegrator::begin_try(const State& state, double h, bool fresh) {
  trial_ = {};
  if (!fresh) return;
  restored_.reset();
  // What the last step measured is known only now.
  const bool ready = ahead_step_ > 0 && h <= 1.01 * ahead_step_ && !measures_;
  if (ready && is_same_state(state, next_)) {
    std::swap(first_, ahead_);
  } else {
    build(first_.get(), state, h);
  }
  second_->borrow_candidates(*first_);
  ahead_step_ = 0;
  record_penetration(first_->max_penetration());
}

void ConvexIntegrator::restart() {
  Integrator::restart();
  restored_.reset();
  ahead_step_ = 0;
  for (StepDynamics* dynamics : {first_.get(), second_.get(), ahead_.get()}) {
    dynamics->restart();
  }
}

void ConvexIntegrator::exchange_kept(Archive* archive) {
  solver_->exchange(archive);
  for (StepDynamics* dynamics : {first_.get(), second_.get(), ahead_.get()}) {
    dynamics->exchange(archive);
  }
}

void ConvexIntegrator::exchange(Archive* archive) {
  (*archive)(&ahead_step_);
  if (ahead_step_ > 0) {
    (*archive)(&next_.t);
    archive->fixed(&next_.q);
    archive->fixed(&next_.v);
    archive->fixed(&next_.z);
  }
  const std::size_t position = archive->position();
  exchange_kept(archive);
  if (archive->loading() && ahead_step_ > 0) {
    // Built again from what it had found before, which changes what it knows of queries: that is
    // loaded a second time.
    ahead_->rewind();
    build(ahead_.get(), next_, ahead_step_);
    archive->seek(position);
    exchange_kept(archive);
  }
  Integrator::exchange(archive);  // after all that counts: it holds the statistics
  exchange_reports(archive);
}

// What the last step left to report is in the solver, and gone after the next: as it was reported.
void ConvexIntegrator::exchange_reports(Archive* archive) {
  Reports r;
  if (!archive->loading() && has_reports()) {
    report_contacts(&r.contacts);
    report_constraints(&r.constraints);
    report_limits(&r.limits);
    report_efforts(&r.efforts);
  }
  std::uint64_t count = r.contacts.size();
  (*archive)(&count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (archive->loading()) r.contacts.emplace_back();
    exchange_report(archive, &r.contacts[i]);
  }
  (*archive)(&r.constraints);
  (*archive)(&r.limits);
  (*archive)(&r.efforts);
  if (!archive->loading()) return;
  restored_.reset();
  if (has_reports()) restored_ = std::move(r);
}

// Where a line meets an arc, forces begin that a step, and its halves, from before do not see: it
// shall end a little behind the border.
double ConvexIntegrator::calc_border_step() const {
  constexpr double kBehind = 0.01;  // of the accuracy, m
  double step = std::numeric_limits<double>::infinity();
  for (const int l : curved_links_) {
    const Link& link = model_->links[l];
    const double v = next_.v[link.v_start];
    if (v == 0) continue;
    const double way = link.curve->calc_distance_to_border(next_.q[link.q_start], v > 0);
    step = std::min(step, (way + kBehind * options_.accuracy) / std::fabs(v));
  }
  return step;
}

bool ConvexIntegrator::verify_end(double h) {
  if (!curved_links_.empty()) limit_next_step(calc_border_step());
  if (!options_.speculative_contacts) return true;
  ahead_step_ = h;
  build(ahead_.get(), next_, h);
  limit_next_step(ahead_->safe_step());
  for (const ContactPoint& c : ahead_->contacts()) {
    if (c.phi >= -options_.accuracy || knows_pair(c.geometry_a, c.geometry_b)) continue;
    ahead_step_ = 0;
    return false;
  }
  return true;
}

bool ConvexIntegrator::knows_pair(int a, int b) const {
  return std::ranges::any_of(last_dynamics().contacts(), [&](const ContactPoint& c) {
    return c.geometry_a == a && c.geometry_b == b;
  });
}

void ConvexIntegrator::build(StepDynamics* dynamics, const State& state, double h) {
  dynamics->build(state, h, dynamics_options_, &statistics_.phases);
  record_contacts(dynamics);
}

bool ConvexIntegrator::solve(StepDynamics* dynamics, const StepForm& form, State* end) {
  const SolveResult result = dynamics->solve(
      form, solver_options_, options_.fixed_step > 0 ? 0 : options_.accuracy, &pool_, end->v);
  ++statistics_.solves;
  statistics_.solver_iterations += result.iterations;
  statistics_.factorizations += result.factorizations;
  statistics_.linesearch_iterations += result.line_search_evaluations;
  statistics_.phases += result.phases;
  trial_.status = result.status;
  if (result.status == SolveStatus::kConverged) {
    dynamics->advance_states(end->v, end->z);
    const auto bad = std::ranges::find_if_not(end->z, [](double z) {
      return std::isfinite(z);
    });
    if (bad == end->z.end()) return true;
    trial_.status = SolveStatus::kNotFinite;
    trial_.state = static_cast<int>(bad - end->z.begin());
    return false;
  }
  if (result.status == SolveStatus::kBadForce) trial_.fault = dynamics->system_fault();
  if (result.tree >= 0) trial_.velocity = model_->trees[result.tree].v_start;
  return false;
}

}  // namespace cenic

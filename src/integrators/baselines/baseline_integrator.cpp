// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/baselines/baseline_integrator.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/error.h"

namespace cenic {

BaselineIntegrator::BaselineIntegrator(std::shared_ptr<const Model> model,
                                       const IntegratorOptions& options)
    : Integrator(std::move(model), options) {
  const auto is_limited = [](const Tendon& t) {
    return std::isfinite(t.lower) || std::isfinite(t.upper);
  };
  if (!model_->limits.empty() || !model_->constraints.empty() ||
      std::ranges::any_of(model_->tendons, is_limited)) {
    throw Error(
        fmt::format("integrator '{}' knows no joint limits and constraints; use cenic, "
                    "cenic-paper or cenic-trapezoid",
                    options_.name));
  }
  dynamics_ = std::make_unique<ContinuousDynamics>(*model_);
  dynamics_->set_measurements(&measurements());
  y0_.assign(model_->nv + dynamics_->size(), 0.0);
  rate0_ = y0_;
  q_.resize(model_->nq);
  embedded_ = next_;
}

void BaselineIntegrator::exchange(Archive* archive) {
  (*archive)(&t_next_);
  (*archive)(&penetration_);
  (*archive)(&started_);
  for (Vector* x : {&next_.q, &next_.v, &next_.z}) {
    archive->fixed(x);
  }
  dynamics_->exchange(archive);
  Integrator::exchange(archive);
}

// The dynamics at the end of the last step. The workspace is free between steps.
void BaselineIntegrator::evaluate_end() const {
  PhaseTicks unused;
  Vector x(dynamics_->size()), rate(x);
  dynamics_->gather(next_, x);
  dynamics_->hold(next_.z);
  dynamics_->update_configuration(t_next_, next_.q, &unused);
  dynamics_->calc_rate(x, rate, &unused);
}

void BaselineIntegrator::report_contacts(std::vector<ContactReport>* reports) const {
  evaluate_end();
  dynamics_->report_contacts(reports);
}

void BaselineIntegrator::report_forces(std::vector<ContactForce>* forces) const {
  evaluate_end();
  dynamics_->report_forces(forces);
}

void BaselineIntegrator::report_efforts(std::vector<double>* forces) const {
  evaluate_end();
  forces->assign(dynamics_->efforts().begin(), dynamics_->efforts().end());
}

// xdot = (v̇, ż); what sampled systems hold stays.
void BaselineIntegrator::unpack_rate(std::span<const double> xdot, StateRate* rate) const {
  rate->resize(*model_);
  std::copy_n(xdot.begin(), model_->nv, rate->v.begin());
  const double* zdot = xdot.data() + model_->nv;
  for (const int i : dynamics_->states()) {
    rate->z[i] = *zdot++;
  }
}

Integrator::Trial BaselineIntegrator::fail(SolveStatus status) const {
  if (dynamics_->fault().kind == SystemFault::Kind::kNone) return {status, culprit_};
  return {.status = SolveStatus::kBadForce, .fault = dynamics_->fault()};
}

bool BaselineIntegrator::is_finite(std::span<const double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i])) continue;
    const std::size_t first_state = x.size() + model_->nv - dynamics_->size();
    culprit_ = i < first_state ? static_cast<int>(i) % model_->nv : -1;
    return false;
  }
  return true;
}

void BaselineIntegrator::displace(std::span<const double> q0, const Vector& y,
                                  std::span<double> out) const {
  integrate_positions(*model_, q0, std::span(y).first(model_->nv), 1, RotationUpdate::kExponential,
                      out);
}

bool BaselineIntegrator::calc_rate(double t, std::span<const double> q0, const Vector& y,
                                   Vector* rate) {
  const int nv = model_->nv;
  if (!is_finite(y)) return false;
  const std::span delta = std::span(y).first(nv), x = std::span(y).subspan(nv);
  displace(q0, y, q_);
  dynamics_->update_configuration(t, q_, &statistics_.phases);
  record_contacts(static_cast<int>(dynamics_->contacts().size()));
  penetration_ = dynamics_->max_penetration();
  calc_displacement_rate(*model_, delta, x.first(nv), std::span(*rate).first(nv));
  dynamics_->calc_rate(x, std::span(*rate).subspan(nv), &statistics_.phases);
  return is_finite(*rate);
}

void BaselineIntegrator::set_start(const State& state) {
  std::fill_n(y0_.begin(), model_->nv, 0.0);
  dynamics_->gather(state, std::span(y0_).subspan(model_->nv));
  dynamics_->hold(state.z);
  std::ranges::copy(state.z, next_.z.begin());
  std::ranges::copy(state.z, embedded_.z.begin());
}

bool BaselineIntegrator::begin_step(const State& state, bool fresh) {
  if (!fresh) return started_;
  set_start(state);
  started_ = calc_rate(state.t, state.q, y0_, &rate0_);
  if (started_) record_penetration(penetration_);
  return started_;
}

Integrator::Trial BaselineIntegrator::end_step(double t, double h, const End& end,
                                               const End& other) {
  if (!is_finite(end.y)) return fail();
  displace(end.q0, end.y, next_.q);
  dynamics_->scatter(std::span(end.y).subspan(model_->nv), &next_);
  t_next_ = t + h;
  Trial trial;
  if (options_.fixed_step > 0) return trial;
  displace(other.q0, other.y, embedded_.q);
  dynamics_->scatter(std::span(other.y).subspan(model_->nv), &embedded_);
  // A force that begins late in the step is in v̇ of the last stage alone, which some methods do not
  // take into the coordinates: count velocities by h.
  trial.error = measure_.calc(embedded_, next_, h);
  return trial;
}

}  // namespace cenic

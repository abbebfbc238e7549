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
  if (!model_->limits.empty() || !model_->constraints.empty()) {
    throw Error(
        fmt::format("integrator '{}' knows no joint limits and constraints; use cenic, "
                    "cenic-paper or cenic-trapezoid",
                    options_.name));
  }
  dynamics_ = std::make_unique<ContinuousDynamics>(*model_);
  y0_.assign(2 * static_cast<std::size_t>(model_->nv), 0.0);
  rate0_ = y0_;
  q_.resize(model_->nq);
  embedded_ = next_;
}

void BaselineIntegrator::report_contacts(std::vector<ContactReport>* reports) const {
  // The workspace is free between steps.
  PhaseTicks unused;
  Vector vdot(model_->nv);
  dynamics_->update_configuration(t_next_, next_.q, &unused);
  dynamics_->calc_acceleration(next_.v, vdot, &unused);
  dynamics_->report_contacts(reports);
}

bool BaselineIntegrator::is_finite(std::span<const double> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::isfinite(x[i])) continue;
    culprit_ = static_cast<int>(i) % model_->nv;
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
  const std::span delta = std::span(y).first(nv), v = std::span(y).last(nv);
  displace(q0, y, q_);
  dynamics_->update_configuration(t, q_, &statistics_.phases);
  record_contacts(static_cast<int>(dynamics_->contacts().size()));
  penetration_ = dynamics_->max_penetration();
  calc_displacement_rate(*model_, delta, v, std::span(*rate).first(nv));
  dynamics_->calc_acceleration(v, std::span(*rate).last(nv), &statistics_.phases);
  return is_finite(*rate);
}

bool BaselineIntegrator::begin_step(const State& state, bool fresh) {
  if (!fresh) return started_;
  std::fill_n(y0_.begin(), model_->nv, 0.0);
  std::ranges::copy(state.v, y0_.begin() + model_->nv);
  started_ = calc_rate(state.t, state.q, y0_, &rate0_);
  if (started_) record_penetration(penetration_);
  return started_;
}

Integrator::Trial BaselineIntegrator::end_step(double t, double h, const End& end,
                                               const End& other) {
  if (!is_finite(end.y)) return fail();
  displace(end.q0, end.y, next_.q);
  std::copy_n(end.y.begin() + model_->nv, model_->nv, next_.v.begin());
  t_next_ = t + h;
  Trial trial;
  if (options_.fixed_step > 0) return trial;
  displace(other.q0, other.y, embedded_.q);
  std::copy_n(other.y.begin() + model_->nv, model_->nv, embedded_.v.begin());
  // A force that begins late in the step is in v̇ of the last stage alone, which some methods do not
  // take into the coordinates: count velocities by h.
  trial.error = measure_.calc(embedded_, next_, h);
  return trial;
}

}  // namespace cenic

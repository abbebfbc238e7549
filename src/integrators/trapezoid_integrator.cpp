// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/trapezoid_integrator.h"

#include <algorithm>

namespace cenic {

Integrator::Trial TrapezoidIntegrator::try_step(const State& state, double h, bool fresh) {
  const RotationUpdate update = options_.rotation_update();
  begin_try(state, h, fresh);
  hat_ = state;
  if (!solve(first_.get(), {.h = h}, &hat_)) return trial_;
  integrate_positions(*model_, state.q, hat_.v, h, update, hat_.q);

  hat_.t = state.t + h;
  build(second_.get(), hat_, h);
  second_->average_with(first_.get(), h);
  std::ranges::copy(hat_.v, next_.v.begin());
  if (!solve(second_.get(), {.h = h, .share = 0.5}, &next_)) return trial_;
  mean_v_.resize(model_->nv);
  for (int i = 0; i < model_->nv; ++i) {
    mean_v_[i] = 0.5 * (state.v[i] + next_.v[i]);
  }
  // A limit stops the velocity at the end of the step. The mean would carry the coordinate beyond
  // it, and the next step would throw it back.
  second_->report_limits(&limit_forces_);
  for (int i = 0; i < model_->nv; ++i) {
    if (limit_forces_[i] != 0) mean_v_[i] = next_.v[i];
  }
  integrate_positions(*model_, state.q, mean_v_, h, update, next_.q);
  if (options_.fixed_step == 0) {
    trial_.error = measure_.calc(hat_, next_);
  }
  return trial_;
}

// Velocities change evenly, but the first solve also told states of systems their rate at the end;
// the mean of both ends is that of the step.
void TrapezoidIntegrator::report_path(const State& before, StepPath* path) const {
  path->clear();
  const double h = next_.t - before.t;
  path->start.z.resize(model_->nz);
  path->end.z.resize(model_->nz);
  for (int i = 0; i < model_->nz; ++i) {
    path->end.z[i] = (hat_.z[i] - before.z[i]) / h;
    path->start.z[i] = 2 * (next_.z[i] - before.z[i]) / h - path->end.z[i];
  }
}

}  // namespace cenic

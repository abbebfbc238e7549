// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Implicit Euler, y1 = y0 + h f(t1, y1): order 1, L-stable. Step doubling for the error: one step
// of h against two of h/2, of which the two are propagated.
#include <algorithm>

#include "integrators/baselines/baselines.h"
#include "integrators/baselines/implicit_integrator.h"

namespace cenic {
namespace {

class ImplicitEuler : public NewtonIntegrator {
 public:
  ImplicitEuler(std::shared_ptr<const Model> model, const IntegratorOptions& options)
      : NewtonIntegrator(std::move(model), options),
        full_(y0_),
        half_(y0_),
        base_(y0_),
        end_(y0_),
        rate_(y0_),
        q_middle_(model_->nq) {
    set_error_order(2);
  }

 private:
  Trial try_stages(const State& state, double h) override {
    const int nv = model_->nv;
    factor(0, h);
    full_ = y0_;
    rate_ = rate0_;
    SolveStatus status = solve_stage({0, state.t + h, state.q, y0_, h}, &full_, &rate_);
    if (status != SolveStatus::kConverged) return fail(status);
    if (options_.fixed_step > 0) {
      return end_step(state.t, h, {state.q, full_}, {state.q, full_});
    }

    factor(1, h / 2);
    half_ = y0_;
    rate_ = rate0_;
    status = solve_stage({1, state.t + h / 2, state.q, y0_, h / 2}, &half_, &rate_);
    if (status != SolveStatus::kConverged) return fail(status);

    // The second half counts its displacement from the middle, where δ̇ = v.
    displace(state.q, half_, q_middle_);
    std::fill_n(base_.begin(), nv, 0.0);
    std::copy(half_.begin() + nv, half_.end(), base_.begin() + nv);
    std::copy_n(half_.begin() + nv, nv, rate_.begin());
    end_ = base_;
    status = solve_stage({1, state.t + h, q_middle_, base_, h / 2}, &end_, &rate_);
    if (status != SolveStatus::kConverged) return fail(status);
    return end_step(state.t, h, {q_middle_, end_}, {state.q, full_});
  }

  Vector full_, half_, base_, end_, rate_, q_middle_;
};

}  // namespace

std::unique_ptr<Integrator> make_implicit_euler(std::shared_ptr<const Model> model,
                                                const IntegratorOptions& options) {
  return std::make_unique<ImplicitEuler>(std::move(model), options);
}

}  // namespace cenic

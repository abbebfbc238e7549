// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Singly diagonally implicit Runge-Kutta of order 2 (Kennedy & Carpenter, NASA/TM-2016-219173,
// section 4.1), stiffly accurate and L-stable, with an embedded solution of order 1.
//
//   γ | γ
//   1 | 1 − γ  γ            γ = 1 − 1/√2
//   --+------------
//   y | 1 − γ  γ
//   ŷ |  2/3  1/3           bounded for stiff components: R̂(∞) = 1/3
#include <numbers>

#include "integrators/baselines/baselines.h"
#include "integrators/baselines/implicit_integrator.h"

namespace cenic {
namespace {

constexpr double kGamma = 1 - 1 / std::numbers::sqrt2;

class Sdirk2 : public NewtonIntegrator {
 public:
  Sdirk2(std::shared_ptr<const Model> model, const IntegratorOptions& options)
      : NewtonIntegrator(std::move(model), options),
        y_(y0_),
        base_(y0_),
        k1_(y0_),
        k2_(y0_),
        y_hat_(y0_) {
    set_error_order(2);
  }

 private:
  Trial try_stages(const State& state, double h) override {
    const double g = kGamma * h;
    factor(0, g);
    y_ = y0_;
    k1_ = rate0_;
    SolveStatus status = solve_stage({0, state.t + g, state.q, y0_, g}, &y_, &k1_);
    if (status != SolveStatus::kConverged) return fail(status);
    for (std::size_t i = 0; i < base_.size(); ++i) {
      base_[i] = y0_[i] + h * (1 - kGamma) * k1_[i];
    }
    k2_ = k1_;  // from the first stage as guess
    status = solve_stage({0, state.t + h, state.q, base_, g}, &y_, &k2_);
    if (status != SolveStatus::kConverged) return fail(status);
    for (std::size_t i = 0; i < y_hat_.size(); ++i) {
      y_hat_[i] = y0_[i] + h * (2 * k1_[i] + k2_[i]) / 3;
    }
    return end_step(state.t, h, {state.q, y_}, {state.q, y_hat_});
  }

  Vector y_, base_, k1_, k2_, y_hat_;
};

}  // namespace

std::unique_ptr<Integrator> make_sdirk2(std::shared_ptr<const Model> model,
                                        const IntegratorOptions& options) {
  return std::make_unique<Sdirk2>(std::move(model), options);
}

}  // namespace cenic

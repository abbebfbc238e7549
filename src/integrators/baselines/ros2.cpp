// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Rosenbrock method of order 2 (Verwer, Spee, Blom & Hundsdorfer, SIAM J. Sci. Comput. 20, 1999):
//
//   (1 − γ h A) k1 = f(t, y0)
//   (1 − γ h A) k2 = f(t + h, y0 + h k1) − 2 k1
//   y = y0 + 3/2 h k1 + 1/2 h k2,   ŷ = y0 + h k1 of order 1
//
// Order 2 for any matrix A, so that differences and the reduced system do no harm; L-stable for
// A = ∂f/∂y and γ = 1 ± 1/√2. The smaller γ has the smaller error.
#include <numbers>

#include "integrators/baselines/baselines.h"
#include "integrators/baselines/implicit_integrator.h"

namespace cenic {
namespace {

constexpr double kGamma = 1 - 1 / std::numbers::sqrt2;

class Ros2 : public ImplicitIntegrator {
 public:
  Ros2(std::shared_ptr<const Model> model, const IntegratorOptions& options)
      : ImplicitIntegrator(std::move(model), options), k1_(y0_), k2_(y0_), y_(y0_), y_hat_(y0_) {
    set_error_order(2);
  }

 private:
  Trial try_step(const State& state, double h, bool fresh) override {
    if (!begin_step(state, fresh)) return fail();
    if (fresh) has_jacobian_ = update_jacobian(state);
    if (!has_jacobian_) return fail();
    factor(0, kGamma * h);
    k1_ = rate0_;
    solve(0, &k1_);
    for (std::size_t i = 0; i < y_.size(); ++i) {
      y_hat_[i] = y0_[i] + h * k1_[i];
    }
    if (!calc_rate(state.t + h, state.q, y_hat_, &k2_)) return fail();
    for (std::size_t i = 0; i < y_.size(); ++i) {
      k2_[i] -= 2 * k1_[i];
    }
    solve(0, &k2_);
    statistics_.solves += 2;
    statistics_.solver_iterations += 2;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      y_[i] = y0_[i] + 0.5 * h * (3 * k1_[i] + k2_[i]);
    }
    return end_step(state.t, h, {state.q, y_}, {state.q, y_hat_});
  }

  Vector k1_, k2_, y_, y_hat_;
  bool has_jacobian_ = false;
};

}  // namespace

std::unique_ptr<Integrator> make_ros2(std::shared_ptr<const Model> model,
                                      const IntegratorOptions& options) {
  return std::make_unique<Ros2>(std::move(model), options);
}

}  // namespace cenic

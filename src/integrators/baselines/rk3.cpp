// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Bogacki & Shampine's explicit Runge-Kutta pair (Appl. Math. Lett. 2, 1989), order 3 with an
// embedded solution of order 2. The last stage is the first of the next step.
//
//    0  |
//   1/2 | 1/2
//   3/4 |  0   3/4
//    1  | 2/9  1/3  4/9
//   ----+------------------
//    y  | 2/9  1/3  4/9
//    ŷ  | 7/24 1/4  1/3  1/8
#include <algorithm>
#include <span>

#include "integrators/baselines/baseline_integrator.h"
#include "integrators/baselines/baselines.h"

namespace cenic {
namespace {

class Rk3 : public BaselineIntegrator {
 public:
  Rk3(std::shared_ptr<const Model> model, const IntegratorOptions& options)
      : BaselineIntegrator(std::move(model), options), k2_(y0_), k3_(y0_), k4_(y0_), y_(y0_) {
    set_error_order(3);
  }

  void restart() override {
    BaselineIntegrator::restart();
    first_known_ = false;
  }

  void exchange(Archive* archive) override {
    (*archive)(&first_known_);
    archive->fixed(&k4_);
    BaselineIntegrator::exchange(archive);
  }

  void report_path(const State& before, StepPath* path) const override {
    BaselineIntegrator::report_path(before, path);
    unpack_rate(std::span(rate0_).subspan(model_->nv), &path->start);
    unpack_rate(std::span(k4_).subspan(model_->nv), &path->end);
  }

 private:
  Trial try_step(const State& state, double h, bool fresh) override {
    if (!begin(state, fresh)) return fail();
    const Vector& k1 = rate0_;
    advance(h, {{&k1, 1.0 / 2}});
    if (!calc_rate(state.t + h / 2, state.q, y_, &k2_)) return fail();
    advance(h, {{&k2_, 3.0 / 4}});
    if (!calc_rate(state.t + h * 3 / 4, state.q, y_, &k3_)) return fail();
    advance(h, {{&k1, 2.0 / 9}, {&k2_, 1.0 / 3}, {&k3_, 4.0 / 9}});
    if (!calc_rate(state.t + h, state.q, y_, &k4_)) return fail();
    end_ = y_;
    advance(h, {{&k1, 7.0 / 24}, {&k2_, 1.0 / 4}, {&k3_, 1.0 / 3}, {&k4_, 1.0 / 8}});
    return end_step(state.t, h, {state.q, end_}, {state.q, y_});
  }

  void finish_step() override { first_known_ = true; }

  // The last stage's rates hold at the new start unless a sample was taken or a measurement made
  // there. The displacement begins anew at zero, where its rate is v.
  bool begin(const State& state, bool fresh) {
    const bool known = first_known_ && state.z == next_.z && !model_->reads_measurements;
    first_known_ = false;  // until a step from here is accepted
    if (!fresh || !known) return begin_step(state, fresh);
    set_start(state);
    rate0_ = k4_;
    std::ranges::copy(state.v, rate0_.begin());
    record_penetration(penetration_);
    return true;
  }

  struct Term {
    const Vector* k;
    double a;
  };
  // y = y0 + h Σ a k
  void advance(double h, std::initializer_list<Term> terms) {
    y_ = y0_;
    for (const Term& term : terms) {
      for (std::size_t i = 0; i < y_.size(); ++i) {
        y_[i] += h * term.a * (*term.k)[i];
      }
    }
  }

  Vector k2_, k3_, k4_, y_, end_;
  bool first_known_ = false;
};

}  // namespace

std::unique_ptr<Integrator> make_rk3(std::shared_ptr<const Model> model,
                                     const IntegratorOptions& options) {
  return std::make_unique<Rk3>(std::move(model), options);
}

}  // namespace cenic

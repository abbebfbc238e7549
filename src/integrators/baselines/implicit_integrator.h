// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the implicit baselines share: the Jacobian of the accelerations by finite differences, the
// linear systems it gives, and Newton's method for one stage (Hairer & Wanner, Solving Ordinary
// Differential Equations II, section IV.8).
//
// With A_δ = ∂ẋ/∂δ, A_x = ∂ẋ/∂x, where x = (v, z) and v = E x, and with ∂δ̇/∂v ≈ 1, ∂δ̇/∂δ ≈ 0 (exact
// but for rotations), a system
//   (1 − g [0 E; A_δ A_x]) (d_δ, d_x) = (r_δ, r_x)
// is one of the size of x: (1 − g A_x − g² A_δ E) d_x = r_x + g A_δ r_δ,  d_δ = r_δ + g E d_x. All
// dense.
#pragma once

#include <memory>
#include <span>

#include "integrators/baselines/baseline_integrator.h"

namespace cenic {

class ImplicitIntegrator : public BaselineIntegrator {
 public:
  ImplicitIntegrator(std::shared_ptr<const Model> model, const IntegratorOptions& options);
  ~ImplicitIntegrator() override;
  void exchange(Archive* archive) override;
  void report_path(const State& before, StepPath* path) const override;

 protected:
  // A_δ and A_x at the start of the step (begin_step() was called); false when not finite.
  bool update_jacobian(const State& state);
  // Makes slot 0 or 1 ready for systems with g; keeps what it has when nothing changed.
  void factor(int slot_index, double g);
  // Solves the system in place.
  void solve(int slot_index, Vector* d);

  // A stage: y = base + g f(t, y) about q0.
  struct Stage {
    int slot = 0;  // factored for g
    double t = 0;
    std::span<const double> q0;
    const Vector& base;
    double g = 0;
  };
  // Newton's method from the guess y with `rate` = f there; leaves the solution and f at it.
  SolveStatus solve_stage(const Stage& stage, Vector* y, Vector* rate);
  double slowest_rate() const { return slowest_rate_; }  // of convergence, since reset
  void reset_slowest_rate() { slowest_rate_ = 0; }

 private:
  enum class Progress { kGoOn, kDone, kHopeless };
  void decompose(int slot_index);
  double take_newton_step(const Stage& stage, const Vector& rate, Vector* y);
  Progress judge(int m, double size, double last);
  double calc_size(const Vector& dy, double g);  // in the error norm; the largest is the culprit

  struct Algebra;
  std::unique_ptr<Algebra> algebra_;
  Vector weights_;    // of the coordinates, and of the states of external systems
  double tolerance_;  // of Newton's method, in units of the error norm
  double residue_;    // good enough where the tolerance is out of reach
  double slowest_rate_ = 0;
  Vector dy_, q_, x_, delta_, rate_;
};

// The strategy of methods that iterate: keep the Jacobian from step to step while Newton's method
// converges well with it.
class NewtonIntegrator : public ImplicitIntegrator {
 public:
  using ImplicitIntegrator::ImplicitIntegrator;
  void restart() override;
  void exchange(Archive* archive) override;

 protected:
  // All stages with the present Jacobian, to next_ and the error.
  virtual Trial try_stages(const State& state, double h) = 0;

 private:
  Trial try_step(const State& state, double h, bool fresh) override;

  bool usable_ = false;   // the Jacobian converges well
  bool current_ = false;  // the Jacobian is of this step's start
};

}  // namespace cenic

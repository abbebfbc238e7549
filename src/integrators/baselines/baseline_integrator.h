// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the baselines share: the continuous model as an ordinary differential equation.
//
// Over one step from q0 the unknowns are y = (δ, x), x = (v, z), with q = q0 ⊕ δ and z the states
// of continuous external systems, so that every method for vectors applies as it stands and its
// order holds for rotations too:
//   ẏ = f(t, y) = (P(δ) v, ẋ(t, q0 ⊕ δ, x)),   P(δ) v = δ̇, see calc_displacement_rate()
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "dynamics/continuous_dynamics.h"
#include "integrators/integrator.h"

namespace cenic {

class BaselineIntegrator : public Integrator {
 public:
  // Throws Error for what the continuous model does not have.
  BaselineIntegrator(std::shared_ptr<const Model> model, const IntegratorOptions& options);

  void exchange(Archive* archive) override;

  // Contacts with the law's forces at the end of the last accepted step.
  void report_contacts(std::vector<ContactReport>* reports) const override;
  void report_forces(std::vector<ContactForce>* forces) const override;
  // Forces of external systems there.
  void report_efforts(std::vector<double>* forces) const override;

 protected:
  using Vector = std::vector<double>;  // y = (δ, v, z), or a rate of it

  // f(t, y) about q0; false when y or f is not finite (see fail()).
  bool calc_rate(double t, std::span<const double> q0, const Vector& y, Vector* rate);
  // Start of a step: y0_ = (0, v, z) and rate0_ = f there. After a rejection both still hold.
  bool begin_step(const State& state, bool fresh);
  // y0_ alone.
  void set_start(const State& state);
  struct End {
    std::span<const double> q0;  // y is about
    const Vector& y;
  };
  // End of a try of size h from t: next_ ← `end`; the error by comparison with `other`.
  Trial end_step(double t, double h, const End& end, const End& other);
  // A try that failed, by default because of a number that is not finite; blames the system that
  // gave one.
  Trial fail(SolveStatus status = SolveStatus::kNotFinite) const;
  // out = q0 ⊕ δ with δ the first part of y.
  void displace(std::span<const double> q0, const Vector& y, std::span<double> out) const;
  void unpack_rate(std::span<const double> xdot, StateRate* rate) const;
  // Of (δ, v, z) or (v, z); remembers the culprit.
  bool is_finite(std::span<const double> x);

  std::unique_ptr<ContinuousDynamics> dynamics_;
  Vector y0_, rate0_;
  double t_next_ = 0;       // time of next_
  double penetration_ = 0;  // at the configuration evaluated last
  int culprit_ = -1;        // velocity at fault when a try fails; −1: a state

 private:
  void evaluate_end() const;

  Vector q_;  // (nq)
  State embedded_;
  bool started_ = false;  // begin_step() succeeded
};

}  // namespace cenic

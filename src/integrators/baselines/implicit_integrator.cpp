// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/baselines/implicit_integrator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>

namespace cenic {
namespace {

constexpr int kMaxIterations = 10;
// Newton's method stops at this share of the accuracy (κ of Hairer & Wanner, eq. 8.10).
constexpr double kNewtonShare = 0.05;
constexpr double kRoundoff = 1e-13;  // no tolerance below, m
// With a fixed step there is no accuracy: down to rounding, but what is left of an iteration that
// gets no further may be this, m.
constexpr double kFixedStepResidue = 1e-9;
// A velocity wrong by Δv counts as the displacement over this time at least, s: at small steps a
// bound on h Δv would let velocity errors pile up (docs/method.md, "Accepting a guess").
constexpr double kVelocityTime = 0.1;
// A Jacobian that converges more slowly than this is not used for another step. It costs as much as
// 2 nv + nz iterations.
constexpr double kSlow = 0.3;

}  // namespace

struct ImplicitIntegrator::Algebra {
  struct Slot {
    double g = 0;
    bool valid = false;
    Eigen::PartialPivLU<Eigen::MatrixXd> lu;
  };
  Eigen::MatrixXd A_delta, A_x, W;
  Eigen::VectorXd b;
  Slot slots[2];
};

ImplicitIntegrator::ImplicitIntegrator(std::shared_ptr<const Model> model,
                                       const IntegratorOptions& options)
    : BaselineIntegrator(std::move(model), options),
      algebra_(std::make_unique<Algebra>()),
      weights_(measure_.solver_weights()),
      tolerance_(options_.fixed_step > 0 ? kRoundoff
                                         : std::max(kNewtonShare * options_.accuracy, kRoundoff)),
      residue_(options_.fixed_step > 0 ? kFixedStepResidue : tolerance_),
      dy_(y0_),
      q_(model_->nq),
      x_(dynamics_->size()),
      delta_(model_->nv),
      rate_(x_) {
  const int nv = model_->nv, nx = dynamics_->size();
  algebra_->A_delta.setZero(nx, nv);
  algebra_->A_x.setZero(nx, nx);
  algebra_->W.setZero(nx, nx);
  algebra_->b.setZero(nx);
  // A state that the user does not want to be measured must still be solved for.
  for (const int i : dynamics_->states()) {
    weights_.push_back(model_->z_weight[i] > 0 ? model_->z_weight[i] : 1);
  }
}

ImplicitIntegrator::~ImplicitIntegrator() = default;

// Forward differences, one number at a time. Velocities and states leave geometry and M as they
// are.
bool ImplicitIntegrator::update_jacobian(const State& state) {
  const double step = std::sqrt(std::numeric_limits<double>::epsilon());
  const int nv = model_->nv, nx = dynamics_->size();
  const Eigen::Map<const Eigen::VectorXd> rate0(rate0_.data() + nv, nx), rate(rate_.data(), nx);
  PhaseTicks* phases = &statistics_.phases;
  for (Algebra::Slot& slot : algebra_->slots) {
    slot.valid = false;
  }
  const auto x0 = y0_.begin() + nv;
  std::copy_n(x0, nx, x_.begin());
  for (int i = 0; i < nv; ++i) {
    delta_[i] = step;
    integrate_positions(*model_, state.q, delta_, 1, RotationUpdate::kExponential, q_);
    delta_[i] = 0;
    dynamics_->update_configuration(state.t, q_, phases);
    record_contacts(static_cast<int>(dynamics_->contacts().size()));
    dynamics_->calc_rate(x_, rate_, phases);
    if (!is_finite(rate_)) return false;
    algebra_->A_delta.col(i) = (rate - rate0) / step;
  }
  dynamics_->update_configuration(state.t, state.q, phases);
  record_contacts(static_cast<int>(dynamics_->contacts().size()));
  for (int i = 0; i < nx; ++i) {
    x_[i] = x0[i] + step * std::max(1.0, std::abs(x0[i]));
    dynamics_->calc_rate(x_, rate_, phases);
    if (!is_finite(rate_)) return false;
    algebra_->A_x.col(i) = (rate - rate0) / (x_[i] - x0[i]);
    x_[i] = x0[i];
  }
  return true;
}

void ImplicitIntegrator::factor(int slot_index, double g) {
  Algebra::Slot& slot = algebra_->slots[slot_index];
  if (slot.valid && slot.g == g) return;
  const ScopedPhase phase(&statistics_.phases, Phase::kFactorization);
  slot.g = g;
  slot.valid = true;
  ++statistics_.factorizations;
  decompose(slot_index);
}

void ImplicitIntegrator::decompose(int slot_index) {
  Algebra::Slot& slot = algebra_->slots[slot_index];
  const double g = slot.g;
  algebra_->W.noalias() = -g * algebra_->A_x;
  algebra_->W.leftCols(model_->nv) -= (g * g) * algebra_->A_delta;
  algebra_->W.diagonal().array() += 1;
  if (algebra_->W.size() > 0) slot.lu.compute(algebra_->W);
}

// From the rate at the start and the mean; evenly where that would add about as much as there is: a
// stiff force times what the last step left of its error is no motion.
void ImplicitIntegrator::report_path(const State& before, StepPath* path) const {
  BaselineIntegrator::report_path(before, path);
  unpack_rate(std::span(rate0_).subspan(model_->nv), &path->start);
  const double h = next_.t - before.t;
  const auto complete = [h](const Vector& x0, const Vector& x1, Vector* start, Vector* end) {
    end->resize(start->size());
    for (std::size_t i = 0; i < start->size(); ++i) {
      const double mean = (x1[i] - x0[i]) / h;
      const double most = 4 * std::max(std::abs(x0[i]), std::abs(x1[i]));
      if (h * std::abs((*start)[i] - mean) > most) (*start)[i] = mean;
      (*end)[i] = 2 * mean - (*start)[i];
    }
  };
  complete(before.v, next_.v, &path->start.v, &path->end.v);
  complete(before.z, next_.z, &path->start.z, &path->end.z);
}

// Decompositions are made again from the Jacobian, which gives the same numbers.
void ImplicitIntegrator::exchange(Archive* archive) {
  for (Eigen::MatrixXd* A : {&algebra_->A_delta, &algebra_->A_x}) {
    for (double& x : A->reshaped()) {
      (*archive)(&x);
    }
  }
  for (int i = 0; i < 2; ++i) {
    Algebra::Slot& slot = algebra_->slots[i];
    (*archive)(&slot.g);
    (*archive)(&slot.valid);
    if (archive->loading() && slot.valid) decompose(i);
  }
  BaselineIntegrator::exchange(archive);
}

void ImplicitIntegrator::solve(int slot_index, Vector* d) {
  const int nv = model_->nv, nx = dynamics_->size();
  if (nx == 0) return;
  const ScopedPhase phase(&statistics_.phases, Phase::kFactorization);
  const Algebra::Slot& slot = algebra_->slots[slot_index];
  Eigen::Map<Eigen::VectorXd> d_delta(d->data(), nv), d_x(d->data() + nv, nx);
  algebra_->b.noalias() = algebra_->A_delta * d_delta;
  algebra_->b = d_x + slot.g * algebra_->b;
  d_x = slot.lu.solve(algebra_->b);
  d_delta += slot.g * d_x.head(nv);
}

double ImplicitIntegrator::calc_size(const Vector& dy, double g) {
  const int nv = model_->nv;
  const double time = std::max(g, kVelocityTime);
  const double per_velocity = options_.error_norm == ErrorNorm::kState ? std::max(time, 1.0) : time;
  double size = 0;
  for (int i = 0; i < nv; ++i) {
    const double d = weights_[i] * (std::abs(dy[i]) + per_velocity * std::abs(dy[nv + i]));
    if (d <= size) continue;  // not a number goes on
    culprit_ = i;
    size = d;
    if (!std::isfinite(d)) return d;
  }
  for (std::size_t i = nv; i < weights_.size(); ++i) {
    const double d = weights_[i] * std::abs(dy[nv + i]);
    if (d <= size) continue;
    culprit_ = -1;
    size = d;
    if (!std::isfinite(d)) return d;
  }
  return size;
}

// One iteration: y moves by dy_, whose size is returned.
double ImplicitIntegrator::take_newton_step(const Stage& stage, const Vector& rate, Vector* y) {
  ++statistics_.solver_iterations;
  for (std::size_t i = 0; i < dy_.size(); ++i) {
    dy_[i] = stage.base[i] + stage.g * rate[i] - (*y)[i];
  }
  solve(stage.slot, &dy_);
  for (std::size_t i = 0; i < dy_.size(); ++i) {
    (*y)[i] += dy_[i];
  }
  return calc_size(dy_, stage.g);
}

// After iteration m with a change of `size` after one of `last`. Θ is the measured rate of
// convergence; Θ/(1 − Θ) times the last change bounds what is left. Never done after the first: f
// must be evaluated at the end and not at the start alone, or a contact that is new there is not
// seen.
ImplicitIntegrator::Progress ImplicitIntegrator::judge(int m, double size, double last) {
  if (size == 0) return Progress::kDone;
  if (m == 0) return Progress::kGoOn;
  const double theta = size / last;
  if (size > residue_) slowest_rate_ = std::max(slowest_rate_, theta);
  const double left = theta < 1 ? size / (1 - theta) : INFINITY;
  if (theta * left <= tolerance_ || size <= kRoundoff) return Progress::kDone;
  if (std::pow(theta, kMaxIterations - 1 - m) * left <= tolerance_) return Progress::kGoOn;
  return size <= residue_ ? Progress::kDone : Progress::kHopeless;
}

SolveStatus ImplicitIntegrator::solve_stage(const Stage& stage, Vector* y, Vector* rate) {
  ++statistics_.solves;
  Progress progress = Progress::kGoOn;
  double last = 0;
  for (int m = 0; m < kMaxIterations && progress == Progress::kGoOn; ++m) {
    if (m > 0 && !calc_rate(stage.t, stage.q0, *y, rate)) return SolveStatus::kNotFinite;
    const double size = take_newton_step(stage, *rate, y);
    if (!std::isfinite(size)) return SolveStatus::kNotFinite;
    progress = judge(m, size, last);
    last = size;
  }
  if (progress != Progress::kDone) return SolveStatus::kNotConverged;
  for (std::size_t i = 0; i < y->size(); ++i) {
    (*rate)[i] = ((*y)[i] - stage.base[i]) / stage.g;
  }
  return SolveStatus::kConverged;
}

void NewtonIntegrator::restart() {
  ImplicitIntegrator::restart();
  usable_ = false;
}

void NewtonIntegrator::exchange(Archive* archive) {
  (*archive)(&usable_);
  ImplicitIntegrator::exchange(archive);
}

Integrator::Trial NewtonIntegrator::try_step(const State& state, double h, bool fresh) {
  if (!begin_step(state, fresh)) return fail();
  if (fresh) current_ = false;
  for (;;) {
    if (!usable_ && !current_) {
      if (!update_jacobian(state)) return fail();
      usable_ = current_ = true;
    }
    reset_slowest_rate();
    const Trial trial = try_stages(state, h);
    const bool converged = trial.status == SolveStatus::kConverged;
    usable_ = converged && slowest_rate() < kSlow;
    if (converged || current_) return trial;
  }
}

}  // namespace cenic

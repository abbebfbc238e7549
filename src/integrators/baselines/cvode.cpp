// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// SUNDIALS' CVODE: backward differentiation formulas of order 1 to 5 with their own control of
// step and order, Newton's method and a dense Jacobian by differences. A peer, not a part: this is
// the only file that knows SUNDIALS, and without it the integrator does not exist.
//
// A multistep method needs one set of coordinates for many steps, so its unknowns are (q, v, z)
// with quaternions as four numbers, q̇ = N(q) v; what comes out is normalised.
#include "core/error.h"
#include "integrators/baselines/baseline_integrator.h"
#include "integrators/baselines/baselines.h"

#ifndef CENIC_HAVE_SUNDIALS

namespace cenic {

bool has_cvode() { return false; }

std::unique_ptr<Integrator> make_cvode(std::shared_ptr<const Model> /*model*/,
                                       const IntegratorOptions& /*options*/) {
  throw Error("cenic was built without SUNDIALS");
}

}  // namespace cenic

#else

#include <algorithm>
#include <cmath>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace cenic {
namespace {

// CVODE bounds every unknown, the velocities too. In the position norm their tolerance is what
// moves a coordinate by the accuracy within this time, s.
constexpr double kVelocityTime = 0.1;

// Frees what SUNDIALS made, in the right order.
struct Handles {
  SUNContext context = nullptr;
  N_Vector y = nullptr, tolerance = nullptr, slope = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
  void* cvode = nullptr;

  Handles() = default;
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    CVodeFree(&cvode);
    if (solver != nullptr) SUNLinSolFree(solver);
    if (matrix != nullptr) SUNMatDestroy(matrix);
    N_VDestroy(tolerance);
    N_VDestroy(slope);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
};

class Cvode : public BaselineIntegrator {
 public:
  Cvode(std::shared_ptr<const Model> model, const IntegratorOptions& options)
      : BaselineIntegrator(std::move(model), options), still_(model_->nv) {
    if (options_.fixed_step > 0) throw Error("cvode chooses its own steps; drop --step");
    if (size() > 0) create();
  }

  void restart() override {
    BaselineIntegrator::restart();
    running_ = false;
  }

  // The steps that the formulas look back on are CVODE's own, and it does not give them away.
  void exchange(Archive* /*archive*/) override {
    throw Error("integrator 'cvode' knows no checkpoints; use any other");
  }

  // The slope of CVODE's own polynomial.
  void report_path(const State& before, StepPath* path) const override {
    BaselineIntegrator::report_path(before, path);
    if (size() == 0) return;
    const std::span<const double> xdot(N_VGetArrayPointer(s_.slope) + model_->nq,
                                       dynamics_->size());
    StateRate start;
    if (CVodeGetDky(s_.cvode, before.t, 1, s_.slope) != CV_SUCCESS) return;
    unpack_rate(xdot, &start);
    if (CVodeGetDky(s_.cvode, t_, 1, s_.slope) != CV_SUCCESS) return;
    unpack_rate(xdot, &path->end);
    path->start = start;
  }

 private:
  std::size_t size() const { return model_->nq + dynamics_->size(); }
  std::span<double> unknowns() { return {N_VGetArrayPointer(s_.y), size()}; }
  void write_unknowns(const State& state) {
    std::ranges::copy(state.q, unknowns().begin());
    dynamics_->gather(state, unknowns().subspan(model_->nq));
  }

  void create();
  void set_tolerances();
  static int calc_derivative(double t, N_Vector y, N_Vector ydot, void* self);
  bool start(const State& state);
  void record_counters();
  void write_next();

  // One step of CVODE's own size towards state.t + h.
  Trial try_step(const State& state, double h, bool fresh) override {
    if (size() == 0) {
      set_start(state);
      return {};
    }
    // Continue where CVODE is, or start anew when the state is not what it gave last: the user
    // changed it, or a sample was taken.
    const bool same =
        running_ && fresh && state.q == next_.q && state.v == next_.v && state.z == next_.z;
    if (!same) {
      if (!begin_step(state, fresh)) return fail();
      if (!start(state)) return fail(SolveStatus::kNotConverged);
    } else {  // what was evaluated last may be a prediction
      dynamics_->update_configuration(state.t, state.q, &statistics_.phases);
      record_contacts(static_cast<int>(dynamics_->contacts().size()));
      record_penetration(dynamics_->max_penetration());
    }
    const double stop = state.t + h;
    CVodeSetStopTime(s_.cvode, stop);
    // CVODE would go on with steps that time does not feel, t + h = t.
    CVodeSetMinStep(s_.cvode,
                    std::max(options_.min_step, 1e-14 * std::max(1.0, std::abs(state.t))));
    const int flag = CVode(s_.cvode, stop, s_.y, &t_, CV_ONE_STEP);
    record_counters();
    running_ = flag >= 0;
    if (!running_) {
      return fail(finite_ ? SolveStatus::kNotConverged : SolveStatus::kNotFinite);
    }
    write_next();
    t_next_ = t_;
    Trial trial;
    if (flag != CV_TSTOP_RETURN) trial.h = t_ - state.t;
    return trial;
  }

  Handles s_;
  const Vector still_;    // no velocity (nv)
  double t_ = 0;          // CVODE's time
  bool running_ = false;  // CVODE continues from next_
  bool finite_ = true;    // was the last derivative?
  long counted_[4] = {};  // failures, iterations, factorisations, solves so far of this start
};

// No step of SUNDIALS is checked for lack of memory: it then returns null, and the first step
// fails.
void Cvode::create() {
  SUNContext_Create(nullptr, &s_.context);
  const auto n = static_cast<sunindextype>(size());
  s_.y = N_VNew_Serial(n, s_.context);
  s_.tolerance = N_VNew_Serial(n, s_.context);
  s_.slope = N_VNew_Serial(n, s_.context);
  s_.matrix = SUNDenseMatrix(n, n, s_.context);
  s_.solver = SUNLinSol_Dense(s_.y, s_.matrix, s_.context);
  s_.cvode = CVodeCreate(CV_BDF, s_.context);
  write_unknowns(next_);
  CVodeInit(s_.cvode, calc_derivative, 0, s_.y);
  set_tolerances();
  CVodeSVtolerances(s_.cvode, 0, s_.tolerance);
  CVodeSetUserData(s_.cvode, this);
  CVodeSetLinearSolver(s_.cvode, s_.solver, s_.matrix);
  CVodeSetMaxStep(s_.cvode, options_.max_step);
  CVodeSetErrFile(s_.cvode, nullptr);  // we report failures ourselves
}

// CVODE bounds the root mean square of error/tolerance. With n unknowns a tolerance of accuracy/√n
// keeps each coordinate within the accuracy, as the error norm of the other integrators does. A
// rotation by θ changes a quaternion by θ/2.
void Cvode::set_tolerances() {
  const std::vector<double> weights = measure_.solver_weights();
  const double share = options_.accuracy / std::sqrt(static_cast<double>(size()));
  const double time = options_.error_norm == ErrorNorm::kState ? 1 : kVelocityTime;
  double* tolerance = N_VGetArrayPointer(s_.tolerance);
  for (const Link& link : model_->links) {
    const double* w = weights.data() + link.v_start;
    const bool quaternion = link.nq > link.nv;
    for (int i = 0; i < link.nq; ++i) {
      tolerance[link.q_start + i] = quaternion && i < 4 ? 0.5 * share / std::max({w[0], w[1], w[2]})
                                                        : share / w[i - (link.nq - link.nv)];
    }
    for (int i = 0; i < link.nv; ++i) {
      tolerance[model_->nq + link.v_start + i] = share / (w[i] * time);
    }
  }
  double* state = tolerance + model_->nq + model_->nv;
  for (const int i : dynamics_->states()) {
    *state++ = share / (model_->z_weight[i] > 0 ? model_->z_weight[i] : 1);
  }
}

int Cvode::calc_derivative(double t, N_Vector y, N_Vector ydot, void* self) {
  auto* me = static_cast<Cvode*>(self);
  const Model& model = *me->model_;
  const std::span<const double> in(N_VGetArrayPointer(y), me->size());
  const std::span<double> out(N_VGetArrayPointer(ydot), me->size());
  const std::span q = in.first(model.nq), x = in.subspan(model.nq);
  constexpr int kRecoverable = 1;  // CVODE tries a smaller step
  me->finite_ = me->is_finite(x) && std::ranges::all_of(q, [](double e) {
                  return std::isfinite(e);
                });
  if (!me->finite_) return kRecoverable;
  me->dynamics_->update_configuration(t, q, &me->statistics_.phases);
  me->record_contacts(static_cast<int>(me->dynamics_->contacts().size()));
  calc_coordinate_rate(model, q, x.first(model.nv), out.first(model.nq));
  me->dynamics_->calc_rate(x, out.subspan(model.nq), &me->statistics_.phases);
  me->finite_ = me->is_finite(out.subspan(model.nq));
  return me->finite_ ? 0 : kRecoverable;
}

bool Cvode::start(const State& state) {
  write_unknowns(state);
  t_ = state.t;
  std::ranges::fill(counted_, 0);
  return s_.cvode != nullptr && CVodeReInit(s_.cvode, t_, s_.y) == CV_SUCCESS;
}

// CVODE counts from its start; a step it gave up and tried again is a rejected one.
void Cvode::record_counters() {
  long now[4] = {}, diverged = 0;
  CVodeGetNumErrTestFails(s_.cvode, &now[0]);
  CVodeGetNumStepSolveFails(s_.cvode, &diverged);
  now[0] += diverged;
  CVodeGetNumNonlinSolvIters(s_.cvode, &now[1]);
  CVodeGetNumLinSolvSetups(s_.cvode, &now[2]);
  CVodeGetNumSteps(s_.cvode, &now[3]);
  now[3] += now[0];
  long* sums[] = {&statistics_.rejected_steps, &statistics_.solver_iterations,
                  &statistics_.factorizations, &statistics_.solves};
  for (int i = 0; i < 4; ++i) {
    *sums[i] += now[i] - counted_[i];
    counted_[i] = now[i];
  }
}

void Cvode::write_next() {
  dynamics_->scatter(unknowns().subspan(model_->nq), &next_);
  // Normalises the quaternions: a displacement by nothing.
  integrate_positions(*model_, unknowns().first(model_->nq), still_, 1,
                      RotationUpdate::kExponential, next_.q);
}

}  // namespace

bool has_cvode() { return true; }

std::unique_ptr<Integrator> make_cvode(std::shared_ptr<const Model> model,
                                       const IntegratorOptions& options) {
  return std::make_unique<Cvode>(std::move(model), options);
}

}  // namespace cenic

#endif

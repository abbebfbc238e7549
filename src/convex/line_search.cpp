// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Line search on ℓ(v + α p), α in [0, 1]. All contact velocities are affine in α, so a trial costs
// a few dozen operations a contact, and decisions are taken on the slope, which has no
// cancellation.
#include <algorithm>
#include <cmath>

#include "convex/contact_law.h"
#include "convex/solver_context.h"
#include "math/simd.h"

namespace cenic {
namespace {

constexpr int kMaxTrials = 100;
constexpr double kWolfe = 0.1;  // accept when the slope fell to this fraction
constexpr double kExact = 1e-8;

// Minimiser in (0, 1) of the cubic with values l0, l1 and slopes s0 < 0 < s1 at 0 and 1; −1 when
// there is none.
double minimize_cubic(double l0, double l1, double s0, double s1) {
  const double a = 2 * (l0 - l1) + s0 + s1;
  const double b = -3 * (l0 - l1) - 2 * s0 - s1;
  // 3 a t² + 2 b t + s0 = 0, the root with positive curvature, without cancellation
  const double discriminant = b * b - 3 * a * s0;
  if (!(discriminant >= 0)) return -1;
  const double root = std::sqrt(discriminant);
  const double t = b > 0 ? -s0 / (b + root) : (root - b) / (3 * a);
  return t > 0 && t < 1 ? t : -1;
}

}  // namespace

ConvexSolver::LinePoint ConvexSolver::evaluate_line(Context* c, double alpha, bool with_cost) {
  ++c->result.line_search_evaluations;
  const Work& w = c->work;
  const ConvexProblem::IslandStep& law = w.step;
  if (!c->options.affine_line_search) refresh_velocities_along(c, alpha);
  const double *v_hat = law.v_hat.data(), *c0 = law.c0.data(), *c1 = law.c1.data();
  const double *m = law.m.data(), *v_r = law.v_r.data();
  const double *vn = w.velocity.n.data(), *vt1 = w.velocity.t1.data(), *vt2 = w.velocity.t2.data();
  const double* un = w.direction.n.data();
  const double *ut1 = w.direction.t1.data(), *ut2 = w.direction.t2.data();
  const int num_slots = c->num_slots();
  double slope = 0, curvature = 0;
#pragma omp simd reduction(+ : slope, curvature)
  for (int s = 0; s < num_slots; ++s) {
    const double x = std::max(0.0, v_hat[s] - (vn[s] + alpha * un[s]));
    slope -= normal_impulse(c0[s], c1[s], x) * un[s];
    curvature += normal_curvature(c0[s], c1[s], x) * un[s] * un[s];
    const double a = vt1[s] + alpha * ut1[s], b = vt2[s] + alpha * ut2[s];
    const double inverse = 1 / std::sqrt(a * a + b * b + v_r[s] * v_r[s]);
    const double t = (a * ut1[s] + b * ut2[s]) * inverse, weight = m[s] * inverse;
    slope += m[s] * t;
    curvature += weight * (ut1[s] * ut1[s] + ut2[s] * ut2[s] - t * t);
  }
  LinePoint point;
  point.slope = c->quadratic_slope + alpha * c->quadratic_curvature + slope;
  point.curvature = c->quadratic_curvature + curvature;
  if (with_cost) {
    double cost = 0;
#pragma omp simd reduction(+ : cost)
    for (int s = 0; s < num_slots; ++s) {
      const double x = std::max(0.0, v_hat[s] - (vn[s] + alpha * un[s]));
      const double a = vt1[s] + alpha * ut1[s], b = vt2[s] + alpha * ut2[s];
      cost += normal_cost(c0[s], c1[s], x) + friction_cost(m[s], a * a + b * b, v_r[s]);
    }
    point.cost = alpha * (c->quadratic_slope + 0.5 * alpha * c->quadratic_curvature) + cost;
  }
  add_constraint_line(*c, alpha, &point);
  return point;
}

// What a line search without the affine form pays at each trial: contact velocities through the
// Jacobians, and all Hessian weights. The numbers are the same; kept to measure the difference.
void ConvexSolver::refresh_velocities_along(Context* c, double alpha) {
  Work& w = c->work;
  const auto move = [&](double by) {
    for (int k = 0; k < c->padded_size(); k += kLanes) {
      ref8(&w.v[k]) += by * load8(&w.p[k]);
    }
  };
  move(alpha);
  apply_jacobian(*c, w.v.data(), &w.trial);
  move(-alpha);
  update_weights(*c);
  set_pattern(c);
  assemble(c);
  factor_valid_[c->root] = 0;  // overwritten
}

double ConvexSolver::search_line(Context* c) {
  if (c->linear) return 1;
  const bool exact = c->options.exact_line_search;
  const LinePoint one = evaluate_line(c, 1, exact);
  // The minimum lies at or beyond the full step. A slope that is not finite is found by the
  // gradient test.
  if (!(one.slope > 2.2e-16)) return 1;
  if (!(c->slope0 < 0)) return 1;  // only by roundoff, at the solution
  if (exact) {
    LinePoint zero = evaluate_line(c, 0, true);
    zero.slope = c->slope0;
    return search_exactly(c, zero, one);
  }
  return search_to_wolfe(c, c->slope0, one);
}

// Newton on the slope, kept inside a shrinking bracket; starts from the secant through the two
// ends.
double ConvexSolver::search_to_wolfe(Context* c, double slope0, const LinePoint& one) {
  const double enough = kWolfe * std::abs(slope0);
  if (one.slope <= enough) return 1;
  double low = 0, high = 1;
  double alpha = slope0 / (slope0 - one.slope);
  for (int i = 0; i < kMaxTrials; ++i) {
    const LinePoint point = evaluate_line(c, alpha, false);
    if (std::abs(point.slope) <= enough) break;
    (point.slope < 0 ? low : high) = alpha;
    double next = alpha - point.slope / point.curvature;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (!(high - low > 1e-12)) break;
    alpha = next;
  }
  return alpha;
}

// To 1e-8 of the initial slope, from the minimiser of the cubic through values and slopes at both
// ends.
double ConvexSolver::search_exactly(Context* c, const LinePoint& zero, const LinePoint& one) {
  const double scale = std::abs(zero.slope);
  double low = 0, high = 1;
  double alpha = minimize_cubic(zero.cost, one.cost, zero.slope, one.slope);
  if (alpha < 0) alpha = zero.slope / (zero.slope - one.slope);
  double last_change = 1;
  for (int i = 0; i < kMaxTrials; ++i) {
    const LinePoint point = evaluate_line(c, alpha, false);
    const double f = point.slope / scale, df = point.curvature / scale;
    if (std::abs(f) < kExact) break;
    (f < 0 ? low : high) = alpha;
    double change = -f / df;
    if (!(alpha + change > low && alpha + change < high) ||
        2 * std::abs(f) > std::abs(last_change * df)) {
      change = 0.5 * (low + high) - alpha;
    }
    last_change = change;
    alpha += change;
    if (std::abs(change) < kExact) break;
  }
  return alpha;
}

}  // namespace cenic

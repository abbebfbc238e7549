// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/dense_output.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/error.h"
#include "multibody/multibody.h"
#include "recording/detail/cubic.h"

namespace cenic {

using detail::evaluate_cubic;

namespace {

constexpr double kMuchTurning = 1;  // rad a step

// Smooth motion differs from the trapezoid, d = (m0 + m1)/2, by h/12 times its jerk over its
// acceleration, as a share of m1 − m0. Where that is a large share, of the motion itself as well
// (an acceleration may be zero in between), the velocity jumped.
bool is_impact(double d, double m0, double m1) {
  const double change = std::abs(m1 - m0), motion = std::max(std::abs(m0), std::abs(m1));
  return std::abs(d - 0.5 * (m0 + m1)) > 0.25 * std::max(change, motion);
}

// A slope with which the cubic stays monotone: nothing dips into a wall between two steps.
double limit_slope(double d, double m) {
  return m * d <= 0 ? 0 : std::copysign(std::min(std::abs(m), 3 * std::abs(d)), d);
}

// How much of the step has gone by at t, 0 to 1.
double calc_share(const State& before, const State& after, double t) {
  const double h = after.t - before.t;
  return h > 0 ? std::clamp((t - before.t) / h, 0.0, 1.0) : 1;
}

// At the share s of a step of size h.
struct Moment {
  double h, s;
  // From x0 to x1 with the i-th of the rates at both ends, evenly without.
  double interpolate(double x0, double x1, std::span<const double> rate0,
                     std::span<const double> rate1, int i) const {
    const double d = x1 - x0;
    return x0 + (rate0.empty() ? s * d : evaluate_cubic(d, h * rate0[i], h * rate1[i], s));
  }
};

}  // namespace

DenseOutput::DenseOutput(const Model& model, const Measurements* measurements)
    : model_(model), motion_(model), systems_(model) {
  systems_.set_measurements(measurements);
}

void DenseMotion::interpolate(const State& before, const State& after, const StepPath& path,
                              double t, State* out) {
  const double s = calc_share(before, after, t);
  *out = s < 1 ? before : after;
  out->t = t;
  if (s == 0 || s == 1) return;
  update_whole(before, after);
  for (const Tree& tree : model_.trees) {
    interpolate_coordinates(tree, whole_, out);
    interpolate_velocities(tree, whole_, path.start.v, path.end.v, out);
  }
  if (path.knots.empty()) return;
  local_.from = before;
  local_.to = after;
  around_.assign(model_.trees.size(), {});
  for (const StepPath::Knot& knot : path.knots) {
    Around& a = around_[knot.tree];
    if (knot.t <= t) {
      a.from = &knot;
    } else if (a.to == nullptr) {
      a.to = &knot;
    }
  }
  for (std::size_t i = 0; i < around_.size(); ++i) {
    const Around& a = around_[i];
    if (a.from == nullptr && a.to == nullptr) continue;
    load_knot(path, a.from, before.t, &local_.from);
    load_knot(path, a.to, after.t, &local_.to);
    const Tree& tree = model_.trees[i];
    update_tree(tree, &local_);
    interpolate_coordinates(tree, local_, out);
    interpolate_velocities(tree, local_, {}, {}, out);
  }
}

void DenseMotion::update_whole(const State& before, const State& after) {
  if (is_same_motion(whole_.from, before) && is_same_motion(whole_.to, after)) return;
  whole_.from = before;
  whole_.to = after;
  for (const Tree& tree : model_.trees) {
    update_tree(tree, &whole_);
  }
}

void DenseMotion::update_tree(const Tree& tree, Difference* d) const {
  take_out_spin(tree, d);
  calc_position_difference(model_, tree, d->from.q, d->end_q, d->delta);
  calc_displacement_rate(model_, tree, d->delta, d->end_v, d->slope);
}

// R(t) = exp((t − t0) w̄) R'(t), w = w̄ + exp((t − t0) w̄) w'.
void DenseMotion::take_out_spin(const Tree& tree, Difference* d) const {
  const double h = d->to.t - d->from.t;
  std::copy_n(d->to.v.begin() + tree.v_start, tree.nv, d->end_v.begin() + tree.v_start);
  std::fill_n(d->spin.begin() + tree.v_start, tree.nv, 0.0);
  for (int l = tree.link_begin; l < tree.link_end; ++l) {
    const Link& link = model_.links[l];
    if (link.kind != MobilizerKind::kBall && link.kind != MobilizerKind::kFree) continue;
    const double *v0 = d->from.v.data() + link.v_start, *v1 = d->to.v.data() + link.v_start;
    const Vec3 w0{v0[0], v0[1], v0[2]}, w1{v1[0], v1[1], v1[2]}, mean = 0.5 * (w0 + w1);
    if (norm(mean) * h <= kMuchTurning) continue;
    const Vec3 rest = to_matrix(exp_map(-h * mean)) * (w1 - mean);
    for (int i = 0; i < 3; ++i) {
      d->spin[link.v_start + i] = mean[i];
      d->end_v[link.v_start + i] = rest[i];
    }
  }
  std::copy_n(d->to.q.begin() + tree.q_start, tree.nq, d->end_q.begin() + tree.q_start);
  turn(tree, *d, -h, d->end_q);
}

// Most trees do not spin.
void DenseMotion::turn(const Tree& tree, const Difference& d, double time,
                       std::span<double> q) const {
  const std::span spin = std::span(d.spin).subspan(tree.v_start, tree.nv);
  if (std::ranges::count(spin, 0.0) == tree.nv) return;
  integrate_positions(model_, tree, q, d.spin, time, RotationUpdate::kExponential, q);
}

// Without a knot: at the end of the step, whose time is given.
void DenseMotion::load_knot(const StepPath& path, const StepPath::Knot* knot, double end,
                            State* state) const {
  state->t = knot != nullptr ? knot->t : end;
  if (knot == nullptr) return;
  const Tree& tree = model_.trees[knot->tree];
  std::copy_n(path.q.data() + knot->q, tree.nq, state->q.data() + tree.q_start);
  std::copy_n(path.v.data() + knot->v, tree.nv, state->v.data() + tree.v_start);
}

// One tree at out->t.
void DenseMotion::interpolate_coordinates(const Tree& tree, const Difference& difference,
                                          State* out) {
  const State &before = difference.from, &after = difference.to;
  const double h = after.t - before.t;
  const double s = calc_share(before, after, out->t);
  for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
    const double d = difference.delta[i];
    double m0 = h * (before.v[i] - difference.spin[i]), m1 = h * difference.slope[i];
    if (is_impact(d, m0, m1)) {
      m0 = limit_slope(d, m0);
      m1 = limit_slope(d, m1);
    }
    displacement_[i] = evaluate_cubic(d, m0, m1, s);
  }
  integrate_positions(model_, tree, before.q, displacement_, 1, RotationUpdate::kExponential,
                      out->q);
  turn(tree, difference, s * h, out->q);
}

void DenseMotion::interpolate_velocities(const Tree& tree, const Difference& difference,
                                         std::span<const double> rate0,
                                         std::span<const double> rate1, State* out) {
  const State &before = difference.from, &after = difference.to;
  const Moment moment{after.t - before.t, calc_share(before, after, out->t)};
  for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
    out->v[i] = moment.interpolate(before.v[i], after.v[i], rate0, rate1, i);
  }
}

void DenseOutput::interpolate(const State& before, const State& after, const StepPath& path,
                              double t, State* out) {
  motion_.interpolate(before, after, path, t, out);
  const Moment moment{after.t - before.t, calc_share(before, after, t)};
  if (moment.s == 0 || moment.s == 1) return;
  for (const SystemGroup& group : model_.system_groups) {
    for (const int i : group.states) {
      out->z[i] = moment.interpolate(before.z[i], after.z[i], path.start.z, path.end.z, i);
    }
  }
}

std::span<const double> DenseOutput::calc_outputs(const State& state, const Kinematics& kin) {
  if (model_.ny == 0) return {};
  systems_.set_state(state, kin);
  if (!systems_.evaluate_outputs(state.t)) {
    throw Error(describe_fault(model_, systems_.fault()) + "; check what it computes");
  }
  return systems_.y();
}

}  // namespace cenic

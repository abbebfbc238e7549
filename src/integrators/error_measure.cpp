// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/error_measure.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/error.h"

namespace cenic {
namespace {

constexpr double kMaxWrongTurn = 0.1;  // rad

bool is_rotation(const Model& model, int v) {
  const Link& link = model.links[model.dof_link[v]];
  switch (link.kind) {
    case MobilizerKind::kPrismatic:
      return false;
    case MobilizerKind::kFree:
      return v - link.v_start < 3;
    default:
      return true;
  }
}

}  // namespace

std::vector<double> make_error_weights(const Model& model, const IntegratorOptions& options) {
  if (!options.error_weights.empty()) {
    if (static_cast<int>(options.error_weights.size()) != model.nv) {
      throw Error(fmt::format("{} error weights given for {} velocities; give one for each",
                              options.error_weights.size(), model.nv));
    }
    return options.error_weights;
  }
  std::vector<double> weights(model.nv, 1.0);
  if (!options.size_weighted_norm) return weights;
  for (int v = 0; v < model.nv; ++v) {
    if (is_rotation(model, v)) {
      weights[v] = std::max(model.reach[v], options.accuracy / kMaxWrongTurn);
    }
  }
  return weights;
}

std::vector<double> ErrorMeasure::solver_weights() const {
  std::vector<double> weights = weights_;
  for (int v = 0; v < model_.nv; ++v) {
    if (weights[v] == 0) weights[v] = is_rotation(model_, v) ? model_.reach[v] : 1;
  }
  return weights;
}

ErrorMeasure::ErrorMeasure(const Model& model, const IntegratorOptions& options)
    : model_(model),
      norm_(options.error_norm),
      size_weighted_(options.size_weighted_norm || !options.error_weights.empty()),
      weights_(make_error_weights(model, options)),
      difference_(model.nv) {}

ErrorEstimate ErrorMeasure::calc(const State& a, const State& b, double time) {
  ErrorEstimate worst;
  for (const Tree& tree : model_.trees) {
    const ErrorEstimate e = calc_tree(tree, a, b, time);
    if (e.is_worse_than(worst)) worst = e;
  }
  const ErrorEstimate e = calc_states(a, b);
  return e.is_worse_than(worst) ? e : worst;
}

ErrorEstimate ErrorMeasure::calc_tree(const Tree& tree, const State& a, const State& b,
                                      double time) {
  ErrorEstimate e = size_weighted_ ? calc_weighted(tree, a.q, b.q) : calc_raw(tree, a.q, b.q);
  if (norm_ == ErrorNorm::kState) time = 1;
  if (time > 0 && std::isfinite(e.value)) {
    for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
      const double d = time * weights_[i] * std::abs(a.v[i] - b.v[i]);
      if (!std::isfinite(d)) return {d, i};
      if (d > e.value) e = {d, i};
    }
  }
  return e;
}

ErrorEstimate ErrorMeasure::calc_states(const State& a, const State& b) const {
  ErrorEstimate e;
  for (int i = 0; i < model_.nz && std::isfinite(e.value); ++i) {
    const double d = model_.z_weight[i] * std::abs(a.z[i] - b.z[i]);
    if (d > e.value || !std::isfinite(d)) e = {d, -1, i};
  }
  return e;
}

// Raw coordinates, metres and radians and quaternion components alike, as in the paper's reference.
ErrorEstimate ErrorMeasure::calc_raw(const Tree& tree, std::span<const double> qa,
                                     std::span<const double> qb) const {
  ErrorEstimate e;
  for (int l = tree.link_begin; l < tree.link_end; ++l) {
    const Link& link = model_.links[l];
    for (int i = 0; i < link.nq; ++i) {
      const double d = std::abs(qa[link.q_start + i] - qb[link.q_start + i]);
      // The quaternion has one component more than the rotation has velocities.
      const int v = link.v_start + std::max(0, i - (link.nq - link.nv));
      if (!std::isfinite(d)) return {d, v};
      if (d > e.value) e = {d, v};
    }
  }
  return e;
}

ErrorEstimate ErrorMeasure::calc_weighted(const Tree& tree, std::span<const double> qa,
                                          std::span<const double> qb) {
  calc_position_difference(model_, tree, qa, qb, difference_);
  ErrorEstimate e;
  for (int l = tree.link_begin; l < tree.link_end; ++l) {
    const Link& link = model_.links[l];
    // Rotations and translations in space by the length of the vector.
    for (int first = 0; first < link.nv; first += 3) {
      double sum = 0;
      for (int i = first; i < std::min(first + 3, link.nv); ++i) {
        const double d = weights_[link.v_start + i] * difference_[link.v_start + i];
        sum += d * d;
      }
      const double d = std::sqrt(sum);
      if (!std::isfinite(d)) return {d, link.v_start + first};
      if (d > e.value) e = {d, link.v_start + first};
    }
  }
  return e;
}

}  // namespace cenic

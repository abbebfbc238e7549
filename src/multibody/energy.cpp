// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Energy and momentum of the links that move.
#include <algorithm>
#include <cmath>

#include "multibody/constraints.h"
#include "multibody/mobilizer.h"
#include "multibody/multibody.h"
#include "multibody/tendons.h"

namespace cenic {

namespace {

// ½ k |d|² with d as in calc_spring_displacement(); the velocities of a link share one stiffness.
double calc_spring_energy(const Model& model, const Link& link, std::span<const double> q) {
  if (link.nv == 0 || model.stiffness[link.v_start] == 0) return 0;
  double d[6];
  detail::calc_difference(link, model.rest.data() + link.q_start, q.data() + link.q_start, d);
  double sum = 0;
  for (int i = 0; i < link.nv; ++i) {
    sum += d[i] * d[i];
  }
  return 0.5 * model.stiffness[link.v_start] * sum;
}

// ½ k g² of the rows that are springs; what is rigid stores nothing.
double calc_constraint_energy(const Model& model, const Kinematics& kin, std::span<const double> q,
                              int c) {
  const Constraint& constraint = model.constraints[c];
  double g[kMaxConstraintRows];
  calc_constraint_error(model, kin, q, c, g);
  double energy = 0;
  for (int r = 0; r < num_rows(constraint.kind); ++r) {
    const double k = constraint.spring(r).stiffness;
    if (std::isfinite(k)) energy += 0.5 * k * g[r] * g[r];
  }
  return energy;
}

double calc_limit_energy(const Model& model, std::span<const double> q, int limit) {
  const double k = model.limits[limit].stiffness;
  if (!std::isfinite(k)) return 0;
  double lower = 0, upper = 0;
  calc_limit_errors(model, q, limit, &lower, &upper);
  const double beyond = std::min({lower, upper, 0.0});
  return 0.5 * k * beyond * beyond;
}

// Of its limits, as of a joint's.
double calc_tendon_energy(const Model& model, const Kinematics& kin, std::span<const double> q,
                          int tendon) {
  const double k = model.tendons[tendon].stiffness;
  if (!std::isfinite(k)) return 0;
  double lower = 0, upper = 0;
  calc_tendon_gaps(model, kin, q, tendon, &lower, &upper);
  const double beyond = std::min({lower, upper, 0.0});
  return 0.5 * k * beyond * beyond;
}

}  // namespace

Energy calc_energy(const Model& model, const Kinematics& kin, std::span<const double> q,
                   std::span<const double> v) {
  Energy energy;
  for (std::size_t l = model.num_anchored_links; l < model.links.size(); ++l) {
    const Link& link = model.links[l];
    const SpatialInertia& M = kin.M_BBo_W[l];
    energy.kinetic += 0.5 * dot(kin.V_WB[l], M * kin.V_WB[l]);
    // −m g · p_WBcm
    energy.potential -= link.gravity_factor * dot(model.gravity, M.mass * kin.X_WB[l].p + M.mc);
    energy.potential += calc_spring_energy(model, link, q);
  }
  for (int c = 0; c < static_cast<int>(model.constraints.size()); ++c) {
    energy.potential += calc_constraint_energy(model, kin, q, c);
  }
  for (int i = 0; i < static_cast<int>(model.limits.size()); ++i) {
    energy.potential += calc_limit_energy(model, q, i);
  }
  for (int t = 0; t < static_cast<int>(model.tendons.size()); ++t) {
    energy.potential += calc_tendon_energy(model, kin, q, t);
  }
  for (const int t : model.heavy_tendons) {
    const double rate = calc_tendon_rate(model, kin, v, t);
    energy.kinetic += 0.5 * model.tendons[t].armature * rate * rate;
  }
  for (int i = 0; i < model.nv; ++i) {
    energy.kinetic += 0.5 * model.armature[i] * v[i] * v[i];
  }
  return energy;
}

Spatial calc_momentum(const Model& model, const Kinematics& kin) {
  Spatial sum;
  for (std::size_t l = model.num_anchored_links; l < model.links.size(); ++l) {
    sum += shift_force(kin.M_BBo_W[l] * kin.V_WB[l], -kin.X_WB[l].p);
  }
  return sum;
}

}  // namespace cenic

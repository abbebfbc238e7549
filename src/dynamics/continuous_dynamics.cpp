// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "dynamics/continuous_dynamics.h"

#include <algorithm>
#include <limits>

#include "dynamics/contact_force.h"
#include "math/dense_cholesky.h"

namespace cenic {
namespace {

// What overlaps, and nothing else: a gap exerts no force.
constexpr ContactOptions kTouching{.speculative = false, .proximity = 0, .face_bias = true};

}  // namespace

ContinuousDynamics::ContinuousDynamics(const Model& model)
    : model_(model), systems_(model), at_(make_initial_state(model)), finder_(model) {
  for (const SystemGroup& group : model.system_groups) {
    states_.insert(states_.end(), group.states.begin(), group.states.end());
  }
  kin_.resize(model);
  scratch_.resize(model);
  F_BBo_W_.resize(model.links.size());
  std::size_t size = 0;
  for (const Tree& tree : model.trees) {
    mass_offset_.push_back(size);
    size += static_cast<std::size_t>(tree.nv) * tree.nv;
  }
  mass_.resize(size);
  positive_.resize(model.trees.size());
  bias_.resize(model.nv);
  spring_.resize(model.nv);
  effort_.resize(model.nv);
}

void ContinuousDynamics::gather(const State& state, std::span<double> x) const {
  const auto z = std::ranges::copy(state.v, x.begin()).out;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    z[i] = state.z[states_[i]];
  }
}

void ContinuousDynamics::scatter(std::span<const double> x, State* state) const {
  std::copy_n(x.begin(), model_.nv, state->v.begin());
  for (std::size_t i = 0; i < states_.size(); ++i) {
    state->z[states_[i]] = x[model_.nv + i];
  }
}

void ContinuousDynamics::update_configuration(double t, std::span<const double> q,
                                              PhaseTicks* phases) {
  t_ = t;
  std::ranges::copy(q, at_.q.begin());
  {
    const ScopedPhase phase(phases, Phase::kDynamics);
    update_positions(model_, q, &kin_);
    calc_spring_displacement(model_, q, spring_);
    update_mass_matrix();
  }
  const ScopedPhase phase(phases, Phase::kGeometry);
  finder_.find(kin_, 0, kTouching, &contacts_);
}

void ContinuousDynamics::update_mass_matrix() {
  for (int t = 0; t < static_cast<int>(model_.trees.size()); ++t) {
    const int n = model_.trees[t].nv;
    double* M = mass_.data() + mass_offset_[t];
    calc_mass_matrix(model_, kin_, t, &scratch_, n, M);
    positive_[t] = factor_cholesky(n, M) ? 1 : 0;
  }
}

// τ and ż; false when a number is not finite.
bool ContinuousDynamics::evaluate_systems(std::span<const double> x, std::span<double> zdot) {
  if (systems_.empty()) return true;
  scatter(x, &at_);
  systems_.set_state(at_);
  if (!systems_.evaluate(t_)) return false;
  std::ranges::fill(effort_, 0.0);
  systems_.add_forces(effort_);
  for (std::size_t i = 0; i < states_.size(); ++i) {
    zdot[i] = systems_.zdot()[states_[i]];
  }
  return true;
}

void ContinuousDynamics::calc_rate(std::span<const double> x, std::span<double> rate,
                                   PhaseTicks* phases) {
  const std::span v = x.first(model_.nv);
  const std::span vdot = rate.first(model_.nv);
  {
    const ScopedPhase phase(phases, Phase::kExternal);
    if (!evaluate_systems(x, rate.subspan(model_.nv))) {
      std::ranges::fill(rate, std::numeric_limits<double>::quiet_NaN());
      return;
    }
  }
  const ScopedPhase phase(phases, Phase::kDynamics);
  update_velocities(model_, v, &kin_);
  update_link_forces();
  for (int t = 0; t < static_cast<int>(model_.trees.size()); ++t) {
    const Tree& tree = model_.trees[t];
    calc_inverse_dynamics(model_, kin_, t, v, {}, &scratch_, bias_);
    set_joint_forces(tree, v, vdot);
    add_link_forces(tree, vdot);
    if (positive_[t] != 0) {
      solve_cholesky(tree.nv, mass_.data() + mass_offset_[t], vdot.data() + tree.v_start);
    } else {
      std::fill_n(vdot.data() + tree.v_start, tree.nv, std::numeric_limits<double>::quiet_NaN());
    }
  }
}

// tau = τ − k − D v − K (q − rest) − dry friction. A joint sticks when the furthest point it moves
// is slower than v_s.
void ContinuousDynamics::set_joint_forces(const Tree& tree, std::span<const double> v,
                                          std::span<double> tau) const {
  for (int i = tree.v_start; i < tree.v_start + tree.nv; ++i) {
    tau[i] = effort_[i] - bias_[i] - model_.damping[i] * v[i] - model_.stiffness[i] * spring_[i];
    if (model_.dry_friction[i] > 0) {
      tau[i] -=
          friction_slope(model_.dry_friction[i], v[i], model_.stiction_velocity / model_.reach[i]);
    }
  }
}

// The contacts on each link as one force at its origin.
void ContinuousDynamics::update_link_forces() {
  std::ranges::fill(F_BBo_W_, Spatial{});
  const auto add = [this](int link, const Vec3& p_WC, const Spatial& F) {
    if (link < model_.num_anchored_links) return;
    F_BBo_W_[link] += shift_force(F, kin_.X_WB[link].p - p_WC);
  };
  for (const ContactPoint& c : contacts_) {
    const Vec3 force = calc_contact_force(c, calc_contact_velocity(c), model_);
    const Spatial F{calc_spin_torque(c, calc_spin(kin_, c), dot(force, c.nhat_AB_W), model_),
                    force};
    add(c.link_b, c.p_WC, F);
    add(c.link_a, c.p_WC, Spatial{} - F);
  }
}

// tau += Jᵀ f, from the tips inwards: each link passes its force on to its parent.
void ContinuousDynamics::add_link_forces(const Tree& tree, std::span<double> tau) {
  for (int l = tree.link_end - 1; l >= tree.link_begin; --l) {
    const Link& link = model_.links[l];
    for (int i = link.v_start; i < link.v_start + link.nv; ++i) {
      tau[i] += dot(kin_.H_W[i], F_BBo_W_[l]);
    }
    if (link.parent >= tree.link_begin) {
      F_BBo_W_[link.parent] += shift_force(F_BBo_W_[l], kin_.X_WB[link.parent].p - kin_.X_WB[l].p);
    }
  }
}

// Velocity of B relative to A at C as friction feels it: belts add their part along the surface.
Vec3 ContinuousDynamics::calc_contact_velocity(const ContactPoint& c) const {
  const Vec3 v =
      calc_point_velocity(kin_, c.link_b, c.p_WC) - calc_point_velocity(kin_, c.link_a, c.p_WC);
  return v + calc_belt_velocity(model_, kin_, c, t_);
}

double ContinuousDynamics::max_penetration() const {
  double depth = 0;
  for (const ContactPoint& c : contacts_) {
    depth = std::max(depth, -c.phi);
  }
  return depth;
}

void ContinuousDynamics::report_contacts(std::vector<ContactReport>* reports) const {
  reports->clear();
  for (const ContactPoint& c : contacts_) {
    ContactReport& report = reports->emplace_back();
    report.point = c;
    const Vec3 v = calc_contact_velocity(c);
    report.force_B_W = calc_contact_force(c, v, model_);
    report.torque_B_W =
        calc_spin_torque(c, calc_spin(kin_, c), dot(report.force_B_W, c.nhat_AB_W), model_);
    report.slip_W = v - dot(v, c.nhat_AB_W) * c.nhat_AB_W;
  }
}

void ContinuousDynamics::report_forces(std::vector<ContactForce>* forces) const {
  forces->clear();
  for (const ContactPoint& c : contacts_) {
    const Vec3 force_B_W = calc_contact_force(c, calc_contact_velocity(c), model_);
    forces->push_back({&c, to_contact_frame(c.nhat_AB_W, force_B_W)});
  }
}

}  // namespace cenic

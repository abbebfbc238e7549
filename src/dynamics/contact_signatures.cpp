// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Which contacts, limits and actuators were at work in a solve, and in which way: steps can be
// extrapolated only while that stays the same.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/hash.h"
#include "dynamics/contact_force.h"
#include "dynamics/step_dynamics.h"

namespace cenic {
namespace {

// A contact oscillation of frequency ω is resolved by a step h when (h ω)² is below this.
constexpr double kResolved = 1;

}  // namespace

// How far a contact has gone from sticking to slipping: 0 below v_s, 1, 2, and 3 beyond the middle
// of the transition at 10 v_s.
int StepDynamics::calc_slip_stage(int slot) const {
  const double t1 = solver_->impulses().t1[slot], t2 = solver_->impulses().t2[slot];
  const double m = problem_.calc_friction_bound(problem_.inputs[slot]), f = t1 * t1 + t2 * t2;
  int stage = 0;
  for (const double slip : {1.0, 0.3 * model_.friction_transition, model_.friction_transition}) {
    // |γ_t| = m s/√(1 + s²)
    if (f * (1 + slip * slip) > m * m * slip * slip) ++stage;
  }
  return stage;
}

// The same at the start of the step.
int StepDynamics::calc_start_slip_stage(const ContactPoint& c) const {
  const double vn = dot(c.v_AB_W, c.nhat_AB_W);
  const Vec3 v = c.v_AB_W - vn * c.nhat_AB_W + calc_belt_velocity(model_, kin_, c, t_);
  const double slip = norm(v) / model_.stiction_velocity, middle = model_.friction_transition;
  return (slip > 1 ? 1 : 0) + (slip > 0.3 * middle ? 1 : 0) + (slip > middle ? 1 : 0);
}

bool StepDynamics::is_friction_in_transition() const {
  for (std::size_t s = 0; s < problem_.slot_input.size(); ++s) {
    if (!is_contact(problem_.slot_input[s]) || !slot_keys_[s].falls) continue;
    if (!(solver_->impulses().n[s] > 0)) continue;
    const int stage = calc_slip_stage(static_cast<int>(s));
    if (stage == 1 || stage == 2) return true;
  }
  return false;
}

double StepDynamics::calc_resolving_step() const {
  double stiffest = 0;  // ω² of the body on the contact's spring
  for (std::size_t s = 0; s < problem_.slot_input.size(); ++s) {
    if (problem_.slot_input[s] < 0 || !(solver_->impulses().n[s] > 0)) continue;
    const ContactInput& input = problem_.inputs[s];
    stiffest = std::max(stiffest, input.k * input.inverse_mass);
  }
  return std::sqrt(kResolved / stiffest);
}

// Is a limit that is not reached yet, with gap g and rate c, hit within the step? An impact is no
// expansion in h.
bool StepDynamics::is_limit_impact(double g, double c, double scale) const {
  return g > 0 && (g + problem_.h * c) * scale < -problem_.recovery.distance;
}

void StepDynamics::calc_contact_signatures(std::vector<std::uint64_t>* signatures,
                                           UnionFind* coupled) const {
  signatures->resize(model_.trees.size());
  for (const int t : problem_.active) {
    (*signatures)[t] = 0;
  }
  for (const ConvexProblem::Patch& patch : problem_.patches) {
    bool presses = false;
    for (int s = patch.first; s < patch.first + patch.count; ++s) {
      if (!(solver_->impulses().n[s] > 0)) continue;
      presses = true;
      const std::uint64_t x = mix(calc_slot_key(s));  // sums of it do not depend on the order
      for (const int tree : patch.tree) {
        if (tree >= 0) (*signatures)[tree] += x;
      }
    }
    if (presses && patch.tree[1] >= 0) coupled->unite(patch.tree[0], patch.tree[1]);
  }
  if (is_part()) return;
  add_dof_signatures(signatures);
  add_row_signatures(signatures);
}

std::uint64_t StepDynamics::calc_slot_key(int slot) const {
  const ContactInput& input = problem_.inputs[slot];
  std::uint64_t key = slot_keys_[slot].key;
  // (h ω)² of the body on the contact's spring: beyond kResolved the signature differs from step to
  // half step.
  if (problem_.h * problem_.h * input.k * input.inverse_mass > kResolved) {
    key += std::bit_cast<std::uint64_t>(problem_.h);
  }
  // Between static and dynamic friction the force drops: sticking and slipping are different
  // contacts.
  if (slot_keys_[slot].falls) {
    const ContactPoint& c = contacts_[problem_.slot_input[slot]];
    key += 4 * calc_start_slip_stage(c) + calc_slip_stage(slot);
  }
  return key;
}

// Of limits of joints and of actuators.
void StepDynamics::add_dof_signatures(std::vector<std::uint64_t>* signatures) const {
  for (std::size_t l = 0; l < problem_.limit_dofs.size(); ++l) {
    const double impulse = solver_->limit_impulses()[l];
    if (impulse == 0) continue;
    const auto& dof = problem_.limit_dofs[l];
    std::uint64_t key = 2 * l + (impulse > 0 ? 1 : 0) + 1;
    const double v0 = problem_.v0[problem_.trees[dof.tree].offset + dof.index];
    const bool impact = impulse > 0 ? is_limit_impact(dof.lower, v0, dof.scale)
                                    : is_limit_impact(dof.upper, -v0, dof.scale);
    if (impact) key += std::bit_cast<std::uint64_t>(problem_.h);
    (*signatures)[dof.tree] += mix(key);
  }
  for (std::size_t e = 0; e < problem_.effort_dofs.size(); ++e) {
    const auto& dof = problem_.effort_dofs[e];
    const double v = v_padded_[problem_.trees[dof.tree].offset + dof.index];
    const int stage = external_.calc_stage(problem_, static_cast<int>(e), v);
    if (stage != 0) (*signatures)[dof.tree] += mix((1ULL << 40) + 4 * e + stage);
  }
}

// Of one-sided constraints.
void StepDynamics::add_row_signatures(std::vector<std::uint64_t>* signatures) const {
  for (const ConvexProblem::Group& group : problem_.groups) {
    for (int r = group.first; r < group.first + group.count; ++r) {
      const RowInput& row = problem_.row_inputs[r];
      if (!row.one_sided || !(solver_->row_impulses()[r] > 0)) continue;
      std::uint64_t key = ~static_cast<std::uint64_t>(r);
      if (is_limit_impact(row.g, calc_start_rate(group, r), row.scale)) {
        key += std::bit_cast<std::uint64_t>(problem_.h);
      }
      (*signatures)[problem_.sides(group)[0].tree] += mix(key);
    }
  }
}

// J v of the row at the start of the step.
double StepDynamics::calc_start_rate(const ConvexProblem::Group& group, int row) const {
  const auto sides = problem_.sides(group);
  double rate = 0;
  for (int side = 0; side < group.num_sides(); ++side) {
    const auto& tree = problem_.trees[sides[side].tree];
    for (int i = 0; i < tree.n; ++i) {
      rate += problem_.constraint_row(row, side)[i] * problem_.v0[tree.offset + i];
    }
  }
  return rate;
}

}  // namespace cenic

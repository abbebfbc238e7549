// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What a step tells of itself: penetration and energy of its contacts, and all forces as applied.
#include <algorithm>

#include "dynamics/step_dynamics.h"

namespace cenic {

double StepDynamics::max_penetration() const {
  double depth = 0;
  for (const ContactPoint& c : contacts_) {
    depth = std::max(depth, -c.phi);
  }
  return depth;
}

void StepDynamics::report_contacts(std::vector<ContactReport>* reports) const {
  reports->resize(contacts_.size());  // each is written below, its spins after it
  const auto& impulse = solver_->applied_impulses();
  const auto& velocity = solver_->velocities();
  const double scale = problem_.h > 0 ? 1 / (problem_.h * problem_.share) : 0;
  for (std::size_t s = 0; s < problem_.slot_input.size(); ++s) {
    const int input = problem_.slot_input[s];
    if (input < 0) continue;
    const bool turns = !is_contact(input);
    const Spin spin = turns ? spins_[input - contacts_.size()] : Spin{input};
    const ContactPoint& c = contacts_[spin.contact];
    const auto [nhat, t1, t2] = make_contact_frame(c.nhat_AB_W);
    ContactReport& report = (*reports)[spin.contact];
    const double a = scale * impulse.t1[s], b = scale * impulse.t2[s];
    if (turns) {
      report.torque_B_W += spin.rolls ? a * t1 + b * t2 : a * nhat;
      continue;
    }
    report.point = c;
    report.force_B_W = scale * impulse.n[s] * nhat + a * t1 + b * t2;
    report.torque_B_W = {};
    report.slip_W = velocity.t1[s] * t1 + velocity.t2[s] * t2;
  }
}

void StepDynamics::report_forces(std::vector<ContactForce>* forces) const {
  forces->resize(contacts_.size());
  const auto& impulse = solver_->applied_impulses();
  const double scale = problem_.h > 0 ? 1 / (problem_.h * problem_.share) : 0;
  for (std::size_t s = 0; s < problem_.slot_input.size(); ++s) {
    const int input = problem_.slot_input[s];
    if (!is_contact(input)) continue;
    (*forces)[input] = {&contacts_[input],
                        scale * Vec3{impulse.n[s], impulse.t1[s], impulse.t2[s]}};
  }
}

void StepDynamics::report_constraints(std::vector<ConstraintReport>* reports) const {
  reports->clear();
  const double scale = problem_.h > 0 ? 1 / problem_.h : 0;
  for (int c = 0; c < static_cast<int>(model_.constraints.size()); ++c) {
    ConstraintReport& report = reports->emplace_back();
    report.constraint = c;
    report.rows = num_rows(model_.constraints[c].kind);
    for (int r = 0; r < report.rows; ++r) {
      const int row = constraints_.row_of(c) + r;
      report.force[r] = scale * solver_->row_impulses()[row];
    }
    calc_constraint_error(model_, kin_, q_, c, report.error);
    report.F_B_W = calc_constraint_force(model_, kin_, q_, c, report.force, &report.p_WC);
  }
}

void StepDynamics::report_efforts(std::vector<double>* forces) const {
  forces->resize(model_.nv);
  external_.report_efforts(problem_, *forces);
}

void StepDynamics::report_limits(std::vector<double>* forces) const {
  forces->assign(model_.nv, 0.0);
  const double scale = problem_.h > 0 ? 1 / problem_.h : 0;
  for (std::size_t l = 0; l < problem_.limit_dofs.size(); ++l) {
    const auto& dof = problem_.limit_dofs[l];
    (*forces)[model_.trees[dof.tree].v_start + dof.index] = scale * solver_->limit_impulses()[l];
  }
  for (const ConvexProblem::Group& group : problem_.groups) {
    for (int r = group.first; r < group.first + group.count; ++r) {
      if (!problem_.row_inputs[r].one_sided) continue;
      const double force = scale * solver_->row_impulses()[r];
      for (int side = 0; side < group.num_sides(); ++side) {
        const Tree& tree = model_.trees[problem_.sides(group)[side].tree];
        for (int i = 0; i < tree.nv; ++i) {
          (*forces)[tree.v_start + i] += force * problem_.constraint_row(r, side)[i];
        }
      }
    }
  }
}

}  // namespace cenic

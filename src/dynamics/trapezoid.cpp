// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The second stage of the trapezoid rule as a convex problem. With a bar for means over both ends
// of the step, a hat for the end of the full first-order step and j the impulses of the laws at the
// start,
//
//   M̄ (v − v0) = −h k̄ + ½ (j + Ĵᵀ γ̂(v)),   q = q0 ⊕ h (v0 + v)/2.
//
// Halved is the potential, not the Jacobian: γ̂ is evaluated at the whole contact velocity Ĵ v.
#include <algorithm>
#include <cmath>

#include "convex/contact_law.h"
#include "dynamics/contact_force.h"
#include "dynamics/step_dynamics.h"

namespace cenic {

void StepDynamics::average_with(StepDynamics* first_stage, double h) {
  StepDynamics& start = *first_stage;
  const ConvexProblem& first = start.problem_;
  built_at_end_ = true;
  spinners_.clear();  // the mean of both ends takes their place
  for (std::size_t i = 0; i < problem_.M.size(); ++i) {
    problem_.M[i] = 0.5 * (problem_.M[i] + first.M[i]);
  }
  problem_.v0 = first.v0;
  start.calc_start_impulses(h, &start_impulse_);
  for (int i = 0; i < model_.nv; ++i) {
    bias_[i] = 0.5 * (start.bias_[i] + bias_[i]);
  }
  external_.average_with(&start.external_, h, bias_);
  for (std::size_t t = 0; t < model_.trees.size(); ++t) {
    const auto& block = problem_.trees[t];
    for (int i = 0; i < block.n; ++i) {
      const int at = block.offset + i, v = model_.trees[t].v_start + i;
      // Springs and dampers: ½ (K x0 + D v0) at the start, ½ (K x + D v) at the end, where
      // x = x0 + h (v0 + v)/2 and the part with v is in A.
      const double x0 = start.spring_[v], v0 = first.v0[at];
      problem_.f0[at] = bias_[v] + first.stiffness[at] * (x0 + 0.25 * h * v0) +
                        0.5 * first.damping[at] * v0 - 0.5 * start_impulse_[at] / h;
    }
  }
  // The elastic force at the end of the full step, stepped back: the law then steps it forward
  // again.
  for (std::size_t s = 0; s < problem_.inputs.size(); ++s) {
    if (!is_contact(problem_.slot_input[s])) continue;
    const ContactPoint& c = contacts_[problem_.slot_input[s]];
    ContactInput& input = problem_.inputs[s];
    input.fe0 += h * input.k * dot(c.v_AB_W, c.nhat_AB_W);
  }
  // Constraints hold at the end: velocities obey the Jacobian there, and what is made good is the
  // error at the start.
  const std::size_t rows = std::min(problem_.row_inputs.size(), first.row_inputs.size());
  for (std::size_t r = 0; r < rows; ++r) {  // rows that only damp come last, and have no error
    problem_.row_inputs[r].g = first.row_inputs[r].g;
  }
  for (std::size_t l = 0; l < problem_.limit_dofs.size(); ++l) {
    problem_.limit_dofs[l].lower = first.limit_dofs[l].lower;
    problem_.limit_dofs[l].upper = first.limit_dofs[l].upper;
  }
}

// h times the generalised forces of contacts and dry friction at the built state, as regularised by
// the last solve.
void StepDynamics::calc_start_impulses(double h, AlignedVector<double>* impulses) const {
  impulses->assign(problem_.padded_size(), 0.0);
  for (const ConvexProblem::Patch& patch : problem_.patches) {
    for (int s = patch.first; s < patch.first + patch.count; ++s) {
      const ContactInput& input = problem_.inputs[s];
      const Vec3 v = calc_start_velocity(problem_.slot_input[s]);
      const double v_r = problem_.calc_regularization_speed(input);
      const double f = -input.mu * h * input.fn0 / std::sqrt(v.y * v.y + v.z * v.z + v_r * v_r);
      const double impulse[3] = {h * input.fn0, f * v.y, f * v.z};
      for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
        const auto& t = problem_.trees[patch.tree[side]];
        const double* rows = problem_.rows(s, side);
        for (int d = 0; d < 3; ++d) {
          for (int i = 0; i < t.n; ++i) {
            (*impulses)[t.offset + i] += impulse[d] * rows[t.ld * d + i];
          }
        }
      }
    }
  }
  for (std::size_t i = 0; i < problem_.friction_dofs.size(); ++i) {
    const auto& dof = problem_.friction_dofs[i];
    const int at = problem_.trees[dof.tree].offset + dof.index;
    (*impulses)[at] -= friction_slope(h * dof.force, problem_.v0[at], problem_.friction_v_r[i]);
  }
}

}  // namespace cenic

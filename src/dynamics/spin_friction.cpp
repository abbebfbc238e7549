// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Torsional and rolling friction of contacts: torques on B against its turning w relative to A,
//
//   −μ_t f_n w_n/√(w_n² + w_s²)  about the normal,   −μ_r f_n w_t/√(|w_t|² + w_s²)  along the
//   surface,
//
// which is the law of sliding friction with angular velocities in place of velocities. So each is
// one more contact of the problem, without a normal part. Turning counts as sticking when the
// surface of the smaller geometry moves slower than v_s: w_s = v_s/r.
#include <algorithm>
#include <cmath>

#include "dynamics/contact_force.h"
#include "dynamics/step_dynamics.h"

namespace cenic {

void StepDynamics::add_spins() {
  spins_.clear();
  int last_a = -1, last_b = -1;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const ContactPoint& c = contacts_[i];
    if (!(c.torsional_friction > 0 || c.rolling_friction > 0)) continue;
    if (calc_normal_force(c, dot(c.v_AB_W, c.nhat_AB_W)) == 0) continue;
    if (c.geometry_a != last_a || c.geometry_b != last_b) {
      last_a = c.geometry_a;
      last_b = c.geometry_b;
      add_patch(c);
    }
    for (const bool rolls : {false, true}) {
      if (!((rolls ? c.rolling_friction : c.torsional_friction) > 0)) continue;
      spins_.push_back({static_cast<int>(i), rolls});
      problem_.add_contact();
    }
  }
}

void StepDynamics::fill_spin(const ConvexProblem::Patch& patch, int slot) {
  const Spin& spin = spins_[problem_.slot_input[slot] - contacts_.size()];
  const ContactPoint& c = contacts_[spin.contact];
  const std::array<Vec3, 3> frame = make_contact_frame(c.nhat_AB_W);
  const Spatial axes[2] = {{spin.rolls ? frame[1] : frame[0], {}},
                           {spin.rolls ? frame[2] : Vec3{}, {}}};
  double inverse_inertia = 0;
  for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
    const int tree = patch.tree[side], ld = problem_.trees[tree].ld;
    double* rows = problem_.rows(slot, side);
    std::fill_n(rows, 3 * ld, 0.0);
    for (const auto& [link, sign] : {std::pair{c.link_a, -1.0}, std::pair{c.link_b, 1.0}}) {
      if (tree_of(link) == tree) {
        add_spatial_jacobian(model_, kin_, link, c.p_WC, axes, sign, ld, rows + ld);
      }
    }
    inverse_inertia += std::max(factors_.calc_inverse_mass(problem_, tree, rows + ld),
                                factors_.calc_inverse_mass(problem_, tree, rows + 2 * ld));
  }
  problem_.inputs[slot] = {
      .k = 1,
      .mu = spin.rolls ? c.rolling_friction : c.torsional_friction,
      .fn0 = calc_normal_force(c, dot(c.v_AB_W, c.nhat_AB_W)),
      .slip = calc_spin_slip(model_, c),
      .tangential_inverse_mass = std::isfinite(inverse_inertia) ? inverse_inertia : 0};
}

// What the friction of an input resists, at the start of the step, in the rows' axes: slip, or the
// rate of turning.
Vec3 StepDynamics::calc_start_velocity(int input) const {
  if (is_contact(input)) {
    const ContactPoint& c = contacts_[input];
    const auto [nhat, t1, t2] = make_contact_frame(c.nhat_AB_W);
    const Vec3 v = c.v_AB_W + calc_belt_velocity(model_, kin_, c, t_);
    return {dot(v, nhat), dot(v, t1), dot(v, t2)};
  }
  const Spin& spin = spins_[input - contacts_.size()];
  const ContactPoint& c = contacts_[spin.contact];
  const auto [nhat, t1, t2] = make_contact_frame(c.nhat_AB_W);
  const Vec3 w = calc_spin(kin_, c);
  return spin.rolls ? Vec3{0, dot(w, t1), dot(w, t2)} : Vec3{0, dot(w, nhat), 0};
}

}  // namespace cenic

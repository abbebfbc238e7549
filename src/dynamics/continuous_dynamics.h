// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The continuous model that every integrator approximates, as accelerations:
//
//   M(q) v̇ = −k(q, v) − D v − K (q − rest) − dry friction(v) + J(q)ᵀ f(q, v)
//
// with contact forces f as in contact_force.h: stiff, but functions of the state. The convex step
// never evaluates it; general-purpose methods (integrators/baselines) do nothing else.
#pragma once

#include <span>
#include <vector>

#include "core/phase_timer.h"
#include "dynamics/contact_finder.h"
#include "dynamics/step_dynamics.h"
#include "multibody/multibody.h"

namespace cenic {

class ContinuousDynamics {
 public:
  explicit ContinuousDynamics(const Model& model);

  // Everything at (t, q) that does not depend on the velocities: kinematics, factors of M, contacts
  // (a geometry query).
  void update_configuration(double t, std::span<const double> q, PhaseTicks* phases);
  // v̇ for the velocities v at that configuration (nv). Not a number where M is not positive
  // definite.
  void calc_acceleration(std::span<const double> v, std::span<double> vdot, PhaseTicks* phases);

  const std::vector<ContactPoint>& contacts() const { return contacts_; }
  double max_penetration() const;  // m
  // Contacts with their forces at the configuration and the velocities given last.
  void report_contacts(std::vector<ContactReport>* reports) const;

 private:
  Vec3 calc_contact_velocity(const ContactPoint& contact) const;
  void update_mass_matrix();
  void update_link_forces();
  void add_link_forces(const Tree& tree, std::span<double> tau);
  void add_joint_forces(const Tree& tree, std::span<const double> v, std::span<double> tau) const;

  const Model& model_;
  double t_ = 0;
  Kinematics kin_;
  TreeScratch scratch_;
  ContactFinder finder_;
  std::vector<ContactPoint> contacts_;
  std::vector<Spatial> F_BBo_W_;          // of the contacts on each link (num_links)
  std::vector<double> mass_;              // factors of M, tree by tree
  std::vector<std::size_t> mass_offset_;  // of each tree's factor in mass_ (num_trees)
  std::vector<char> positive_;            // is M positive definite? (num_trees)
  std::vector<double> bias_, spring_;     // (nv)
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The continuous model that every integrator approximates, as accelerations:
//
//   M(q) v̇ = −k(q, v) − D v − K (q − rest) − dry friction(v) + J(q)ᵀ f(q, v) + τ(t, q, v, z)
//   ż = h(t, q, v, z)
//
// with contact forces f as in contact_force.h: stiff, but functions of the state; τ and ż of the
// external systems. What sampled systems hold is constant: z here is the states of the others. The
// convex step never evaluates it; general-purpose methods (integrators/baselines) do nothing else.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/phase_timer.h"
#include "dynamics/contact_finder.h"
#include "dynamics/step_dynamics.h"
#include "multibody/multibody.h"
#include "systems/evaluator.h"

namespace cenic {

class ContinuousDynamics {
 public:
  explicit ContinuousDynamics(const Model& model);
  void set_measurements(const Measurements* m) { systems_.set_measurements(m); }

  // Which entries of a State's z are integrated.
  const std::vector<int>& states() const { return states_; }
  // x = (v, z), and back: what sampled systems hold is left as it is in the state.
  int size() const { return model_.nv + static_cast<int>(states_.size()); }
  void gather(const State& state, std::span<double> x) const;
  void scatter(std::span<const double> x, State* state) const;
  // What sampled systems hold, from now on (nz).
  void hold(std::span<const double> z) { std::ranges::copy(z, at_.z.begin()); }

  // Everything at (t, q) that does not depend on the velocities: kinematics, factors of M, contacts
  // (a geometry query).
  void update_configuration(double t, std::span<const double> q, PhaseTicks* phases);
  // (v̇, ż) for x = (v, z) at that configuration. Not a number where M is not positive definite, nor
  // anywhere when a system gives a number that is not finite, see fault().
  void calc_rate(std::span<const double> x, std::span<double> rate, PhaseTicks* phases);
  const SystemFault& fault() const { return systems_.fault(); }  // of the last calc_rate()
  std::span<const double> efforts() const { return effort_; }    // τ at the same x (nv)

  // Saves or loads what is kept from query to query.
  void exchange(Archive* archive) { finder_.exchange(archive); }

  const std::vector<ContactPoint>& contacts() const { return contacts_; }
  double max_penetration() const;  // m
  // Contacts with their forces at the configuration and the velocities given last.
  void report_contacts(std::vector<ContactReport>* reports) const;
  void report_forces(std::vector<ContactForce>* forces) const;

 private:
  Vec3 calc_contact_velocity(const ContactPoint& contact) const;
  void update_mass_matrix();
  void update_link_forces();
  void add_link_forces(const Tree& tree, std::span<double> tau);
  void set_joint_forces(const Tree& tree, std::span<const double> v, std::span<double> tau) const;
  bool evaluate_systems(std::span<const double> x, std::span<double> zdot);

  const Model& model_;
  double t_ = 0;
  SystemEvaluator systems_;
  std::vector<int> states_;  // of continuous systems, indices into z
  State at_;                 // as the systems see it
  Kinematics kin_;
  TreeScratch scratch_;
  ContactFinder finder_;
  std::vector<ContactPoint> contacts_;
  std::vector<Spatial> F_BBo_W_;          // of the contacts on each link (num_links)
  std::vector<double> mass_;              // factors of M, tree by tree
  std::vector<std::size_t> mass_offset_;  // of each tree's factor in mass_ (num_trees)
  std::vector<char> positive_;            // is M positive definite? (num_trees)
  std::vector<double> bias_, spring_;     // (nv)
  std::vector<double> effort_;            // τ of the systems (nv)
};

}  // namespace cenic

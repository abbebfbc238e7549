// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The world as external systems see it at one instant: coordinates, velocities, and kinematics of
// the trees that are asked for, computed when they are.
#pragma once

#include <span>
#include <vector>

#include "multibody/multibody.h"

namespace cenic {

// What the last step found out: systems cannot compute it from the state. All zero before.
struct Measurements {
  std::vector<double> vdot;             // mean accelerations over the step (nv)
  std::vector<double> effort;           // generalised forces of all systems as applied (nv)
  std::vector<double> contact_normal;   // sum of normal forces on each geometry, N
  std::vector<Spatial> F_contact_W;     // of contacts on each geometry, at the world's origin
  std::vector<Spatial> F_constraint_W;  // of each constraint on its B, at the point it acts at
  void resize(const Model& model);
};

class SystemView {
 public:
  explicit SystemView(const Model& model);

  // Looks at another state. Copies what the model's systems may read, and no more.
  void set(std::span<const double> q, std::span<const double> v);
  // Takes over the kinematics of that state, of all trees, from who has computed them already.
  void take_over(const Kinematics& kin);
  // Moves one coordinate or velocity; restore() undoes exactly what was done since save().
  void save(int velocity);
  void displace(int velocity, double delta);
  void add_velocity(int velocity, double delta);
  void restore(int velocity);

  const Model& model() const { return model_; }
  std::span<const double> q() const { return q_; }
  std::span<const double> v() const { return v_; }
  const RigidTransform& X_WB(int link);
  const Spatial& V_WB(int link);
  // With everything of the tree up to date.
  const Kinematics& kinematics(int tree);
  TreeScratch* scratch() { return &scratch_; }
  // Scratch: two vectors (nv), two matrices (n × n), and a Jacobian for each body of a system.
  std::vector<double>& accelerations() { return vdot_; }
  std::vector<double>& forces() { return tau_; }
  std::vector<double>& tree_matrix(int n) { return reserve(&tree_matrix_, n); }
  std::vector<double>& mass_matrix(int n) { return reserve(&mass_matrix_, n); }
  std::vector<Spatial>& body_jacobian(int i);
  const Measurements* measurements = nullptr;

 private:
  const Model& model_;
  std::vector<int> trees_;  // that systems read
  std::vector<double> q_, v_;
  Kinematics kin_;
  TreeScratch scratch_;
  std::vector<char> positions_valid_, velocities_valid_;  // (num_trees)
  static std::vector<double>& reserve(std::vector<double>* matrix, int n);
  std::vector<double> vdot_, tau_, tree_matrix_, mass_matrix_;
  std::vector<std::vector<Spatial>> body_jacobians_;
  double saved_q_[7] = {}, saved_v_ = 0;
};

}  // namespace cenic

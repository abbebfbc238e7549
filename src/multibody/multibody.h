// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Rigid-body algorithms, each a free function over (model, state in, workspace out). Work is per
// tree. Spatial quantities of a link are taken at its origin Bo and expressed in world axes.
#pragma once

#include <span>
#include <vector>

#include "model/model.h"

namespace cenic {

// Poses and hinge axes at a configuration, and what depends on velocity.
struct Kinematics {
  std::vector<RigidTransform> X_WB;  // pose of each link (num_links)
  std::vector<Spatial> H_W;          // hinge axis of each velocity, at the origin of its link (nv):
                             // V_WB = shift(V_WP) + Σ H_i v_i over the link's own velocities
  std::vector<SpatialInertia> M_BBo_W;  // inertia of each link (num_links)
  std::vector<Spatial> V_WB;            // velocity of each link (num_links)

  // Call once a model: it also writes what never changes (anchored links, axes of free joints).
  void resize(const Model& model);
};

// Fills X_WB, H_W and M_BBo_W from q.
void update_positions(const Model& model, std::span<const double> q, Kinematics* kin);
// Fills V_WB from v (needs the positions).
void update_velocities(const Model& model, std::span<const double> v, Kinematics* kin);
// The same for the links of one tree.
void update_positions(const Model& model, const Tree& tree, std::span<const double> q,
                      Kinematics* kin);
void update_velocities(const Model& model, const Tree& tree, std::span<const double> v,
                       Kinematics* kin);

// Scratch for the recursions below.
struct TreeScratch {
  std::vector<Spatial> A_WB, F_BBo_W;     // (num_links)
  std::vector<SpatialInertia> composite;  // (num_links)
  std::vector<double> row;                // of a tendon (largest tree)
  void resize(const Model& model);
};

// tau = M(q) vdot + C(q, v) v − tau_gravity(q), one tree (Newton-Euler recursion). Armature, of
// tendons too, is included; damping, springs and dry friction are not. vdot may be empty (zero).
// Writes the tree's part of tau (nv).
void calc_inverse_dynamics(const Model& model, const Kinematics& kin, int tree,
                           std::span<const double> v, std::span<const double> vdot,
                           TreeScratch* scratch, std::span<double> tau);

// Acceleration of a link that moves, at its origin: Σ J vdot + J̇ v.
Spatial calc_link_acceleration(const Model& model, const Kinematics& kin, int link,
                               std::span<const double> v, std::span<const double> vdot);

// Mass matrix of one tree with armature, column major with leading dimension ld (composite-body
// recursion). Writes the full symmetric nv_tree × nv_tree block.
void calc_mass_matrix(const Model& model, const Kinematics& kin, int tree, TreeScratch* scratch,
                      int ld, double* M);

// Rows of the Jacobian of the velocity of the point p_W fixed to the link, along the unit world
// vectors dirs[0..2]: J[r*ld + i] += sign * ∂(v_point · dirs[r])/∂v_i, i over the velocities of the
// link's tree. Adds; no effect on columns that do not move the link.
void add_point_jacobian(const Model& model, const Kinematics& kin, int link, const Vec3& p_W,
                        const Vec3* dirs, double sign, int ld, double* J);

// The same for rows of any kind: J[r*ld + i] += sign * ∂(V · dirs[r])/∂v_i, where V is the velocity
// of the link taken at the point p_W. A direction (0, d) gives the velocity of the point along d,
// and (d, 0) the angular velocity about d. Seen as a force, dirs[r] acts at p_W and the row is the
// generalised force it makes.
void add_spatial_jacobian(const Model& model, const Kinematics& kin, int link, const Vec3& p_W,
                          std::span<const Spatial> dirs, double sign, int ld, double* J);

// Velocity of the point p_W fixed to the link (zero for the world, link −1).
inline Vec3 calc_point_velocity(const Kinematics& kin, int link, const Vec3& p_W) {
  return link < 0 ? Vec3{} : shift_motion(kin.V_WB[link], p_W - kin.X_WB[link].p).v;
}

struct Energy {
  double kinetic = 0;  // ½ vᵀ M v, armature included
  double potential =
      0;  // gravity (zero at the world's origin), springs of joints, limits, constraints
};
// Of the links that move.
Energy calc_energy(const Model& model, const Kinematics& kin, std::span<const double> q,
                   std::span<const double> v);

// Total momentum about the world's origin (angular, linear); needs the velocities.
Spatial calc_momentum(const Model& model, const Kinematics& kin);

// Spring displacement of each velocity: q − rest, or the rotation vector from the rest orientation;
// zero for free ones without (nv). The force of the spring is −stiffness times it.
void calc_spring_displacement(const Model& model, std::span<const double> q, std::span<double> dq);
void calc_spring_displacement(const Model& model, const Tree& tree, std::span<const double> q,
                              std::span<double> dq);

enum class RotationUpdate {
  kExponential,  // R⁺ = exp(h w) R: exact for a constant rate
  kNormalized,   // q⁺ = normalise(q + h N(q) v)
};
// q_out = q ⊕ h v. In place is fine.
void integrate_positions(const Model& model, std::span<const double> q, std::span<const double> v,
                         double h, RotationUpdate update, std::span<double> q_out);
void integrate_positions(const Model& model, const Tree& tree, std::span<const double> q,
                         std::span<const double> v, double h, RotationUpdate update,
                         std::span<double> q_out);

// q ← q ⊕ δ along one velocity: of its link's coordinates alone.
void displace_coordinate(const Model& model, int velocity, double delta, std::span<double> q);

// dv with qb = qa ⊕ dv: differences of coordinates as velocities times one second; rotations as
// rotation vectors (nv).
void calc_position_difference(const Model& model, std::span<const double> qa,
                              std::span<const double> qb, std::span<double> dv);
void calc_position_difference(const Model& model, const Tree& tree, std::span<const double> qa,
                              std::span<const double> qb, std::span<double> dv);

// δ̇ (nv) where q = q0 ⊕ δ moves with the velocities v: v itself but for rotations, where the rate
// of a rotation vector is not the angular velocity. For methods that integrate δ.
void calc_displacement_rate(const Model& model, std::span<const double> delta,
                            std::span<const double> v, std::span<double> rate);
void calc_displacement_rate(const Model& model, const Tree& tree, std::span<const double> delta,
                            std::span<const double> v, std::span<double> rate);

// q̇ = N(q) v (nq). For methods that integrate q as if it were a vector.
void calc_coordinate_rate(const Model& model, std::span<const double> q, std::span<const double> v,
                          std::span<double> qdot);

}  // namespace cenic

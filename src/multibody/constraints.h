// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Kinematics of constraints and joint limits: errors g(q), the rows of their rates, the forces of
// their multipliers. No heap.
#pragma once

#include <span>

#include "model/model.h"
#include "multibody/multibody.h"

namespace cenic {

inline constexpr int kMaxConstraintRows = 6;

// coupler 1, distance 1, ball 3, weld 6, tendon 1.
int num_rows(ConstraintKind kind);

// Error of the constraint c, one number a row; zero when it holds. With P and Q posed in the world:
//   kCoupler   q_a − p(q_b)
//   kDistance  |p_PQ| − length
//   kBall      p_PQ in W
//   kWeld      rotation vector from P to Q in W (R_WQ = exp(θ) R_WP), then p_PQ in W
//   kTendon    l_a − p(l_b)
void calc_constraint_error(const Model& model, const Kinematics& kin, std::span<const double> q,
                           int c, double* g);

// Rates of the rows: J[r*ld + i] += ∂ġ_r/∂v_i, i over the velocities of `tree`. Adds; no effect
// when the tree is neither A's nor B's.
//   kCoupler   v_a − p'(q_b) v_b
//   kDistance  velocity of Q of B relative to P of A, along the direction from P to Q (the x axis
//              when they are closer than 1e-14)
//   kBall      velocity of B relative to A, at the midpoint C of P and Q
//   kWeld      w_WB − w_WA, then as kBall
//   kTendon    l̇_a − p'(l_b) l̇_b
// B and A are pushed equally and oppositely at one point, so Jᵀλ conserves linear and angular
// momentum, also when the constraint is violated. The price: rows of ball and weld are the exact
// rate of g at g = 0 alone, off by O(|g|) elsewhere. gᵀJ is the exact rate of ½ |g|² everywhere.
void add_constraint_rows(const Model& model, const Kinematics& kin, std::span<const double> q,
                         int c, int tree, int ld, double* J);

// The spatial force on B, in world axes, of the multipliers lambda of the rows (the generalised
// force on v is Jᵀλ): moment about the point it acts at, and force. On A acts the opposite at the
// same point p_WC: the midpoint of P and Q, for kDistance Q. Zero for kCoupler, whose multiplier is
// itself the generalised force on q_a (and −p' times it that on q_b), and for kTendon, whose is the
// force along the tendon a; p_WC is then zero, too.
Spatial calc_constraint_force(const Model& model, const Kinematics& kin, std::span<const double> q,
                              int c, const double* lambda, Vec3* p_WC);

// What is left to the limits of Model::limits[limit], negative beyond them: q − lower and upper −
// q. Ball: +infinity and upper − θ, θ in [0, π] being the angle of the joint's rotation.
void calc_limit_errors(const Model& model, std::span<const double> q, int limit, double* gap_lower,
                       double* gap_upper);

// For a ball: the unit axis θ̂ of its rotation, in F. The joint's velocities are w_FM in F, so that
// θ̇ = θ̂ · w. Any unit vector at θ = 0; jumps to its opposite at θ = π.
Vec3 calc_ball_limit_axis(const Model& model, std::span<const double> q, int limit);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Spatial vectors and inertia. Six-vectors are (rotation, translation), taken at a point named in
// the variable (V_WB: velocity of B's origin in W) and expressed in world axes unless the name says
// otherwise.
#pragma once

#include "math/rigid_transform.h"

namespace cenic {

// A spatial motion (velocity, acceleration, hinge axis) or force (torque, force) at some point.
struct Spatial {
  Vec3 w;  // angular velocity, or torque
  Vec3 v;  // linear velocity, or force

  Spatial& operator+=(const Spatial& b) {
    w += b.w, v += b.v;
    return *this;
  }
  Spatial& operator-=(const Spatial& b) {
    w -= b.w, v -= b.v;
    return *this;
  }
};

inline Spatial operator+(const Spatial& a, const Spatial& b) { return {a.w + b.w, a.v + b.v}; }
inline Spatial operator-(const Spatial& a, const Spatial& b) { return {a.w - b.w, a.v - b.v}; }
inline Spatial operator*(double s, const Spatial& a) { return {s * a.w, s * a.v}; }
inline double dot(const Spatial& a, const Spatial& b) { return dot(a.w, b.w) + dot(a.v, b.v); }
// Velocity at the point displaced by p from where V is taken (same rigid body).
inline Spatial shift_motion(const Spatial& V, const Vec3& p) { return {V.w, V.v + cross(V.w, p)}; }
// The force F taken at a point, moved to the point displaced by p from it.
inline Spatial shift_force(const Spatial& F, const Vec3& p) { return {F.w - cross(p, F.v), F.v}; }

// Rotational and translational inertia of a body about a point O:
// F_BO = M A_BO with M = [I, m [c]×; −m [c]×, m 1], c from O to the centre of mass.
struct SpatialInertia {
  double mass = 0;
  Vec3 mc;  // mass times position of the centre of mass from O
  Mat3 I;   // rotational inertia about O

  // From mass, centre of mass and rotational inertia about the centre of mass.
  static SpatialInertia from_com(double mass, const Vec3& com, const Mat3& I_com) {
    return {mass, mass * com, I_com + mass * (dot(com, com) * Mat3::identity() - outer(com, com))};
  }
  Vec3 com() const { return mass > 0 ? mc / mass : Vec3{}; }
  // Rotational inertia about the centre of mass.
  Mat3 I_com() const {
    const Vec3 c = com();
    return I - mass * (dot(c, c) * Mat3::identity() - outer(c, c));
  }
  SpatialInertia& operator+=(const SpatialInertia& b) {
    mass += b.mass;
    mc += b.mc;
    I = I + b.I;
    return *this;
  }
};

inline Spatial operator*(const SpatialInertia& M, const Spatial& A) {
  return {M.I * A.w + cross(M.mc, A.v), M.mass * A.v - cross(M.mc, A.w)};
}
// The same inertia expressed in axes rotated by R (M_A = rotate(R_AB, M_B)).
inline SpatialInertia rotate(const Mat3& R, const SpatialInertia& M) {
  return {M.mass, R * M.mc, R * M.I * transpose(R)};
}
// Inertia about O moved to be about the point Q with O = Q + p.
inline SpatialInertia shift_inertia(const SpatialInertia& M, const Vec3& p) {
  // I_Q = I_O + 2 (p·mc) 1 − (p mcᵀ + mc pᵀ) + m (p·p 1 − p pᵀ)
  const Vec3 a = M.mc + M.mass * p;
  return {M.mass, a,
          M.I + (2 * dot(p, M.mc) + M.mass * dot(p, p)) * Mat3::identity() -
              (outer(p, M.mc) + outer(a, p))};
}

}  // namespace cenic

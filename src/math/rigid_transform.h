// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// RigidTransform X_AB: the pose of frame B in frame A. X_AC = X_AB * X_BC; p_A = X_AB * p_B.
#pragma once

#include "math/vec3.h"

namespace cenic {

struct RigidTransform {
  Mat3 R = Mat3::identity();
  Vec3 p;

  static RigidTransform translation(const Vec3& p) { return {Mat3::identity(), p}; }
  static RigidTransform rotation(const Vec3& rotation_vector) {
    return {to_matrix(exp_map(rotation_vector)), {}};
  }
  friend bool operator==(const RigidTransform&, const RigidTransform&) = default;
};

inline RigidTransform operator*(const RigidTransform& X_AB, const RigidTransform& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.R * X_BC.p + X_AB.p};
}
inline Vec3 operator*(const RigidTransform& X_AB, const Vec3& p_B) { return X_AB.R * p_B + X_AB.p; }
inline RigidTransform inverse(const RigidTransform& X) {
  return {transpose(X.R), -transpose_times(X.R, X.p)};
}
// X⁻¹ p without forming the inverse.
inline Vec3 inverse_times(const RigidTransform& X, const Vec3& p) {
  return transpose_times(X.R, p - X.p);
}

}  // namespace cenic

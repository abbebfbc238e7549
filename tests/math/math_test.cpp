// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "math/simd.h"
#include "math/spatial.h"

namespace cenic {
namespace {

class MathTest : public testing::Test {
 protected:
  Vec3 vec() { return {u_(rng_), u_(rng_), u_(rng_)}; }
  std::mt19937 rng_{1};
  std::uniform_real_distribution<double> u_{-1, 1};
};

void expect_near(const Vec3& a, const Vec3& b, double tol) { EXPECT_LE(norm(a - b), tol); }

TEST_F(MathTest, ExpAndLogAreInverse) {
  for (const double angle : {0.0, 1e-12, 1e-6, 1e-3, 0.019, 0.021, 1.0, 3.0, 3.14159}) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 theta = angle * normalized(vec());
      const Quat q = exp_map(theta);
      EXPECT_NEAR(norm(q), 1, 1e-15);
      expect_near(log_map(q), theta, 1e-14 * (1 + angle));
    }
  }
}

TEST_F(MathTest, QuaternionAndMatrixAgree) {
  for (int i = 0; i < 200; ++i) {
    const Vec3 axis = normalized(vec());
    const double angle = 3.1 * u_(rng_);
    const Mat3 R = to_matrix(exp_map(angle * axis));
    const Eigen::Matrix3d E =
        Eigen::AngleAxisd(angle, Eigen::Vector3d(axis.x, axis.y, axis.z)).toRotationMatrix();
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(R(r, c), E(r, c), 1e-14);
      }
    }
    const Quat q = to_quaternion(R);
    const Mat3 again = to_matrix(q);
    for (int r = 0; r < 3; ++r) {
      expect_near(again.row[r], R.row[r], 1e-14);
    }
  }
}

TEST_F(MathTest, ShiftedInertiaMatchesItsDefinition) {
  for (int i = 0; i < 50; ++i) {
    const Mat3 I = Mat3::diagonal({1, 2, 2.5});
    const SpatialInertia M = SpatialInertia::from_com(3, vec(), I);
    const Vec3 p = vec();
    // The same body about Q, O = Q + p: built from its centre of mass.
    const SpatialInertia direct = SpatialInertia::from_com(3, M.com() + p, I);
    const SpatialInertia shifted = shift_inertia(M, p);
    for (int r = 0; r < 3; ++r) {
      expect_near(shifted.I.row[r], direct.I.row[r], 1e-13);
    }
    expect_near(shifted.mc, direct.mc, 1e-14);
    // Kinetic energy does not depend on the point.
    const Spatial V_O{vec(), vec()};
    const Spatial V_Q = shift_motion(V_O, -p);
    EXPECT_NEAR(dot(V_O, M * V_O), dot(V_Q, shifted * V_Q), 1e-12);
    // Nor does power depend on where force and velocity are taken.
    const Spatial F_O{vec(), vec()};
    EXPECT_NEAR(dot(F_O, V_O), dot(shift_force(F_O, -p), V_Q), 1e-12);
  }
}

TEST_F(MathTest, InverseAndTransformsCancel) {
  for (int i = 0; i < 50; ++i) {
    const RigidTransform X{to_matrix(exp_map(3.0 * vec())), vec()};
    const Vec3 p = vec();
    expect_near(inverse(X) * (X * p), p, 1e-14);
    expect_near(inverse_times(X, X * p), p, 1e-14);
    const Mat3 A = Mat3::from_columns(vec(), vec(), vec() + Vec3{3, 0, 0});
    expect_near(inverse(A) * (A * p), p, 1e-10);
  }
}

TEST_F(MathTest, HorizontalSums) {
  alignas(64) double a[8], b[8], c[8];
  double sums[3] = {};
  for (int i = 0; i < 8; ++i) {
    a[i] = u_(rng_), b[i] = u_(rng_), c[i] = u_(rng_);
    sums[0] += a[i], sums[1] += b[i], sums[2] += c[i];
  }
  const V4 s = sum3(load8(a), load8(b), load8(c));
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(s[i], sums[i], 1e-14);
  }
  EXPECT_EQ(s[3], 0.0);
  EXPECT_NEAR(sum(load8(a)), sums[0], 1e-14);
}

}  // namespace
}  // namespace cenic

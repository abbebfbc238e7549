// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What holds for any two solids: Newton's third law, independence of frames, tilings and history,
// continuity, and sane results at poses where nothing is in general position.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "geometry/hydroelastic/contact_surface.h"
#include "geometry/hydroelastic_samples.h"

namespace cenic {
namespace {

using test::calc_wrench;
using test::kModulus;
using test::make_compliant;
using test::make_rigid;
using test::Wrench;

constexpr double kPi = std::numbers::pi;

// Two ends of 64 sides, turned by half a side, press on a polygon of 128 corners.
TEST(ContactSurface, PolygonsOfManyCorners) {
  const double R = 0.05, half_length = 0.06, d = 1e-4;
  const PressureField a = detail::make_cylinder_field(R, half_length, 64, kModulus);
  for (const double turn : {0.0, 0.25, 0.5}) {
    RigidTransform X_MN = RigidTransform::rotation({0, 0, turn * 2 * kPi / 64});
    X_MN.p.z = -2 * half_length + d;
    // The ends alone: all within half d of the middle.
    const double gradient = kModulus / R / 2;
    const Wrench w = calc_wrench(a, a, X_MN);
    EXPECT_NEAR(w.stiffness / (gradient * kPi * R * R), 1, 0.005);
    EXPECT_NEAR(w.force.z / (gradient * kPi * R * R * d), 1, 0.005);
    EXPECT_LT(std::hypot(w.torque.x, w.torque.y), 1e-9 * w.force.z * R);
  }
}

}  // namespace
}  // namespace cenic

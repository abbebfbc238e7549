// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Contact surfaces against closed forms: forces, stiffnesses and energies of the fields on planes
// and on each other. Depth d, resultant F, stiffness dF/dd = Σ A g where normals do not vary.
#include "geometry/hydroelastic/contact_surface.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "geometry/hydroelastic/overlap_energy.h"
#include "geometry/hydroelastic_samples.h"

namespace cenic {
namespace {

using test::calc_wrench;
using test::kModulus;
using test::make_compliant;
using test::make_rigid;
using test::Wrench;

constexpr double kPi = std::numbers::pi;
constexpr double E = kModulus;

// N below M: the plane, or a solid like M, moved up by the depth from where they touch.
RigidTransform at_depth(double touching, double d) {
  return RigidTransform::translation({0, 0, -touching + d});
}

// Case 1. F = π E d² (1 − 2d/(3R)), F' = 2 π E d (1 − d/R), U = π E d³/3 (1 − d/(2R)). The mesh is
// bounded by how far its facets are from the ball (section 4.1): d ≥ 2 sag.
TEST(ContactSurface, SphereOnRigidPlane) {
  const double R = 0.05;
  const auto plane = make_rigid(make_half_space());
  struct Case {
    int levels;
    double d, tolerance;
  };
  for (const auto& [levels, d, tolerance] : {Case{3, 0.03 * R, 0.02}, Case{4, 0.01 * R, 0.02},
                                             Case{5, 0.1 * R, 2e-4}, Case{6, 0.1 * R, 5e-5}}) {
    const PressureField ball = detail::make_ellipsoid_field({R, R, R}, levels, E);
    test::Random random(21);
    double force = 0, stiffness = 0;
    const int num = 40;
    for (int i = 0; i < num; ++i) {
      const RigidTransform X_MW{random.rotation(), {}};
      const Wrench w = calc_wrench(ball, *plane, X_MW * at_depth(R, d));
      force += dot(w.force, X_MW.R.column(2)) / num;
      stiffness += w.stiffness / num;
    }
    const double F = kPi * E * d * d * (1 - 2 * d / (3 * R));
    const double K = 2 * kPi * E * d * (1 - d / R);
    EXPECT_NEAR(force / F, 1, tolerance);
    EXPECT_NEAR(stiffness / K, 1, tolerance);
  }
}

// Case 2. A rigid sphere in a compliant half space: F = (E/h) π d² (R − d/3), U its integral.
TEST(ContactSurface, RigidSphereInHalfSpace) {
  const double R = 0.05, d = 0.005, slope = E / 0.1;
  const PressureField ball = detail::make_rigid(detail::make_ellipsoid_field({R, R, R}, 6, E));
  const auto ground = make_compliant(make_half_space());
  const RigidTransform X_MN = RigidTransform::translation({0, 0, R - d});
  const Wrench w = calc_wrench(*ground, ball, X_MN);
  const double F = slope * kPi * d * d * (R - d / 3);
  const double U = slope * kPi * d * d * d * (R / 3 - d / 12);
  const double K = slope * kPi * (2 * R * d - d * d);
  EXPECT_NEAR(-w.force.z / F, 1, 1e-3);
  EXPECT_NEAR(calc_overlap_energy(*ground, ball, X_MN) / U, 1, 2e-3);
  // dF/dd by differences; the normals vary, so Σ A g is another thing.
  const double h = 1e-6;
  const double up =
      -calc_wrench(*ground, ball, RigidTransform::translation({0, 0, R - d - h})).force.z;
  const double down =
      -calc_wrench(*ground, ball, RigidTransform::translation({0, 0, R - d + h})).force.z;
  EXPECT_NEAR((up - down) / (2 * h) / K, 1, 1e-3);
}

// Case 3. F = (E/H)(Lx Ly d − (Lx + Ly) d² + 4d³/3), F' = (E/H)(Lx − 2d)(Ly − 2d).
TEST(ContactSurface, BoxOnRigidPlane) {
  const auto box = make_compliant(make_box({0.1, 0.075, 0.04}));
  const auto plane = make_rigid(make_half_space());
  const double H = 0.04, Lx = 0.2, Ly = 0.15;
  for (const double d : {1e-6, 1e-4, 1e-3, 1e-2}) {
    const Wrench w = calc_wrench(*box, *plane, at_depth(H, d));
    const double force = E / H * (Lx * Ly * d - (Lx + Ly) * d * d + 4 * d * d * d / 3);
    // Coordinates of 0.04 m are rounded by 7e-18 m.
    EXPECT_NEAR(w.force.z / force, 1, 1e-12 + 1e-16 / d);
    EXPECT_NEAR(w.stiffness / (E / H * (Lx - 2 * d) * (Ly - 2 * d)), 1, 1e-12);
    EXPECT_EQ(w.polygons, 5u);
  }
}

// Case 4. n-gon of the circle's area: F = (E/H) A (R³ − (R − d)³)/(3R²), F' = (E/H) A (1 − d/R)².
// The rim goes inwards by R d/H: with H < R by the same share of the apothem as the end does.
TEST(ContactSurface, CylinderOnItsEnd) {
  const auto plane = make_rigid(make_half_space());
  struct Case {
    double R, half_length;
  };
  for (const auto& [R, half_length] : {Case{0.05, 0.1}, Case{0.05, 0.05}, Case{0.05, 0.02}}) {
    const auto cylinder = make_compliant(make_cylinder(R, half_length));
    const double H = std::min(R, half_length), A = kPi * R * R;
    for (const double d : {1e-5, 1e-3, 1e-2}) {
      const Wrench w = calc_wrench(*cylinder, *plane, at_depth(half_length, d));
      const double F = E / H * A * (R * R * R - std::pow(R - d, 3)) / (3 * R * R);
      const double U =
          E / H * A / (3 * R * R) * (R * R * R * d - (std::pow(R, 4) - std::pow(R - d, 4)) / 4);
      EXPECT_NEAR(w.force.z / F, 1, 1e-12 + 1e-15 / d) << R << " " << half_length << " " << d;
      EXPECT_NEAR(w.stiffness / (E / H * A * (1 - d / R) * (1 - d / R)), 1, 1e-12);
      EXPECT_NEAR(calc_overlap_energy(*cylinder, *plane, at_depth(half_length, d)) / U, 1, 1e-9);
      EXPECT_EQ(w.polygons, 33u);
    }
  }
}

// Case 5. A long cylinder on its side; per length F = E (a − (h²/R) ln((a + R)/h)), h = R − d,
// a = √(R² − h²). Facets of 64 sides at d/R = 0.02, scaled to the circle's area: within 0.2 %
// whichever lies lowest (0.94 when inscribed).
TEST(ContactSurface, CylinderOnItsSide) {
  const double R = 0.05, half_length = 2;
  const auto plane = make_rigid(make_half_space());
  const double d = 0.02 * R, h = R - d, a = std::sqrt(R * R - h * h);
  const double F = 2 * half_length * E * (a - h * h / R * std::log((a + R) / h));
  for (const int sides : {64, 90}) {
    const PressureField cylinder = detail::make_cylinder_field(R, half_length, sides, E);
    double mean = 0;
    for (int i = 0; i < 16; ++i) {
      RigidTransform X_MW = RigidTransform::rotation({0, 0, 2 * kPi / sides * i / 16});
      X_MW = X_MW * RigidTransform::rotation({0.5 * kPi, 0, 0});
      const Wrench w = calc_wrench(cylinder, *plane, X_MW * at_depth(R, d));
      const double ratio = dot(w.force, X_MW.R.column(2)) / F;
      mean += ratio / 16;
      EXPECT_NEAR(ratio, 1, 2e-3);
    }
    EXPECT_NEAR(mean, 1, 5e-4);
  }
}

// Case 6. A box on its edge, tilted by θ. A strip of width w = d/(s c) is pressed, up to
// (E/H) d/(s + c): per length F = (E/H) d²/(2 s c (s + c)). Towards the ends of the edge, where the
// end faces are nearer, (E/H) w (d/(s + c))²/3 is missing.
TEST(ContactSurface, BoxOnItsEdge) {
  const double H = 0.04, hx = 0.1, L = 0.3;
  const auto box = make_compliant(make_box({hx, L / 2, H}));
  const auto plane = make_rigid(make_half_space());
  for (const double tilt : {0.3, kPi / 4, 1.1}) {
    const double s = std::sin(tilt), c = std::cos(tilt), sum = s + c;
    const RigidTransform X_MW = RigidTransform::rotation({0, tilt, 0});
    for (const double d : {1e-4, 1e-3, 1e-2}) {
      const RigidTransform X_MN = X_MW * at_depth(hx * s + H * c, d);
      const Wrench w = calc_wrench(*box, *plane, X_MN);
      const double unit = E / H / (s * c * sum);
      const double F = unit * (L * d * d / 2 - d * d * d / (3 * sum));
      const double K = unit * (L * d - d * d / sum);
      const double U = unit * (L * d * d * d / 6 - d * d * d * d / (12 * sum));
      EXPECT_NEAR(dot(w.force, X_MW.R.column(2)) / F, 1, 1e-9) << tilt << " " << d;
      EXPECT_NEAR(w.stiffness / K, 1, 1e-9) << tilt << " " << d;
      EXPECT_NEAR(calc_overlap_energy(*box, *plane, X_MN) / U, 1, 1e-9) << tilt << " " << d;
    }
  }
}

// Case 7. A rigid cone of half angle θ in a compliant half space: F = (E/h)(π/3) tan²θ d³; an
// n-gon's area is less than π r² by sin(2π/n)/(2π/n).
TEST(ContactSurface, ConeInHalfSpace) {
  const double tan_theta = 0.7, height = 0.1, d = 0.01;
  const int sides = 30;
  std::vector<Vec3> points = {{0, 0, 0}};
  for (int i = 0; i < sides; ++i) {
    const double r = height * tan_theta, angle = 2 * kPi * i / sides;
    points.push_back({r * std::cos(angle), r * std::sin(angle), height});
  }
  const Shape cone = make_convex(std::make_shared<ConvexHull>(make_convex_hull(points)));
  const auto ground = make_compliant(make_half_space());
  const Wrench w = calc_wrench(*ground, *make_rigid(cone), RigidTransform::translation({0, 0, -d}));
  const double angle = 2 * kPi / sides;
  const double F = E / 0.1 * kPi / 3 * tan_theta * tan_theta * d * d * d * std::sin(angle) / angle;
  EXPECT_NEAR(-w.force.z / F, 1, 1e-12);
}

// Case 8. Two equal spheres that overlap by d press on the plane between them:
// F = (π E d²/4)(1 − d/(3R)).
TEST(ContactSurface, EqualSpheres) {
  const double R = 0.05, d = 0.1 * R;
  struct Case {
    int levels;
    double tolerance;
  };
  const double F = kPi * E * d * d / 4 * (1 - d / (3 * R));
  for (const auto& [levels, tolerance] : {Case{3, 0.01}, Case{4, 3e-3}, Case{6, 1e-3}}) {
    const PressureField ball = detail::make_ellipsoid_field({R, R, R}, levels, E);
    test::Random random(28);
    double mean = 0;
    const int num = 10;
    for (int i = 0; i < num; ++i) {
      // Turned the same way, and mirrored by symmetry of the mesh: the surface is the mid-plane.
      const Mat3 turn = random.rotation();
      const Vec3 up = turn.column(2);
      const Wrench w = calc_wrench(ball, ball, RigidTransform::translation((d - 2 * R) * up));
      mean += dot(w.force, up) / F / num;
    }
    EXPECT_NEAR(mean, 1, tolerance);
  }
}

// Case 9. Unequal spheres. The smooth solids press with 0.76118, 12.0847 and 289.498 N; meshes
// come near as they get finer, mean over orientations.
TEST(ContactSurface, UnequalSpheres) {
  const double R1 = 0.05, R2 = 0.08, E1 = 1e7, E2 = 3e6;
  struct Case {
    double d, force;
    int levels;
    double tolerance;
  };
  for (const auto& [d, force, levels, tolerance] :
       {Case{0.0005, 0.76118, 6, 0.01}, Case{0.002, 12.0847, 6, 2e-3},
        Case{0.01, 289.498, 5, 1e-3}}) {
    const PressureField a = detail::make_ellipsoid_field({R1, R1, R1}, levels, E1);
    const PressureField b = detail::make_ellipsoid_field({R2, R2, R2}, levels, E2);
    test::Random random(29);
    double mean = 0, least = 1e300, most = 0;
    const int num = 20;
    for (int i = 0; i < num; ++i) {
      const RigidTransform X_MW{random.rotation(), {}}, X_BN{random.rotation(), {}};
      const RigidTransform X_MN = X_MW * at_depth(R1 + R2, d) * X_BN;
      const double ratio = dot(calc_wrench(a, b, X_MN).force, X_MW.R.column(2)) / force;
      mean += ratio / num;
      least = std::min(least, ratio), most = std::max(most, ratio);
    }
    EXPECT_NEAR(mean, 1, tolerance);
  }
}

// Cases 10 and 11. Small overlaps are springs in series, κ V with V the volume of the overlap; rims
// take away O(d/L).
TEST(ContactSurface, SpringsInSeries) {
  const double E1 = 1e7, E2 = 4e6, d = 1e-4;
  const auto a = make_compliant(make_box({0.03, 0.02, 0.04}), E1);
  const auto b = make_compliant(make_box({0.1, 0.075, 0.05}), E2);
  const double k1 = E1 / 0.02, k2 = E2 / 0.05, kappa = k1 * k2 / (k1 + k2), A = 0.06 * 0.04;
  const Wrench w = calc_wrench(*a, *b, at_depth(0.09, d));
  EXPECT_NEAR(w.force.z / (kappa * A * d), 1, 1e-3);
  EXPECT_LT(w.force.z, kappa * A * d);
  EXPECT_NEAR(w.stiffness / (kappa * A), 1, 1e-3);
  // Tilted, one edge in the other's face: V = L d²/(2 tan θ), a wedge along the short edge.
  const double tilt = 0.01, V = 0.04 * d * d / (2 * std::tan(tilt));
  const double height = 0.05 + 0.04 * std::cos(tilt) + 0.03 * std::sin(tilt) - d;
  const RigidTransform X_NM =
      RigidTransform::translation({0, 0, height}) * RigidTransform::rotation({0, tilt, 0});
  EXPECT_NEAR(norm(calc_wrench(*a, *b, inverse(X_NM)).force) / (kappa * V), 1, 0.005);
}

}  // namespace
}  // namespace cenic

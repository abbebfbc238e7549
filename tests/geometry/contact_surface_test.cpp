// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Contact surfaces against closed forms: forces of the fields on planes and on each other.
#include "geometry/hydroelastic/contact_surface.h"

#include <gtest/gtest.h>

#include "geometry/hydroelastic/surface_points.h"

namespace cenic {
namespace {

constexpr double kE = 1e7;

std::shared_ptr<const PressureField> make_compliant(const Shape& shape) {
  return make_pressure_field(
      shape, {.compliance = Compliance::kCompliant, .modulus = kE, .slab_thickness = 0.1}, nullptr);
}
std::shared_ptr<const PressureField> make_rigid(const Shape& shape) {
  return make_pressure_field(shape, {.compliance = Compliance::kRigid}, nullptr);
}

struct Wrench {
  Vec3 force, torque;    // on M, about its origin
  double stiffness = 0;  // Σ A g
  std::size_t polygons = 0;
};

Wrench calc_wrench(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
                   SurfaceQuadrature quadrature = SurfaceQuadrature::kPolygons) {
  SurfaceFinder finder;
  SurfaceCandidates candidates;
  std::vector<SurfacePolygon> polygons;
  std::vector<SurfacePoint> points;
  finder.find(M, N, X_MN, 0, &candidates, &polygons);
  PointMaker().make(polygons, quadrature, &points);
  Wrench w;
  w.polygons = polygons.size();
  for (const SurfacePoint& point : points) {
    w.force += point.force * point.nhat;
    w.torque += cross(point.p, point.force * point.nhat);
  }
  for (const SurfacePolygon& s : polygons) {
    w.stiffness += s.moments.area * s.gradient;
  }
  return w;
}

TEST(ContactSurface, BoxOnRigidPlane) {
  const auto box = make_compliant(make_box({0.1, 0.075, 0.04}));
  const auto plane = make_rigid(make_half_space());
  const double H = 0.04, Lx = 0.2, Ly = 0.15;
  for (const double d : {1e-6, 1e-4, 1e-3, 1e-2}) {
    const Wrench w = calc_wrench(*box, *plane, RigidTransform::translation({0, 0, -0.04 + d}));
    const double force = kE / H * (Lx * Ly * d - (Lx + Ly) * d * d + 4 * d * d * d / 3);
    EXPECT_NEAR(w.force.z, force, 1e-12 * kE * H * H + 1e-12 * force);
    EXPECT_NEAR(w.stiffness / (kE / H * (Lx - 2 * d) * (Ly - 2 * d)), 1, 1e-12);
    EXPECT_EQ(w.polygons, 5);
  }
}

TEST(ContactSurface, TetrahedraAndCellsAgree) {
  const auto a = make_compliant(make_box({0.03, 0.02, 0.04}));
  const auto b = make_compliant(make_box({0.1, 0.075, 0.04}));
  RigidTransform X_MN = RigidTransform::rotation({0.003, -0.007, 0.1});
  X_MN.p = {0.001, 0.002, -0.0799};
  const Wrench cells = calc_wrench(*a, *b, X_MN);
  const Wrench tetrahedra = calc_wrench(split_into_tetrahedra(*a), split_into_tetrahedra(*b), X_MN);
  EXPECT_GT(tetrahedra.polygons, 5 * cells.polygons);
  EXPECT_LT(norm(cells.force - tetrahedra.force), 1e-9 * norm(cells.force));
  EXPECT_LT(norm(cells.torque - tetrahedra.torque), 1e-9 * norm(cells.torque));
}

}  // namespace
}  // namespace cenic

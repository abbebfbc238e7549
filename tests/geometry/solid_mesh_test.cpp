// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/solid_mesh.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/mesh_samples.h"
#include "geometry/shape.h"

namespace cenic {
namespace {

void expect_near(const SpatialInertia& M, const SpatialInertia& expected) {
  EXPECT_NEAR(M.mass, expected.mass, 1e-12);
  EXPECT_LT(norm(M.mc - expected.mc), 1e-12);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(norm(M.I.row[i] - expected.I.row[i]), 1e-12);
  }
}

// The L of mesh_samples.h as two boxes.
SpatialInertia l_inertia(double h) {
  const auto box = [](const Vec3& lower, const Vec3& upper) {
    const Vec3 half = 0.5 * (upper - lower);
    return shift_inertia(calc_unit_density_inertia(make_box(half)), lower + half);
  };
  SpatialInertia M = box({0, 0, 0}, {2, 1, h});
  M += box({0, 1, 0}, {1, 2, h});
  return M;
}

TEST(SolidMesh, AMeshIsWeighedByItsTrueSolid) {
  MeshNotes notes;
  const Shape shape = make_mesh(make_solid_mesh(test::l_surface(0.5), &notes));
  EXPECT_TRUE(notes.repairs.empty());
  EXPECT_EQ(shape.kind, ShapeKind::kConvex);
  EXPECT_STREQ(kind_name(shape), "mesh");
  EXPECT_STREQ(kind_name(make_sphere(1)), "sphere");
  EXPECT_TRUE(shape.mesh->closed);
  EXPECT_FALSE(shape.mesh->tets.has_value());
  expect_near(calc_unit_density_inertia(shape), l_inertia(0.5));
  // Contact points, boxes and support are the hull's: 3.5 × 0.5 in volume.
  EXPECT_EQ(shape.hull.get(), &shape.mesh->hull);
  EXPECT_NEAR(calc_unit_density_inertia(make_convex(shape.hull)).mass, 1.75, 1e-12);
  EXPECT_NEAR(calc_aabb(shape, {}).upper.x, 2, 1e-15);
  EXPECT_EQ(calc_support(shape, {1, -1, 1}), (Vec3{2, 0, 0.5}));
}

TEST(SolidMesh, AnOpenSurfaceIsWeighedByItsHull) {
  TriangleMesh surface = test::box_surface({-1, -1, -1}, {1, 1, 1});
  surface.triangles.pop_back();
  MeshNotes notes;
  const auto solid = make_solid_mesh(surface, &notes);
  EXPECT_FALSE(solid->closed);
  ASSERT_EQ(notes.repairs.size(), 1u);
  EXPECT_EQ(notes.repairs[0].find("taken as an open surface: the surface is open: the edge"), 0u);
  EXPECT_NEAR(calc_unit_density_inertia(make_mesh(solid)).mass, 8, 1e-12);
}

TEST(SolidMesh, OfTetrahedra) {
  // Two tetrahedra, one of them inside out.
  const TetMesh tets{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {9, 9, 9}},
                     {{0, 1, 2, 3}, {2, 1, 3, 4}}};
  MeshNotes notes;
  const auto solid = make_solid_mesh(tets, &notes);
  ASSERT_TRUE(solid->tets.has_value());
  EXPECT_EQ(solid->tets->tets.size(), 2u);
  EXPECT_EQ(solid->tets->vertices.size(), 5u);
  EXPECT_EQ(solid->surface.triangles.size(), 6u);
  EXPECT_TRUE(is_closed(solid->surface));
  ASSERT_EQ(notes.repairs.size(), 1u);
  EXPECT_NEAR(calc_unit_density_inertia(make_mesh(solid)).mass, 1.0 / 6 + 1.0 / 3, 1e-14);
}

TEST(SolidMesh, Mistakes) {
  EXPECT_THROW(make_mesh(nullptr), Error);
  EXPECT_THROW(make_solid_mesh(TriangleMesh{}, nullptr), Error);
  EXPECT_THROW(make_solid_mesh(TetMesh{}, nullptr), Error);
  // A sheet spans no volume.
  EXPECT_THROW(
      make_solid_mesh(TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}, nullptr),
      Error);
}

}  // namespace
}  // namespace cenic

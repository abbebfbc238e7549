// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Meshes against MuJoCo: centre of mass and inertia for a given mass, and primitives fitted to a
// mesh. MuJoCo computes these in single precision.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "loaders/mjcf_text.h"
#include "multibody/mujoco_model.h"

namespace cenic::test {
namespace {

// An L of two boxes, not convex, closed.
std::string make_l_shape() {
  const double x[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
  std::string vertices, faces;
  for (const double z : {0.0, 0.7}) {
    for (const auto& p : x) {
      vertices += fmt::format("{} {} {} ", p[0], p[1], z);
    }
  }
  for (const auto& t : {"0 2 1 0 3 2 0 5 3 3 5 4 ", "6 7 8 6 8 9 6 9 11 9 10 11 "}) {
    faces += t;
  }
  for (int i = 0; i < 6; ++i) {
    const int k = (i + 1) % 6;
    faces += fmt::format("{} {} {} {} {} {} ", i, k, k + 6, i, k + 6, i + 6);
  }
  return fmt::format("vertex='{}' face='{}'", vertices, faces);
}

std::string make_text(const std::string& mesh, const std::string& geom,
                      const std::string& compiler = "") {
  return fmt::format(
      "<mujoco><compiler {}/><asset><mesh name='m' {} scale='0.1 0.2 0.15'/></asset><worldbody>"
      "<body name='b'><freejoint/><geom name='g' mesh='m' {} pos='0.3 0 0' euler='10 20 30'/>"
      "</body></worldbody></mujoco>",
      compiler, mesh, geom);
}

class MjcfMesh : public testing::TestWithParam<const char*> {};

TEST_P(MjcfMesh, HasTheInertiaOfMujoco) {
  const std::string text = make_text(make_l_shape(), "type='mesh' mass='2'", GetParam());
  const LoadedModel loaded = load_text_model(text);
  const MujocoModel m = load_mujoco(text);
  ASSERT_NE(m, nullptr);
  const InertiaSpec& inertia = *loaded.spec.bodies[0].inertia;
  EXPECT_NEAR(inertia.mass, m->body_mass[1], 1e-12);
  const double *p = m->body_ipos + 3, *e = m->body_iquat + 4, *I = m->body_inertia + 3;
  EXPECT_LT(norm(inertia.com - Vec3{p[0], p[1], p[2]}), 1e-7);
  const Mat3 R = to_matrix({e[0], e[1], e[2], e[3]});
  const Mat3 difference = inertia.I_com - R * Mat3::diagonal({I[0], I[1], I[2]}) * transpose(R);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(norm(difference.row[i]), 1e-6 * I[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MjcfMesh,
                         testing::Values("exactmeshinertia='false'", "exactmeshinertia='true'"));

class FittedGeom : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(FittedGeom, HasTheSizeOfMujoco) {
  const auto& [type, compiler] = GetParam();
  const std::string text =
      make_text(make_l_shape(), fmt::format("type='{}' mass='2' fitscale='1.1'", type), compiler);
  const LoadedModel loaded = load_text_model(text);
  const MujocoModel m = load_mujoco(text);
  ASSERT_NE(m, nullptr);
  const GeometrySpec& g = loaded.spec.bodies[0].geometries.at(0);
  const double* size = m->geom_size;
  const Vec3 expected = g.shape.kind == ShapeKind::kBox || g.shape.kind == ShapeKind::kEllipsoid
                            ? Vec3{size[0], size[1], size[2]}
                            : Vec3{size[0], 0, size[1]};
  EXPECT_NEAR(g.shape.size.x, expected.x, 1e-6);
  EXPECT_NEAR(g.shape.size.z, expected.z, 1e-6);
  EXPECT_LT(norm(g.X_BG.p - Vec3{m->geom_pos[0], m->geom_pos[1], m->geom_pos[2]}), 1e-6);
}

// MuJoCo 2.2 misplaces boxes around the vertices (fixed in 2.3.2), so those are left out.
INSTANTIATE_TEST_SUITE_P(Shapes, FittedGeom,
                         testing::Combine(testing::Values("sphere", "capsule", "cylinder", "box",
                                                          "ellipsoid"),
                                          testing::Values("")));

}  // namespace
}  // namespace cenic::test

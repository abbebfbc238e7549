// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Meshes as they come, from the folder of models beside the project; left out when there is none.
#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/volume_field.h"
#include "loaders/mesh/read_mesh.h"

namespace cenic {
namespace {

std::string find_model(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(CENIC_SHARED_MODELS) / name;
  return std::filesystem::exists(path) ? path.string() : "";
}

double calc_volume_of_tets(const TetMesh& mesh) {
  double volume = 0;
  for (const auto& [a, b, c, d] : mesh.tets) {
    const double six_volumes =
        calc_six_volumes(mesh.vertices[a], mesh.vertices[b], mesh.vertices[c], mesh.vertices[d]);
    EXPECT_GT(six_volumes, 0);
    volume += six_volumes / 6;
  }
  return volume;
}

struct MeshFile {
  const char* name;
  double volume;  // m³, or whatever the file's units are
};

void PrintTo(const MeshFile& file, std::ostream* out) { *out << file.name; }

class Tets : public testing::TestWithParam<MeshFile> {};

TEST_P(Tets, HaveADepthEverywhereInside) {
  const std::string path = find_model(GetParam().name);
  if (path.empty()) GTEST_SKIP() << "there is no " << GetParam().name;
  const VolumeField field = make_volume_field(read_vtk(path));
  const double volume = calc_volume_of_tets(field.mesh);
  EXPECT_NEAR(volume, GetParam().volume, 1e-3 * GetParam().volume);
  EXPECT_NEAR(calc_volume(extract_boundary(field.mesh)), volume, 1e-9 * volume);
  EXPECT_GT(field.max_depth, 0);
  for (const auto& tet : field.mesh.tets) {
    double most = 0;
    for (const int v : tet) {
      most = std::max(most, field.depth[v]);
    }
    EXPECT_GT(most, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Tets,
    testing::Values(MeshFile{"bunny/medium_7k/bunny_tets.vtk", 7.539e-4},
                    MeshFile{"bunny/tet_ipc/bunny_tets.vtk", 6.01},
                    MeshFile{"drake/geometry/test/one_tetrahedron.vtk", 1.0 / 6},
                    MeshFile{"drake/geometry/test/one_negative_tetrahedron.vtk", 1.0 / 6},
                    MeshFile{"drake/geometry/test/cube_as_volume.vtk", 8},
                    MeshFile{"drake/multibody/plant/test/box.vtk", 1}));

class Shells : public testing::TestWithParam<MeshFile> {};

TEST_P(Shells, AreClosedAndFast) {
  const std::string path = find_model(GetParam().name);
  if (path.empty()) GTEST_SKIP() << "there is no " << GetParam().name;
  const TriangleMesh surface = prepare_closed_surface(read_mesh(path), nullptr);
  EXPECT_NEAR(calc_volume(surface), GetParam().volume, 1e-3 * GetParam().volume);
  const auto start = std::chrono::steady_clock::now();
  const VolumeField field = make_shell_field(surface, 0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(took.count(), 20) << "about 0.4 s for 10000 triangles are usual";
  const double volume = calc_volume_of_tets(field.mesh);
  EXPECT_GT(volume, 0.6 * GetParam().volume);
  EXPECT_LT(volume, 1.001 * GetParam().volume);
  EXPECT_EQ(extract_boundary(field.mesh).triangles.size(), 2 * surface.triangles.size());
  EXPECT_EQ(field.mesh.tets.size(), 3 * surface.triangles.size());
}

INSTANTIATE_TEST_SUITE_P(Models, Shells,
                         testing::Values(MeshFile{"bunny/medium_10k/bunny_10k.obj", 0.2228},
                                         MeshFile{"bunny/coarse_5k/bunny_closed.obj", 7.498e-4},
                                         MeshFile{"bunny/bullet_rabbit_902/bunny.obj", 0.8324},
                                         MeshFile{"objects/gso_mug/model.obj", 1.724e-4},
                                         MeshFile{"objects/gso_plate/model.obj", 2.165e-4},
                                         MeshFile{"objects/gso_spatula/model.obj", 3.942e-5}));

TEST(OpenModel, IsRefusedWithTheEdge) {
  const std::string path = find_model("bunny/coarse_5k/bunny_open.obj");
  if (path.empty()) GTEST_SKIP() << "there is no open bunny";
  EXPECT_THROW(prepare_closed_surface(read_mesh(path), nullptr), Error);
  EXPECT_EQ(prepare_open_surface(read_mesh(path), nullptr).triangles.size(), 4968u);
}

}  // namespace
}  // namespace cenic

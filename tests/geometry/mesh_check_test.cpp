// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/mesh_check.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/mesh_samples.h"

namespace cenic {
namespace {

using test::box_surface;

TriangleMesh cube() { return box_surface({-1, -1, -1}, {1, 1, 1}); }

std::string notes_of(const MeshNotes& notes) {
  std::string all;
  for (const std::string& note : notes.repairs) {
    all += note + "; ";
  }
  return all;
}
std::string error_of(const TriangleMesh& mesh) {
  try {
    prepare_closed_surface(mesh, nullptr);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Each triangle with corners of its own, as in STL.
TriangleMesh make_soup(const TriangleMesh& mesh) {
  TriangleMesh soup;
  for (const auto& triangle : mesh.triangles) {
    const int n = static_cast<int>(soup.vertices.size());
    for (const int v : triangle) {
      soup.vertices.push_back(mesh.vertices[v]);
    }
    soup.triangles.push_back({n, n + 1, n + 2});
  }
  return soup;
}

TEST(MeshCheck, AGoodSurfaceStaysAsItIs) {
  for (const TriangleMesh& mesh :
       {cube(), test::sphere_surface(1, 3), test::l_surface(1), test::torus_surface(2, 0.5, 20, 10),
        test::cup_surface(0.04, 0.1, 0.003, 24)}) {
    MeshNotes notes;
    const TriangleMesh out = prepare_closed_surface(mesh, &notes);
    EXPECT_EQ(out.vertices, mesh.vertices);
    EXPECT_EQ(out.triangles, mesh.triangles);
    EXPECT_EQ(notes_of(notes), "");
    EXPECT_TRUE(is_closed(out));
    EXPECT_GT(calc_volume(out), 0);
  }
  EXPECT_NEAR(calc_volume(cube()), 8, 1e-14);
  EXPECT_NEAR(calc_volume(test::l_surface(2)), 6, 1e-14);
}

TEST(MeshCheck, SoupWithNoiseIsMerged) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(-4e-10, 4e-10);
  TriangleMesh soup = make_soup(cube());
  for (Vec3& p : soup.vertices) {
    p += Vec3{noise(random), noise(random), noise(random)};
  }
  soup.vertices.push_back({5e8, 5, 5});  // of no triangle
  MeshNotes notes;
  const TriangleMesh out = prepare_closed_surface(soup, &notes);
  EXPECT_EQ(out.vertices.size(), 8u);
  EXPECT_EQ(out.triangles.size(), 12u);
  EXPECT_EQ(notes_of(notes), "merged 28 duplicate vertices; ");
}

TEST(MeshCheck, TurnsTrianglesRound) {
  TriangleMesh mesh = test::sphere_surface(1, 2);
  for (const int t : {3, 4, 17}) {
    std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
  }
  MeshNotes notes;
  EXPECT_GT(calc_volume(prepare_closed_surface(mesh, &notes)), 3.5);
  EXPECT_EQ(notes_of(notes), "turned 3 triangles round to agree with their neighbours; ");
  // Inside out as a whole.
  mesh = cube();
  for (auto& triangle : mesh.triangles) {
    std::swap(triangle[1], triangle[2]);
  }
  notes = {};
  EXPECT_NEAR(calc_volume(prepare_closed_surface(mesh, &notes)), 8, 1e-14);
  EXPECT_EQ(notes_of(notes), "turned all triangles round: the surface was inside out; ");
}

TEST(MeshCheck, TrianglesWithoutAreaAreResolved) {
  // A vertex on the middle of an edge of the cube, with a triangle of no area on one side.
  TriangleMesh mesh = cube();
  const auto [a, b, c] = mesh.triangles[0];
  const int m = static_cast<int>(mesh.vertices.size());
  mesh.vertices.push_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
  mesh.triangles[0] = {a, m, c};
  mesh.triangles.push_back({m, b, c});
  mesh.triangles.push_back({a, b, m});
  ASSERT_TRUE(is_closed(mesh));
  MeshNotes notes;
  const TriangleMesh out = prepare_closed_surface(mesh, &notes);
  EXPECT_TRUE(is_closed(out));
  EXPECT_NEAR(calc_volume(out), 8, 1e-14);
  for (const auto& [i, j, k] : out.triangles) {
    EXPECT_GT(norm(cross(out.vertices[j] - out.vertices[i], out.vertices[k] - out.vertices[i])),
              0.1);
  }
  EXPECT_EQ(notes_of(notes),
            "changed 1 edges to be rid of triangles without area (first: triangle 13); ");
  // A rigid surface just loses it.
  notes = {};
  EXPECT_EQ(prepare_open_surface(mesh, &notes).triangles.size(), 13u);
  EXPECT_EQ(notes_of(notes), "dropped 1 triangles without area (first: triangle 13); ");
  // Triangles that collapse as vertices merge.
  mesh = make_soup(cube());
  mesh.triangles.push_back({0, 1, 1});
  mesh.triangles.push_back(mesh.triangles[5]);
  notes = {};
  EXPECT_EQ(prepare_closed_surface(mesh, &notes).triangles.size(), 12u);
  EXPECT_EQ(notes_of(notes),
            "merged 28 duplicate vertices; dropped 1 triangles without area (first: triangle 12); "
            "dropped 1 triangles that are copies of others (first: triangle 13); ");
}

TEST(MeshCheck, PartsThatTouchStayApart) {
  // Two cubes with a common edge, and two with a common corner: closed by their numbers.
  for (const Vec3& shift : {Vec3{2, 2, 0}, Vec3{2, 2, 2}}) {
    TriangleMesh mesh = cube();
    const TriangleMesh other = box_surface(Vec3{-1, -1, -1} + shift, Vec3{1, 1, 1} + shift);
    for (const auto& [a, b, c] : other.triangles) {
      mesh.triangles.push_back({a + 8, b + 8, c + 8});
    }
    mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
    MeshNotes notes;
    EXPECT_EQ(prepare_closed_surface(mesh, &notes).vertices.size(), 16u);
    EXPECT_EQ(notes_of(notes), "");
    // Without numbers to go by, a corner can be told apart and an edge cannot.
    if (shift.z > 0) {
      EXPECT_EQ(prepare_closed_surface(make_soup(mesh), &notes).vertices.size(), 16u);
      EXPECT_EQ(notes_of(notes),
                "merged 57 duplicate vertices; split 1 vertices at which parts of the surface only "
                "touch; ");
    } else {
      EXPECT_EQ(error_of(make_soup(mesh)).find("the surface is not a solid's"), 0u);
    }
  }
}

TEST(MeshCheck, ErrorsNameTheElement) {
  EXPECT_EQ(error_of({}),
            "the mesh has 0 vertices and 0 triangles; export it again with its faces");
  TriangleMesh mesh = cube();
  mesh.vertices[3].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of(mesh).find("vertex 3 is at ("), 0u);
  mesh.vertices[3].y = 1e300;
  EXPECT_EQ(error_of(mesh).find("vertex 3 is at ("), 0u);
  mesh = cube();
  mesh.triangles[7][1] = 8;
  EXPECT_EQ(error_of(mesh),
            "triangle 7 names vertex 8, but vertices run from 0 to 7; export the mesh again");
  mesh.triangles[7][1] = -1;
  EXPECT_EQ(error_of(mesh).find("triangle 7 names vertex -1"), 0u);
  mesh = cube();
  mesh.triangles.pop_back();
  EXPECT_EQ(error_of(mesh).find("the surface is open: the edge from vertex"), 0u);
  EXPECT_NE(error_of(mesh).find("(faulty edges in all: 3); close the holes"), std::string::npos);
  EXPECT_EQ(prepare_open_surface(mesh, nullptr).triangles.size(), 11u);
  // A wall across the inside.
  mesh = cube();
  mesh.triangles.push_back({mesh.triangles[0][0], mesh.triangles[0][1], mesh.triangles[11][1]});
  EXPECT_NE(error_of(mesh), "no error");
  // Flat.
  mesh = box_surface({-1, -1, 0}, {1, 1, 1e-13});
  EXPECT_NE(error_of(mesh), "no error");
  mesh.vertices.assign(8, {1, 2, 3});
  EXPECT_EQ(error_of(mesh),
            "no triangle of the mesh has an area; check its units and export it again");
  mesh.triangles.assign(kMaxMeshElements + 1, {0, 1, 2});
  EXPECT_NE(error_of(mesh).find("decimate"), std::string::npos);
}

TEST(MeshCheck, OneSidedSurfacesAreRefused) {
  // A Klein bottle: a torus grid whose second seam is turned.
  TriangleMesh mesh = test::torus_surface(2, 0.5, 8, 8);
  for (auto& triangle : mesh.triangles) {
    const bool at_seam = *std::max_element(triangle.begin(), triangle.end()) >= 56 &&
                         *std::min_element(triangle.begin(), triangle.end()) < 8;
    for (int& v : triangle) {
      if (at_seam && v < 8) v = (8 - v) % 8;
    }
  }
  EXPECT_NE(error_of(mesh).find("one side only"), std::string::npos);
  EXPECT_THROW(prepare_open_surface(mesh, nullptr), Error);
}

TEST(MeshCheck, LargeMeshesAreFast) {
  const TriangleMesh mesh = make_soup(test::torus_surface(1, 0.3, 320, 160));  // 102400 triangles
  const auto start = std::chrono::steady_clock::now();
  const TriangleMesh out = prepare_closed_surface(mesh, nullptr);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(out.vertices.size(), 51200u);
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 10) << "about 0.2 s are usual";
}

TEST(MeshCheck, NoiseIsAnErrorAndNothingWorse) {
  std::mt19937 random(2);
  int num_good = 0;
  for (int round = 0; round < 3000; ++round) {
    TriangleMesh mesh = round % 2 == 0 ? cube() : test::sphere_surface(1, 1);
    const int num_vertices = static_cast<int>(mesh.vertices.size());
    for (int k = 0; k < 1 + round % 5; ++k) {
      auto& triangle = mesh.triangles[random() % mesh.triangles.size()];
      const int v = static_cast<int>(random() % num_vertices);
      switch (random() % 4) {
        case 0:
          triangle[random() % 3] = v;
          break;
        case 1:
          std::swap(triangle[0], triangle[1]);
          break;
        case 2:
          mesh.vertices[v] = mesh.vertices[random() % num_vertices];
          break;
        case 3:
          mesh.triangles.push_back(triangle);
          break;
      }
    }
    try {
      const TriangleMesh out = prepare_closed_surface(mesh, nullptr);
      EXPECT_TRUE(is_closed(out));
      EXPECT_GT(calc_volume(out), 0);
      ++num_good;
    } catch (const Error&) {
    }
    try {
      prepare_open_surface(mesh, nullptr);
    } catch (const Error&) {
    }
  }
  EXPECT_GT(num_good, 500);
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/volume_field.h"

#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/mesh_samples.h"
#include "geometry/samples.h"
#include "geometry/triangle_distance.h"

namespace cenic {
namespace {

using test::Random;

std::string notes_of(const MeshNotes& notes) {
  std::string all;
  for (const std::string& note : notes.repairs) {
    all += note + "; ";
  }
  return all;
}
std::string error_of(const TetMesh& mesh) {
  try {
    make_volume_field(mesh);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

double calc_tet_volume(const TetMesh& mesh, int t) {
  const auto& [a, b, c, d] = mesh.tets[t];
  return calc_six_volumes(mesh.vertices[a], mesh.vertices[b], mesh.vertices[c], mesh.vertices[d]) /
         6;
}

// Every tetrahedron has a positive volume, every face one or two tetrahedra, on opposite sides.
double check_mesh(const TetMesh& mesh) {
  double volume = 0;
  std::map<std::array<int, 3>, int> faces;  // number of uses, and +10 for each odd one
  for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
    EXPECT_GT(calc_tet_volume(mesh, t), 0) << t;
    volume += calc_tet_volume(mesh, t);
    for (const auto& face : kTetFaces) {
      std::array<int, 3> key{mesh.tets[t][face[0]], mesh.tets[t][face[1]], mesh.tets[t][face[2]]};
      std::rotate(key.begin(), std::min_element(key.begin(), key.end()), key.end());
      const bool odd = key[1] > key[2];
      if (odd) std::swap(key[1], key[2]);
      faces[key] += odd ? 11 : 1;
    }
  }
  for (const auto& [key, uses] : faces) {
    EXPECT_TRUE(uses == 1 || uses == 11 || uses == 12) << uses;
  }
  return volume;
}

// Depth at points inside, by interpolation, against the true distance to the surface.
void check_depths(const VolumeField& field, const TriangleMesh& surface) {
  const SurfaceDistance distance(surface);
  ASSERT_EQ(field.depth.size(), field.mesh.vertices.size());
  double most = 0;
  for (std::size_t v = 0; v < field.depth.size(); ++v) {
    EXPECT_NEAR(field.depth[v], distance.calc_distance(field.mesh.vertices[v]),
                1e-9 * field.max_depth);
    most = std::max(most, field.depth[v]);
  }
  EXPECT_EQ(most, field.max_depth);
}

// A block of n³ cells of five or six tetrahedra around their diagonals; all conforming.
TetMesh block(int n) {
  TetMesh mesh;
  const auto vertex = [&](int i, int j, int k) {
    return (i * (n + 1) + j) * (n + 1) + k;
  };
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      for (int k = 0; k <= n; ++k) {
        mesh.vertices.push_back({1.0 * i / n, 1.0 * j / n, 1.0 * k / n});
      }
    }
  }
  constexpr int kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int cell = 0; cell < n * n * n; ++cell) {
    for (const auto& order : kOrders) {
      std::array<int, 3> at{cell / (n * n), cell / n % n, cell % n};
      std::array<int, 4> tet{};
      tet[0] = vertex(at[0], at[1], at[2]);
      for (int k = 0; k < 3; ++k) {
        ++at[order[k]];
        tet[k + 1] = vertex(at[0], at[1], at[2]);
      }
      const auto& [a, b, c, d] = tet;
      if (calc_six_volumes(mesh.vertices[a], mesh.vertices[b], mesh.vertices[c], mesh.vertices[d]) <
          0) {
        std::swap(tet[2], tet[3]);
      }
      mesh.tets.push_back(tet);
    }
  }
  return mesh;
}

TEST(TriangleDistance, NoSampledPointIsNearer) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const Vec3 a = random.in_cube(1), b = random.in_cube(1),
               c = round % 10 == 0 ? a + 0.3 * (b - a) : random.in_cube(1), x = random.in_cube(2);
    const Vec3 p = find_nearest_on_triangle(x, a, b, c);
    double sampled = 1e300;
    for (int i = 0; i <= 100; ++i) {
      for (int j = 0; i + j <= 100; ++j) {
        const Vec3 q = a + 0.01 * i * (b - a) + 0.01 * j * (c - a);
        sampled = std::min(sampled, norm(q - x));
      }
    }
    EXPECT_LE(norm(p - x), sampled + 1e-12);
    EXPECT_GE(norm(p - x), sampled - 0.05);
  }
  EXPECT_EQ(find_nearest_on_triangle({1, 2, 3}, {}, {}, {}), Vec3{});
}

TEST(VolumeField, DepthInABlock) {
  const TetMesh mesh = block(4);
  const VolumeField field = make_volume_field(mesh);
  EXPECT_NEAR(check_mesh(field.mesh), 1, 1e-12);
  EXPECT_NEAR(field.max_depth, 0.5, 1e-15);
  check_depths(field, extract_boundary(field.mesh));
  for (std::size_t v = 0; v < field.depth.size(); ++v) {
    const Vec3& p = field.mesh.vertices[v];
    EXPECT_NEAR(field.depth[v], std::min({p.x, p.y, p.z, 1 - p.x, 1 - p.y, 1 - p.z}), 1e-15);
  }
}

TEST(VolumeField, BoundaryIsTheSurface) {
  const TriangleMesh boundary = extract_boundary(block(3));
  EXPECT_TRUE(is_closed(boundary));
  EXPECT_EQ(boundary.triangles.size(), 6u * 9 * 2);
  EXPECT_NEAR(calc_volume(boundary), 1, 1e-12);
}

// Solids whose vertices are all on the surface.
TEST(VolumeField, ZeroDepthInsideIsRefined) {
  // One cube of six tetrahedra around a diagonal, two tetrahedra with a face in common, one alone.
  const TetMesh cube = block(1);
  const TetMesh two{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}},
                    {{0, 1, 2, 3}, {1, 2, 3, 4}}};
  const TetMesh one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}};
  const auto check = [](const TetMesh& mesh, double volume, const std::string& note) {
    const VolumeField field = make_volume_field(mesh);
    EXPECT_NEAR(check_mesh(field.mesh), volume, 1e-14);
    EXPECT_EQ(notes_of(field.notes), note);
    check_depths(field, extract_boundary(field.mesh));
    for (const auto& tet : field.mesh.tets) {
      double most = 0;
      for (const int v : tet) {
        most = std::max(most, field.depth[v]);
      }
      EXPECT_GT(most, 0.01);
    }
  };
  const std::string inside = " inside that had all their ends on the surface; ";
  check(cube, 1, "added vertices to 1 edges, 0 faces and 0 tetrahedra" + inside);
  check(two, 0.5, "added vertices to 0 edges, 1 faces and 0 tetrahedra" + inside);
  check(one, 1.0 / 6, "added vertices to 0 edges, 0 faces and 1 tetrahedra" + inside);
  // A slab one cell thick: edges, faces and tetrahedra in all mixtures.
  TetMesh slab = block(4);
  std::erase_if(slab.tets, [&](const auto& tet) {
    return std::any_of(tet.begin(), tet.end(), [&](int v) {
      return slab.vertices[v].z > 0.25;
    });
  });
  const VolumeField field = make_volume_field(slab);
  EXPECT_NEAR(check_mesh(field.mesh), 0.25, 1e-14);
  EXPECT_NEAR(field.max_depth, 0.125, 0.05);
  check_depths(field, extract_boundary(field.mesh));
}

TEST(VolumeField, RandomPartsOfABlockAreConformingAfterRefinement) {
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    TetMesh mesh = block(3);
    std::erase_if(mesh.tets, [&](const auto&) {
      return random.uniform(0, 1) < 0.4;
    });
    double volume = 0;
    for (int t = 0; t < static_cast<int>(mesh.tets.size()); ++t) {
      volume += calc_tet_volume(mesh, t);
    }
    const VolumeField field = make_volume_field(mesh);
    EXPECT_NEAR(check_mesh(field.mesh), volume, 1e-12);
    for (const auto& tet : field.mesh.tets) {
      double most = 0;
      for (const int v : tet) {
        most = std::max(most, field.depth[v]);
      }
      EXPECT_GT(most, 1e-3);
    }
  }
}

TEST(VolumeField, SoupInsideOutAndFlatTetrahedra) {
  TetMesh mesh = block(2), soup;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    const int n = static_cast<int>(soup.vertices.size());
    for (const int v : mesh.tets[t]) {
      soup.vertices.push_back(mesh.vertices[v]);
    }
    soup.tets.push_back({n, n + 1, n + 2, n + 3});
    if (t % 7 == 3) std::swap(soup.tets.back()[0], soup.tets.back()[1]);
  }
  soup.tets.push_back({0, 1, 2, 2});
  const VolumeField field = make_volume_field(soup);
  EXPECT_EQ(field.mesh.vertices.size(), 27u + 12u);
  EXPECT_NEAR(check_mesh(field.mesh), 1, 1e-14);
  EXPECT_NEAR(field.max_depth, 0.5, 1e-15);
  EXPECT_EQ(notes_of(field.notes),
            "merged 165 duplicate vertices; turned 7 tetrahedra that were inside out (first: "
            "tetrahedron 3); dropped 1 tetrahedra without volume (first: tetrahedron 48); added "
            "vertices to 12 edges, 0 faces and 0 tetrahedra inside that had all their ends on the "
            "surface; ");
}

TEST(VolumeField, ErrorsNameTheElement) {
  EXPECT_NE(error_of({}).find("the mesh has 0 vertices"), std::string::npos);
  TetMesh mesh = block(2);
  mesh.vertices[5].x = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of(mesh).find("vertex 5 is at (inf"), 0u);
  mesh = block(2);
  mesh.tets[9][2] = 27;
  EXPECT_EQ(error_of(mesh),
            "tetrahedron 9 names vertex 27, but vertices run from 0 to 26; export the mesh again");
  mesh = block(2);
  mesh.tets.push_back(mesh.tets[4]);
  EXPECT_NE(error_of(mesh).find("belongs to 3 tetrahedra"), std::string::npos);
  mesh = block(2);
  for (Vec3& p : mesh.vertices) {
    p.z = 0;
  }
  EXPECT_EQ(error_of(mesh),
            "none of the 48 tetrahedra has a volume; check the units and mesh the solid again");
}

struct ShellCase {
  const char* name;
  TriangleMesh surface;
  double least_depth;   // of the deepest point
  double least_volume;  // of the shell, as a part of the solid
};

TEST(ShellField, IsConformingAndAsDeepAsTheSolidAllows) {
  std::vector<ShellCase> cases;
  cases.push_back({"cube", test::box_surface({-1, -1, -1}, {1, 1, 1}), 0.5, 0.8});
  cases.push_back({"fine cube", test::box_surface({-1, -1, -1}, {1, 1, 1}, 8), 0.6, 0.6});
  cases.push_back({"plate", test::box_surface({-1, -1, 0}, {1, 1, 0.02}, 20), 0.008, 0.7});
  cases.push_back({"coarse plate", test::box_surface({-1, -1, 0}, {1, 1, 0.02}), 0.005, 0.7});
  cases.push_back({"sphere", test::sphere_surface(1, 3), 0.85, 0.9});
  cases.push_back({"torus", test::torus_surface(1, 0.3, 40, 16), 0.25, 0.9});
  cases.push_back({"L", test::l_surface(1), 0.35, 0.6});
  cases.push_back({"cup", test::cup_surface(0.04, 0.1, 0.003, 40), 0.00125, 0.7});
  for (const ShellCase& test_case : cases) {
    SCOPED_TRACE(test_case.name);
    const VolumeField field = make_shell_field(test_case.surface, 0);
    const int n = static_cast<int>(test_case.surface.vertices.size());
    EXPECT_EQ(notes_of(field.notes), "");
    EXPECT_EQ(field.mesh.vertices.size(), 2u * n);
    EXPECT_EQ(field.mesh.tets.size(), 3 * test_case.surface.triangles.size());
    const double volume = check_mesh(field.mesh);
    EXPECT_GT(volume, test_case.least_volume * calc_volume(test_case.surface));
    EXPECT_GT(field.max_depth, test_case.least_depth);
    check_depths(field, test_case.surface);

    // Its boundary is the surface and the wall inside, which encloses what is missing.
    TriangleMesh inner{field.mesh.vertices, {}};
    std::size_t num_outer = 0;
    const TriangleMesh boundary = extract_boundary(field.mesh);
    EXPECT_TRUE(is_closed(boundary));
    EXPECT_EQ(boundary.triangles.size(), 2 * test_case.surface.triangles.size());
    EXPECT_NEAR(calc_volume(boundary), volume, 1e-9 * volume);
    for (const auto& [a, b, c] : test_case.surface.triangles) {
      inner.triangles.push_back({n + a, n + b, n + c});
      ++num_outer;
    }
    EXPECT_NEAR(calc_volume(test_case.surface) - calc_volume(inner), volume, 1e-9 * volume);

    // A limit is kept.
    const double limit = 0.3 * test_case.least_depth;
    const VolumeField thin = make_shell_field(test_case.surface, limit);
    check_mesh(thin.mesh);
    EXPECT_LE(thin.max_depth, limit);
    EXPECT_GT(thin.max_depth, 0.4 * limit);
  }
}

TEST(ShellField, DepthIsExactUnderFlatFaces) {
  // Linear within each prism, depth below a cube's face is the distance to that face.
  const VolumeField field = make_shell_field(test::box_surface({-1, -1, -1}, {1, 1, 1}, 4), 0.2);
  Random random(3);
  for (std::size_t t = 0; t < field.mesh.tets.size(); ++t) {
    double depth = 0;
    Vec3 p;
    double w[4], sum = 0;
    for (double& weight : w) {
      weight = random.uniform(0, 1), sum += weight;
    }
    for (int k = 0; k < 4; ++k) {
      depth += w[k] / sum * field.depth[field.mesh.tets[t][k]];
      p += w[k] / sum * field.mesh.vertices[field.mesh.tets[t][k]];
    }
    const double expected = 1 - std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
    EXPECT_NEAR(depth, expected, 1e-12);
  }
}

TEST(ShellField, TangledSurfacesAreAnErrorOrANote) {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    TriangleMesh mesh = test::sphere_surface(1, 2);
    for (Vec3& p : mesh.vertices) {
      if (random.uniform(0, 1) < 0.005 * round) p += random.in_cube(0.02 * round);
    }
    try {
      const VolumeField field = make_shell_field(mesh, 0);
      check_mesh(field.mesh);
      EXPECT_EQ(field.depth.size(), field.mesh.vertices.size());
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("; "), std::string::npos);
    }
  }
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(make_shell_field(test::sphere_surface(1, 1), bad), Error);
  }
}

}  // namespace
}  // namespace cenic

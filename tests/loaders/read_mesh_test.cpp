// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mesh/read_mesh.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.h"

namespace cenic {
namespace {

class ReadMesh : public testing::Test {
 protected:
  ReadMesh() {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::temp_directory_path() / ("cenic_read_mesh_" + name);
    std::filesystem::create_directories(folder_);
  }
  ~ReadMesh() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  // The error of reading a file of these bytes, without the path in front.
  std::string error_of(const std::string& name, const std::string& bytes) {
    const std::string path = write(name, bytes);
    try {
      read_mesh(path);
    } catch (const FileError& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.compare(0, path.size(), path), 0);
      return text.substr(path.size());
    }
    return "no error";
  }

  std::filesystem::path folder_;
};

using Floats = std::vector<float>;  // nine a triangle

std::string binary_stl(const Floats& corners, std::uint32_t count, std::string header = "") {
  header.resize(80, ' ');
  std::string bytes = header;
  const auto append = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(count);
  for (std::size_t t = 0; t < corners.size() / 9; ++t) {
    for (int k = 0; k < 3; ++k) {
      append(0.0f);
    }
    for (int k = 0; k < 9; ++k) {
      append(corners[9 * t + k]);
    }
    append(std::uint16_t{0});
  }
  return bytes;
}

const Floats kTwoTriangles{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
const char* const kTextTriangle =
    "solid part\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 "
    "1 0\n"
    "  endloop\n endfacet\nendsolid part\n";

TEST_F(ReadMesh, ObjWithAllWaysToNameACorner) {
  const TriangleMesh mesh =
      read_mesh(write("a.OBJ",
                      "# a square and a triangle\r\nmtllib x.mtl\no part\nv 0 0 0\nv 1 0 0 1\n"
                      "v 1 1 0\nv +0 1e0 0 # corner\nvt 0 0\nvn 0 0 1\ns off\n"
                      "f 1/1/1 2//1 3/1 4\nv 0 0 2\nf -1 -5 \\\n-4\n"));
  ASSERT_EQ(mesh.vertices.size(), 5u);
  EXPECT_EQ(mesh.vertices[3], (Vec3{0, 1, 0}));
  const std::vector<std::array<int, 3>> expected{{0, 1, 2}, {0, 2, 3}, {4, 0, 1}};
  EXPECT_EQ(mesh.triangles, expected);
}

TEST_F(ReadMesh, ObjErrorsNameTheLine) {
  EXPECT_EQ(error_of("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
            ":4: error: face names vertex 4 but 3 are defined so far; numbers run from 1, or from "
            "-1 back");
  EXPECT_EQ(error_of("a.obj", "v 0 0 0\nf 0 1 1\n"),
            ":2: error: face names vertex 0 but 1 are defined so far; numbers run from 1, or from "
            "-1 back");
  EXPECT_EQ(error_of("a.obj", "v 0 0 0\n\nf -2 1 1\n"),
            ":3: error: face names vertex -2 but 1 are defined so far; numbers run from 1, or from "
            "-1 back");
  EXPECT_EQ(error_of("a.obj", "v 0 0 0\nf 1 x 1\n"),
            ":2: error: face corner 'x' does not begin with a vertex number; write i, i/t, i//n or "
            "i/t/n");
  EXPECT_EQ(error_of("a.obj", "v 0 0 0\nf 1 1\n"),
            ":2: error: a face has 2 corners; a face needs at least three");
  EXPECT_EQ(error_of("a.obj", "v 0 nan 0\n"),
            ":1: error: coordinate 'nan' is not a finite number; export the mesh again");
  EXPECT_EQ(error_of("a.obj", "v 0 1,5 0\n"),
            ":1: error: coordinate '1,5' is not a finite number; export the mesh again");
  EXPECT_EQ(error_of("a.obj", "v 0 1\n"),
            ":1: error: a vertex has 2 coordinates; write three numbers after 'v'");
  EXPECT_EQ(error_of("a.obj", "hello\nworld\n"),
            ":2: error: no vertices ('v x y z') found; is this a Wavefront OBJ file?");
  EXPECT_EQ(error_of("a.obj", "v 0 0 0\n"),
            ":1: error: no faces ('f i j k') found; export the mesh with its faces");
  EXPECT_EQ(error_of("a.obj", ""), ": error: the file is empty; export the mesh again");
}

TEST_F(ReadMesh, FilesThatAreNotThereOrNotKnown) {
  try {
    read_mesh((folder_ / "none.obj").string());
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()),
              (folder_ / "none.obj").string() +
                  ": error: the file cannot be opened; check its name and that it may be read");
  }
  EXPECT_EQ(error_of("a.ply", "x"),
            ": error: mesh format '.ply' is not known; convert the mesh to .obj or .stl");
  EXPECT_EQ(error_of("noending", "x"),
            ": error: mesh format '' is not known; convert the mesh to .obj or .stl");
}

TEST_F(ReadMesh, StlTextAndBinaryMergeCorners) {
  const TriangleMesh text = read_mesh(write("a.stl", kTextTriangle));
  EXPECT_EQ(text.vertices.size(), 3u);
  EXPECT_EQ(text.triangles.size(), 1u);
  for (const char* header : {"made by nobody", "solid but binary"}) {
    const TriangleMesh binary = read_mesh(write("b.stl", binary_stl(kTwoTriangles, 2, header)));
    EXPECT_EQ(binary.vertices.size(), 4u) << header;
    const std::vector<std::array<int, 3>> expected{{0, 1, 2}, {1, 3, 2}};
    EXPECT_EQ(binary.triangles, expected);
  }
  // Zero and minus zero are one place; a triangle without area is left out.
  const TriangleMesh zero = read_mesh(write(
      "c.stl", binary_stl({0, 0, 0, 1, 0, 0, 0, 1, 0, -0.0f, 0, 0, 0, 1, 0, 0, -0.0f, 0}, 2)));
  EXPECT_EQ(zero.vertices.size(), 3u);
  EXPECT_EQ(zero.triangles.size(), 1u);
}

TEST_F(ReadMesh, StlErrors) {
  std::string truncated = binary_stl(kTwoTriangles, 2);
  truncated.resize(truncated.size() - 10);
  EXPECT_EQ(
      error_of("a.stl", truncated),
      ":1: error: the header promises 2 triangles, but only 1 are there: the file is truncated; "
      "copy or export it again");
  std::string truncated_solid = binary_stl(kTwoTriangles, 2, "solid");
  truncated_solid.resize(truncated_solid.size() - 60);
  EXPECT_EQ(
      error_of("a.stl", truncated_solid),
      ":1: error: the header promises 2 triangles, but only 0 are there: the file is truncated; "
      "copy or export it again");
  EXPECT_EQ(error_of("a.stl", "short"),
            ":1: error: the file has 5 bytes, less than the 84 of a binary STL header; export the "
            "mesh again");
  Floats bad = kTwoTriangles;
  bad[10] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(
      error_of("a.stl", binary_stl(bad, 2)),
      ":1: error: triangle 1 has a coordinate that is not a finite number; export the mesh again");
  EXPECT_EQ(error_of("a.stl", binary_stl({}, 0)),
            ":1: error: no triangles with three different corners found; export the mesh again");
  EXPECT_EQ(error_of("a.stl", "solid x\nendsolid x\n"),
            ":2: error: no triangles with three different corners found; export the mesh again");
  EXPECT_EQ(error_of("a.stl", "solid x\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"),
            ":4: error: the file ends inside of a facet: it is truncated; export it again");
  EXPECT_EQ(error_of("a.stl", "solid x\nouter loop\nvertex 0 0 0\nendloop\n"),
            ":4: error: a facet with 1 vertices; a facet needs three");
  EXPECT_EQ(error_of("a.stl", "solid x\nendloop\n"),
            ":2: error: a facet with 0 vertices; a facet needs three");
  EXPECT_EQ(error_of("a.stl", "solid x\nouter loop\nouter loop\n"),
            ":3: error: 'outer loop' inside of a loop; an 'endloop' is missing");
  EXPECT_EQ(error_of("a.stl", "solid x\nvertex 0 0 0\n"),
            ":2: error: 'vertex' outside of a loop; an 'outer loop' is missing");
  EXPECT_EQ(
      error_of("a.stl",
               "solid x\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 0\n"),
      ":6: error: a fourth vertex in a facet; STL knows triangles only");
  EXPECT_EQ(error_of("a.stl", "solid x\nouter loop\nvertex 0 inf 0\n"),
            ":3: error: coordinate 'inf' is not a finite number; export the mesh again");
  EXPECT_EQ(error_of("a.stl", "solid x\nhello\n"),
            ":2: error: unknown word 'hello'; is this an STL file?");
}

template <class T>
void append(const std::vector<T>& values, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// A tetrahedron with a normal and texture coordinates that nobody wants.
std::string make_msh(const std::vector<std::int32_t>& counts,
                     const std::vector<std::int32_t>& faces) {
  std::string bytes;
  append(counts, &bytes);
  append<float>({0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}, &bytes);
  append<float>({0, 0, 1, 0.5F, 0.5F}, &bytes);
  append(faces, &bytes);
  return bytes;
}

TEST_F(ReadMesh, MshOfMujoco) {
  const std::vector<std::int32_t> faces{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 1, 1, 2};
  const TriangleMesh mesh = read_mesh(write("a.msh", make_msh({4, 1, 1, 5}, faces)));
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[3], (Vec3{0, 0, 3}));
  ASSERT_EQ(mesh.triangles.size(), 4u);  // but for the one with two corners
  EXPECT_EQ(mesh.triangles[3], (std::array<int, 3>{1, 2, 3}));
}

TEST_F(ReadMesh, BadMshSaysWhy) {
  const std::vector<std::int32_t> face{0, 2, 1};
  EXPECT_NE(error_of("a.msh", "short").find("too short"), std::string::npos);
  for (const std::vector<std::int32_t>& counts : {std::vector<std::int32_t>{4, 1, 1, 2},
                                                  {4, 1, 1, -1},
                                                  {2147483647, 1, 1, 1},
                                                  {-4, 1, 1, 1}}) {
    EXPECT_NE(error_of("a.msh", make_msh(counts, face)).find("does not fit"), std::string::npos);
  }
  EXPECT_NE(error_of("a.msh", make_msh({4, 1, 1, 1}, {0, 4, 1})).find("names vertex 4 of 4"),
            std::string::npos);
  EXPECT_NE(error_of("a.msh", make_msh({4, 1, 1, 0}, {})).find("no triangles"), std::string::npos);
}

}  // namespace
}  // namespace cenic

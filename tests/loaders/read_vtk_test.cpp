// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "core/error.h"
#include "loaders/mesh/read_mesh.h"

namespace cenic {
namespace {

class ReadVtk : public testing::Test {
 protected:
  ReadVtk() {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::temp_directory_path() / ("cenic_read_vtk_" + name);
    std::filesystem::create_directories(folder_);
  }
  ~ReadVtk() override { std::filesystem::remove_all(folder_); }

  TetMesh read(const std::string& bytes) {
    const std::string path = (folder_ / "a.vtk").string();
    std::ofstream(path, std::ios::binary) << bytes;
    return read_vtk(path);
  }
  // The error of reading a file of these bytes, without the path in front.
  std::string error_of(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const FileError& error) {
      return std::string(error.what()).substr((folder_ / "a.vtk").string().size());
    }
    return "no error";
  }

  std::filesystem::path folder_;
};

// Numbers with the most significant byte first.
template <typename Number>
std::string big_endian(std::initializer_list<Number> numbers) {
  std::string bytes;
  for (const Number number : numbers) {
    const auto chars = std::bit_cast<std::array<char, sizeof(Number)>>(number);
    bytes.append(chars.rbegin(), chars.rend());
  }
  return bytes;
}

const std::string kText =
    "# vtk DataFile Version 2.0\ntwo tets\nASCII\n\nDATASET UNSTRUCTURED_GRID\n";
const std::string kPoints = "POINTS 5 double\n0 0 0 1 0 0\n0 1 0\n0 0 1 1 1\n1\n";
const std::string kCells = "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\n";
const std::string kTypes = "CELL_TYPES 2\n10\n10\n";
const std::string kBinary =
    "# vtk DataFile Version 5.1\ntwo tets\nBINARY\nDATASET UNSTRUCTURED_GRID\n";

void expect_two_tets(const TetMesh& mesh) {
  ASSERT_EQ(mesh.vertices.size(), 5u);
  EXPECT_EQ(mesh.vertices[1], (Vec3{1, 0, 0}));
  EXPECT_EQ(mesh.vertices[4], (Vec3{1, 1, 1}));
  const std::vector<std::array<int, 4>> expected{{0, 1, 2, 3}, {1, 2, 3, 4}};
  EXPECT_EQ(mesh.tets, expected);
}

TEST_F(ReadVtk, TextOfBothLayouts) {
  expect_two_tets(read(kText + kPoints + kCells + kTypes));
  expect_two_tets(read(kText + "FIELD FieldData 1\nTIME 1 1 double\n0.5\n" + kPoints +
                       "METADATA\nINFORMATION 0\n\nCELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\n"
                       "CONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\n" +
                       kTypes + "POINT_DATA 5\nSCALARS s float\nwhatever\n"));
}

TEST_F(ReadVtk, BinaryOfBothLayouts) {
  const std::string floats =
      "POINTS 5 float\n" + big_endian<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}) + "\n";
  const std::string doubles = "POINTS 5 double\n" +
                              big_endian<double>({0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}) +
                              "\n";
  const std::string lists =
      "CELLS 2 10\n" + big_endian<std::int32_t>({4, 0, 1, 2, 3, 4, 1, 2, 3, 4}) + "\n";
  const std::string offsets =
      "CELLS 3 8\nOFFSETS vtktypeint64\n" + big_endian<std::int64_t>({0, 4, 8}) +
      "\nCONNECTIVITY vtktypeint64\n" + big_endian<std::int64_t>({0, 1, 2, 3, 1, 2, 3, 4}) + "\n";
  const std::string types = "CELL_TYPES 2\n" + big_endian<std::int32_t>({10, 10}) + "\n";
  expect_two_tets(read(kBinary + floats + lists + types));
  expect_two_tets(read(kBinary + doubles + offsets + types));

  EXPECT_EQ(error_of(kBinary + floats + "CELLS 2 10\n" +
                     big_endian<std::int32_t>({4, 0, 1, 2, 3, 4, 1, 2, 3, -1}) + "\n" + types),
            ":7: error: cell 1 names point -1, but points run from 0 to 4; export the mesh again");
  const std::string whole = kBinary + doubles + offsets + types;
  // Cut anywhere, it is an error and nothing worse.
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    EXPECT_THROW(read(whole.substr(0, size)), FileError) << size;
  }
}

TEST_F(ReadVtk, TextCutAnywhere) {
  const std::string whole = kText + kPoints + kCells + kTypes;
  for (std::size_t size = 0; size + 1 < whole.size(); ++size) {
    EXPECT_THROW(read(whole.substr(0, size)), FileError) << size;
  }
}

TEST_F(ReadVtk, ErrorsNameTheLine) {
  EXPECT_EQ(error_of("solid x\n"),
            ":1: error: the first line is not '# vtk DataFile Version ...'; give a legacy VTK file "
            "(.vtk, not .vtu)");
  EXPECT_EQ(error_of("# vtk DataFile Version 2.0\nx\nXML\n"),
            ":3: error: the third line must be ASCII or BINARY; export the mesh again as legacy "
            "VTK");
  EXPECT_EQ(error_of("# vtk DataFile Version 2.0\nx\nASCII\nDATASET POLYDATA\n"),
            ":4: error: the dataset is POLYDATA; only UNSTRUCTURED_GRID with tetrahedra is read");
  EXPECT_EQ(error_of(kText + kCells), ":6: error: CELLS before POINTS; write POINTS first");
  EXPECT_EQ(error_of(kText + "POINTS 1 double\n0 0\nnan\n"),
            ":8: error: 'nan' of the points is not a finite number; export the mesh again");
  EXPECT_EQ(error_of(kText + "POINTS 1 double\n0 1e999 0\n"),
            ":7: error: '1e999' of the points is not a finite number; export the mesh again");
  EXPECT_EQ(error_of(kText + "POINTS 1 int\n0 0 0\n"),
            ":6: error: points of whole numbers are not read; write float or double");
  EXPECT_EQ(error_of(kText + "POINTS 9000000000000000000 double\n0 0 0\n"),
            ":6: error: 9000000000000000000 numbers of points are promised, but the file holds 4 "
            "more at most: it is truncated; copy or export it again");
  EXPECT_EQ(error_of(kText + "POINTS -1 double\n0 0 0\n"),
            ":6: error: the number of points is missing or not a number after 'POINTS'");
  EXPECT_EQ(error_of(kText + "POINTS 0 double\n"),
            ":6: error: the grid has no points; export the mesh again");
  EXPECT_EQ(error_of(kText + kPoints + "CELLS 1 5\n4 0 1 2 5\n"),
            ":12: error: cell 0 names point 5, but points run from 0 to 4; export the mesh again");
  EXPECT_EQ(error_of(kText + kPoints + "CELLS 1 5\n8 0 1 2 5\n"),
            ":12: error: cell 0 has 8 corners; only tetrahedra, with 4, are read: mesh the solid "
            "with tetrahedra");
  EXPECT_EQ(error_of(kText + kPoints + "CELLS 2 9\n4 0 1 2 3\n3 0 1 2\n"),
            ":12: error: CELLS promises 2 cells in 9 numbers; 2 tetrahedra take 10: mesh the solid "
            "with tetrahedra only");
  EXPECT_EQ(error_of(kText + kPoints + "CELLS 2 3\nOFFSETS int\n0 3\nCONNECTIVITY int\n0 1 2\n"),
            ":13: error: cell 0 has 3 corners; only tetrahedra, with 4, are read: mesh the solid "
            "with tetrahedra");
  EXPECT_EQ(error_of(kText + kPoints + kCells + "CELL_TYPES 2\n10 12\n"),
            ":15: error: cell 1 is of type 12; only tetrahedra (10) are read: mesh the solid with "
            "tetrahedra only");
  EXPECT_EQ(error_of(kText + kPoints + kCells + "CELL_TYPES 1\n10\n"),
            ":14: error: CELL_TYPES has 1 entries for 2 cells; export the mesh again");
  EXPECT_EQ(error_of(kText + kPoints + kCells),
            ":13: error: no CELL_TYPES found before the end: the file is truncated; copy or export "
            "it again");
  EXPECT_EQ(error_of(kText + kPoints + "7\n"),
            ":11: error: '7' where POINTS, CELLS or CELL_TYPES should be; check the counts of what "
            "stands before it");
}

TEST_F(ReadVtk, NoiseIsAnErrorAndNothingWorse) {
  std::mt19937 random(1);
  const std::string whole = kText + kPoints +
                            "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\n"
                            "CONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\n" +
                            kTypes;
  int num_errors = 0;
  for (int round = 0; round < 400; ++round) {
    std::string noisy = whole;
    if (round % 2 == 0) noisy.replace(noisy.find("ASCII"), 5, "BINARY");
    for (int k = 0; k < 3; ++k) {
      noisy[random() % noisy.size()] = static_cast<char>(random());
    }
    try {
      read(noisy);
    } catch (const FileError&) {
      ++num_errors;
    }
  }
  EXPECT_GT(num_errors, 200);
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Height fields of MJCF files: the heights that MuJoCo has, from all three kinds of sources, and
// its depth of contacts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>
#include <png.h>

#include "core/error.h"
#include "geometry/height_field.h"
#include "geometry/height_field_contact.h"
#include "geometry/ray.h"
#include "loaders/robot_text.h"

namespace cenic::test {
namespace {

constexpr int kRows = 9, kColumns = 12;

// MuJoCo's own format.
std::string make_binary(const std::vector<float>& heights) {
  const std::int32_t counts[2] = {kRows, kColumns};
  std::string bytes(reinterpret_cast<const char*>(counts), sizeof(counts));
  bytes.append(reinterpret_cast<const char*>(heights.data()), heights.size() * sizeof(float));
  return bytes;
}

void write_png(const std::string& path, int bits, int color,
               const std::vector<std::uint8_t>& data) {
  FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, kColumns, kRows, bits, color, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const std::size_t stride = data.size() / kRows;
  for (int r = 0; r < kRows; ++r) {
    png_write_row(png, data.data() + r * stride);
  }
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}

std::string make_model(const std::string& asset, const std::string& bodies = "") {
  return fmt::format(
      R"(<mujoco><size nconmax="500" njmax="2000"/><asset><hfield name="ground" size="2 1.5 0.3 0.4" {}/></asset>
    <worldbody><geom name="ground" type="hfield" hfield="ground" pos="0.1 -0.2 0.3"/>{}</worldbody>
    </mujoco>)",
      asset, bodies);
}

std::vector<float> random_heights(unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<float> heights(kRows * kColumns);
  for (float& h : heights) {
    h = std::uniform_real_distribution<float>(-3, 5)(engine);
  }
  return heights;
}

mjModel* load_mujoco(const std::string& path) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(path.c_str(), nullptr, error, sizeof(error));
  EXPECT_NE(m, nullptr) << error;
  return m;
}

void expect_heights_of_mujoco(const std::string& path) {
  const LoadedModel loaded = load_model(path);
  const GeometrySpec& ground = loaded.spec.world_geometries.at(0);
  ASSERT_EQ(ground.shape.kind, ShapeKind::kHeightField);
  const HeightField& field = *ground.shape.height_field;
  mjModel* m = load_mujoco(path);
  ASSERT_NE(m, nullptr);
  ASSERT_EQ(field.rows, m->hfield_nrow[0]);
  ASSERT_EQ(field.columns, m->hfield_ncol[0]);
  EXPECT_EQ(field.half_x, m->hfield_size[0]);
  EXPECT_EQ(field.half_y, m->hfield_size[1]);
  EXPECT_EQ(field.base, m->hfield_size[3]);
  for (int i = 0; i < m->nhfielddata; ++i) {
    EXPECT_NEAR(field.heights[i], m->hfield_data[i] * m->hfield_size[2], 1e-7) << i;
  }
  EXPECT_EQ(ground.X_BG.p, (Vec3{0.1, -0.2, 0.3}));
  mj_deleteModel(m);
}

TEST(Hfield, HeightsOfABinaryFile) {
  const TemporaryFolder folder;
  folder.write("ground.bin", make_binary(random_heights(1)));
  expect_heights_of_mujoco(folder.write("model.xml", make_model("file=\"ground.bin\"")));
}

TEST(Hfield, HeightsOfAnImage) {
  const TemporaryFolder folder;
  std::vector<std::uint8_t> pixels(kRows * kColumns);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<std::uint8_t>(7 * i % 251);
  }
  write_png(folder.path("ground.png"), 8, PNG_COLOR_TYPE_GRAY, pixels);
  expect_heights_of_mujoco(folder.write("model.xml", make_model("file=\"ground.png\"")));
}

// The ground from above. The sides of 2.2.2 are not as high as the ground there, and its base has a
// lid; ours are tested against the triangles in geometry/ray_test.cpp.
TEST(Hfield, RaysMeetItWhereTheyDoInMujoco) {
  const TemporaryFolder folder;
  folder.write("ground.bin", make_binary(random_heights(4)));
  const std::string path = folder.write("model.xml", make_model("file=\"ground.bin\""));
  const Shape ground = load_model(path).spec.world_geometries.at(0).shape;
  mjModel* m = load_mujoco(path);
  ASSERT_NE(m, nullptr);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int hits = 0;
  for (int k = 0; k < 1000; ++k) {
    const Vec3 x{2 * uniform(engine), 1.5 * uniform(engine), 0.8 + 0.4 * uniform(engine)};
    const Vec3 dir = normalized(Vec3{uniform(engine), uniform(engine), uniform(engine)});
    const Vec3 p = x + Vec3{0.1, -0.2, 0.3};
    const double from[3] = {p.x, p.y, p.z}, along[3] = {dir.x, dir.y, dir.z};
    const double theirs = mj_rayHfield(m, d, 0, from, along);
    const double ours = cast_ray(ground, x, dir);
    const Vec3 end = x + theirs * dir;
    const bool at_side = 2 - std::fabs(end.x) < 1e-6 || 1.5 - std::fabs(end.y) < 1e-6;
    if (theirs >= 0 && at_side) continue;
    hits += theirs >= 0 ? 1 : 0;
    EXPECT_NEAR(std::isfinite(ours) ? ours : -1, theirs, 1e-6);
  }
  EXPECT_GT(hits, 200);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// 16 bits are all taken over, which MuJoCo does not do; and text, which 2.2.2 does not know.
TEST(Hfield, HeightsOfDeepImagesAndOfText) {
  const TemporaryFolder folder;
  std::vector<std::uint8_t> pixels(2 * kRows * kColumns);
  std::string text;
  for (int i = 0; i < kRows * kColumns; ++i) {
    const int value = 607 * i;
    pixels[2 * i] = static_cast<std::uint8_t>(value >> 8);
    pixels[2 * i + 1] = static_cast<std::uint8_t>(value & 255);
    text += fmt::format(" {}", value - 100);
  }
  write_png(folder.path("ground.png"), 16, PNG_COLOR_TYPE_GRAY, pixels);
  const auto heights = [&](const std::string& asset) {
    const LoadedModel loaded = load_model(folder.write("model.xml", make_model(asset)));
    return loaded.spec.world_geometries.at(0).shape.height_field->heights;
  };
  const auto a = heights("file=\"ground.png\"");
  const auto b =
      heights(fmt::format("nrow=\"{}\" ncol=\"{}\" elevation=\"{}\"", kRows, kColumns, text));
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 1e-12);
  }
  // The first number of the text is at the top: small x, large y.
  EXPECT_EQ(b[(kRows - 1) * kColumns], 0);
  EXPECT_NEAR(b[kColumns - 1], 0.3, 1e-12);
  // Grey in three colours, each with a transparency.
  std::vector<std::uint8_t> colors(4 * kRows * kColumns), grey(kRows * kColumns);
  for (std::size_t i = 0; i < grey.size(); ++i) {
    grey[i] = colors[4 * i] = colors[4 * i + 1] = colors[4 * i + 2] =
        static_cast<std::uint8_t>(37 * i % 256);
    colors[4 * i + 3] = static_cast<std::uint8_t>(i);
  }
  write_png(folder.path("color.png"), 8, PNG_COLOR_TYPE_RGBA, colors);
  write_png(folder.path("grey.png"), 8, PNG_COLOR_TYPE_GRAY, grey);
  EXPECT_EQ(heights("file=\"color.png\""), heights("file=\"grey.png\""));
  for (const double h : heights("nrow=\"3\" ncol=\"4\"")) {
    EXPECT_EQ(h, 0);
  }
}

// Balls just below the surface. MuJoCo's general collider takes a direction near the least deep
// one, so it is never less deep; ours is tested against all triangles in
// geometry/height_field_test.cpp.
TEST(Hfield, DepthOfBallsAsInMuJoCo) {
  const TemporaryFolder folder;
  folder.write("ground.bin", make_binary(random_heights(5)));
  std::mt19937 engine(8);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  };
  // Where the ground is, to put balls on it.
  const std::string plain = folder.write("plain.xml", make_model("file=\"ground.bin\""));
  const LoadedModel loaded = load_model(plain);
  const GeometrySpec& ground = loaded.spec.world_geometries.at(0);
  std::string bodies;
  std::vector<Vec3> centers;
  constexpr double kRadius = 0.2;
  HeightFieldCollider collider;
  const Shape ball = make_sphere(kRadius);
  while (centers.size() < 30) {
    const Vec3 p{uniform(-1.2, 1.2), uniform(-1, 0.8), uniform(0.4, 0.9)};
    double phi = 1;
    for (const auto& point :
         collider.find(ball, RigidTransform::translation(p), ground.shape, ground.X_BG, 0)) {
      phi = std::min(phi, point.point.phi);
    }
    if (phi > 0 || phi < -0.01) continue;
    bodies += fmt::format(
        R"(<body pos="{} {} {}"><freejoint/><geom size="{}" contype="2" conaffinity="1"/></body>)",
        p.x, p.y, p.z, kRadius);
    centers.push_back(p);
  }
  mjModel* m = load_mujoco(folder.write("balls.xml", make_model("file=\"ground.bin\"", bodies)));
  ASSERT_NE(m, nullptr);
  mjData* d = mj_makeData(m);
  mj_forward(m, d);
  std::vector<double> depth(centers.size(), 0);
  for (int c = 0; c < d->ncon; ++c) {
    const int geom = std::max(d->contact[c].geom1, d->contact[c].geom2);
    depth[geom - 1] = std::min(depth[geom - 1], static_cast<double>(d->contact[c].dist));
  }
  int same = 0;
  for (std::size_t i = 0; i < centers.size(); ++i) {
    double phi = 0;
    for (const auto& point : collider.find(ball, RigidTransform::translation(centers[i]),
                                           ground.shape, ground.X_BG, 0)) {
      phi = std::min(phi, point.point.phi);
    }
    EXPECT_LT(depth[i], phi + 1e-6) << i;
    EXPECT_GT(depth[i], 1.3 * phi - 1e-6) << i;
    if (std::fabs(depth[i] - phi) < 1e-6 - 0.02 * phi) ++same;
  }
  EXPECT_GT(same, static_cast<int>(centers.size()) / 2);
  mj_deleteData(d);
  mj_deleteModel(m);
}

TEST(Hfield, WhatIsWrongIsSaid) {
  const auto error_of_asset = [](const std::string& asset) {
    return errors_of("model.xml", make_model(asset));
  };
  EXPECT_TRUE(contains(error_of_asset("file=\"none.png\""), "none.png"));
  EXPECT_TRUE(contains(error_of_asset("nrow=\"2\" ncol=\"2\" elevation=\"1 2 3\""), "nrow"));
  EXPECT_TRUE(contains(error_of_asset("nrow=\"1\" ncol=\"2\""), "2 or more"));
  EXPECT_TRUE(contains(errors_of("model.xml",
                                 "<mujoco><worldbody><geom type=\"hfield\"/>"
                                 "</worldbody></mujoco>"),
                       "hfield="));
  const TemporaryFolder folder;
  const auto error_of_file = [&](const std::string& name, const std::string& bytes) {
    folder.write(name, bytes);
    try {
      load_model(folder.write("model.xml", make_model("file=\"" + name + "\"")));
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_TRUE(contains(error_of_file("a.png", "no image"), "not a PNG"));
  EXPECT_TRUE(contains(error_of_file("a.bin", make_binary({1, 2})), "no height field"));
  EXPECT_TRUE(contains(error_of_file("b.bin", std::string(8, '\xff')), "no height field"));
  EXPECT_TRUE(contains(error_of_file("a.txt", ""), "empty"));
  // Cut off anywhere, an image is refused.
  std::vector<std::uint8_t> pixels(kRows * kColumns, 9);
  write_png(folder.path("whole.png"), 8, PNG_COLOR_TYPE_GRAY, pixels);
  std::ifstream file(folder.path("whole.png"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (std::size_t n = 8; n + 16 < bytes.size(); n += 5) {
    EXPECT_FALSE(error_of_file("cut.png", bytes.substr(0, n)).empty()) << n;
  }
}

}  // namespace
}  // namespace cenic::test

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// glTF files: what they hold, and that no file whatever reaches beyond its buffers.
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "loaders/mesh/image.h"
#include "loaders/mesh/read_mesh.h"
#include "loaders/mjcf_text.h"
#include "loaders/robot_text.h"

namespace cenic::test {
namespace {

using nlohmann::json;

template <typename T>
void append(std::string* bytes, const std::vector<T>& values) {
  bytes->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

// Four points, and six indices of two triangles.
std::string make_buffer() {
  std::string bytes;
  append<float>(&bytes, {0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2, 3});
  append<std::uint16_t>(&bytes, {0, 1, 2, 0, 2, 3});
  return bytes;
}

json make_document() {
  return json::parse(R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
    "nodes":[{"mesh":0}],
    "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"material":0}]}],
    "materials":[{"pbrMetallicRoughness":{"baseColorFactor":[0.5,0.25,1,1]}}],
    "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
                 {"bufferView":1,"componentType":5123,"count":6,"type":"SCALAR"}],
    "bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":12}],
    "buffers":[{"uri":"mesh.bin","byteLength":60}]})");
}

MeshParts read(const json& document, const std::string& buffer = make_buffer()) {
  const TemporaryFolder folder;
  folder.write("mesh.bin", buffer);
  return read_gltf(folder.write("mesh.gltf", document.dump()));
}

std::string error_of(const json& document, const std::string& buffer = make_buffer()) {
  try {
    read(document, buffer);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(ReadGltf, PositionsTrianglesAndColours) {
  const MeshParts parts = read(make_document());
  ASSERT_EQ(parts.parts.size(), 1u);
  const TriangleMesh& mesh = parts.parts[0].mesh;
  ASSERT_EQ(mesh.vertices.size(), 4u);
  EXPECT_EQ(mesh.vertices[3], (Vec3{0, -3, 2}));  // y was up, z is
  EXPECT_EQ(mesh.triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(parts.parts[0].color, (std::array<float, 4>{0.5F, 0.25F, 1, 1}));
  EXPECT_TRUE(parts.notes.empty());
}

TEST(ReadGltf, NodesMoveTurnScaleAndMirror) {
  json document = make_document();
  document["nodes"] = json::parse(R"([{"translation":[1,0,0],"children":[1]},
    {"rotation":[0,0,0.70710678118654757,0.70710678118654757],"scale":[2,2,-2],"mesh":0}])");
  const TriangleMesh mesh = read(document).parts.at(0).mesh;
  // (1, 2, 0) → scaled (2, 4, 0) → a quarter turn about z (−4, 2, 0) → (−3, 2, 0) → z up.
  EXPECT_LT(norm(mesh.vertices[2] - Vec3{-3, 0, 2}), 1e-12);
  EXPECT_EQ(mesh.triangles[0], (std::array<int, 3>{0, 2, 1}));  // a mirror turns them over
  document["nodes"] = json::parse(R"([{"matrix":[0,2,0,0, -2,0,0,0, 0,0,2,0, 1,0,0,1],"mesh":0}])");
  EXPECT_LT(norm(read(document).parts.at(0).mesh.vertices[2] - Vec3{-3, 0, 2}), 1e-12);
}

TEST(ReadGltf, StripsFansAndNoIndices) {
  json document = make_document();
  json& primitive = document["meshes"][0]["primitives"][0];
  primitive.erase("indices");
  primitive["mode"] = 5;
  EXPECT_EQ(read(document).parts.at(0).mesh.triangles,
            (std::vector<std::array<int, 3>>{{0, 1, 2}, {1, 3, 2}}));
  primitive["mode"] = 6;
  EXPECT_EQ(read(document).parts.at(0).mesh.triangles,
            (std::vector<std::array<int, 3>>{{0, 1, 2}, {0, 2, 3}}));
  primitive["mode"] = 1;
  EXPECT_TRUE(contains(error_of(document), "no triangles"));
}

TEST(ReadGltf, BinaryFilesAndDataInside) {
  const TriangleMesh expected = read(make_document()).parts.at(0).mesh;
  json document = make_document();
  document["buffers"][0].erase("uri");
  std::string text = document.dump(), bytes = make_buffer();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const auto word = [](std::size_t n) {
    const auto value = static_cast<std::uint32_t>(n);
    return std::string(reinterpret_cast<const char*>(&value), 4);
  };
  const std::string glb = "glTF" + word(2) + word(28 + text.size() + bytes.size()) +
                          word(text.size()) + "JSON" + text + word(bytes.size()) +
                          std::string("BIN\0", 4) + bytes;
  const TemporaryFolder folder;
  EXPECT_EQ(read_gltf(folder.write("mesh.glb", glb)).parts.at(0).mesh.vertices, expected.vertices);
  // Cut off anywhere it is refused, or at least harmless.
  for (std::size_t n = 0; n < glb.size(); n += 7) {
    EXPECT_THROW(read_gltf(folder.write("cut.glb", glb.substr(0, n))), Error) << n;
  }
  document["buffers"][0]["uri"] =
      "data:application/octet-stream;base64,"
      "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAACAPwAAAEAAAAAAAAAAAAAAAEAAAEBAAAABAAIAAAACAAMA";
  EXPECT_EQ(read(document).parts.at(0).mesh.vertices, expected.vertices);
}

// The mesh with a picture: of a file, of a buffer, or of neither.
json make_painted(const json& image) {
  json document = make_document();
  document["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"] = {{"index", 0}};
  document["textures"] = json::parse(R"([{"source":0}])");
  document["images"] = json::array({image});
  document["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = 2;
  document["accessors"].push_back(
      json::parse(R"({"bufferView":2,"componentType":5126,"count":4,"type":"VEC2"})"));
  document["bufferViews"].push_back(json::parse(R"({"buffer":0,"byteOffset":60,"byteLength":32})"));
  document["buffers"][0]["byteLength"] = 92;
  return document;
}

TEST(ReadGltf, PicturesOfBaseColours) {
  const std::string picture = *make_picture(1, 1, {Pixel{9, 8, 7}});
  std::string buffer = make_buffer();
  append<float>(&buffer, {0, 0, 1, 0, 1, 0.75F, 0, 1});
  const std::size_t end = buffer.size();
  json document = make_painted({{"bufferView", 3}});
  document["bufferViews"].push_back(
      {{"buffer", 0}, {"byteOffset", end}, {"byteLength", picture.size()}});
  document["buffers"][0]["byteLength"] = end + picture.size();
  const MeshParts inside = read(document, buffer + picture);
  EXPECT_TRUE(inside.notes.empty());
  ASSERT_NE(inside.parts.at(0).picture, nullptr);
  EXPECT_EQ(*inside.parts[0].picture, picture);
  const TriangleMesh& mesh = inside.parts[0].mesh;
  ASSERT_EQ(mesh.uv.size(), mesh.triangles.size());
  EXPECT_EQ(mesh.uv[0][2], (std::array<float, 2>{1, 0.25F}));  // (0, 0) is the lower left

  const TemporaryFolder folder;
  folder.write("mesh.bin", buffer);
  folder.write("p.png", picture);
  const auto read_beside = [&](const json& image) {
    return read_gltf(folder.write("mesh.gltf", make_painted(image).dump()));
  };
  EXPECT_EQ(*read_beside({{"uri", "p.png"}}).parts.at(0).picture, picture);
  for (const char* uri : {"gone.png", "mesh.bin", "../p.png", "/etc/passwd"}) {
    const MeshParts parts = read_beside({{"uri", uri}});
    EXPECT_EQ(parts.parts.at(0).picture, nullptr) << uri;
    EXPECT_TRUE(parts.parts[0].mesh.uv.empty());
    EXPECT_EQ(parts.notes.size(), 1U) << uri;
  }
  // Without places, and with places that reach beyond the buffer.
  document["meshes"][0]["primitives"][0]["attributes"].erase("TEXCOORD_0");
  EXPECT_EQ(read(document, buffer + picture).notes.size(), 1U);
  document["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = 2;
  document["accessors"][2]["count"] = 5;
  EXPECT_FALSE(error_of(document, buffer + picture).empty());
}

TEST(ReadGltf, WhatIsLeftOutIsSaid) {
  json document = make_document();
  document["materials"][0]["normalTexture"] = {{"index", 0}};
  document["animations"] = json::parse("[{}]");
  document["skins"] = json::parse("[{}]");
  EXPECT_EQ(read(document).notes.size(), 3u);
}

// Each change makes a file that must be refused with words.
TEST(ReadGltf, HostileFiles) {
  const std::pair<const char*, const char*> changes[] = {
      {"/asset/version", R"("1.0")"},
      {"/asset", "7"},
      {"/scene", "9"},
      {"/scene", "-1"},
      {"/scenes/0/nodes", "[5]"},
      {"/scenes/0/nodes", "[0, 0]"},
      {"/scenes", "{}"},
      {"/nodes/0", "3"},
      {"/nodes/0/mesh", "77"},
      {"/nodes/0/children", "[0]"},
      {"/nodes/0/children", R"(["a"])"},
      {"/nodes/0/matrix", "[1, 2]"},
      {"/nodes/0/rotation", "[0, 0, 0, 0]"},
      {"/nodes/0/translation", "[1e999, 0, 0]"},
      {"/nodes/0/scale", "[1e308, 1e308, 1e308]"},
      {"/meshes/0/primitives/0/indices", "4294967295"},
      {"/meshes/0/primitives/0/attributes/POSITION", "-3"},
      {"/meshes/0/primitives/0/mode", "12"},
      {"/meshes/0/primitives/0/material", "1"},
      {"/materials/0/pbrMetallicRoughness/baseColorFactor", "[1]"},
      {"/accessors/0/count", "5"},
      {"/accessors/0/count", "4294967295"},
      {"/accessors/0/count", "18446744073709551615"},
      {"/accessors/0/count", "-4"},
      {"/accessors/0/count", "1.5"},
      {"/accessors/0/byteOffset", "4"},
      {"/accessors/0/byteOffset", "18446744073709551612"},
      {"/accessors/0/componentType", "5120"},
      {"/accessors/0/type", R"("MAT4")"},
      {"/accessors/0/sparse", "{}"},
      {"/accessors/1/count", "7"},
      {"/accessors/1/componentType", "5126"},
      {"/accessors/0/bufferView", "3"},
      {"/bufferViews/0/buffer", "1"},
      {"/bufferViews/0/byteLength", "1000"},
      {"/bufferViews/0/byteOffset", "4294967290"},
      {"/bufferViews/0/byteStride", "4"},
      {"/bufferViews/1/byteOffset", "12"},
      {"/buffers/0/byteLength", "100"},
      {"/buffers/0/uri", R"("../../etc/passwd")"},
      {"/buffers/0/uri", R"("/etc/passwd")"},
      {"/buffers/0/uri", R"("http://example.org/x.bin")"},
      {"/buffers/0/uri", R"("%2e%2e/mesh.bin")"},
      {"/buffers/0/uri", R"("data:text/plain,hello")"},
      {"/buffers/0/uri", R"("none.bin")"},
      {"/extensionsRequired", R"(["KHR_draco_mesh_compression"])"}};
  for (const auto& [where, value] : changes) {
    json document = make_document();
    std::string text = value;
    json parsed = json::parse(text, nullptr, false);
    if (parsed.is_discarded()) continue;  // numbers that JSON itself refuses
    document[json::json_pointer(where)] = parsed;
    EXPECT_FALSE(error_of(document).empty()) << where << " = " << value;
  }
  // Two nodes that hold each other.
  json document = make_document();
  document["nodes"] = json::parse(R"([{"children":[1]},{"children":[0],"mesh":0}])");
  EXPECT_TRUE(contains(error_of(document), "two parents"));
  EXPECT_TRUE(contains(error_of(json::parse("[]")), "JSON"));
  // A position that is not a number.
  std::string buffer = make_buffer();
  std::memset(buffer.data(), 0xff, 12);
  EXPECT_TRUE(contains(error_of(make_document(), buffer), "not finite"));
}

TEST(ReadGltf, DeepNestingIsNoStackOverflow) {
  json document = make_document();
  document["nodes"] = json::array();
  constexpr int kDepth = 10000;
  for (int i = 0; i < kDepth; ++i) {
    document["nodes"].push_back(i + 1 < kDepth ? json{{"children", {i + 1}}} : json{{"mesh", 0}});
  }
  EXPECT_EQ(read(document).parts.at(0).mesh.vertices.size(), 4u);
}

// A visual of two colours is two geometries; the colour that the SDF gives goes first.
TEST(ReadGltf, IsDrawnAsItIs) {
  json document = make_document();
  document["materials"].push_back({{"pbrMetallicRoughness", {{"baseColorFactor", {1, 0, 0, 1}}}}});
  json second = document["meshes"][0]["primitives"][0];
  second["material"] = 1;
  document["meshes"][0]["primitives"].push_back(second);
  document["materials"][1]["normalTexture"] = {{"index", 0}};
  const TemporaryFolder folder;
  folder.write("mesh.bin", make_buffer());
  folder.write("mesh.gltf", document.dump());
  const auto load = [&](const std::string& material) {
    return load_model(
        folder.write("model.sdf", fmt::format(R"(<sdf version="1.8"><model name="m"><link name="l">
          <visual name="v"><geometry><mesh><uri>mesh.gltf</uri></mesh></geometry>{}</visual>
          </link></model></sdf>)",
                                              material)));
  };
  const LoadedModel loaded = load("");
  const auto& geometries = loaded.spec.bodies.at(0).geometries;
  ASSERT_EQ(geometries.size(), 2u);
  for (const GeometrySpec& g : geometries) {
    EXPECT_EQ(g.shape.kind, ShapeKind::kSurface);
    EXPECT_EQ(g.shape.hull, nullptr);
    EXPECT_FALSE(g.collides);
  }
  EXPECT_NE(geometries[0].color, geometries[1].color);
  EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, "textures")) << list_reports(loaded);
  const LoadedModel red = load("<material><diffuse>0.9 0.1 0.1 1</diffuse></material>");
  for (const GeometrySpec& g : red.spec.bodies.at(0).geometries) {
    EXPECT_EQ(g.color, (std::array<float, 4>{0.9F, 0.1F, 0.1F, 1}));
  }
}

// Every glTF file of the model collection.
TEST(ReadGltf, FilesOfTheCollection) {
  int count = 0;
  std::error_code status;
  for (std::filesystem::recursive_directory_iterator it(CENIC_SHARED_MODELS, status), end;
       it != end && !status; it.increment(status)) {
    if (it->path().extension() != ".gltf" && it->path().extension() != ".glb") continue;
    const MeshParts parts = read_gltf(it->path().string());
    EXPECT_FALSE(parts.parts.empty()) << it->path();
    ++count;
  }
  if (count == 0) GTEST_SKIP() << "no collection of models";
}

}  // namespace
}  // namespace cenic::test

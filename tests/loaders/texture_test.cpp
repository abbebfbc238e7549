// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Pictures on geometries: from a file to what the viewer shows.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <png.h>

#include "loaders/mesh/image.h"
#include "loaders/mesh/read_mesh.h"
#include "loaders/robot_text.h"
#include "loaders/scenario/write_scenario.h"
#include "recording/recorder.h"
#include "viewer/scene_json.h"

namespace cenic::test {
namespace {

struct Picture {
  int width = 0, height = 0;
  std::vector<Pixel> pixels{};
  const Pixel& at(int r, int c) const { return pixels[static_cast<std::size_t>(r) * width + c]; }
};

// By libpng, as a browser would.
Picture decode(const std::string& bytes) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()), 0);
  image.format = PNG_FORMAT_RGB;
  Picture picture{static_cast<int>(image.width), static_cast<int>(image.height), {}};
  picture.pixels.resize(static_cast<std::size_t>(image.width) * image.height);
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr), 0);
  return picture;
}

std::string model(const std::string& assets, const std::string& geoms) {
  return "<mujoco>\n<asset>\n" + assets + "\n</asset><worldbody>" + geoms + "</worldbody></mujoco>";
}

constexpr const char* kFloor = "<geom name='floor' type='plane' size='2 4 1' material='m'/>";

TEST(Textures, CheckersHaveTheirColoursMarkAndRepeat) {
  const LoadedModel loaded = load_text_model(
      model("<material name='m' texture='t' texrepeat='4 4' rgba='1 0.5 1 1'/>"
            "<texture name='t' type='2d' builtin='checker' rgb1='1 0 0' rgb2='0 0 1' width='8' "
            "height='6' mark='edge' markrgb='0 1 0'/>",
            kFloor));
  const GeometrySpec& floor = loaded.spec.world_geometries.at(0);
  ASSERT_NE(floor.texture.image, nullptr);
  EXPECT_EQ(floor.color[1], 0.5F);
  const Picture p = decode(*floor.texture.image);
  ASSERT_EQ(p.width, 8);
  ASSERT_EQ(p.height, 6);
  const Pixel red{255, 0, 0}, blue{0, 0, 255}, green{0, 255, 0};
  EXPECT_EQ(p.at(1, 1), red);
  EXPECT_EQ(p.at(1, 5), blue);
  EXPECT_EQ(p.at(4, 1), blue);
  EXPECT_EQ(p.at(4, 5), red);
  EXPECT_EQ(p.at(0, 3), green);
  EXPECT_EQ(p.at(3, 7), green);
  // Four over the plane, which is 4 m by 8 m.
  EXPECT_FALSE(floor.texture.cube);
  EXPECT_TRUE(floor.texture.per_metre);
  EXPECT_EQ(floor.texture.repeat, (std::array<double, 2>{1, 0.5}));
  EXPECT_NO_THROW(compile(loaded.spec));
}

TEST(Textures, WithTexuniformTheMetreCounts) {
  const LoadedModel loaded = load_text_model(
      model("<texture name='t' type='2d' builtin='flat' rgb1='1 0 0' width='2' height='2'/>"
            "<texture name='c' builtin='flat' rgb1='0 1 0' width='2' height='12'/>"
            "<material name='m' texture='t' texrepeat='3 5' texuniform='true'/>"
            "<material name='box'><layer role='rgb' texture='c'/></material>",
            std::string(kFloor) + "<geom type='box' size='1 1 1' material='box'/>"));
  const TextureSpec& floor = loaded.spec.world_geometries.at(0).texture;
  EXPECT_EQ(floor.repeat, (std::array<double, 2>{3, 5}));
  EXPECT_TRUE(floor.per_metre);
  const TextureSpec& box = loaded.spec.world_geometries.at(1).texture;  // cube is the default
  ASSERT_NE(box.image, nullptr);
  EXPECT_TRUE(box.cube);
  EXPECT_EQ(decode(*box.image).height, 2);  // one of its sides
}

TEST(Textures, WhatIsNotDrawnIsReported) {
  const TemporaryFolder folder;
  folder.write("big.png", "\x89PNG\r\n" + std::string(kLargestPicture, 'x'));
  folder.write("text.png", "no picture");
  const auto load = [&](const std::string& texture) {
    return load_model(
        folder.write("model.xml", model(texture + "<material name='m' texture='t'/>", kFloor)));
  };
  const auto expect = [&](const std::string& texture, const std::string& reason) {
    const LoadedModel loaded = load(texture);
    EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, reason)) << list_reports(loaded);
    EXPECT_EQ(loaded.spec.world_geometries.at(0).texture.image, nullptr) << texture;
  };
  expect("<texture name='t' type='2d' file='gone.png'/>", "is not there");
  expect("<texture name='t' type='2d' file='big.png'/>", "are not drawn; make it smaller");
  expect("<texture name='t' type='2d' file='text.png'/>", "neither PNG nor JPEG");
  expect("<texture name='t' type='cube' fileright='text.png'/>", "several pictures");
  expect("<texture name='t' type='2d'/>", "neither a file nor a builtin");
  expect("<texture name='t' type='skybox' builtin='flat'/>", "sky");
}

constexpr const char* kObj = R"(v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 0.5 1
f 1/1 3/3 2/2
f 1/1 2/2 4/3
f 2/1 3/2 4/3
f 1/1 4/3 3/2
)";

TEST(Textures, ObjFilesSayWhereTheyAreInThePicture) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = read_obj(folder.write("a.obj", kObj));
  ASSERT_EQ(mesh.uv.size(), 4U);
  EXPECT_EQ(mesh.vertices.size(), 4U);  // as without a picture
  EXPECT_EQ(mesh.uv[0][1], (std::array<float, 2>{0.5F, 1}));
  EXPECT_EQ(mesh.uv[2][0], (std::array<float, 2>{0, 0}));
  std::string partly = kObj;
  partly.replace(partly.find("f 1/1 4/3 3/2"), 13, "f 1 4 3");
  EXPECT_TRUE(read_obj(folder.write("b.obj", partly)).uv.empty());
}

// What a URDF shows has the colours and pictures of the .mtl beside the mesh.
TEST(Textures, MaterialsOfObjFiles) {
  const TemporaryFolder folder;
  std::string obj = "mtllib a.mtl\nusemtl red\n" + std::string(kObj);
  obj.replace(obj.find("f 2/1"), 5, "usemtl photo\nf 2/1");
  folder.write("a.obj", obj);
  folder.write("a.mtl",
               "newmtl red\nKd 1 0 0\nd 0.5\nnewmtl photo\nKd 0 0 0\nmap_Kd -s 1 1 1 p.png\n");
  const std::string bytes = *make_picture(1, 1, {Pixel{9, 9, 9}});
  folder.write("p.png", bytes);
  const MeshParts parts = read_obj_parts(folder.path("a.obj"));
  ASSERT_EQ(parts.parts.size(), 2U);
  EXPECT_EQ(parts.parts[0].color, (std::array<float, 4>{1, 0, 0, 0.5F}));
  EXPECT_EQ(parts.parts[0].mesh.triangles.size(), 2U);
  EXPECT_EQ(*parts.parts[1].picture, bytes);
  EXPECT_EQ(parts.parts[1].mesh.uv.size(), 2U);

  const auto load = [&](const std::string& material) {
    return load_model(
        folder.write("robot.urdf",
                     "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' "
                     "iyy='1' izz='1'/></inertial><visual><geometry><mesh filename='a.obj'/>"
                     "</geometry>" +
                         material + "</visual></link></robot>"));
  };
  const auto geometries = [](const LoadedModel& loaded) -> const std::vector<GeometrySpec>& {
    return loaded.spec.bodies.at(0).geometries;
  };
  const LoadedModel plain = load("");
  int red = 0, painted = 0;
  for (const GeometrySpec& g : geometries(plain)) {
    if (g.texture.image == nullptr && g.color[0] == 1 && g.color[1] == 0) ++red;
    if (g.texture.image != nullptr && g.color[1] == 1) ++painted;
  }
  EXPECT_EQ(red, 1);
  EXPECT_EQ(painted, 1);
  // What the URDF says of the look goes before.
  const LoadedModel own = load("<material name='m'><color rgba='0 0 1 1'/></material>");
  for (const GeometrySpec& g : geometries(own)) {
    EXPECT_EQ(g.color[2], 1);
    EXPECT_EQ(g.texture.image, nullptr);
  }
  const LoadedModel texture = load("<material name='m'><texture filename='p.png'/></material>");
  for (const GeometrySpec& g : geometries(texture)) {
    ASSERT_NE(g.texture.image, nullptr);
    EXPECT_EQ(*g.texture.image, bytes);
  }
  std::filesystem::remove(folder.path("a.mtl"));
  EXPECT_TRUE(is_reported(load(""), Severity::kIgnored, "its materials cannot be read"));
  folder.write("a.mtl", "newmtl photo\nmap_Kd ../p.png\n");
  EXPECT_TRUE(is_reported(load(""), Severity::kIgnored, "texture '../p.png' is not drawn"));
  const LoadedModel gone = load("<material name='m'><texture filename='q.png'/></material>");
  EXPECT_TRUE(is_reported(gone, Severity::kIgnored, "the texture is not drawn"));
}

// Two triangles of one material, one of another, shown with the first bound to a colour and the
// second to a picture.
constexpr const char* kPaintedDae =
    R"(<COLLADA version="1.4.1"><asset><up_axis>Z_UP</up_axis></asset>
<library_images><image id="photo"><init_from>p.png</init_from></image></library_images>
<library_effects>
 <effect id="red"><profile_COMMON><technique sid="t"><phong><diffuse><color>1 0 0 1</color></diffuse>
  </phong></technique></profile_COMMON></effect>
 <effect id="painted"><profile_COMMON>
  <newparam sid="s"><surface type="2D"><init_from>photo</init_from></surface></newparam>
  <newparam sid="m"><sampler2D><source>s</source></sampler2D></newparam>
  <technique sid="t"><lambert><diffuse><texture texture="m" texcoord="UV"/></diffuse></lambert>
  </technique></profile_COMMON></effect></library_effects>
<library_materials><material id="mr"><instance_effect url="#red"/></material>
 <material id="mp"><instance_effect url="#painted"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
 <source id="p"><float_array>0 0 0 1 0 0 0 1 0 0 0 1</float_array></source>
 <source id="uv"><float_array>0 0 0.5 1 1 0.25</float_array><technique_common>
  <accessor source="#uv" stride="2"/></technique_common></source>
 <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
 <triangles material="A"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3</p></triangles>
 <triangles material="B"><input semantic="VERTEX" source="#v" offset="0"/>
  <input semantic="TEXCOORD" source="#uv" offset="1" set="0"/><p>1 0 2 1 3 2</p></triangles>
 </mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s0"><node><scale>1 1 -1</scale><instance_geometry url="#g">
 <bind_material><technique_common><instance_material symbol="A" target="#mr"/>
 <instance_material symbol="B" target="#mp"/></technique_common></bind_material>
 </instance_geometry></node></visual_scene></library_visual_scenes></COLLADA>)";

TEST(Textures, MaterialsOfColladaFiles) {
  const TemporaryFolder folder;
  folder.write("a.dae", kPaintedDae);
  const std::string bytes = *make_picture(1, 1, {Pixel{9, 9, 9}});
  folder.write("p.png", bytes);
  const MeshParts parts = read_dae(folder.path("a.dae"));
  ASSERT_EQ(parts.parts.size(), 2U);
  EXPECT_TRUE(parts.notes.empty());
  EXPECT_EQ(parts.parts[0].color, (std::array<float, 4>{1, 0, 0, 1}));
  EXPECT_EQ(parts.parts[0].mesh.triangles.size(), 2U);
  EXPECT_TRUE(parts.parts[0].mesh.uv.empty());
  ASSERT_NE(parts.parts[1].picture, nullptr);
  EXPECT_EQ(*parts.parts[1].picture, bytes);
  // Mirrored: the last two corners change places, and with them their places in the picture.
  ASSERT_EQ(parts.parts[1].mesh.uv.size(), 1U);
  EXPECT_EQ(parts.parts[1].mesh.triangles[0], (std::array{1, 3, 2}));
  EXPECT_EQ(parts.parts[1].mesh.uv[0][1], (std::array<float, 2>{1, 0.25F}));
  EXPECT_EQ(parts.parts[1].mesh.vertices[3], (Vec3{0, 0, -1}));
  EXPECT_EQ(read_mesh(folder.path("a.dae")).triangles.size(), 3U);

  std::filesystem::remove(folder.path("p.png"));
  const LoadedModel robot = load_model(folder.write(
      "robot.urdf",
      "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1'/></inertial><visual><geometry><mesh filename='a.dae'/></geometry></visual></link>"
      "</robot>"));
  EXPECT_EQ(robot.spec.bodies.at(0).geometries.size(), 2U);
  EXPECT_TRUE(is_reported(robot, Severity::kIgnored, "texture 'p.png' is not drawn"));
}

TEST(Textures, MaterialsOfSdfFiles) {
  const TemporaryFolder folder;
  const std::string bytes = *make_picture(1, 1, {Pixel{9, 9, 9}});
  folder.write("p.png", bytes);
  const auto load = [&](const std::string& material) {
    return load_model(folder.write(
        "m.sdf",
        "<sdf version='1.9'><model name='m'><link name='a'><visual name='v'><geometry><box><size>"
        "1 1 1</size></box></geometry><material>" +
            material + "</material></visual></link></model></sdf>"));
  };
  const auto look = [](const LoadedModel& loaded) -> const GeometrySpec& {
    return loaded.spec.bodies.at(0).geometries.at(0);
  };
  const LoadedModel plain =
      load("<pbr><metal><albedo_map>p.png</albedo_map><roughness>1</roughness></metal></pbr>");
  ASSERT_NE(look(plain).texture.image, nullptr);
  EXPECT_EQ(*look(plain).texture.image, bytes);
  EXPECT_EQ(look(plain).color, (std::array<float, 4>{1, 1, 1, 1}));
  EXPECT_TRUE(is_reported(plain, Severity::kIgnored, "roughness"));
  const LoadedModel tinted = load(
      "<diffuse>0 1 0 1</diffuse><pbr><specular><albedo_map>p.png</albedo_map></specular></pbr>");
  EXPECT_EQ(look(tinted).color[0], 0);
  EXPECT_NE(look(tinted).texture.image, nullptr);
  const LoadedModel gone = load("<pbr><metal><albedo_map>q.png</albedo_map></metal></pbr>");
  EXPECT_EQ(look(gone).texture.image, nullptr);
  EXPECT_TRUE(is_reported(gone, Severity::kIgnored, "the texture is not drawn"));
}

// A model with textures as a scenario, and back: pictures in files, each once.
TEST(Textures, StayInScenarios) {
  const TemporaryFolder folder;
  folder.write("a.obj", kObj);
  folder.write("p.png", *make_picture(2, 1, {Pixel{1, 2, 3}, Pixel{4, 5, 6}}));
  const LoadedModel loaded = load_model(folder.write(
      "model.xml",
      "<mujoco><asset><texture type='2d' file='p.png'/><mesh file='a.obj'/>"
      "<texture type='2d' name='c' builtin='checker' width='4' height='4'/>"
      "<material name='m' texture='p'/><material name='n' texture='c' texrepeat='3 2' "
      "texuniform='true'/></asset><worldbody><geom type='mesh' mesh='a' material='m'/>"
      "<geom type='plane' size='1 1 1' material='n'/>"
      "<body><freejoint/><geom size='0.1' material='m'/></body></worldbody></mujoco>"));
  std::vector<ScenarioPicture> pictures;
  const std::string text = write_scenario(loaded, "pictures", &pictures);
  ASSERT_EQ(pictures.size(), 2U);
  for (const ScenarioPicture& picture : pictures) {
    folder.write(picture.file, *picture.image);
  }
  const LoadedModel again = load_model(folder.write("model.yaml", text));
  EXPECT_EQ(write_scenario(again), text);
  const auto expect_same = [](const GeometrySpec& a, const GeometrySpec& b) {
    ASSERT_NE(b.texture.image, nullptr);
    EXPECT_EQ(*a.texture.image, *b.texture.image);
    EXPECT_EQ(a.texture.repeat, b.texture.repeat);
    EXPECT_EQ(a.texture.per_metre, b.texture.per_metre);
    EXPECT_EQ(a.color, b.color);
  };
  for (int i = 0; i < 2; ++i) {
    expect_same(loaded.spec.world_geometries[i], again.spec.world_geometries[i]);
  }
  expect_same(loaded.spec.bodies[0].geometries[0], again.spec.bodies[0].geometries[0]);
  EXPECT_EQ(again.spec.world_geometries[0].shape.surface->uv,
            loaded.spec.world_geometries[0].shape.surface->uv);
  folder.write(pictures[0].file, "no picture");
  try {
    load_model(folder.path("model.yaml"));
    ADD_FAILURE() << "it is read";
  } catch (const Error& e) {
    EXPECT_TRUE(matches(e.what(), "model.yaml:[0-9]+:[0-9]+: error: texture 'pictures/1.png': "));
  }
}

// The picture is in the scene once, with a mesh whose corners have their places in it.
TEST(Textures, ReachTheViewerOnceEach) {
  const TemporaryFolder folder;
  folder.write("a.obj", kObj);
  const std::shared_ptr<const std::string> picture =
      make_picture(2, 1, {Pixel{1, 2, 3}, Pixel{4, 5, 6}});
  folder.write("pictures/p.png", *picture);
  const LoadedModel loaded = load_model(folder.write(
      "model.xml",
      "<mujoco><compiler texturedir='pictures'/><asset><texture type='2d' file='p.png'/>"
      "<mesh file='a.obj'/><material name='m' texture='p'/></asset><worldbody>"
      "<geom type='mesh' mesh='a' material='m'/>"
      "<geom type='mesh' mesh='a' material='m' contype='0' conaffinity='0'/>"
      "<geom type='mesh' mesh='a' contype='0' conaffinity='0'/></worldbody></mujoco>"));
  const auto scene = nlohmann::json::parse(make_scene_json(*compile(loaded.spec), "t", false));
  ASSERT_EQ(scene["pictures"].size(), 1U);
  const std::string key = scene["pictures"].begin().key();
  EXPECT_EQ(scene["pictures"][key],
            "data:image/png;base64," + encode_base64(picture->data(), picture->size()));
  const auto& geometries = scene["geometries"];
  for (const int g : {0, 1}) {
    EXPECT_EQ(geometries[g]["texture"]["picture"], key);
    const auto& mesh = scene["meshes"][geometries[g]["mesh"].get<std::string>()];
    // Vertices 1 and 4 are at one place of the picture each, 2 and 3 at two.
    EXPECT_EQ(mesh["uv"].get<std::string>().size(), (6 * 2 * sizeof(float) + 2) / 3 * 4);
  }
  EXPECT_FALSE(geometries[2].contains("texture"));
  EXPECT_FALSE(scene["meshes"][geometries[2]["mesh"].get<std::string>()].contains("uv"));
  EXPECT_EQ(scene["meshes"].size(), 2U);
}

// A recording shows what the live scene shows.
TEST(Textures, AreInRecordings) {
  const TemporaryFolder folder;
  folder.write("a.obj", kObj);
  folder.write("p.png", *make_picture(2, 1, {Pixel{1, 2, 3}, Pixel{4, 5, 6}}));
  const LoadedModel loaded = load_model(folder.write(
      "model.xml",
      "<mujoco><asset><texture type='2d' file='p.png'/><mesh file='a.obj'/>"
      "<material name='m' texture='p' texrepeat='2 3' texuniform='true'/></asset><worldbody>"
      "<geom type='mesh' mesh='a' material='m'/><geom type='plane' size='1 1 1' material='m'/>"
      "</worldbody></mujoco>"));
  const auto model = compile(loaded.spec);
  const std::string path = folder.path("run.h5");
  Simulator sim(model);
  Recorder recorder(sim, {.fps = 60});
  recorder.add_file(path);
  recorder.finish("");
  const auto live = nlohmann::json::parse(make_scene_json(*model, "t", false));
  const auto replayed = nlohmann::json::parse(make_scene_json(read_recording(path), "t"));
  ASSERT_EQ(live["pictures"].size(), 1U);
  EXPECT_EQ(replayed["pictures"], live["pictures"]);
  EXPECT_EQ(replayed["meshes"], live["meshes"]);
  for (const int g : {0, 1}) {
    ASSERT_TRUE(live["geometries"][g].contains("texture"));
    EXPECT_EQ(replayed["geometries"][g]["texture"], live["geometries"][g]["texture"]);
  }
}

}  // namespace
}  // namespace cenic::test

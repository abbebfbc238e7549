// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Files that are small and ask for much, or that hide something: refused, and soon.
#include <string>

#include <gtest/gtest.h>

#include "core/error.h"
#include "loaders/load.h"
#include "loaders/mesh/read_mesh.h"
#include "loaders/robot_text.h"
#include "loaders/xml/attributes.h"

namespace cenic::test {
namespace {

std::string mjcf(const std::string& body) {
  return "<mujoco><worldbody>" + body + "</worldbody></mujoco>";
}

std::string repeat(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

// The parser would stop there, and drop what follows without a word.
TEST(HostileFiles, ZeroBytesAreNoXml) {
  const std::string text = mjcf("<body name='a'/>") + std::string(1, '\0') + "<mujoco>";
  EXPECT_TRUE(contains(errors_of("model.xml", text), "zero byte"));
}

TEST(HostileFiles, CopiesOfCopiesWithoutBodiesAreCounted) {
  const std::string text =
      mjcf("<replicate count='1000000'><replicate count='1000000'/></replicate>");
  EXPECT_TRUE(contains(errors_of("model.xml", text), "copies and attached models"));
}

// Two to the power of twenty frames, none of them a body.
TEST(HostileFiles, FramesThatAttachThemselvesTwiceAreCounted) {
  const std::string text = mjcf("<frame name='f'><attach frame='f'/><attach frame='f'/></frame>");
  EXPECT_FALSE(errors_of("model.xml", text).empty());
}

// Nesting counts through attached models, too: 300 bodies, attached to the innermost twenty times.
TEST(HostileFiles, AttachedModelsAreNotNestedWithoutEnd) {
  std::string inside = "<attach body='b0'/>";
  for (int k = 299; k >= 0; --k) {
    inside = "<body name='b" + std::to_string(k) + "'>" + inside + "</body>";
  }
  EXPECT_TRUE(contains(errors_of("model.xml", mjcf(inside)), "deep"));
}

TEST(HostileFiles, IncludedModelsOfSdfAreNotNestedWithoutEnd) {
  const TemporaryFolder folder;
  constexpr int kDeep = 70, kFiles = 6;
  for (int f = 0; f < kFiles; ++f) {
    std::string inside = "<link name='l'/>";
    if (f > 0) inside += "<include><uri>m" + std::to_string(f - 1) + ".sdf</uri></include>";
    const std::string name = "m" + std::to_string(f);
    folder.write(name + ".sdf", "<sdf version='1.9'>" +
                                    repeat("<model name='" + name + "'>", kDeep) + inside +
                                    repeat("</model>", kDeep) + "</sdf>");
  }
  try {
    load_model(folder.path("m5.sdf"));
    FAIL() << "it loads";
  } catch (const Error& e) {
    EXPECT_TRUE(contains(e.what(), "models are nested more than"));
  }
}

// An allowed folder that is not there must not allow everything.
TEST(HostileFiles, AllowedFoldersAreThere) {
  const TemporaryFolder folder;
  const std::string path = folder.write("model.xml", mjcf(""));
  EXPECT_THROW(load_model(path, {.allowed_folders = {""}}), Error);
  EXPECT_THROW(load_model(path, {.allowed_folders = {folder.path("nothing")}}), Error);
  EXPECT_NO_THROW(load_model(path, {.allowed_folders = {"/tmp"}}));
}

TEST(HostileFiles, PathsDoNotLeaveTheFolder) {
  const TemporaryFolder folder;
  folder.write("secret.obj", "v 0 0 0\n");
  folder.write("model/inside.obj", "v 0 0 0\n");
  std::filesystem::create_symlink(folder.path("secret.obj"), folder.path("model/link.obj"));
  for (const std::string name : {"../secret.obj", "link.obj", "inside.obj/../../secret.obj",
                                 "/etc/passwd", "..\\secret.obj", "C:\\secret.obj"}) {
    const std::string path =
        folder.write("model/model.xml", "<mujoco><asset><mesh name='m' file='" + name +
                                            "'/></asset><worldbody><geom type='mesh' "
                                            "mesh='m'/></worldbody></mujoco>");
    try {
      load_model(path);
      FAIL() << name;
    } catch (const Error& e) {
      EXPECT_TRUE(matches(e.what(), "outside of the model's folder|is not there")) << name;
    }
  }
}

TEST(HostileFiles, LongNumbersAreNotTakenForZero) {
  std::string reason;
  const std::string large = "1" + std::string(400, '0') + "e-5";
  EXPECT_FALSE(parse_numbers(large, &reason));
  EXPECT_EQ(parse_numbers("1e-400", &reason).value().front(), 0);
}

TEST(HostileFiles, GroupsOutOfRangeAreTakenAsTheyAre) {
  const auto loaded =
      load_as("model.xml",
              "<mujoco><compiler inertiagrouprange='-1e300 1e300'/><worldbody><body><joint/><geom "
              "size='1' group='3'/></body></worldbody></mujoco>");
  EXPECT_GT(loaded.spec.bodies[0].inertia->mass, 0);
}

TEST(HostileFiles, MeshesOutOfRangeAreRefused) {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("far.dae", R"(<COLLADA><asset><unit meter="1e200"/></asset><library_geometries>
    <geometry><mesh><source id="p"><float_array>1e200 0 0 0 1 0 0 0 1</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
    <triangles><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
    </library_geometries></COLLADA>)");
  try {
    read_mesh(path);
    FAIL() << "it is read";
  } catch (const FileError& e) {
    EXPECT_TRUE(contains(e.what(), "too far away"));
  }
}

// Names of copies are found however many there are.
TEST(HostileFiles, TenThousandCopiesReferToWhatStandsOutside) {
  const LoadedModel loaded = load_as("model.xml", R"(<mujoco><worldbody><site name="out"/>
    <replicate count="10000" offset="1 0 0"><body name="b"><joint name="j" type="slide"/><geom size="0.1"/><site name="s"/></body>
    </replicate></worldbody><tendon><spatial name="t" stiffness="1"><site site="out"/><site site="s"/></spatial></tendon></mujoco>)");
  EXPECT_EQ(loaded.spec.bodies.size(), 10000U);
  EXPECT_EQ(loaded.spec.systems.size(), 10000U);
}

}  // namespace
}  // namespace cenic::test

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Bad files: each mistake is an Error that names file and line, and none of them hurts.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "loaders/mjcf_text.h"
#include "loaders/xml/read_xml.h"
#include "model/model.h"

namespace cenic::test {
namespace {

std::string error_of(const std::string& path, const LoadOptions& options = {}) {
  try {
    load_model(path, options);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

std::string error_of_text(const std::string& text) {
  const TemporaryFolder folder;
  return error_of(folder.write("model.xml", text));
}

std::string make_body(const std::string& inside) {
  return "<mujoco>\n<worldbody>\n<body>\n" + inside + "\n</body>\n</worldbody>\n</mujoco>";
}

TEST(MjcfErrors, NoSuchFile) {
  EXPECT_TRUE(matches(error_of("nowhere/model.xml"), "nowhere/model.xml: error: .*opened"));
}

TEST(MjcfErrors, NotXml) {
  EXPECT_TRUE(contains(error_of_text(""), "empty"));
  EXPECT_TRUE(matches(error_of_text("<mujoco>\n<body>\n</mujoco>"), "model.xml:[23]: error: "));
  EXPECT_TRUE(
      contains(error_of_text("<html/>"), "model.xml:1: error: the file begins with <html>"));
  EXPECT_TRUE(contains(error_of_text("not xml at all"), "error: "));
}

TEST(MjcfErrors, NumbersThatAreNone) {
  for (const char* number : {"nan", "inf", "-inf", "1e999", "-1e400", "0x10", "1,5", "abc", "1e"}) {
    const std::string error = error_of_text(make_body(fmt::format("<geom size='{}'/>", number)));
    EXPECT_TRUE(matches(error, "model.xml:4: error: size: '.*' is not a finite number")) << number;
  }
  EXPECT_TRUE(contains(error_of_text(make_body("<geom size='1 2 3 4'/>")),
                       "model.xml:4: error: size has 4 numbers; give 1 to 3"));
  EXPECT_TRUE(contains(error_of_text(make_body("<geom size='1' condim='2.5'/>")), "whole number"));
  // Too small to be told from zero is zero, which a size must not be, and a density may be.
  EXPECT_TRUE(contains(error_of_text(make_body("<geom size='1' density='1e-999'/>")), "no error"));
}

TEST(MjcfErrors, AllAtOnce) {
  const std::string error = error_of_text(make_body(
      "<geom size='x'/>\n<joint axis='0 0 0'/>\n<geom size='1' type='blob'/>\n<geom size='-1'/>"));
  EXPECT_TRUE(contains(error, "model.xml:4: error: size"));
  EXPECT_TRUE(contains(error, "model.xml:5: error: axis is zero"));
  EXPECT_TRUE(contains(error, "model.xml:6: error: type is 'blob'; write one of: plane, "));
  EXPECT_TRUE(contains(error, "model.xml:7: error: "));
}

TEST(MjcfErrors, NamesTwice) {
  EXPECT_TRUE(contains(
      error_of_text(
          "<mujoco><worldbody><body name='a'><body name='a'/></body></worldbody></mujoco>"),
      "another body is named 'a'"));
  EXPECT_TRUE(
      contains(error_of_text(make_body("<geom name='g' size='1'/><geom name='g' size='1'/>")),
               "another geom is named 'g'"));
  EXPECT_TRUE(
      contains(error_of_text(make_body("<joint name='j'/>\n<joint name='j'/><geom size='1'/>")),
               "model.xml:5: error: another joint is named 'j'"));
  EXPECT_TRUE(contains(error_of_text(make_body("<site name='s'/><site name='s'/>")),
                       "another site is named 's'"));
  EXPECT_TRUE(contains(
      error_of_text("<mujoco><default><default class='c'/><default class='c'/></default></mujoco>"),
      "class 'c' is there already"));
}

TEST(MjcfErrors, NamesThatDoNotExist) {
  EXPECT_TRUE(contains(error_of_text(make_body("<geom class='c' size='1'/>")),
                       "there is no default class 'c'"));
  EXPECT_TRUE(contains(error_of_text("<mujoco><actuator>\n<motor joint='j'/></actuator></mujoco>"),
                       "model.xml:2: error: <motor>: there is no joint 'j'"));
  EXPECT_TRUE(contains(
      error_of_text("<mujoco><contact><exclude body1='world' body2='b'/></contact></mujoco>"),
      "there is no body 'b'"));
  EXPECT_TRUE(contains(
      error_of_text("<mujoco><equality><connect body1='a' anchor='0 0 0'/></equality></mujoco>"),
      "there is no body 'a'"));
  EXPECT_TRUE(contains(
      error_of_text("<mujoco><tendon><fixed><joint joint='j' coef='1'/></fixed></tendon></mujoco>"),
      "there is no joint 'j'"));
}

TEST(MjcfErrors, MeshesThatAreNotThere) {
  const std::string asset = "<asset><mesh name='m' file='m.stl'/></asset>";
  EXPECT_TRUE(contains(
      error_of_text("<mujoco>" + asset +
                    "<worldbody><body>\n<geom type='mesh' mesh='m'/></body></worldbody></mujoco>"),
      "model.xml:2: error: file 'm.stl' is not there"));
  EXPECT_TRUE(contains(error_of_text(make_body("<geom type='mesh' mesh='m'/>")), "no mesh 'm'"));
  // A mesh to look at may be missing, but not one that brings the mass.
  const std::string visual = "<geom type='mesh' mesh='m' contype='0' conaffinity='0'/>";
  EXPECT_TRUE(contains(error_of_text("<mujoco>" + asset + "<worldbody><body><joint/>" + visual +
                                     "</body></worldbody></mujoco>"),
                       "mass comes from"));
  const LoadedModel loaded = load_text_model(
      "<mujoco>" + asset + "<worldbody><body><joint/>" + visual +
      "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody></mujoco>");
  EXPECT_TRUE(contains(loaded.diagnostics.list().at(0).what, "the geom is left out"));
  EXPECT_TRUE(loaded.spec.bodies[0].geometries.empty());
}

TEST(MjcfErrors, IncludesThatGoRound) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.xml", "<mujoco>\n<include file='b.xml'/></mujoco>");
  folder.write("b.xml", "<mujoco>\n\n<include file='a.xml'/></mujoco>");
  EXPECT_TRUE(matches(error_of(path), "b.xml:3: error: 'a.xml' includes itself"));
  const std::string self = folder.write("c.xml", "<mujoco><include file='c.xml'/></mujoco>");
  EXPECT_TRUE(contains(error_of(self), "includes itself"));
  EXPECT_TRUE(contains(error_of(folder.write("d.xml", "<mujoco><include file='e.xml'/></mujoco>")),
                       "included file 'e.xml' is not there"));
  EXPECT_TRUE(
      contains(error_of(folder.write("f.xml", "<mujoco><include/></mujoco>")), "names no file"));
}

TEST(MjcfErrors, PathsThatEscape) {
  const TemporaryFolder folder;
  folder.write("outside.xml", "<mujoco><worldbody><body name='secret'/></worldbody></mujoco>");
  const std::string path =
      folder.write("model/main.xml", "<mujoco><include file='../outside.xml'/></mujoco>");
  EXPECT_TRUE(contains(error_of(path), "lies outside of the model's folder"));
  EXPECT_EQ(error_of(path, {.allowed_folders = {folder.path()}}), "no error");
  // By a link, by an absolute path, and for meshes.
  std::filesystem::create_symlink(folder.path("outside.xml"), folder.path("model/link.xml"));
  EXPECT_TRUE(
      contains(error_of(folder.write("model/b.xml", "<mujoco><include file='link.xml'/></mujoco>")),
               "lies outside"));
  EXPECT_TRUE(contains(
      error_of(folder.write("model/c.xml", "<mujoco><include file='/etc/hostname'/></mujoco>")),
      "lies outside"));
  EXPECT_TRUE(contains(error_of(folder.write(
                           "model/d.xml",
                           "<mujoco><compiler meshdir='/etc'/><asset><mesh name='m' file='passwd'/>"
                           "</asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>")),
                       "lies outside"));
  // A folder whose name merely begins like the model's is another folder.
  folder.write("model2/x.xml", "<mujoco/>");
  EXPECT_TRUE(contains(
      error_of(folder.write("model/e.xml", "<mujoco><include file='../model2/x.xml'/></mujoco>")),
      "lies outside"));
}

TEST(MjcfErrors, TooDeepTooManyTooLarge) {
  std::string deep = "<mujoco><worldbody>";
  for (int i = 0; i < 100000; ++i) {
    deep += "<body>";
  }
  EXPECT_TRUE(contains(error_of_text(deep), "nested too deeply"));

  const TemporaryFolder folder;
  std::string wide = "<mujoco>";
  for (int i = 0; i < 2000; ++i) {
    wide += "<size/>";
  }
  const std::string path = folder.write("wide.xml", wide + "</mujoco>");
  EXPECT_THROW(read_xml(path, "wide.xml", {.elements = 1000}), Error);
  EXPECT_THROW(read_xml(path, "wide.xml", {.file_bytes = 1000}), Error);
  EXPECT_THROW(read_xml(path, "wide.xml", {.depth = 1}), Error);
  EXPECT_NO_THROW(read_xml(path, "wide.xml"));

  EXPECT_TRUE(contains(
      error_of_text("<mujoco><worldbody><replicate count='2000000000'/></worldbody></mujoco>"),
      "count is 2000000000"));
  EXPECT_TRUE(
      contains(error_of_text("<mujoco><worldbody><replicate count='3000'><replicate count='3000'>"
                             "<body/></replicate></replicate></worldbody></mujoco>"),
               "more than 1000000 elements"));
}

TEST(MjcfErrors, ModelsThatAttachThemselves) {
  EXPECT_TRUE(contains(
      error_of_text("<mujoco><worldbody><body name='b'><attach body='b' prefix='x'/></body>"
                    "</worldbody></mujoco>"),
      "without end"));
}

TEST(MjcfErrors, FilesAreKeptWhole) {
  // Every prefix of a good file is a bad one, or good: never a crash.
  const std::string text =
      "<mujoco><default><geom size='1'/></default><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 "
      "0 0 1'/>"
      "</asset><worldbody><body name='b'><joint name='j'/><geom type='mesh' "
      "mesh='m'/></body></worldbody>"
      "<actuator><position joint='j' kp='1'/></actuator></mujoco>";
  EXPECT_EQ(error_of_text(text), "no error");
  for (std::size_t n = 0; n < text.size(); ++n) {
    EXPECT_NE(error_of_text(text.substr(0, n)), "no error") << text.substr(0, n);
  }
}

// Files of the data folder with letters exchanged, words repeated or pieces cut out: each is an
// Error or a model, and nothing else.
TEST(MjcfErrors, DamagedFilesDoNoHarm) {
  const std::string junk[] = {"nan", "-1",   "1e308", "\"",    "<",     ">",
                              "/>",  "name", "0 0 0", "world", "99999", ""};
  std::mt19937 random(5);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  int good = 0, bad = 0;
  const TemporaryFolder folder;
  for (const char* name : {"actuators.xml", "joints.xml", "tendons.xml", "wrapping.xml",
                           "orientations.xml", "medium.xml"}) {
    std::ifstream file(std::string(CENIC_TEST_DATA "/loaders/data/") + name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    ASSERT_FALSE(text.empty()) << name;
    for (int k = 0; k < 300; ++k) {
      std::string damaged = text;
      for (std::size_t n = 1 + below(3); n > 0; --n) {
        const std::size_t at = below(damaged.size());
        switch (below(3)) {
          case 0:
            damaged[at] = static_cast<char>(32 + below(95));
            break;
          case 1:
            damaged.insert(at, junk[below(std::size(junk))]);
            break;
          default:
            damaged.erase(at, 1 + below(40));
        }
      }
      try {
        compile(load_model(folder.write("model.xml", damaged)).spec);
        ++good;
      } catch (const Error&) {
        ++bad;
      }
    }
  }
  EXPECT_GT(good, 100);
  EXPECT_GT(bad, 100);
}

}  // namespace
}  // namespace cenic::test

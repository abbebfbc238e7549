// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Tendons of a ModelSpec: what compile() makes of them, and what it refuses.
#include <functional>

#include <gtest/gtest.h>

#include "core/error.h"
#include "model/model.h"

namespace cenic {
namespace {

// An arm of two bodies on a fixed post, and a free box.
ModelSpec make_spec() {
  const InertiaSpec inertia{1, {}, Mat3::identity()};
  ModelSpec spec;
  spec.bodies = {
      {.name = "post"},
      {.name = "upper", .parent = "post", .joints = {{.name = "shoulder"}}, .inertia = inertia},
      {.name = "lower", .parent = "upper", .joints = {{.name = "elbow"}}, .inertia = inertia},
      {.name = "box", .joints = {{.name = "float", .kind = JointKind::kFree}}, .inertia = inertia},
      {.name = "other",
       .joints = {{.name = "drift", .kind = JointKind::kFree}},
       .inertia = inertia}};
  return spec;
}

TendonSpec make_path(const std::vector<std::string>& bodies) {
  TendonSpec tendon{.name = "rope"};
  tendon.branches.emplace_back();
  for (const std::string& body : bodies) {
    tendon.branches[0].points.push_back({body, {0, 0, 1}});
  }
  return tendon;
}

TEST(Tendon, KnowsItsLinksAndTrees) {
  ModelSpec spec = make_spec();
  spec.tendons = {make_path({"world", "lower", "box"}), {.name = "sum", .armature = 2}};
  spec.tendons[0].branches[0].obstacles = {
      {.after = 1, .body = "post", .obstacle = {.radius = 0.1}}};
  spec.tendons[1].joints = {{"elbow", 2}, {"shoulder", -1}};
  spec.constraints = {
      {.kind = ConstraintKind::kTendon, .a = "sum", .b = "rope", .polynomial = {1, 2, 3}},
      {.kind = ConstraintKind::kTendon, .a = "sum"}};
  const auto model = compile(spec);
  const auto link = [&](int body) {
    return model->bodies[body].link;
  };
  EXPECT_EQ(model->tendons[0].links, (std::vector<int>{-1, link(2), link(3), link(0)}));
  EXPECT_EQ(model->tendons[0].trees,
            (std::vector<int>{model->tree_of(link(2)), model->tree_of(link(3))}));
  EXPECT_EQ(model->tendons[1].parts[0].link, link(2));
  EXPECT_EQ(model->tendons[1].trees, std::vector<int>{model->tree_of(link(2))});
  EXPECT_EQ(model->heavy_tendons, std::vector<int>{1});
  EXPECT_EQ(model->constraints[0].tendon[0], 1);
  EXPECT_EQ(model->constraints[0].tendon[1], 0);
  EXPECT_EQ(model->constraints[0].trees, model->tendons[0].trees);
  EXPECT_EQ(model->describe_constraint(0), "tendon between 'sum' and 'rope'");
  EXPECT_EQ(model->describe_constraint(1), "tendon constraint of 'sum'");
}

struct Mistake {
  const char* name;
  std::function<void(ModelSpec&)> make;
  const char* message;
};

const Mistake kMistakes[] = {
    {"NoName",
     [](ModelSpec& s) {
       s.tendons[0].name.clear();
     },
     "tendon 1: it has no name"},
    {"Twice",
     [](ModelSpec& s) {
       s.tendons.push_back(s.tendons[0]);
     },
     "same name"},
    {"Nothing",
     [](ModelSpec& s) {
       s.tendons[0].branches.clear();
     },
     "joints or along a path"},
    {"OnePoint",
     [](ModelSpec& s) {
       s.tendons[0].branches[0].points.pop_back();
     },
     "two points"},
    {"NoBody",
     [](ModelSpec& s) {
       s.tendons[0] = make_path({"world", "leg"});
     },
     "no body 'leg'"},
    {"NoJoint",
     [](ModelSpec& s) {
       s.tendons[0] = {.name = "t", .joints = {{"knee", 1}}};
     },
     "no joint 'knee'"},
    {"FreeJoint",
     [](ModelSpec& s) {
       s.tendons[0] = {.name = "t", .joints = {{"float", 1}}};
     },
     "more than one coordinate"},
    {"Divisor",
     [](ModelSpec& s) {
       s.tendons[0].branches[0].divisor = 0;
     },
     "divisor"},
    {"Obstacle",
     [](ModelSpec& s) {
       s.tendons[0].branches[0].obstacles = {{.after = 1, .body = "post"}};
     },
     "between two points"},
    {"Range",
     [](ModelSpec& s) {
       s.tendons[0].upper = -1, s.tendons[0].lower = 1;
     },
     "a range"},
    {"Damping",
     [](ModelSpec& s) {
       s.tendons[0].limit_damping = 1;
     },
     "rigid has no limit damping"},
    {"Static",
     [](ModelSpec& s) {
       s.tendons[0] = make_path({"world", "post"});
     },
     "nothing that moves"},
    {"HeavyBetweenTrees",
     [](ModelSpec& s) {
       s.tendons[0] = make_path({"upper", "box"});
       s.tendons[0].armature = 1;
     },
     "within one tree"},
    {"NegativeArmature",
     [](ModelSpec& s) {
       s.tendons[0].armature = -1;
     },
     "armature"},
    {"NoTendon",
     [](ModelSpec& s) {
       s.constraints = {{.kind = ConstraintKind::kTendon, .a = "rope", .b = "x"}};
     },
     "no tendon 'x'"},
    {"SameTendon",
     [](ModelSpec& s) {
       s.constraints = {{.kind = ConstraintKind::kTendon, .a = "rope", .b = "rope"}};
     },
     "two different tendons"},
};

class TendonMistake : public testing::TestWithParam<Mistake> {};

TEST_P(TendonMistake, IsSaid) {
  ModelSpec spec = make_spec();
  spec.tendons = {make_path({"world", "upper"})};
  GetParam().make(spec);
  try {
    compile(spec);
    ADD_FAILURE() << "it compiled";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(GetParam().message), std::string::npos) << e.what();
  }
}

INSTANTIATE_TEST_SUITE_P(All, TendonMistake, testing::ValuesIn(kMistakes), [](const auto& test) {
  return std::string(test.param.name);
});

}  // namespace
}  // namespace cenic

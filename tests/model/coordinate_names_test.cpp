// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/coordinate_names.h"

#include <gtest/gtest.h>

namespace cenic {
namespace {

JointSpec make_slide(const std::string& name, const Vec3& axis) {
  return {.name = name, .kind = JointKind::kPrismatic, .axis = axis};
}

BodySpec make_body(const std::string& name, std::vector<JointSpec> joints) {
  return {.name = name, .joints = std::move(joints), .geometries = {{.shape = make_sphere(0.1)}}};
}

using Names = std::vector<std::string>;

TEST(CoordinateNames, AreThoseOfJointsOrOfTheirBodies) {
  ModelSpec spec;
  spec.bodies = {make_body("ball", {{.kind = JointKind::kFree}}),
                 make_body("arm", {{.name = "shoulder", .kind = JointKind::kBall}}),
                 make_body("cart", {make_slide("", {1, 0, 0})})};
  const CoordinateNames names = name_coordinates(*compile(spec));
  EXPECT_EQ(names.q,
            (Names{"ball[0]", "ball[1]", "ball[2]", "ball[3]", "ball[4]", "ball[5]", "ball[6]",
                   "shoulder[0]", "shoulder[1]", "shoulder[2]", "shoulder[3]", "cart"}));
  EXPECT_EQ(names.v, (Names{"ball[0]", "ball[1]", "ball[2]", "ball[3]", "ball[4]", "ball[5]",
                            "shoulder[0]", "shoulder[1]", "shoulder[2]", "cart"}));
}

TEST(CoordinateNames, NoTwoAreAlike) {
  ModelSpec spec;
  spec.bodies = {make_body("a", {make_slide("", {1, 0, 0}), make_slide("", {0, 1, 0})}),
                 make_body("b", {make_slide("a", {1, 0, 0}), make_slide("c[1]", {0, 1, 0})}),
                 make_body("c", {make_slide("", {1, 0, 0}), make_slide("", {0, 1, 0})}),
                 make_body("d", {make_slide("", {1, 0, 0}), make_slide("", {0, 1, 0})})};
  const CoordinateNames names = name_coordinates(*compile(spec));
  EXPECT_EQ(names.q, (Names{"a#2[0]", "a#2[1]", "a", "c[1]", "c#2[0]", "c#2[1]", "d[0]", "d[1]"}));
  EXPECT_EQ(names.v, names.q);
}

}  // namespace
}  // namespace cenic

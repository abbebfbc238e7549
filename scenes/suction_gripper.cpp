// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A vacuum gripper (paper, section VII-D.1): bellows, light and on soft springs, hang from a pad,
// and strong suction snatches a box from below.
#include <memory>
#include <numbers>

#include <fmt/format.h>

#include "scenes/scene_definition.h"
#include "systems/library/suction_cup.h"

namespace cenic::detail {
namespace {

constexpr Vec3 kPad{0.1, 0.1, 0.01}, kBox{0.1, 0.1, 0.05};   // half extents, m
constexpr double kBellowRadius = 0.012, kBellowHalf = 0.01;  // m
constexpr double kTravel = 0.015;   // of a bellow until it is pressed against the pad, m
constexpr double kPadHeight = 0.2;  // of its underside, m

// A bellow's origin is the middle of its rim; zero is where it hangs free.
BodySpec make_bellow(const std::string& name, double x, double y, const SceneArguments& arguments,
                     const Material& material) {
  BodySpec bellow;
  bellow.name = name;
  bellow.parent = "pad";
  bellow.X_PB = RigidTransform::translation({x, y, -kPad.z - kTravel - 2 * kBellowHalf});
  JointSpec slide;
  slide.name = name + "_slide";
  slide.kind = JointKind::kPrismatic;
  slide.stiffness = arguments.non_negative("spring");
  slide.damping = 0.2;
  slide.lower = {-0.002};
  slide.upper = {kTravel};
  bellow.joints = {slide};
  const double volume = std::numbers::pi * kBellowRadius * kBellowRadius * 2 * kBellowHalf;
  bellow.geometries = {make_geometry({make_cylinder(kBellowRadius, kBellowHalf),
                                      arguments.positive("bellow_mass") / volume, palette_color(4)},
                                     RigidTransform::translation({0, 0, kBellowHalf}), material)};
  bellow.geometries[0].name = name;
  return bellow;
}

ModelSpec make_suction_gripper(const SceneArguments& arguments) {
  const Material material = make_material({.stiffness = arguments.positive("stiffness"),
                                           .dissipation = 10,
                                           .mu_static = 0.5,
                                           .mu_dynamic = 0.5});
  ModelSpec spec;
  spec.world_geometries = {make_floor(material)};
  BodySpec pad;
  pad.name = "pad";
  pad.X_PB = RigidTransform::translation({0, 0, kPadHeight + kPad.z});
  pad.geometries = {make_geometry({make_box(kPad), 1000, {0.25F, 0.26F, 0.28F, 1}}, {}, material)};
  pad.geometries[0].name = pad.name;
  spec.bodies = {pad};

  const double rim = kPadHeight - kTravel - 2 * kBellowHalf;
  const double volume = 8 * kBox.x * kBox.y * kBox.z;
  const double top = rim - arguments.positive("gap");
  spec.bodies.push_back(make_free_body(
      "box", RigidTransform::translation({0, 0, top - kBox.z}),
      make_geometry({make_box(kBox), arguments.positive("mass") / volume, palette_color(1)}, {},
                    material)));

  const int rows = arguments.count("rows");
  const double pitch = 2 * kPad.x / rows;
  for (int i = 0; i < rows * rows; ++i) {
    const std::string name = fmt::format("bellow_{:02}", i);
    const double middle = 0.5 * (rows - 1);
    spec.bodies.push_back(make_bellow(name, pitch * (i % rows - middle),
                                      pitch * (i / rows - middle), arguments, material));
    spec.systems.push_back({.name = "suction_" + name,
                            .system = std::make_shared<SuctionCup>(
                                Suction{.cup = name,
                                        .direction = {0, 0, -1},
                                        .object = "box",
                                        .mount = "pad",
                                        .strength = arguments.positive("strength"),
                                        .softening = arguments.positive("softening"),
                                        .range = arguments.positive("range")})});
  }
  return spec;
}

}  // namespace

SceneDefinition define_suction_gripper() {
  return {
      {"suction_gripper",
       "A vacuum gripper of light bellows snatches a box: strong forces that grow with nearness.",
       0.5,
       {{"rows", 4, "of bellows, and bellows in a row"},
        {"gap", 0.01, "between the bellows and the box at the start, m"},
        {"mass", 0.2, "of the box, kg"},
        {"bellow_mass", 0.002, "kg"},
        {"spring", 300, "of a bellow, N/m"},
        {"strength", 0.12, "of a cup: force times distance, N m"},
        {"softening", 0.002, "distance at which a cup's force is half that in contact, m"},
        {"range", 0.05, "of a cup, m"},
        {"stiffness", 1e5, "of each contact point, N/m"}}},
      make_suction_gripper};
}

}  // namespace cenic::detail

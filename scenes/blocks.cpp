// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Boxes on a plane: one on a slope, a stack, and one on a belt. All start at static penetration,
// with four contact points under a box.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "scenes/scene_definition.h"

namespace cenic::detail {
namespace {

constexpr int kPointsUnderBox = 4;

ModelSpec make_sliding_block(const SceneArguments& arguments) {
  const Vec3 half_extents{0.1, 0.1, 0.05};
  const double mass = 1;
  const double volume = 8 * half_extents.x * half_extents.y * half_extents.z;
  const double angle = degrees_to_radians(arguments.between("angle", 0, 89));
  const double stiffness = arguments.positive("stiffness");
  const double mu_static = arguments.non_negative("mu_static");
  const Material material =
      make_material({.stiffness = stiffness,
                     .dissipation = arguments.non_negative("dissipation"),
                     .mu_static = mu_static,
                     .mu_dynamic = arguments.between("mu_dynamic", 0, mu_static)});
  ModelSpec spec;
  spec.stiction_velocity = arguments.positive("v_s");

  // Turning the plane about y makes its own x-axis point down the slope.
  const RigidTransform X_WPlane = RigidTransform::rotation({0, angle, 0});
  GeometrySpec slope = make_floor(material);
  slope.name = "slope";
  slope.X_BG = X_WPlane;
  spec.world_geometries = {slope};

  const double depth = mass * norm(spec.gravity) * std::cos(angle) / (kPointsUnderBox * stiffness);
  const Vec3 v_WB = arguments.number("speed") * X_WPlane.R.column(0);
  BodySpec block = make_free_body(
      "block", X_WPlane * RigidTransform::translation({0, 0, half_extents.z - depth}),
      make_geometry({make_box(half_extents), mass / volume, palette_color(4)}, {}, material));
  block.joints[0].velocity = {0, 0, 0, v_WB.x, v_WB.y, v_WB.z};
  spec.bodies = {block};
  return spec;
}

ModelSpec make_box_stack(const SceneArguments& arguments) {
  const int count = arguments.count("count");
  const double half = 0.05;
  const double density = 1000;
  const double mass = density * 8 * half * half * half;
  const double stiffness = arguments.positive("stiffness");
  const double mu = arguments.non_negative("mu");
  const Material material = make_material({.stiffness = stiffness,
                                           .dissipation = arguments.non_negative("dissipation"),
                                           .mu_static = mu,
                                           .mu_dynamic = mu});
  ModelSpec spec;
  spec.stiction_velocity = arguments.positive("v_s");
  spec.world_geometries = {make_floor(material)};
  double top = 0;  // of what lies below
  for (int i = 0; i < count; ++i) {
    const double load = (count - i) * mass * norm(spec.gravity);
    const double z = top - load / (kPointsUnderBox * stiffness) + half;
    spec.bodies.push_back(make_free_body(
        fmt::format("box_{}", i), RigidTransform::translation({0, 0, z}),
        make_geometry({make_box({half, half, half}), density, palette_color(i)}, {}, material)));
    top = z + half;
  }
  return spec;
}

// The box is low and its contacts damped, so that it neither tips nor rocks for long when friction
// jumps.
ModelSpec make_conveyor(const SceneArguments& arguments) {
  const Vec3 half_extents{0.1, 0.1, 0.025};
  const double mass = 1;
  const double volume = 8 * half_extents.x * half_extents.y * half_extents.z;
  const double stiffness = arguments.positive("stiffness");
  const double mu_static = arguments.non_negative("mu_static");
  const Material material =
      make_material({.stiffness = stiffness,
                     .dissipation = arguments.non_negative("dissipation"),
                     .mu_static = mu_static,
                     .mu_dynamic = arguments.between("mu_dynamic", 0, mu_static)});
  const double amplitude = arguments.number("amplitude");
  const double omega = 2 * std::numbers::pi * arguments.non_negative("frequency");
  ModelSpec spec;
  spec.stiction_velocity = arguments.positive("v_s");

  const Vec3 belt_extents{1, 0.2, 0.03};
  GeometrySpec belt = make_geometry({make_box(belt_extents), 1000, {0.28F, 0.29F, 0.32F, 1}},
                                    RigidTransform::translation({0, 0, -belt_extents.z}), material);
  belt.name = "belt";
  belt.surface_velocity = BeltVelocity{.amplitude = {amplitude, 0, 0}, .angular_frequency = omega};
  spec.world_geometries = {belt};
  for (const double side : {-1.0, 1.0}) {
    GeometrySpec roller =
        make_geometry({make_cylinder(belt_extents.z, belt_extents.y), 1000, palette_color(5)},
                      {RigidTransform::rotation({std::numbers::pi / 2, 0, 0}).R,
                       {side * belt_extents.x, 0, -belt_extents.z}});
    roller.name = side < 0 ? "roller_left" : "roller_right";
    roller.collides = false;
    spec.world_geometries.push_back(roller);
  }

  const double depth = mass * norm(spec.gravity) / (kPointsUnderBox * stiffness);
  BodySpec box = make_free_body(
      "box", RigidTransform::translation({0, 0, half_extents.z - depth}),
      make_geometry({make_box(half_extents), mass / volume, palette_color(0)}, {}, material));
  box.joints[0].velocity = {0, 0, 0, amplitude + arguments.number("speed"), 0, 0};
  spec.bodies = {box};
  return spec;
}

}  // namespace

SceneDefinition define_sliding_block() {
  return {{"sliding_block",
           "A 1 kg block on a slope slides or sticks as Coulomb's law says.",
           2,
           {{"angle", 20, "of the slope, degrees, 0 to 89"},
            {"mu_static", 0.3, "static friction coefficient"},
            {"mu_dynamic", 0.3, "dynamic friction coefficient, at most mu_static"},
            {"speed", 0, "initial speed down the slope, m/s"},
            {"stiffness", 1e5, "of each contact point, N/m"},
            {"dissipation", 10, "Hunt & Crossley, s/m"},
            {"v_s", 1e-4, "stiction velocity, m/s"}}},
          make_sliding_block};
}

SceneDefinition define_box_stack() {
  return {{"box_stack",
           "A tower of 10 cm cubes, already pressed together by its weight, should stand still.",
           5,
           {{"count", 5, "number of boxes"},
            {"stiffness", 1e5, "of each contact point, N/m"},
            {"dissipation", 10, "Hunt & Crossley, s/m"},
            {"mu", 0.5, "friction coefficient, static and dynamic"},
            {"v_s", 1e-4, "stiction velocity, m/s"}}},
          make_box_stack};
}

SceneDefinition define_conveyor() {
  return {{"conveyor",
           "A 1 kg box on an oscillating belt sticks, breaks away, slides and sticks again.",
           3,
           {{"amplitude", 1.72, "of the belt's velocity amplitude*cos(2*pi*frequency*t), m/s"},
            {"frequency", 1, "of the belt, Hz; 0: it runs at a constant speed"},
            {"speed", 0, "initial speed of the box on the belt, m/s"},
            {"mu_static", 1, "static friction coefficient"},
            {"mu_dynamic", 0.5, "dynamic friction coefficient, at most mu_static"},
            {"stiffness", 1e4, "of each contact point, N/m"},
            {"dissipation", 50, "Hunt & Crossley, s/m"},
            {"v_s", 1e-4, "stiction velocity, m/s"}}},
          make_conveyor};
}

}  // namespace cenic::detail

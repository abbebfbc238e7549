// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A ball that should bounce for ever: what an integrator does to energy shows at once.
#include <cmath>
#include <numbers>

#include "scenes/scene_definition.h"

namespace cenic::detail {
namespace {

ModelSpec make_bouncing_ball(const SceneArguments& arguments) {
  const double radius = arguments.positive("radius");
  const double mu = arguments.non_negative("mu");
  const Material material = make_material({.stiffness = arguments.positive("stiffness"),
                                           .dissipation = arguments.non_negative("dissipation"),
                                           .mu_static = mu,
                                           .mu_dynamic = mu});
  const double volume = 4.0 / 3.0 * std::numbers::pi * radius * radius * radius;
  ModelSpec spec;
  spec.stiction_velocity = arguments.positive("v_s");
  spec.world_geometries = {make_floor(material)};
  const double z = radius + arguments.non_negative("height");
  const double density = arguments.positive("mass") / volume;
  spec.bodies = {make_free_body(
      "ball", RigidTransform::translation({0, 0, z}),
      make_geometry({make_sphere(radius), density, palette_color(0)}, {}, material))};
  return spec;
}

}  // namespace

SceneDefinition define_bouncing_ball() {
  return {{"bouncing_ball",
           "A soft ball without dissipation falls on a floor and should keep its energy.",
           10,
           {{"height", 1, "of the ball's lowest point above the floor, m"},
            {"mass", 1, "kg"},
            {"radius", 0.05, "m"},
            {"stiffness", 1e3, "of the contact, N/m"},
            {"dissipation", 0, "Hunt & Crossley, s/m"},
            {"mu", 0.5, "friction coefficient, static and dynamic"},
            {"v_s", 1e-4, "stiction velocity, m/s"}}},
          make_bouncing_ball};
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A heavy symmetric top: closed forms exist for its precession and nutation.
#include "scenes/scene_definition.h"

namespace cenic::detail {
namespace {

// The body's origin is the tip and its z-axis the axis of symmetry. The mass of the shaft inside
// the disc counts twice.
ModelSpec make_spinning_top(const SceneArguments& arguments) {
  const double density = arguments.positive("density");
  const double shaft_radius = 0.004, shaft_half_length = 0.036;
  const Quat R_FM = exp_map({0, degrees_to_radians(arguments.between("lean", 0, 180)), 0});
  const Vec3 w_FM = arguments.number("spin") * to_matrix(R_FM).column(2);
  BodySpec top;
  top.name = "top";
  top.joints.resize(1);
  top.joints[0].name = "tip";
  top.joints[0].kind = JointKind::kBall;
  top.joints[0].position = {R_FM.w, R_FM.x, R_FM.y, R_FM.z};
  top.joints[0].velocity = {w_FM.x, w_FM.y, w_FM.z};
  top.geometries = {
      make_geometry({make_capsule(shaft_radius, shaft_half_length), density, palette_color(5)},
                    RigidTransform::translation({0, 0, shaft_radius + shaft_half_length})),
      make_geometry({make_cylinder(0.04, 0.005), density, palette_color(0)},
                    RigidTransform::translation({0, 0, 0.05}))};
  top.geometries[0].name = "shaft";
  top.geometries[1].name = "disc";
  ModelSpec spec;
  spec.bodies = {top};
  return spec;
}

}  // namespace

SceneDefinition define_spinning_top() {
  return {
      {"spinning_top",
       "A fast symmetric top leans on its fixed tip, precesses and nods slightly, without loss.",
       5,
       {{"spin", 200, "initial rate about its own axis, rad/s"},
        {"lean", 20, "of the axis from the vertical, degrees, 0 to 180"},
        {"density", 1000, "kg/m³"}}},
      make_spinning_top};
}

}  // namespace cenic::detail

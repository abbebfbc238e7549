// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Things that hang on revolute joints: double pendulum, chain, Newton's cradle. At zero angles they
// hang straight down.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "scenes/scene_definition.h"

namespace cenic::detail {
namespace {

constexpr double kPi = std::numbers::pi;

JointSpec make_hinge(const std::string& name, const Vec3& axis, const Vec3& p_BoFo = {}) {
  JointSpec joint;
  joint.name = name;
  joint.kind = JointKind::kRevolute;
  joint.axis = axis;
  joint.X_BF = RigidTransform::translation(p_BoFo);
  return joint;
}

// A rod of water's density along the body's z-axis, its middle at p_BoBcm.
BodySpec make_rod(const std::string& name, const Shape& capsule, const Vec3& p_BoBcm,
                  const Color& color) {
  BodySpec rod;
  rod.name = name;
  rod.geometries = {make_geometry({capsule, 1000, color}, RigidTransform::translation(p_BoBcm))};
  rod.geometries[0].name = name;
  return rod;
}

// The body's origins are the centres of mass.
ModelSpec make_double_pendulum(const SceneArguments& arguments) {
  const double half = 0.1;  // from a centre of mass to the joints above and below it, m
  const double angles[] = {kPi / 4, kPi / 2};
  const double rates[] = {0.1, 0.2};
  ModelSpec spec;
  for (int i = 0; i < 2; ++i) {
    BodySpec link =
        make_rod(fmt::format("link_{}", i + 1), make_capsule(0.01, half), {}, palette_color(3 * i));
    link.X_PB = RigidTransform::translation({0, 0, i == 0 ? -half : -2 * half});
    if (i > 0) link.parent = spec.bodies.back().name;
    JointSpec joint = make_hinge(fmt::format("joint_{}", i + 1), {0, 1, 0}, {0, 0, half});
    joint.damping = arguments.non_negative("damping");
    joint.position = {angles[i]};
    joint.velocity = {rates[i]};
    link.joints = {joint};
    spec.bodies.push_back(link);
  }
  return spec;
}

// The body's origins are the joints at the upper ends; a link reaches down to the next joint.
ModelSpec make_chain(const SceneArguments& arguments) {
  const int links = arguments.count("links");
  const double length = 0.1;  // from joint to joint, m
  const double radius = 0.01;
  const Shape capsule = make_capsule(radius, 0.5 * length - radius);
  ModelSpec spec;
  for (int i = 0; i < links; ++i) {
    BodySpec link =
        make_rod(fmt::format("link_{:03}", i), capsule, {0, 0, -0.5 * length}, palette_color(i));
    if (i > 0) {
      link.parent = spec.bodies.back().name;
      link.X_PB = RigidTransform::translation({0, 0, -length});
    }
    const Vec3 axis = i % 2 == 0 ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
    JointSpec joint = make_hinge(fmt::format("joint_{:03}", i), axis);
    joint.damping = arguments.non_negative("damping");
    if (i == 0) joint.position = {-kPi / 2};  // the whole chain points along world x
    if (i == 1) joint.velocity = {arguments.number("sideways")};
    link.joints = {joint};
    spec.bodies.push_back(link);
  }
  return spec;
}

// A ball on a string without mass; the string is only seen.
BodySpec make_cradle_ball(int i, double radius, const Vec3& p_WB, const Material& material) {
  const double length = 0.3;
  const double steel = 7800;  // kg/m³
  const Shape sphere = make_sphere(radius);
  const SpatialInertia unit = calc_unit_density_inertia(sphere);
  BodySpec ball;
  ball.name = fmt::format("ball_{}", i);
  ball.X_PB = RigidTransform::translation(p_WB);
  ball.inertia = InertiaSpec{steel * unit.mass, {}, steel * unit.I_com()};
  ball.joints = {make_hinge(ball.name + "_pivot", {0, 1, 0}, {0, 0, length})};
  ball.geometries = {
      make_geometry({sphere, steel, {0.72F, 0.74F, 0.78F, 1}}, {}, material),
      make_geometry({make_cylinder(0.001, 0.5 * length), steel, {0.35F, 0.35F, 0.38F, 1}},
                    RigidTransform::translation({0, 0, 0.5 * length}))};
  ball.geometries[0].name = ball.name;
  ball.geometries[1].name = ball.name + "_string";
  ball.geometries[1].collides = false;
  return ball;
}

ModelSpec make_newton_cradle(const SceneArguments& arguments) {
  const int count = arguments.count("count");
  const double radius = 0.02;
  const double pitch = 2 * radius + arguments.non_negative("gap");
  const Material material = make_material({.stiffness = arguments.positive("stiffness"),
                                           .dissipation = arguments.non_negative("dissipation"),
                                           .mu_static = 0,
                                           .mu_dynamic = 0});
  ModelSpec spec;
  for (int i = 0; i < count; ++i) {
    const Vec3 p_WB{pitch * (i - 0.5 * (count - 1)), 0, 0};
    spec.bodies.push_back(make_cradle_ball(i, radius, p_WB, material));
  }
  // A positive turn about y swings the first ball away from the others.
  spec.bodies[0].joints[0].position = {degrees_to_radians(arguments.between("angle", 0, 90))};
  return spec;
}

}  // namespace

SceneDefinition define_double_pendulum() {
  return {{"double_pendulum",
           "Two rods swing on two hinges with little damping; nothing touches.",
           1,
           {{"damping", 1e-3, "of each joint, N m s/rad"}}},
          make_double_pendulum};
}

SceneDefinition define_chain() {
  return {
      {"chain",
       "A chain of rods on hinges of alternating axes falls from a horizontal start and swings.",
       5,
       {{"links", 20, "number of links"},
        {"damping", 1e-4, "of each joint, N m s/rad"},
        {"sideways", 0.5,
         "initial rate of the second joint, out of the plane of the fall, rad/s"}}},
      make_chain};
}

SceneDefinition define_newton_cradle() {
  return {
      {"newton_cradle",
       "Steel balls on strings pass a knock along; with springs at the contacts some of it spreads "
       "to all balls.",
       5,
       {{"count", 5, "number of balls"},
        {"angle", 30, "by which the first ball is lifted, degrees, 0 to 90"},
        {"gap", 0, "between neighbours at rest, m"},
        {"stiffness", 1e6, "of a contact, N/m"},
        {"dissipation", 0, "Hunt & Crossley, s/m"}}},
      make_newton_cradle};
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A four-legged robot of about the size, masses and torques of a Unitree Go1 drops to the floor and
// stands under position control of its joints. Shapes are simple ones.
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "scenes/scene_definition.h"
#include "systems/library/joint_control.h"

namespace cenic::detail {
namespace {

constexpr double kThigh = 0.213, kShank = 0.213, kFoot = 0.022;   // lengths and radius, m
constexpr double kHipX = 0.188, kHipY = 0.047, kShoulder = 0.08;  // of the hips; hip to leg, m

JointSpec make_hinge(const std::string& name, const Vec3& axis, double lower, double upper,
                     double position) {
  JointSpec hinge;
  hinge.name = name;
  hinge.axis = axis;
  hinge.damping = 0.1;
  hinge.armature = 0.01;  // of the motor behind its gear
  hinge.lower = {lower};
  hinge.upper = {upper};
  hinge.position = {position};
  return hinge;
}

// A part of a leg that hangs from its hinge along −z.
BodySpec make_limb(const std::string& name, const std::string& parent, const Vec3& p_ParentLimb,
                   const JointSpec& hinge, const Shape& shape, const RigidTransform& X_BG,
                   double mass, const Color& color, const Material& material) {
  BodySpec limb;
  limb.name = name;
  limb.parent = parent;
  limb.X_PB = RigidTransform::translation(p_ParentLimb);
  limb.joints = {hinge};
  const double volume = calc_unit_density_inertia(shape).mass;
  limb.geometries = {make_geometry({shape, mass / volume, color}, X_BG, material)};
  limb.geometries[0].name = name;
  return limb;
}

struct Stance {
  double hip, knee;  // angles, rad
};

void add_leg(const std::string& leg, double front, double left, const Stance& stance,
             const Material& material, ModelSpec* spec) {
  const Color dark{0.25F, 0.26F, 0.28F, 1};
  const std::string hip = leg + "_hip", thigh = leg + "_thigh", shank = leg + "_shank";
  spec->bodies.push_back(make_limb(
      hip, "trunk", {front * kHipX, left * kHipY, 0},
      make_hinge(hip + "_joint", {1, 0, 0}, -0.86, 0.86, 0), make_cylinder(0.04, 0.02),
      {RigidTransform::rotation({degrees_to_radians(90), 0, 0}).R, {0, 0.5 * left * kShoulder, 0}},
      0.68, dark, material));
  spec->bodies.push_back(make_limb(thigh, hip, {0, left * kShoulder, 0},
                                   make_hinge(thigh + "_joint", {0, 1, 0}, -0.69, 4.5, stance.hip),
                                   make_capsule(0.02, 0.5 * kThigh - 0.02),
                                   RigidTransform::translation({0, 0, -0.5 * kThigh}), 1.0,
                                   palette_color(5), material));
  BodySpec lower =
      make_limb(shank, thigh, {0, 0, -kThigh},
                make_hinge(shank + "_joint", {0, 1, 0}, -2.82, -0.89, stance.knee),
                make_capsule(0.012, 0.5 * kShank - 0.02),
                RigidTransform::translation({0, 0, -0.5 * kShank}), 0.14, dark, material);
  const Shape ball = make_sphere(kFoot);
  lower.geometries.push_back(
      make_geometry({ball, 0.06 / calc_unit_density_inertia(ball).mass, palette_color(0)},
                    RigidTransform::translation({0, 0, -kShank}), material));
  lower.geometries.back().name = leg + "_foot";
  spec->bodies.push_back(lower);
}

ModelSpec make_quadruped(const SceneArguments& arguments) {
  const Material material = make_material({.stiffness = arguments.positive("stiffness"),
                                           .dissipation = 10,
                                           .mu_static = 0.8,
                                           .mu_dynamic = 0.8});
  // Feet under the hips: the knee bends twice as far as the hip, back.
  const Stance stance{.hip = 0.9, .knee = -1.8};
  const double height = (kThigh + kShank) * std::cos(stance.hip) + kFoot;
  ModelSpec spec;
  spec.world_geometries = {make_floor(material)};
  const Vec3 half{0.19, 0.06, 0.057};
  spec.bodies = {make_free_body(
      "trunk", RigidTransform::translation({0, 0, height + arguments.non_negative("drop")}),
      make_geometry({make_box(half), 5.2 / (8 * half.x * half.y * half.z), palette_color(2)}, {},
                    material))};
  JointTargets targets;
  targets.effort_limits.clear();
  const double torque = arguments.non_negative("torque");
  for (const double front : {1.0, -1.0}) {
    for (const double left : {1.0, -1.0}) {
      const std::string leg =
          fmt::format("{}_{}", front > 0 ? "front" : "rear", left > 0 ? "left" : "right");
      add_leg(leg, front, left, stance, material, &spec);
      // The thigh is beside the trunk, and the hip between them.
      spec.exclude.push_back({"trunk", leg + "_thigh"});
      const double angles[] = {0, stance.hip, stance.knee};
      const char* parts[] = {"hip", "thigh", "shank"};
      for (int i = 0; i < 3; ++i) {
        targets.joints.push_back(fmt::format("{}_{}_joint", leg, parts[i]));
        targets.reference.push_back(angles[i]);
        targets.effort_limits.push_back(i == 2 ? 1.5 * torque : torque);
      }
    }
  }
  spec.systems = {{.name = "stance",
                   .system = std::make_shared<PidControl>(
                       targets, PidGains{.kp = {arguments.non_negative("kp")},
                                         .kd = {arguments.non_negative("kd")}})}};
  return spec;
}

}  // namespace

SceneDefinition define_quadruped() {
  return {{"quadruped",
           "A four-legged robot drops to the floor and stands by position control of its joints.",
           3,
           {{"drop", 0.05, "height of the feet above the floor at the start, m"},
            {"kp", 100, "of each joint, N m/rad"},
            {"kd", 3, "of each joint, N m s/rad"},
            {"torque", 23.7, "largest of hips and thighs, N m; knees have half as much again"},
            {"stiffness", 1e5, "of each contact point, N/m"}}},
          make_quadruped};
}

}  // namespace cenic::detail

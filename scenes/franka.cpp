// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A Franka Emika Panda carries a cracker box between two set-points (paper, section VII).
// Kinematics from Franka's data sheet (Denavit-Hartenberg after Craig, joint limits, largest
// torques); inertias identified by C. Gaz et al., "Dynamic identification of the Franka Emika Panda
// robot with retrieval of feasible parameters", 2019. Shapes are our own, simple ones.
#include <array>
#include <memory>
#include <numbers>

#include <fmt/format.h>

#include "scenes/scene_definition.h"
#include "systems/library/joint_control.h"
#include "systems/library/trajectory.h"

namespace cenic::detail {
namespace {

constexpr int kJoints = 7;
constexpr double kQuarter = std::numbers::pi / 2;
constexpr Color kWhite{0.9F, 0.91F, 0.93F, 1}, kDark{0.25F, 0.26F, 0.28F, 1};

struct ArmLink {
  double alpha, a,
      d;  // twist (rad) and offset (m) from the joint before, travel along the axis (m)
  double lower, upper, torque;  // limits, rad and N m
  double mass;                  // kg
  Vec3 com;
  Vec3 moments, products;  // xx yy zz and xy xz yz about the centre of mass, kg m²
  Vec3 from, to;           // ends and radius of a capsule, m
  double radius;
};

// clang-format off
constexpr std::array<ArmLink, kJoints> kArm{{
    {0, 0, 0.333, -2.8973, 2.8973, 87,
     4.970684, {3.875e-3, 2.081e-3, -0.04762}, {0.70337, 0.70661, 9.117e-3}, {-1.39e-4, 6.772e-3, 0.019169},
     {0, 0, -0.16}, {0, 0, 0}, 0.06},
    {-kQuarter, 0, 0, -1.7628, 1.7628, 87,
     0.646926, {-3.141e-3, -0.02872, 3.495e-3}, {7.962e-3, 0.02811, 0.025995}, {-3.925e-3, 0.010254, 7.04e-4},
     {0, 0, 0}, {0, -0.15, 0}, 0.06},
    {kQuarter, 0, 0.316, -2.8973, 2.8973, 87,
     3.228604, {0.027518, 0.039252, -0.066502}, {0.037242, 0.036155, 0.01083}, {-4.761e-3, -0.011396, -0.012805},
     {0, 0, -0.1}, {0.0825, 0, 0}, 0.055},
    {kQuarter, 0.0825, 0, -3.0718, -0.0698, 87,
     3.587895, {-0.05317, 0.104419, 0.027454}, {0.025853, 0.019552, 0.028323}, {7.796e-3, -1.332e-3, 8.641e-3},
     {0, 0, 0}, {-0.0825, 0.11, 0}, 0.055},
    {-kQuarter, -0.0825, 0.384, -2.8973, 2.8973, 12,
     1.225946, {-0.011953, 0.041065, -0.038437}, {0.035549, 0.029474, 8.627e-3}, {-2.117e-3, -4.037e-3, 2.29e-4},
     {0, 0, -0.22}, {0, 0, 0}, 0.045},
    {kQuarter, 0, 0, -0.0175, 3.7525, 12,
     1.666555, {0.060149, -0.014117, -0.010517}, {1.964e-3, 4.354e-3, 5.433e-3}, {1.09e-4, -1.158e-3, 3.41e-4},
     {0, 0, 0}, {0.088, 0, 0}, 0.045},
    {kQuarter, 0.088, 0, -2.8973, 2.8973, 12,
     0.735522, {0.010517, -4.252e-3, 0.061597}, {0.012516, 0.010027, 4.815e-3}, {-4.28e-4, -1.196e-3, -7.41e-4},
     {0, 0, 0.02}, {0, 0, 0.06}, 0.04},
}};
// clang-format on

// In both the hand points down: joint 6 = joint 2 − joint 4.
using Posture = std::array<double, kJoints>;
constexpr Posture kLeft{-0.5, 0.15, 0, -1.9, 0, 2.05, kQuarter / 2};
constexpr Posture kRight{0.5, -0.05, 0, -1.6, 0, 1.55, kQuarter / 2};

constexpr Vec3 kBox{0.105, 0.03, 0.079};  // half extents in the hand's axes, m
constexpr double kBoxMass = 0.411;        // kg
constexpr double kFingerRoot = 0.0584;    // along the hand's z-axis, m
constexpr double kHandEnd = 0.066;

RigidTransform pose_of_link(const ArmLink& link, double q) {
  return RigidTransform::rotation({link.alpha, 0, 0}) *
         RigidTransform::translation({link.a, 0, link.d}) * RigidTransform::rotation({0, 0, q});
}

// On the flange, an eighth of a turn back.
RigidTransform pose_of_hand() {
  return {RigidTransform::rotation({0, 0, -kQuarter / 2}).R, {0, 0, 0.107}};
}

// A capsule between two points.
GeometrySpec make_capsule_between(const ArmLink& link, const Color& color) {
  const Vec3 along = link.to - link.from;
  const double length = norm(along);
  const Vec3 z = along / length, x = any_orthogonal(z);
  return make_geometry({make_capsule(link.radius, 0.5 * length), 1000, color},
                       {Mat3::from_columns(x, cross(z, x), z), 0.5 * (link.from + link.to)});
}

BodySpec make_arm_link(int i, double q) {
  const ArmLink& link = kArm[i];
  BodySpec body;
  body.name = fmt::format("link{}", i + 1);
  if (i > 0) body.parent = fmt::format("link{}", i);
  body.X_PB = pose_of_link(link, 0);
  const Vec3 &m = link.moments, &p = link.products;
  body.inertia =
      InertiaSpec{link.mass, link.com, {{{m.x, p.x, p.y}, {p.x, m.y, p.z}, {p.y, p.z, m.z}}}};
  JointSpec joint;
  joint.name = fmt::format("joint{}", i + 1);
  joint.lower = {link.lower};
  joint.upper = {link.upper};
  joint.position = {q};
  body.joints = {joint};
  body.geometries = {make_capsule_between(link, i % 2 == 0 ? kWhite : kDark)};
  body.geometries[0].name = body.name;
  return body;
}

BodySpec make_hand() {
  BodySpec hand;
  hand.name = "hand";
  hand.parent = fmt::format("link{}", kJoints);
  hand.X_PB = pose_of_hand();
  hand.inertia = InertiaSpec{0.73, {0, 1.5e-3, 0.0276}, Mat3::diagonal({2.8e-3, 4e-4, 2.6e-3})};
  hand.geometries = {make_geometry({make_box({0.02, 0.1, 0.5 * kHandEnd}), 1000, kWhite},
                                   RigidTransform::translation({0, 0, 0.5 * kHandEnd}))};
  hand.geometries[0].name = hand.name;
  return hand;
}

// side 1: along the hand's y-axis, −1: against it. At zero the fingers touch.
BodySpec make_finger(const std::string& name, double side, double opening,
                     const Material& material) {
  const Vec3 half{0.01, 0.0075, 0.027};
  BodySpec finger;
  finger.name = name;
  finger.parent = "hand";
  finger.X_PB = RigidTransform::translation({0, 0, kFingerRoot});
  finger.inertia = InertiaSpec{0.1, {0, side * half.y, half.z}, Mat3::diagonal({3e-5, 3e-5, 7e-6})};
  JointSpec slide;
  slide.name = name + "_slide";
  slide.kind = JointKind::kPrismatic;
  slide.axis = {0, side, 0};
  slide.lower = {0};
  slide.upper = {0.04};
  slide.position = {0.5 * opening};
  finger.joints = {slide};
  finger.geometries = {make_geometry({make_box(half), 1000, kDark},
                                     RigidTransform::translation({0, side * half.y, half.z}),
                                     material)};
  finger.geometries[0].name = name;
  return finger;
}

// The fingers move together, as the one motor of the hand moves them.
ConstraintSpec make_finger_gear() {
  ConstraintSpec gear;
  gear.name = "finger_gear";
  gear.kind = ConstraintKind::kCoupler;
  gear.a = "left_finger_slide";
  gear.b = "right_finger_slide";
  return gear;
}

void add_control(const SceneArguments& arguments, ModelSpec* spec) {
  const double hold = arguments.positive("hold"), gain = arguments.non_negative("gain");
  const std::vector<double> left(kLeft.begin(), kLeft.end()), right(kRight.begin(), kRight.end());
  JointTargets arm;
  arm.reference_input = true;
  const bool limited = arguments.between("torque_limits", 0, 1) != 0;
  if (limited) arm.effort_limits.clear();
  for (int i = 0; i < kJoints; ++i) {
    arm.joints.push_back(fmt::format("joint{}", i + 1));
    if (limited) arm.effort_limits.push_back(kArm[i].torque);
  }
  const bool smooth = arguments.between("smooth", 0, 1) != 0;
  if (smooth) {
    spec->systems.push_back(
        {.name = "path",
         .system = std::make_shared<TrajectoryPlayback>(
             std::vector<double>{0, hold, 2 * hold}, std::vector{left, right, left},
             TrajectoryPlayback::Options{Interpolation::kCubic, true})});
  } else {
    // Leaves at once. Sampled, so that steps end at the jumps, in the middle between two of its
    // times, so that rounding plays no part.
    spec->systems.push_back({.name = "path",
                             .system = std::make_shared<TrajectoryPlayback>(
                                 std::vector<double>{-0.5 * hold, 0.5 * hold, 1.5 * hold},
                                 std::vector{right, left, right},
                                 TrajectoryPlayback::Options{Interpolation::kHold, true}),
                             .period = hold});
  }
  spec->systems.push_back({.name = "arm_control",
                           .system = std::make_shared<InverseDynamicsControl>(
                               arm, std::vector<double>{gain}, std::vector<double>{gain})});
  spec->wires.push_back({"path.reference", "arm_control.reference"});
  // They close with all the force they have: stiff control far from its target.
  spec->systems.push_back({.name = "grip",
                           .system = std::make_shared<PidControl>(
                               JointTargets{.joints = {"left_finger_slide", "right_finger_slide"},
                                            .effort_limits = {arguments.non_negative("grip")}},
                               PidGains{.kp = {1e4}, .kd = {100}})});
}

ModelSpec make_franka(const SceneArguments& arguments) {
  const double mu = arguments.non_negative("mu");
  const Material rubber = make_material({.stiffness = arguments.positive("stiffness"),
                                         .dissipation = 20,
                                         .mu_static = mu,
                                         .mu_dynamic = mu});
  ModelSpec spec;
  spec.world_geometries = {make_floor(rubber),
                           make_geometry({make_cylinder(0.07, 0.05), 1000, kWhite},
                                         RigidTransform::translation({-0.02, 0, 0.05}))};
  spec.world_geometries[1].name = "base";
  RigidTransform X_WHand;
  for (int i = 0; i < kJoints; ++i) {
    spec.bodies.push_back(make_arm_link(i, kLeft[i]));
    X_WHand = X_WHand * pose_of_link(kArm[i], kLeft[i]);
  }
  X_WHand = X_WHand * pose_of_hand();
  spec.bodies.push_back(make_hand());
  const HydroelasticProperties pad{.compliance = Compliance::kCompliant,
                                   .modulus = arguments.positive("modulus")};
  for (const int side : {1, -1}) {
    spec.bodies.push_back(
        make_finger(side > 0 ? "left_finger" : "right_finger", side, 2 * kBox.y, rubber));
    spec.bodies.back().geometries[0].hydroelastic = pad;
  }
  spec.constraints = {make_finger_gear()};
  // The links of the wrist overlap in their simple shapes.
  spec.exclude = {{"link5", "link7"}};

  const double volume = 8 * kBox.x * kBox.y * kBox.z;
  const double gap = 0.01;  // between the hand and the box
  spec.bodies.push_back(make_free_body(
      "box", X_WHand * RigidTransform::translation({0, 0, kHandEnd + gap + kBox.z}),
      make_geometry({make_box(kBox), kBoxMass / volume, palette_color(0)}, {}, rubber)));
  spec.bodies.back().geometries[0].hydroelastic = pad;
  add_control(arguments, &spec);
  return spec;
}

}  // namespace

SceneDefinition define_franka() {
  return {
      {"franka",
       "A Franka arm under stiff inverse-dynamics control carries a box between two set-points.",
       10,
       {{"gain", 100, "of the controller, 1/s² on positions and 1/s on velocities"},
        {"hold", 2.5, "time between the jumps of the set-point, s"},
        {"smooth", 0, "1: the set-point moves smoothly; 0: it jumps"},
        {"torque_limits", 0, "1: joints give no more than the robot's; 0: no limits"},
        {"grip", 60, "force of each finger, N"},
        {"mu", 0.8, "friction coefficient"},
        {"modulus", 1e7, "hydroelastic modulus of fingers and box, Pa"},
        {"stiffness", 1e5, "of each contact point elsewhere, N/m"}}},
      make_franka};
}

}  // namespace cenic::detail

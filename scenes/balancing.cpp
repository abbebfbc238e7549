// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Rods that feedback holds against gravity: a pendulum at an angle, a pole on a cart. Both are
// uniform, along the body's z-axis from the hinge at its origin.
#include <memory>
#include <string>
#include <vector>

#include "scenes/scene_definition.h"
#include "systems/library/actuators.h"
#include "systems/library/joint_control.h"
#include "systems/library/sensors.h"
#include "systems/library/signals.h"

namespace cenic::detail {
namespace {

struct Rod {
  std::string name;
  double mass, length;  // kg, m
  double side;          // 1: upwards from its hinge at zero angle, −1: downwards
  int color;
};

BodySpec make_rod_on_hinge(const Rod& rod, double angle) {
  const double radius = 0.01, inertia = rod.mass * rod.length * rod.length / 12;
  const Vec3 middle{0, 0, 0.5 * rod.side * rod.length};
  BodySpec body;
  body.name = rod.name;
  body.inertia = InertiaSpec{rod.mass, middle, Mat3::diagonal({inertia, inertia, 1e-3 * inertia})};
  body.geometries = {make_geometry(
      {make_capsule(radius, 0.5 * rod.length - radius), 1000, palette_color(rod.color)},
      RigidTransform::translation(middle))};
  body.geometries[0].name = rod.name;
  JointSpec hinge;
  hinge.name = rod.name + "_hinge";
  hinge.axis = {0, 1, 0};
  hinge.position = {angle};
  body.joints = {hinge};
  return body;
}

ModelSpec make_pid_pendulum(const SceneArguments& arguments) {
  ModelSpec spec;
  spec.bodies = {make_rod_on_hinge({"rod", 1, 0.5, -1, 0}, 0)};
  const double target = degrees_to_radians(arguments.between("target", -180, 180));
  spec.systems = {{.name = "pid",
                   .system = std::make_shared<PidControl>(
                       JointTargets{.joints = {"rod_hinge"}, .reference = {target}},
                       PidGains{.kp = {arguments.number("kp")},
                                .ki = {arguments.number("ki")},
                                .kd = {arguments.number("kd")}})}};
  return spec;
}

constexpr double kCartMass = 1, kPoleMass = 0.2, kPoleLength = 0.6;

// force = −K (x, angle, and their rates), of the library's parts: a sensor, a matrix and a motor. K
// solves the Riccati equation of the linear-quadratic regulator for the cart and pole above,
// linearised upright, with Q = diag(10, 100, 1, 10) and R = 0.1 (scipy.linalg.solve_continuous_are;
// closed-loop poles −1.27 ± 1.13 i, −3.24, −24.9).
void add_balance(ModelSpec* spec) {
  const std::vector<double> minus_K{10, 81.06181, 12.298928, 17.816545};
  spec->systems = {
      {.name = "state",
       .system = std::make_shared<JointSensor>(std::vector<std::string>{"rail", "pole_hinge"})},
      {.name = "balance",
       .system = std::make_shared<LinearBlock>(
           LinearParameters{.input_sizes = {2, 2}, .A = minus_K, .b = {0.0}})},
      {.name = "drive", .system = std::make_shared<ActuatorModel>(make_motor("rail"))}};
  spec->wires = {{"state.position", "balance.in0"},
                 {"state.velocity", "balance.in1"},
                 {"balance.out", "drive.ctrl"}};
}

ModelSpec make_cart_pole(const SceneArguments& arguments) {
  const Vec3 half{0.1, 0.06, 0.04};
  BodySpec cart;
  cart.name = "cart";
  cart.geometries = {make_geometry(
      {make_box(half), kCartMass / (8 * half.x * half.y * half.z), palette_color(5)})};
  cart.geometries[0].name = cart.name;
  JointSpec rail;
  rail.name = "rail";
  rail.kind = JointKind::kPrismatic;
  rail.axis = {1, 0, 0};
  rail.lower = {-1};
  rail.upper = {1};
  cart.joints = {rail};
  BodySpec pole = make_rod_on_hinge({"pole", kPoleMass, kPoleLength, 1, 0},
                                    degrees_to_radians(arguments.between("angle", -180, 180)));
  pole.parent = cart.name;
  ModelSpec spec;
  spec.bodies = {cart, pole};
  GeometrySpec bar = make_geometry({make_box({1.1, 0.01, 0.01}), 1000, {0.35F, 0.35F, 0.38F, 1}});
  bar.name = "bar";
  bar.collides = false;
  spec.world_geometries = {bar};
  add_balance(&spec);
  return spec;
}

}  // namespace

SceneDefinition define_pid_pendulum() {
  return {{"pid_pendulum",
           "A rod of 1 kg is lifted to an angle and held there by a PID controller.",
           5,
           {{"target", 90, "angle from hanging, degrees"},
            {"kp", 20, "N m/rad"},
            {"ki", 20, "N m/(rad s)"},
            {"kd", 3, "N m s/rad"}}},
          make_pid_pendulum};
}

SceneDefinition define_cart_pole() {
  return {{"cart_pole",
           "A cart balances a pole by linear feedback of its state.",
           5,
           {{"angle", 5, "of the pole from upright at the start, degrees"}}},
          make_cart_pole};
}

}  // namespace cenic::detail

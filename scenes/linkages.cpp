// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Loops closed by constraints: a four-bar linkage and a chain held at both ends. Links lie along
// their body's x-axis, and angles turn it towards z.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "scenes/scene_definition.h"

namespace cenic::detail {
namespace {

constexpr Vec3 kHingeAxis{0, -1, 0};  // turns x towards z

// A rod along x from the body's x = begin to begin + length, at y.
GeometrySpec make_bar(const std::string& name, double begin, double length, double radius, double y,
                      const Color& color) {
  GeometrySpec bar = make_geometry(
      {make_capsule(radius, 0.5 * length), 1000, color},
      {RigidTransform::rotation({0, std::numbers::pi / 2, 0}).R, {begin + 0.5 * length, y, 0}});
  bar.name = name;
  return bar;
}

// A pin along y, for the eye alone.
GeometrySpec make_pin(const std::string& name, const Vec3& p_WPin) {
  GeometrySpec pin =
      make_geometry({make_cylinder(0.02, 0.03), 1000, {0.35F, 0.35F, 0.38F, 1}},
                    {RigidTransform::rotation({std::numbers::pi / 2, 0, 0}).R, p_WPin});
  pin.name = name;
  pin.collides = false;
  return pin;
}

// Lengths of a crank-rocker, m: the shortest and the longest together are shorter than the others
// (Grashof), so the crank turns right round.
constexpr double kCrank = 0.15, kCoupler = 0.35, kRocker = 0.3, kGround = 0.4;

// Angles of the links from the x-axis, and their rates.
struct FourBarPose {
  double crank, coupler, rocker;
  double crank_rate, coupler_rate, rocker_rate;
};

// The open assembly: coupler and rocker meet above the line from the crank's end to the rocker's
// pivot.
FourBarPose solve_four_bar(double crank, double rate) {
  const Vec3 p_AB{kCrank * std::cos(crank), 0, kCrank * std::sin(crank)};
  const Vec3 p_BD = Vec3{kGround, 0, 0} - p_AB;
  const double diagonal = norm(p_BD);
  const double lift = std::acos((diagonal * diagonal + kCoupler * kCoupler - kRocker * kRocker) /
                                (2 * diagonal * kCoupler));
  FourBarPose pose{};
  pose.crank = crank;
  pose.coupler = std::atan2(p_BD.z, p_BD.x) + lift;
  const Vec3 p_DC{kCoupler * std::cos(pose.coupler) - p_BD.x, 0,
                  kCoupler * std::sin(pose.coupler) - p_BD.z};
  pose.rocker = std::atan2(p_DC.z, p_DC.x);
  // The velocity of the joint C as a point of the coupler and of the rocker, across the other link.
  pose.crank_rate = rate;
  const double between = std::sin(pose.rocker - pose.coupler);
  pose.coupler_rate = -rate * kCrank * std::sin(pose.rocker - crank) / (kCoupler * between);
  pose.rocker_rate = -rate * kCrank * std::sin(pose.coupler - crank) / (kRocker * between);
  return pose;
}

// Crank and coupler are one tree, the rocker another. The coupler moves in a plane of its own.
ModelSpec make_four_bar(const SceneArguments& arguments) {
  const FourBarPose pose =
      solve_four_bar(degrees_to_radians(arguments.number("angle")), arguments.number("speed"));
  struct Part {
    const char* name;
    const char* parent;
    double start;  // x of its joint in the parent
    double length, y, angle, rate;
    int color;
  };
  const Part parts[] = {
      {"crank", kWorldName, 0, kCrank, -0.015, pose.crank, pose.crank_rate, 0},
      {"coupler", "crank", kCrank, kCoupler, 0.015, pose.coupler - pose.crank,
       pose.coupler_rate - pose.crank_rate, 2},
      {"rocker", kWorldName, kGround, kRocker, -0.015, pose.rocker, pose.rocker_rate, 4}};
  ModelSpec spec;
  for (const Part& part : parts) {
    BodySpec body;
    body.name = part.name;
    body.parent = part.parent;
    body.X_PB = RigidTransform::translation({part.start, 0, 0});
    JointSpec joint;
    joint.name = body.name + "_hinge";
    joint.axis = kHingeAxis;
    joint.damping = arguments.non_negative("damping");
    joint.position = {part.angle};
    joint.velocity = {part.rate};
    body.joints = {joint};
    body.geometries = {
        make_bar(part.name, 0, part.length, 0.012, part.y, palette_color(part.color))};
    body.geometries[0].collides = false;
    spec.bodies.push_back(body);
  }
  spec.world_geometries = {make_pin("crank_pin", {}), make_pin("rocker_pin", {kGround, 0, 0})};
  ConstraintSpec closure;
  closure.name = "closure";
  closure.kind = ConstraintKind::kBall;
  closure.a = "coupler";
  closure.b = "rocker";
  closure.X_AP = RigidTransform::translation({kCoupler, 0, 0});
  closure.X_BQ = RigidTransform::translation({kRocker, 0, 0});
  spec.constraints = {closure};
  return spec;
}

// A ball constraint between the end (side +1) or start (−1) of a link and a point of another body.
ConstraintSpec make_tie(const std::string& name, const std::string& link, double side,
                        double length, const std::string& other, const Vec3& p_OtherQ) {
  ConstraintSpec tie;
  tie.name = name;
  tie.kind = ConstraintKind::kBall;
  tie.a = link;
  tie.b = other;
  tie.X_AP = RigidTransform::translation({0.5 * side * length, 0, 0});
  tie.X_BQ = RigidTransform::translation(p_OtherQ);
  return tie;
}

// Starts as an arc of a circle in the x–z plane, hanging from two points of the x-axis about which
// all of it turns. Origins of the bodies are their middles.
ModelSpec make_closed_chain(const SceneArguments& arguments) {
  const int links = arguments.count("links");
  const double length = 0.1, radius = 0.01;
  const double bend = degrees_to_radians(arguments.between("bend", 1, 360)) / links;
  const double span = length * std::sin(0.5 * links * bend) / std::sin(0.5 * bend);
  const double damping = arguments.non_negative("damping");
  const bool free_links = arguments.between("free_links", 0, 1) != 0;
  const Vec3 p_WStart{-0.5 * span, 0, 0};
  const Vec3 p_WEnd{0.5 * span + arguments.non_negative("gap"), 0, 0};
  const Vec3 w{arguments.number("swing"), 0, 0};

  ModelSpec spec;
  Vec3 start = p_WStart;  // of the present link
  for (int i = 0; i < links; ++i) {
    const double angle = bend * (i + 0.5 - 0.5 * links);
    const Vec3 along{std::cos(angle), 0, std::sin(angle)};
    const Vec3 middle = start + 0.5 * length * along;
    BodySpec link;
    link.name = fmt::format("link_{:03}", i);
    link.geometries = {make_bar(link.name, radius - 0.5 * length, length - 2 * radius, radius, 0,
                                palette_color(i))};
    JointSpec joint;
    joint.name = fmt::format("joint_{:03}", i);
    if (free_links) {
      joint.kind = JointKind::kFree;
      const Vec3 v = cross(w, middle);
      joint.velocity = {w.x, w.y, w.z, v.x, v.y, v.z};
      link.X_PB = {RigidTransform::rotation(angle * kHingeAxis).R, middle};
      if (i == 0) {
        spec.constraints.push_back(make_tie("start", link.name, -1, length, kWorldName, p_WStart));
      } else {
        const std::string& before = spec.bodies.back().name;
        spec.constraints.push_back(make_tie(fmt::format("tie_{:03}", i), link.name, -1, length,
                                            before, {0.5 * length, 0, 0}));
        spec.exclude.push_back({before, link.name});
      }
    } else {
      joint.kind = JointKind::kBall;
      joint.X_BF = RigidTransform::translation({-0.5 * length, 0, 0});
      joint.damping = damping;
      const Quat turn = exp_map((i == 0 ? angle : bend) * kHingeAxis);
      joint.position = {turn.w, turn.x, turn.y, turn.z};
      if (i == 0) {
        joint.velocity = {w.x, w.y, w.z};
        link.X_PB = RigidTransform::translation(p_WStart + Vec3{0.5 * length, 0, 0});
      } else {
        link.parent = spec.bodies.back().name;
        link.X_PB = RigidTransform::translation({length, 0, 0});
      }
    }
    link.joints = {joint};
    spec.bodies.push_back(link);
    start += length * along;
  }
  spec.constraints.push_back(
      make_tie("end", spec.bodies.back().name, 1, length, kWorldName, p_WEnd));
  if (links > 2) spec.exclude.push_back({spec.bodies.front().name, spec.bodies.back().name});
  spec.world_geometries = {make_pin("start_pin", p_WStart), make_pin("end_pin", p_WEnd)};
  return spec;
}

}  // namespace

SceneDefinition define_four_bar() {
  return {{"four_bar",
           "A crank turns, a rocker swings to and fro; a ball constraint closes the linkage.",
           5,
           {{"angle", 60, "of the crank at the start, degrees"},
            {"speed", 10, "of the crank at the start, rad/s"},
            {"damping", 0, "of each hinge, N m s/rad"}}},
          make_four_bar};
}

SceneDefinition define_closed_chain() {
  return {
      {"closed_chain",
       "A chain on ball joints, tied at both ends, falls from the shape of an arc and swings.",
       5,
       {{"links", 10, "number of links"},
        {"bend", 180, "of the whole arc, degrees, 1 to 360: a ring on one point"},
        {"gap", 0, "between the end of the chain and its tie at the start, m: it closes at once"},
        {"swing", 2, "initial rate about the line between the ends, rad/s"},
        {"damping", 0, "of each ball joint, N m s/rad"},
        {"free_links", 0,
         "1: every link is a free body, every joint a constraint; 0: only the end is tied"}}},
      make_closed_chain};
}

}  // namespace cenic::detail

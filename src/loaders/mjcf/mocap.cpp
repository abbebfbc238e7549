// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Mocap bodies: MuJoCo lets the user move them as if by an invisible hand. Here those that matter
// to others are free bodies, too heavy for the rest of the model to move, which a stiff spring
// holds at the pose that the input NAME:pose gives.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"
#include "systems/library/signals.h"
#include "systems/library/task_space_control.h"

namespace cenic::detail {
namespace {

constexpr double kTimeConstant = 0.002;  // s, in which it follows
constexpr double kHeavier = 100;         // than all that moves
constexpr double kGyration = 0.1;        // m

// Nothing else in the model would notice where it is.
bool matters(MjcfWorld* world, int body) {
  const BodySpec& spec = world->spec().bodies[body];
  const auto held = [&](const ConstraintSpec& c) {
    const bool bodies = c.kind != ConstraintKind::kCoupler && c.kind != ConstraintKind::kTendon;
    return bodies && (c.a == spec.name || c.b == spec.name);
  };
  const auto tied = [&](const TendonSpec& t) {
    return std::ranges::any_of(t.branches, [&](const PathBranch& branch) {
      return std::ranges::find(branch.points, spec.name, &PathPoint::body) != branch.points.end();
    });
  };
  const auto collides = [](const GeometrySpec& g) {
    return g.collides && (g.group != 0 || g.mask != 0);
  };
  return std::ranges::any_of(world->spec().constraints, held) ||
         std::ranges::any_of(world->spec().tendons, tied) ||
         std::ranges::any_of(spec.geometries, collides);
}

double calc_moving_mass(const ModelSpec& spec) {
  const std::vector<double> trees = calc_tree_masses(spec);
  double mass = 0;
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    if (std::isfinite(trees[b]) && spec.bodies[b].inertia) mass += spec.bodies[b].inertia->mass;
  }
  return mass;
}

// What never moves does not push a mocap body in MuJoCo.
void exclude_static_contacts(const std::string& name, MjcfWorld* world) {
  const std::vector<double> trees = calc_tree_masses(world->spec());
  world->spec().exclude.push_back({name, kWorldName});
  for (std::size_t b = 0; b < trees.size(); ++b) {
    const std::string& other = world->spec().bodies[b].name;
    if (!std::isfinite(trees[b]) && other != name) world->spec().exclude.push_back({name, other});
  }
}

void free_body(double mass, MjcfMocap* mocap, MjcfWorld* world) {
  BodySpec& body = world->spec().bodies[mocap->body];
  exclude_static_contacts(body.name, world);
  body.joints.push_back({.name = body.name + ":mocap", .kind = JointKind::kFree});
  body.inertia =
      InertiaSpec{.mass = mass, .I_com = mass * kGyration * kGyration * Mat3::identity()};
  body.gravity_compensation = 1;
  const double k = mass / (kTimeConstant * kTimeConstant), d = 2 * mass / kTimeConstant;
  const double square = kGyration * kGyration;
  const RigidTransform& X = body.X_PB;
  const Quat e = to_quaternion(X.R);
  mocap->input = system_name(body.name) + ":pose";
  const std::string servo = system_name(body.name) + ":hand";
  world->spec().systems.push_back({.name = mocap->input,
                                   .system = std::make_shared<HeldInput>(std::vector<double>{
                                       e.w, e.x, e.y, e.z, X.p.x, X.p.y, X.p.z})});
  world->spec().systems.push_back({.name = servo,
                                   .system = std::make_shared<TaskSpaceControl>(
                                       TaskSpaceParameters{.body = body.name,
                                                           .joints = {body.name + ":mocap"},
                                                           .kp = make_task_gains(square * k, k),
                                                           .kd = make_task_gains(square * d, d),
                                                           .target_input = true})});
  world->spec().wires.push_back({mocap->input, servo + ".target"});
}

}  // namespace

void free_mocap_bodies(bool move, MjcfWorld* world) {
  const double mass = kHeavier * std::max(1.0, calc_moving_mass(world->spec()));
  for (MjcfMocap& mocap : world->mocaps) {
    const BodySpec& body = world->spec().bodies[mocap.body];
    if (body.parent != kWorldName || !body.joints.empty()) {
      world->report(*mocap.element, Severity::kError,
                    "a mocap body is a child of the world and has no joints");
    } else if (!matters(world, mocap.body)) {
      world->report(*mocap.element, Severity::kApproximated,
                    "mocap: the body stays where it is placed; nothing is held by it");
    } else if (!move) {
      world->report(*mocap.element, Severity::kApproximated,
                    "mocap: the body stays where it is placed; load with --mocap "
                    "(LoadOptions::mocap) to move it");
    } else {
      free_body(mass, &mocap, world);
      world->report(*mocap.element, Severity::kApproximated,
                    fmt::format("mocap: a heavy free body that follows the input '{}' (quaternion, "
                                "position) in {} s",
                                mocap.input, kTimeConstant));
    }
  }
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <mujoco>: the settings that MuJoCo takes from a URDF. They are those of MJCF, with defaults of
// their own; angles are always radians, and the order of turns is that of URDF.
#include <fmt/format.h>

#include "loaders/mjcf/body_parts.h"
#include "loaders/urdf/urdf.h"

namespace cenic::detail {
namespace {

// Collisions are in group 0, visuals have no mass.
bool counts_collisions(const MjcfCompiler& c) { return c.group_first <= 0 && c.group_last >= 0; }

void weigh_shapes(const MjcfCompiler& c, RobotLink* link, Reporter* reporter) {
  const bool asked =
      c.inertia_from_geom == InertiaFromGeom::kYes ||
      (c.inertia_from_geom == InertiaFromGeom::kAuto && !link->body.inertia.has_value());
  if (!asked || !counts_collisions(c)) return;
  const std::optional<InertiaSpec> inertia = calc_shape_inertia(link->body);
  if (!inertia) return;
  link->body.inertia = inertia;
  for (const GeometrySpec& g : link->body.geometries) {
    if (!g.collides || g.shape.mesh == nullptr) continue;
    reporter->report(*link->element, Severity::kApproximated,
                     fmt::format("link '{}': the mass of a mesh that is not convex is that of the "
                                 "solid; MuJoCo counts it higher",
                                 link->body.name));
  }
}

}  // namespace

void read_urdf_mujoco(const XmlElement& element, ModelSpec* spec, UrdfReader* reader) {
  element.read = true;
  if (reader->mujoco) {
    reader->reporter().ignore(element, "<mujoco>: the first one holds");
    return;
  }
  MjcfCompiler defaults;
  defaults.degrees = false;
  defaults.strippath = true;
  defaults.fuse_static = true;
  const MjcfCompiler compiler = read_compiler(element, reader->diagnostics(), defaults);
  reader->mujoco = {compiler, read_options(element, spec, reader->diagnostics())};
  reader->context.resources->look_first_in(join_paths(folder_of(*element.file), compiler.meshdir),
                                           compiler.strippath);
  if (const XmlElement* size = element.child("size")) {
    reader->reporter().ignore(*size, "<size>: memory grows as needed");
  }
}

void set_mujoco_inertia(RobotLink* link, UrdfReader* reader) {
  const MjcfCompiler& compiler = reader->mujoco->compiler;
  weigh_shapes(compiler, link, &reader->reporter());
  InertiaSpec inertia = link->body.inertia.value_or(InertiaSpec{});
  apply_bounds(compiler, &inertia);
  if (inertia.mass > 0) link->body.inertia = inertia;
}

void apply_mujoco_switches(UrdfReader* reader) {
  const MjcfOptions& options = reader->mujoco->options;
  for (RobotLink& link : reader->robot.links) {
    for (GeometrySpec& g : link.body.geometries) {
      g.collides = g.collides && options.contacts;
    }
  }
  for (RobotJoint& joint : reader->robot.joints) {
    for (JointSpec& j : joint.joints) {
      if (!options.limits) j.lower.clear(), j.upper.clear();
      if (!options.dry_friction) j.dry_friction = 0;
      if (!options.springs) j.stiffness = 0;
      if (!options.dampers) j.damping = 0;
    }
  }
  if (!options.equality) reader->robot.mimics.clear();
  if (!options.actuation) reader->actuators.clear();
}

void finish_mujoco(const UrdfReader::Mujoco& mujoco, ModelSpec* spec) {
  scale_total_mass(mujoco.compiler, spec);
  add_medium(mujoco.options, spec);
}

}  // namespace cenic::detail

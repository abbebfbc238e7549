// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What stands in a body: geoms, joints, inertia, sites.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loaders/mjcf/world.h"

namespace cenic::detail {

// A body while its element is being read.
struct OpenBody {
  int index = -1;  // −1: world
  const XmlElement* element = nullptr;
  SpatialInertia from_geoms{};
  std::optional<InertiaSpec> given{};
  std::vector<double> refs{};                // of its joints
  std::vector<int> groups{};                 // of its geoms
  const XmlElement* missing_mass = nullptr;  // a geom whose mesh cannot be read
};

// Where an element stands.
struct BodyContext {
  MjcfInstance* instance = nullptr;
  OpenBody* body = nullptr;
  RigidTransform X_BF{};     // the frame it is in
  std::string childclass{};  // nearest
  std::string suffix{};
};

void read_geom(const XmlElement& element, const BodyContext& in, MjcfWorld* world);
void read_joint(const XmlElement& element, const BodyContext& in, MjcfWorld* world);
void read_inertial(const XmlElement& element, const BodyContext& in, MjcfWorld* world);
void read_site(const XmlElement& element, const BodyContext& in, MjcfWorld* world);
// Moves a body that is placed with its joints at `ref` to where they are zero.
// The motion of the body by this joint, of one axis, alone: X_BF exp(axis q) X_BF⁻¹.
RigidTransform calc_motion(const JointSpec& joint, double q);
void place_at_reference(const std::vector<double>& ref, BodySpec* body);
// Bounds on masses and moments, and balanced moments, where the compiler asks for them.
void apply_bounds(const MjcfCompiler& compiler, InertiaSpec* inertia);
// Shapes for contact alone are not drawn: where a body has geoms that nothing touches, those of
// other groups.
void hide_contact_shapes(const std::vector<int>& groups, std::vector<GeometrySpec>* geometries);
// When all of a body is known: its inertia, joints that start away from zero, what is drawn.
void finish_body(const MjcfCompiler& compiler, const OpenBody& open, MjcfWorld* world);

}  // namespace cenic::detail

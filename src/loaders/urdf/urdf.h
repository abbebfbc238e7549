// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The parts of the URDF reader.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "loaders/robot/robot.h"
#include "loaders/xml/attributes.h"

namespace cenic::detail {

struct UrdfReader {
  Robot robot{};
  RobotContext context{};
  std::map<std::string, std::array<float, 4>> materials{};
  std::set<std::string> geometry_names{};
  // Of joints by name: rotor inertia and gear ratio of transmissions, for the armature.
  struct Rotor {
    double inertia = 0, gear = 1;
  };
  std::map<std::string, Rotor> rotors{};
  std::map<std::string, double> efforts{};  // limits of joints by name, where they have one
  std::vector<RobotActuator> actuators{};
  std::map<std::string, RigidTransform> origins{};  // X_PJ of joints by name

  Diagnostics* diagnostics() const { return context.diagnostics(); }
  Reporter& reporter() const { return *context.reporter; }
};

// <origin xyz rpy>; the identity when there is none.
RigidTransform read_urdf_origin(const XmlElement& element, UrdfReader* reader);
void read_urdf_link(const XmlElement& element, UrdfReader* reader);
void read_urdf_joint(const XmlElement& element, UrdfReader* reader);
void read_urdf_material(const XmlElement& element, UrdfReader* reader);
void read_urdf_transmission(const XmlElement& element, UrdfReader* reader);
void read_urdf_filter_group(const XmlElement& element, UrdfReader* reader);

}  // namespace cenic::detail

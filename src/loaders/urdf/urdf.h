// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The parts of the URDF reader.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loaders/mjcf/document.h"
#include "loaders/mjcf/options.h"
#include "loaders/robot/robot.h"
#include "loaders/xml/attributes.h"

namespace cenic::detail {

struct UrdfReader {
  Robot robot{};
  RobotContext context{};
  struct Material {
    std::optional<std::array<float, 4>> color{};
    TextureSpec texture{};  // perhaps without an image
  };
  std::map<std::string, Material> materials{};
  std::set<std::string> geometry_names{};
  // Of joints by name: rotor inertia and gear ratio of transmissions, for the armature.
  struct Rotor {
    double inertia = 0, gear = 1;
  };
  std::map<std::string, Rotor> rotors{};
  std::map<std::string, double> efforts{};  // limits of joints by name, where they have one
  std::vector<RobotActuator> actuators{};
  std::map<std::string, RigidTransform> origins{};  // X_PJ of joints by name
  struct Mujoco {
    MjcfCompiler compiler{};
    MjcfOptions options{};
  };
  std::optional<Mujoco> mujoco{};  // where the file has settings for it

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

// <mujoco>, before all others.
void read_urdf_mujoco(const XmlElement& element, ModelSpec* spec, UrdfReader* reader);
// Masses from shapes, and bounds on them: for links of a file with <mujoco>.
void set_mujoco_inertia(RobotLink* link, UrdfReader* reader);
// What the flags of <option> switch off.
void apply_mujoco_switches(UrdfReader* reader);
// When all bodies are there: their total mass, and the medium they move in.
void finish_mujoco(const UrdfReader::Mujoco& mujoco, ModelSpec* spec);

}  // namespace cenic::detail

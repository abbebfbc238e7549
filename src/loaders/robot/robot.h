// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Robot: what URDF and SDFormat have in common. Links with poses and joints between them, in the
// order of the file and by name; assemble() makes the tree of bodies of a ModelSpec of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loaders/resource_paths.h"
#include "loaders/robot/shapes.h"
#include "loaders/xml/reporter.h"
#include "model/model_spec.h"

namespace cenic {
struct LoadedModel;
}

namespace cenic::detail {

struct RobotLink {
  const XmlElement* element = nullptr;
  RigidTransform X_WL{};         // joints at zero
  BodySpec body{};               // name, inertia, geometries
  bool fixed = false;            // does not move, whatever its joints
  bool inertia_missing = false;  // nothing is said: massless where others carry it
};

struct RobotJoint {
  const XmlElement* element = nullptr;
  std::string name{}, parent{}, child{};
  RigidTransform X_WJ{};  // joint frame, joints at zero
  // Where the file draws the joint frame of the child, if not there.
  std::optional<RigidTransform> X_WM{};
  // One after the other, X_BF not set; none: fixed. kFree: the only one.
  std::vector<JointSpec> joints{};
};

// q of `joint` = offset + multiplier · q of `of`.
struct RobotMimic {
  const XmlElement* element = nullptr;
  std::string joint{}, of{};
  double multiplier = 1, offset = 0;
};

// A set of links, and the sets whose links its own do not touch.
struct FilterGroup {
  const XmlElement* element = nullptr;
  std::string name{};
  std::vector<std::string> links{}, groups{}, ignored{};
};

// A motor on a joint.
struct RobotActuator {
  const XmlElement* element = nullptr;
  std::string joint{};
  double limit = -1;  // of its force, N m or N; negative: none; 0: there is no motor
};

struct Robot {
  std::vector<RobotLink> links{};
  std::vector<RobotJoint> joints{};
  std::vector<RobotMimic> mimics{};
  std::vector<FilterGroup> filter_groups{};
  bool loops_allowed = true;
  std::string welded{};  // LoadOptions::welded
};

// What the readers of both formats carry around.
struct RobotContext {
  Reporter* reporter = nullptr;
  ResourcePaths* resources = nullptr;
  MeshLibrary meshes{};
  std::vector<MeshLibrary::Visual::Part> more_parts{};  // of the visual that is being read

  Diagnostics* diagnostics() const { return reporter->diagnostics(); }
};

// Fills bodies, constraints and filters. Links that no joint holds are free. A joint whose child
// hangs on another joint already closes a loop: the child is cut in two, and a weld constraint
// holds the halves together.
void assemble(Robot robot, Reporter* reporter, ModelSpec* spec);

// For each a HeldInput with the name of the joint, whose value is the force, and a motor of the
// name JOINT:force; after assemble(), which gives the joints.
void add_robot_actuators(const std::vector<RobotActuator>& actuators, Reporter* reporter,
                         LoadedModel* loaded);

// assemble_parts.cpp
void give_missing_inertias(Robot* robot, ModelSpec* spec, Reporter* reporter);
// Of the collision shapes at 1000 kg/m³; none when they have no volume.
std::optional<InertiaSpec> calc_shape_inertia(const BodySpec& body);
void add_mimics(const Robot& robot, Reporter* reporter, ModelSpec* spec);
void add_filter_groups(const Robot& robot, Reporter* reporter, ModelSpec* spec);
void start_within_limits(const XmlElement& element, JointSpec* joint, Reporter* reporter);

// Moments that no body has are repaired with a report: a point has the inertia of a ball of radius
// 1 mm, a line some thickness; inertia without mass is none; a moment above the sum of the others
// stays, and they are raised. Negative ones are an error.
InertiaSpec check_inertia(const XmlElement& element, const std::string& link, InertiaSpec inertia,
                          Reporter* reporter);

// The kind and the path of Drake's curvilinear joint, in the spelling of either format (numbers are
// attributes or elements). Gives X_FM at its start, a rotation: x is tangent, z normal to the
// plane.
RigidTransform read_curve(const XmlElement& element, JointSpec* joint, Reporter* reporter);

// Revolute, prismatic, screw, curvilinear.
bool has_one_coordinate(const JointSpec& joint);

// Roll, pitch, yaw: Rz(yaw) Ry(pitch) Rx(roll).
Mat3 from_roll_pitch_yaw(const Vec3& rpy);
// A rotation that takes z to the direction.
Mat3 frame_with_z(const Vec3& direction);

}  // namespace cenic::detail

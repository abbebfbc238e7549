// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/urdf/read_urdf.h"

#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/urdf/urdf.h"
#include "loaders/xml/read_xml.h"

namespace cenic {
namespace {

using detail::RobotJoint;
using detail::RobotLink;
using detail::UrdfReader;

// The first element of a file that xacro must work on first.
const XmlElement* find_xacro(const XmlElement& element) {
  if (element.name.starts_with("xacro:")) return &element;
  for (const auto& child : element.children) {
    if (const XmlElement* found = find_xacro(*child)) return found;
  }
  return nullptr;
}

void refuse_xacro(const std::string& path, const XmlElement& root) {
  const XmlElement* macro = find_xacro(root);
  if (macro == nullptr && !path.ends_with(".xacro")) return;
  throw FileError(path, macro != nullptr ? macro->line : 1,
                  "this is xacro, not yet URDF; expand it first: xacro FILE.xacro > FILE.urdf");
}

// What is known and left out; null for other elements.
const char* reason_to_ignore(const std::string& name) {
  struct Row {
    const char *name, *reason;
  };
  static constexpr Row kRows[] = {
      {"gazebo", "settings of Gazebo are not read"},
      {"frame", "frames have no use here"},
      {"sensor", "sensors are not read"},
      {"force_element", "force elements are not read"},
      {"loop_joint", "loop joints are not read"},
      {"self_collision_checking", "links touch unless they are neighbours or filtered"},
      {"verbose", "a setting of the reader"},
  };
  for (const Row& row : kRows) {
    if (name == row.name) return row.reason;
  }
  return nullptr;
}

void read_elements(const XmlElement& root, ModelSpec* spec, UrdfReader* reader) {
  for (const auto& child : root.children) {
    if (child->name == "mujoco") detail::read_urdf_mujoco(*child, spec, reader);
  }
  // Materials may be used before they are defined, and armatures by joints before transmissions.
  for (const auto& child : root.children) {
    if (child->name == "material") detail::read_urdf_material(*child, reader);
    if (child->name == "transmission") detail::read_urdf_transmission(*child, reader);
  }
  for (const auto& child : root.children) {
    if (child->name == "link") {
      detail::read_urdf_link(*child, reader);
    } else if (child->name == "joint" || child->name == "drake:joint") {
      detail::read_urdf_joint(*child, reader);
    } else if (child->name == "drake:collision_filter_group") {
      detail::read_urdf_filter_group(*child, reader);
    } else if (const char* reason = reason_to_ignore(child->name)) {
      reader->reporter().ignore_once(*child, fmt::format("<{}>: {}", child->name, reason));
    }
  }
}

// Poses of links from those of their parents. Rings of links have none; assemble() reports them.
void place_links(UrdfReader* reader) {
  std::map<std::string, RobotLink*> links;
  for (RobotLink& link : reader->robot.links) {
    links.emplace(link.body.name, &link);
  }
  std::map<std::string, RobotJoint*> holders;
  for (RobotJoint& joint : reader->robot.joints) {
    holders.emplace(joint.child, &joint);
  }
  std::set<std::string> placed;
  for (const auto& [name, link] : links) {
    std::vector<RobotJoint*> chain;
    std::set<std::string> seen;
    std::string at = name;
    while (!placed.contains(at) && seen.insert(at).second) {
      const auto holder = holders.find(at);
      if (holder == holders.end()) break;
      chain.push_back(holder->second);
      at = holder->second->parent;
    }
    for (RobotJoint* joint : std::views::reverse(chain)) {
      const auto parent = links.find(joint->parent), child = links.find(joint->child);
      const RigidTransform X_WP = parent == links.end() ? RigidTransform{} : parent->second->X_WL;
      const RigidTransform X_WC = X_WP * reader->origins[joint->name];
      // The joint's frame is the child's, but for the turn that planes and universals need.
      joint->X_WJ = X_WC * joint->X_WJ;
      if (child != links.end()) child->second->X_WL = X_WC;
      placed.insert(joint->child);
    }
    placed.insert(name);
  }
}

}  // namespace

LoadedModel read_urdf(const std::string& path, const AssetPaths& paths,
                      const LoadOptions& options) {
  const std::unique_ptr<XmlElement> root = read_xml(path, path);
  refuse_xacro(path, *root);
  if (root->name != "robot") {
    throw FileError(
        path, root->line,
        fmt::format("the root element is <{}>; a URDF begins with <robot>", root->name));
  }
  LoadedModel loaded;
  Reporter reporter(&loaded.diagnostics);
  ResourcePaths resources(paths, options.packages);
  UrdfReader reader;
  reader.robot.loops_allowed = false;
  reader.robot.welded = options.welded;
  reader.context.reporter = &reporter;
  reader.context.resources = &resources;

  const Attributes attributes(*root, &loaded.diagnostics);
  loaded.spec.name = attributes.text("name", "robot");
  attributes.accept({"version"});
  for (const XmlAttribute& a : root->attributes) {
    if (a.name.starts_with("xmlns")) a.read = true;
  }
  read_elements(*root, &loaded.spec, &reader);
  if (reader.mujoco) detail::apply_mujoco_switches(&reader);
  place_links(&reader);
  detail::assemble(std::move(reader.robot), &reporter, &loaded.spec);
  for (detail::RobotActuator& actuator : reader.actuators) {
    const auto effort = reader.efforts.find(actuator.joint);
    if (effort != reader.efforts.end()) actuator.limit = effort->second;
  }
  detail::add_robot_actuators(reader.actuators, &reporter, &loaded);
  if (reader.mujoco) detail::finish_mujoco(*reader.mujoco, &loaded.spec);
  if (loaded.spec.bodies.empty() && loaded.spec.world_geometries.empty()) {
    reporter.error(*root, "the robot has no links");
  }
  report_unread(*root, &loaded.diagnostics);
  return loaded;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <joint> and what belongs to joints: limits, dynamics, mimic, transmissions; and filter groups.
#include <algorithm>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "loaders/urdf/urdf.h"
#include "loaders/xml/values.h"

namespace cenic::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double limit_number(const Attributes& a, const char* name, double fallback) {
  if (const auto infinity = parse_infinity(a.text(name))) return *infinity;
  return a.number(name, fallback);
}

// `range`: the type has limits of position.
void read_limit(const XmlElement& element, bool range, JointSpec* joint, UrdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  const auto once = [&](const char* name, const char* reason) {
    if (!a.has(name)) return;
    reader->reporter().report_once(element, Severity::kIgnored,
                                   fmt::format("{}: {}", name, reason));
  };
  const double effort = limit_number(a, "effort", -1);
  if (a.has("effort")) reader->efforts[joint->name] = effort;
  const bool driven = std::ranges::any_of(reader->actuators, [&](const RobotActuator& actuator) {
    return actuator.joint == joint->name;
  });
  if (!driven) once("effort", "no transmission drives the joint");
  once("velocity", "velocities are not limited");
  once("drake:acceleration", "accelerations are not limited");
  a.accept({"drake:jerk"});
  once("drake:jerk", "jerks are not limited");
  if (!range) {
    a.accept({"lower", "upper"});
    return;
  }
  // In Drake, as here, a limit that is not given is none.
  const double lower = limit_number(a, "lower", -kInfinity);
  const double upper = limit_number(a, "upper", kInfinity);
  if (lower > upper) {
    a.error("lower",
            fmt::format("lower limit {} is above the upper limit {}; swap them", lower, upper));
    return;
  }
  if (lower == -kInfinity && upper == kInfinity) return;
  joint->lower = {lower};
  joint->upper = {upper};
}

// One number for all degrees of freedom; the largest when the file has several.
double shared_number(const Attributes& a, const char* name) {
  const std::vector<double> list = a.numbers(name, 1, 6);
  double largest = 0;
  for (const double x : list) {
    if (x < 0) a.error(name, fmt::format("{} is {}; give no negative number", name, x));
    if (x != list.front()) {
      a.report(Severity::kApproximated, name, fmt::format("{}: the largest holds for all", name));
    }
    largest = std::max(largest, x);
  }
  return largest;
}

void read_dynamics(const XmlElement& element, JointSpec* joint, UrdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  joint->damping = shared_number(a, "damping");
  joint->dry_friction = shared_number(a, "friction");
  joint->stiffness = shared_number(a, "stiffness");
  a.ignore({"coulomb_window"}, "dry friction sticks");
}

std::string read_link_name(const XmlElement& element, const char* role, UrdfReader* reader) {
  const XmlElement* end = element.child(role);
  std::string name = end == nullptr ? "" : Attributes(*end, reader->diagnostics()).text("link");
  if (name.empty()) {
    reader->reporter().error(
        element, fmt::format("the joint has no {}; write <{} link=\"...\"/>", role, role));
  }
  return name;
}

Vec3 read_axis(const XmlElement& element, const Vec3& fallback, UrdfReader* reader) {
  const XmlElement* axis = element.child("axis");
  if (axis == nullptr) return fallback;
  const Attributes a(*axis, reader->diagnostics());
  const Vec3 xyz = a.vector("xyz", fallback);
  if (norm(xyz) > 0) return xyz;
  a.error("xyz", "the axis is zero; give a direction");
  return fallback;
}

void read_pitch(const XmlElement& element, JointSpec* joint, UrdfReader* reader) {
  const XmlElement* pitch = element.child("drake:screw_thread_pitch");
  if (pitch == nullptr || pitch->find("value") == nullptr) {
    reader->reporter().error(
        element, "a screw needs <drake:screw_thread_pitch value=\"...\"/>, in m per turn");
    return;
  }
  joint->pitch = value_number(*pitch, reader->diagnostics()).value_or(0) / (2 * std::numbers::pi);
}

void read_rotor(const XmlElement& element, UrdfReader::Rotor* rotor, UrdfReader* reader) {
  if (const XmlElement* inertia = element.child("drake:rotor_inertia")) {
    rotor->inertia = value_number(*inertia, reader->diagnostics()).value_or(0);
    if (rotor->inertia < 0) {
      reader->reporter().error(*inertia, "rotor inertia is not negative");
      rotor->inertia = 0;
    }
  }
  if (const XmlElement* gear = element.child("drake:gear_ratio")) {
    rotor->gear = value_number(*gear, reader->diagnostics()).value_or(1);
  }
}

// The kind, and the turn of the joint's frame that it asks for; false when the type is not known.
bool set_kind(const XmlElement& element, const std::string& type, JointSpec* joint,
              RigidTransform* X_CJ, UrdfReader* reader) {
  if (type == "revolute" || type == "continuous") {
    joint->kind = JointKind::kRevolute;
  } else if (type == "prismatic") {
    joint->kind = JointKind::kPrismatic;
  } else if (type == "floating") {
    joint->kind = JointKind::kFree;
  } else if (type == "ball") {
    joint->kind = JointKind::kBall;
  } else if (type == "universal") {
    joint->kind = JointKind::kUniversal;
  } else if (type == "screw") {
    joint->kind = JointKind::kScrew;
    read_pitch(element, joint, reader);
  } else if (type == "planar") {
    joint->kind = JointKind::kPlanar;
    X_CJ->R = frame_with_z(read_axis(element, {0, 0, 1}, reader));
    return true;
  } else if (type == "curvilinear") {
    RigidTransform& X_PC = reader->origins[joint->name];
    X_PC = X_PC * read_curve(element, joint, &reader->reporter());
    return true;
  } else {
    reader->reporter().error(
        element, fmt::format("joint type '{}' is not known; use revolute, continuous, prismatic, "
                             "fixed, floating, planar, ball, universal, screw or curvilinear",
                             type));
    mark_read(element);
    return false;
  }
  const bool has_axis = joint->kind == JointKind::kRevolute ||
                        joint->kind == JointKind::kPrismatic || joint->kind == JointKind::kScrew;
  const Vec3 axis = read_axis(element, {1, 0, 0}, reader);
  if (has_axis) joint->axis = axis;
  return true;
}

void read_mimic(const XmlElement& element, const std::string& joint, UrdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  reader->robot.mimics.push_back({.element = &element,
                                  .joint = joint,
                                  .of = a.text("joint"),
                                  .multiplier = a.number("multiplier", 1),
                                  .offset = a.number("offset", 0)});
}

void ignore_joint_parts(const XmlElement& element, UrdfReader* reader) {
  if (const XmlElement* safety = element.child("safety_controller")) {
    reader->reporter().ignore_once(*safety, "<safety_controller>: a setting of controllers");
  }
  if (const XmlElement* calibration = element.child("calibration")) {
    reader->reporter().ignore_once(*calibration, "<calibration>: sensors are not read");
  }
  if (const XmlElement* gains = element.child("drake:controller_gains")) {
    reader->reporter().ignore_once(*gains, "<drake:controller_gains>: the model has no actuators");
  }
}

}  // namespace

void read_urdf_joint(const XmlElement& element, UrdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  RobotJoint joint;
  joint.element = &element;
  joint.name = a.text("name");
  joint.parent = read_link_name(element, "parent", reader);
  joint.child = read_link_name(element, "child", reader);
  if (joint.parent.empty() || joint.child.empty()) {
    mark_read(element);
    return;
  }
  reader->origins.try_emplace(joint.name, read_urdf_origin(element, reader));
  ignore_joint_parts(element, reader);
  const std::string type = a.text("type");
  if (type == "fixed") {
    // Files carry the settings of the joint it once was.
    for (const char* part : {"axis", "limit", "dynamics"}) {
      if (const XmlElement* child = element.child(part)) mark_read(*child);
    }
    reader->robot.joints.push_back(std::move(joint));
    return;
  }
  JointSpec spec;
  spec.name = joint.name;
  if (!set_kind(element, type, &spec, &joint.X_WJ, reader)) return;
  if (const XmlElement* limit = element.child("limit")) {
    read_limit(*limit, type == "revolute" || type == "prismatic" || type == "screw", &spec, reader);
  }
  if (const XmlElement* dynamics = element.child("dynamics")) {
    read_dynamics(*dynamics, &spec, reader);
  }
  UrdfReader::Rotor rotor = reader->rotors[joint.name];
  read_rotor(element, &rotor, reader);
  spec.armature = rotor.inertia * rotor.gear * rotor.gear;
  if (const XmlElement* mimic = element.child("mimic")) read_mimic(*mimic, joint.name, reader);
  if (spec.kind == JointKind::kFree) spec.stiffness = 0;
  joint.joints = {spec};
  reader->robot.joints.push_back(std::move(joint));
}

void read_urdf_transmission(const XmlElement& element, UrdfReader* reader) {
  element.read = true;
  const XmlElement* actuator = element.child("actuator");
  const XmlElement* joint = element.child("joint");
  if (actuator != nullptr && joint != nullptr && joint->find("name") != nullptr) {
    read_rotor(*actuator, &reader->rotors[joint->find("name")->value], reader);
  }
  for (const auto& child : element.children) {
    const XmlAttribute* name = child->find("name");
    if (child->name != "joint" || name == nullptr) continue;
    reader->actuators.push_back({.element = &element, .joint = name->value});
  }
  if (joint == nullptr) {
    reader->reporter().ignore_once(element, "<transmission>: it names no joint");
    return;
  }
  mark_read(element);
  reader->reporter().report_once(element, Severity::kApproximated,
                                 "<transmission>: a motor whose input is the force on the joint, "
                                 "whatever its interface and reduction");
}

void read_urdf_filter_group(const XmlElement& element, UrdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  FilterGroup group;
  group.element = &element;
  group.name = a.text("name");
  const bool ignored = a.flag("ignore", false);
  for (const auto& child : element.children) {
    const Attributes b(*child, reader->diagnostics());
    if (child->name == "drake:member") {
      group.links.push_back(b.text("link"));
    } else if (child->name == "drake:member_group") {
      group.groups.push_back(b.text("name"));
    } else if (child->name == "drake:ignored_collision_filter_group") {
      group.ignored.push_back(b.text("name"));
    } else {
      child->read = false;
    }
  }
  if (!ignored) reader->robot.filter_groups.push_back(std::move(group));
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <joint>: kinds, axes, limits and dynamics.
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "loaders/sdf/sdf.h"
#include "loaders/xml/attributes.h"
#include "loaders/xml/values.h"

namespace cenic::detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoLimit = 1e15;  // SDFormat writes 1e16 where there is none

Vec3 unit_or(const Vec3& a, const Vec3& fallback) { return norm(a) > 0 ? normalized(a) : fallback; }

// The axis in the joint's frame.
Vec3 read_axis(const XmlElement& axis, const SdfPart& part, const Vec3& fallback,
               SdfReader* reader) {
  const XmlElement* xyz = axis.child("xyz");
  if (xyz == nullptr) return fallback;
  Vec3 direction = value_vector(*xyz, reader->diagnostics()).value_or(fallback);
  if (!(norm(direction) > 0)) {
    reader->reporter().error(*xyz, "the axis is zero; give a direction");
    return fallback;
  }
  std::string frame;
  bool given = false;
  if (const XmlAttribute* expressed_in = xyz->find("expressed_in")) {
    given = !expressed_in->value.empty();
    frame = resolve_sdf_name(part.scope.path, expressed_in->value);
  }
  if (child_flag(axis, "use_parent_model_frame", false, reader->diagnostics()) && !given) {
    given = true;
    frame = part.scope.path;
  }
  if (given) {
    const Mat3 R_WJ = find_sdf_pose(part.frame, axis, reader).R;
    direction = transpose_times(R_WJ, find_sdf_pose(frame, axis, reader).R * direction);
  }
  return direction;
}

void read_limit(const XmlElement& limit, bool range, JointSpec* joint, SdfReader* reader) {
  Diagnostics* diagnostics = reader->diagnostics();
  const double lower = child_limit(limit, "lower", -kInfinity, diagnostics);
  const double upper = child_limit(limit, "upper", kInfinity, diagnostics);
  const auto once = [&](const char* name, const char* reason) {
    const XmlElement* child = limit.child(name);
    if (child == nullptr) return;
    reader->reporter().ignore_once(*child, fmt::format("<{}>: {}", name, reason));
  };
  if (const XmlElement* effort = limit.child("effort")) {
    const double most = child_limit(limit, "effort", -1, diagnostics);
    reader->actuators.push_back({.element = effort, .joint = joint->name, .limit = most});
  }
  once("velocity", "velocities are not limited");
  once("drake:acceleration", "accelerations are not limited");
  once("drake:jerk", "jerks are not limited");
  // ODE's own default stands for rigid.
  constexpr double kRigid = 1e8;
  const double stiffness = child_limit(limit, "stiffness", kRigid, diagnostics);
  const double dissipation = child_limit(limit, "dissipation", 1, diagnostics);
  if (stiffness > 0 && stiffness < kRigid && dissipation >= 0) {
    joint->limit_stiffness = stiffness;
    joint->limit_damping = dissipation;
  }
  if (!range) return;
  if (lower > upper) {
    reader->reporter().error(
        limit, fmt::format("lower limit {} is above the upper limit {}; swap them", lower, upper));
    return;
  }
  joint->lower = {lower <= -kNoLimit ? -kInfinity : lower};
  joint->upper = {upper >= kNoLimit ? kInfinity : upper};
  if (joint->lower[0] == -kInfinity && joint->upper[0] == kInfinity) {
    joint->lower.clear();
    joint->upper.clear();
  }
}

double not_negative(const XmlElement& element, const char* name, SdfReader* reader) {
  const double x = child_number(element, name, 0, reader->diagnostics());
  if (x >= 0) return x;
  reader->reporter().error(*element.child(name),
                           fmt::format("<{}> is {}; give no negative number", name, x));
  return 0;
}

// Limits and dynamics of <axis>.
void read_axis_properties(const XmlElement& axis, bool range, JointSpec* joint, SdfReader* reader) {
  if (const XmlElement* limit = axis.child("limit")) read_limit(*limit, range, joint, reader);
  const XmlElement* dynamics = axis.child("dynamics");
  if (dynamics == nullptr) return;
  joint->damping = not_negative(*dynamics, "damping", reader);
  joint->dry_friction = not_negative(*dynamics, "friction", reader);
  joint->stiffness = not_negative(*dynamics, "spring_stiffness", reader);
  const double rest = child_number(*dynamics, "spring_reference", 0, reader->diagnostics());
  if (rest != 0 && joint->kind != JointKind::kBall) joint->rest = {rest};
}

// m per radian of what the file gives.
double read_pitch(const XmlElement& element, SdfReader* reader) {
  // m per turn.
  for (const char* name : {"screw_thread_pitch", "drake:screw_thread_pitch"}) {
    if (element.child(name) == nullptr) continue;
    return child_number(element, name, 0, reader->diagnostics()) / (2 * std::numbers::pi);
  }
  // Its old name counts turns: in Gazebo, −radians per metre.
  if (element.child("thread_pitch") != nullptr) {
    const double pitch = child_number(element, "thread_pitch", 1, reader->diagnostics());
    if (pitch != 0) return -1 / pitch;
  }
  reader->reporter().error(element,
                           "a screw needs <screw_thread_pitch>, in m per turn and not zero");
  return 0;
}

const XmlElement* find_end(const XmlElement& element, const char* role) {
  const XmlElement* end = element.child(role);
  return end != nullptr ? end : element.child(std::string("drake:") + role);
}

struct Axes {
  const XmlElement* first = nullptr;
  const XmlElement* second = nullptr;
  Vec3 a{0, 0, 1}, b{0, 1, 0};
};

Axes read_axes(const XmlElement& element, const SdfPart& part, SdfReader* reader) {
  Axes axes;
  axes.first = element.child("axis");
  axes.second = element.child("axis2");
  if (axes.first != nullptr) axes.a = read_axis(*axes.first, part, axes.a, reader);
  if (axes.second != nullptr) axes.b = read_axis(*axes.second, part, axes.b, reader);
  return axes;
}

// Two angles about axes of their own; a universal joint when nothing tells them from one.
void make_two_axes(const Axes& axes, RobotJoint* joint, SdfReader* reader) {
  std::vector<JointSpec> pair(2);
  pair[0].name = joint->name;
  pair[1].name = joint->name + "_axis2";
  pair[0].axis = axes.a;
  pair[1].axis = axes.b;
  if (axes.first != nullptr) read_axis_properties(*axes.first, true, &pair[0], reader);
  if (axes.second != nullptr) read_axis_properties(*axes.second, true, &pair[1], reader);
  const Vec3 x = unit_or(axes.a, {1, 0, 0}), y = unit_or(axes.b, {0, 1, 0});
  const bool plain = std::fabs(dot(x, y)) < 1e-12 && pair[0].lower.empty() &&
                     pair[1].lower.empty() && pair[0].damping == pair[1].damping &&
                     pair[0].dry_friction == pair[1].dry_friction && pair[0].stiffness == 0 &&
                     pair[1].stiffness == 0;
  if (!plain) {
    joint->joints = std::move(pair);
    return;
  }
  JointSpec universal = pair[0];
  universal.kind = JointKind::kUniversal;
  joint->X_WJ = joint->X_WJ * RigidTransform{Mat3::from_columns(x, y, cross(x, y)), {}};
  joint->joints = {universal};
}

// The path lies in the parent's frame, and the child is where the path starts, wherever the file
// draws it.
void make_curvilinear(const XmlElement& element, const SdfPart& part, RobotJoint* joint,
                      SdfReader* reader) {
  JointSpec spec;
  spec.name = joint->name;
  const RigidTransform X_FM = read_curve(element, &spec, &reader->reporter());
  spec.damping = not_negative(element, "drake:damping", reader);
  joint->X_WM = joint->X_WJ;
  const std::string parent =
      resolve_sdf_name(part.scope.path, value_text(*find_end(element, "parent")));
  joint->X_WJ = find_sdf_pose(parent, element, reader) * X_FM;
  joint->joints = {spec};
}

// Fills the joints of a type; false when it is not known.
bool make_joints(const XmlElement& element, const std::string& type, const SdfPart& part,
                 RobotJoint* joint, SdfReader* reader) {
  const Axes axes = read_axes(element, part, reader);
  if (type == "fixed") {
    for (const XmlElement* axis : {axes.first, axes.second}) {
      if (axis != nullptr) mark_read(*axis);  // of the joint it once was
    }
    return true;
  }
  if (type == "curvilinear") {
    make_curvilinear(element, part, joint, reader);
    return true;
  }
  if (type == "universal" || type == "revolute2") {
    make_two_axes(axes, joint, reader);
    return true;
  }
  JointSpec spec;
  spec.name = joint->name;
  spec.axis = axes.a;
  bool range = true;
  if (type == "revolute" || type == "continuous") {
    spec.kind = JointKind::kRevolute;
    range = type == "revolute";
  } else if (type == "prismatic") {
    spec.kind = JointKind::kPrismatic;
  } else if (type == "screw") {
    spec.kind = JointKind::kScrew;
    spec.pitch = read_pitch(element, reader);
  } else if (type == "ball") {
    spec.kind = JointKind::kBall;
    range = false;
  } else if (type == "planar") {
    spec.kind = JointKind::kPlanar;
    joint->X_WJ = joint->X_WJ * RigidTransform{frame_with_z(axes.a), {}};
    range = false;
  } else {
    return false;
  }
  if (axes.first != nullptr) read_axis_properties(*axes.first, range, &spec, reader);
  joint->joints = {spec};
  return true;
}

std::string read_end(const XmlElement& element, const char* role, const SdfPart& part,
                     SdfReader* reader) {
  const XmlElement* end = find_end(element, role);
  if (end == nullptr || value_text(*end).empty()) {
    reader->reporter().error(element,
                             fmt::format("the joint has no <{}>; name a link, or world", role));
    return "";
  }
  const std::string name = resolve_sdf_name(part.scope.path, value_text(*end));
  std::string link = find_sdf_link(name, reader);
  if (link.empty()) {
    reader->reporter().error(
        *end, fmt::format("there is no link '{}' to be the {} of joint '{}'; name a link, frame or "
                          "model, or world",
                          value_text(*end), role, part.name));
  }
  return link;
}

void read_armature(const XmlElement& element, RobotJoint* joint, SdfReader* reader) {
  const double inertia = not_negative(element, "drake:rotor_inertia", reader);
  const double gear = child_number(element, "drake:gear_ratio", 1, reader->diagnostics());
  for (JointSpec& j : joint->joints) {
    j.armature = inertia * gear * gear;
  }
}

}  // namespace

void read_sdf_joint(const SdfPart& part, SdfReader* reader) {
  const XmlElement& element = *part.element;
  const Attributes a(element, reader->diagnostics());
  const std::string type = a.text("type");
  if (type == "gearbox") {
    reader->reporter().ignore(element, "joint type 'gearbox' is not known: the joint is left out");
    return;
  }
  RobotJoint joint;
  joint.element = &element;
  joint.name = reader->shown(part.name);
  joint.parent = read_end(element, "parent", part, reader);
  joint.child = read_end(element, "child", part, reader);
  if (joint.parent.empty() || joint.child.empty()) {
    mark_read(element);
    return;
  }
  joint.parent = reader->shown(joint.parent);
  joint.child = reader->shown(joint.child);
  joint.X_WJ = find_sdf_pose(part.frame, element, reader);
  if (!make_joints(element, type, part, &joint, reader)) {
    reader->reporter().error(
        element, fmt::format("joint type '{}' is not known; use revolute, continuous, prismatic, "
                             "fixed, ball, universal, revolute2, screw, planar or curvilinear",
                             type));
    mark_read(element);
    return;
  }
  read_armature(element, &joint, reader);
  if (const XmlElement* mimic = element.child("drake:mimic")) {
    const Attributes m(*mimic, reader->diagnostics());
    reader->robot.mimics.push_back(
        {.element = mimic,
         .joint = joint.name,
         .of = reader->shown(resolve_sdf_name(part.scope.path, m.text("joint"))),
         .multiplier = m.number("multiplier", 1),
         .offset = m.number("offset", 0)});
  }
  if (const XmlElement* gains = element.child("drake:controller_gains")) {
    reader->reporter().ignore_once(*gains, "<drake:controller_gains>: the model has no actuators");
  }
  reader->robot.joints.push_back(std::move(joint));
}

}  // namespace cenic::detail

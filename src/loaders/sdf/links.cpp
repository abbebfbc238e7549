// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <link>: inertia; collision and visual elements are in geometry.cpp. Filter groups.
#include <utility>

#include <fmt/format.h>

#include "loaders/sdf/sdf.h"
#include "loaders/xml/attributes.h"
#include "loaders/xml/values.h"

namespace cenic::detail {
namespace {

// What SDFormat says of a link when the file does not: 1 kg, 1 kg m² about each axis.
InertiaSpec default_inertia() { return {.mass = 1, .com = {}, .I_com = Mat3::identity()}; }

InertiaSpec read_inertial(const XmlElement& element, const SdfPart& part, SdfReader* reader) {
  element.read = true;
  Diagnostics* diagnostics = reader->diagnostics();
  InertiaSpec inertia = default_inertia();
  const RigidTransform X = read_pose_in_link(element, part, reader);
  inertia.com = X.p;
  inertia.mass = child_number(element, "mass", 1, diagnostics);
  Mat3 I = Mat3::identity();
  if (const XmlElement* m = element.child("inertia")) {
    const auto at = [&](const char* name, double fallback) {
      return child_number(*m, name, fallback, diagnostics);
    };
    const double xy = at("ixy", 0), xz = at("ixz", 0), yz = at("iyz", 0);
    I = {{{at("ixx", 1), xy, xz}, {xy, at("iyy", 1), yz}, {xz, yz, at("izz", 1)}}};
  } else {
    reader->reporter().report(element, Severity::kWarning,
                              fmt::format("link '{}' has no <inertia>: it is 1 kg m² about each "
                                          "axis, as SDFormat has it",
                                          part.name));
  }
  inertia.I_com = X.R * I * transpose(X.R);
  return check_inertia(element, part.name, inertia, &reader->reporter());
}

}  // namespace

void read_sdf_link(const SdfPart& part, SdfReader* reader) {
  const XmlElement& element = *part.element;
  RobotLink link;
  link.element = &element;
  link.body.name = reader->shown(part.name);
  link.X_WL = find_sdf_pose(part.name, element, reader);
  link.fixed = part.scope.fixed;
  if (const XmlElement* inertial = element.child("inertial")) {
    link.body.inertia = read_inertial(*inertial, part, reader);
  } else if (link.fixed) {
    link.body.inertia = InertiaSpec{};
  } else {
    link.body.inertia = default_inertia();
    reader->reporter().report(element, Severity::kWarning,
                              fmt::format("link '{}' has no <inertial>: it has 1 kg and 1 kg m² "
                                          "about each axis, as SDFormat has it",
                                          part.name));
  }
  if (!child_flag(element, "gravity", true, reader->diagnostics())) {
    link.body.gravity_compensation = 1;
  }
  if (child_flag(element, "kinematic", false, reader->diagnostics())) {
    reader->reporter().report(*element.child("kinematic"), Severity::kIgnored,
                              "<kinematic>: the link moves as its joints let it");
  }
  if (const XmlElement* e = element.child("self_collide")) {
    reader->reporter().ignore_once(
        *e, "<self_collide>: links of a model touch unless they are neighbours or filtered");
  }
  for (const auto& child : element.children) {
    if (child->name == "collision" || child->name == "visual") {
      read_sdf_geometry_part(*child, child->name == "collision", part, &link, reader);
    }
  }
  reader->robot.links.push_back(std::move(link));
}

void read_sdf_filter_group(const SdfPart& part, SdfReader* reader) {
  const XmlElement& element = *part.element;
  const Attributes a(element, reader->diagnostics());
  FilterGroup group;
  group.element = &element;
  group.name = join_scope(part.scope.path, a.text("name"));
  const bool ignored = a.flag("ignore", false);
  for (const auto& child : element.children) {
    const std::string name = resolve_sdf_name(part.scope.path, child->text);
    if (child->name == "drake:member") {
      child->read = true;
      group.links.push_back(reader->shown(find_sdf_link(name, reader)));
    } else if (child->name == "drake:member_group") {
      child->read = true;
      group.groups.push_back(name);
    } else if (child->name == "drake:ignored_collision_filter_group") {
      child->read = true;
      group.ignored.push_back(name);
    }
  }
  if (!ignored) reader->robot.filter_groups.push_back(std::move(group));
}

}  // namespace cenic::detail

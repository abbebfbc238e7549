// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Drake's curvilinear joint: <drake:curves>, <drake:initial_tangent>, <drake:plane_normal> and
// <drake:is_periodic>.
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "loaders/robot/robot.h"
#include "loaders/xml/attributes.h"
#include "loaders/xml/values.h"

namespace cenic::detail {
namespace {

// length="2" or <drake:length>2</drake:length>.
std::optional<double> read_number(const XmlElement& element, const std::string& name,
                                  Reporter* reporter) {
  const Attributes a(element, reporter->diagnostics());
  if (a.has(name)) return a.number(name);
  if (const XmlElement* child = element.child("drake:" + name)) {
    return value_number(*child, reporter->diagnostics());
  }
  reporter->error(element, fmt::format("<{}> has no {}; give it one", element.name, name));
  return std::nullopt;
}

// xyz="1 0 0" or <xyz>1 0 0</xyz>; of unit length.
Vec3 read_direction(const XmlElement& element, const char* name, const Vec3& fallback,
                    Reporter* reporter) {
  const XmlElement* child = element.child(name);
  if (child == nullptr) return fallback;
  const Attributes a(*child, reporter->diagnostics());
  std::optional<Vec3> xyz = a.vector("xyz");
  if (!xyz) xyz = child_vector(*child, "xyz", reporter->diagnostics());
  if (xyz && norm(*xyz) > 0) return normalized(*xyz);
  reporter->error(*child, fmt::format("<{}> is no direction; give xyz, not all zero", name));
  return fallback;
}

std::optional<CurveSegment> read_segment(const XmlElement& element, Reporter* reporter) {
  const auto positive = [&](const char* name) -> std::optional<double> {
    const std::optional<double> x = read_number(element, name, reporter);
    if (!x || *x > 0) return x;
    reporter->error(element, fmt::format("{} is {}; give a number above zero", name, *x));
    return std::nullopt;
  };
  if (element.name == "drake:line_segment") {
    const auto length = positive("length");
    if (!length) return std::nullopt;
    return CurveSegment{.length = *length};
  }
  if (element.name != "drake:circular_arc") {
    reporter->error(element, fmt::format("<{}> is no part of a path; use <drake:line_segment> or "
                                         "<drake:circular_arc>",
                                         element.name));
    mark_read(element);
    return std::nullopt;
  }
  const auto radius = positive("radius");
  const auto angle = read_number(element, "angle", reporter);
  if (!radius || !angle) return std::nullopt;
  if (*angle == 0) {
    reporter->error(element, "the angle of an arc is zero; give the angle it turns by");
    return std::nullopt;
  }
  return CurveSegment{.length = *radius * std::fabs(*angle), .angle = *angle};
}

void read_segments(const XmlElement& element, JointSpec* joint, Reporter* reporter) {
  const XmlElement* curves = element.child("drake:curves");
  if (curves == nullptr || curves->children.empty()) {
    reporter->error(element,
                    "a curvilinear joint needs <drake:curves> with a <drake:line_segment> or "
                    "<drake:circular_arc>");
    return;
  }
  curves->read = true;
  bool good = true;
  for (const auto& child : curves->children) {
    const auto segment = read_segment(*child, reporter);
    if (segment) joint->curve.push_back(*segment);
    good = good && segment;
  }
  if (!good) joint->curve.clear();
}

// Drake lets the body jump where a path that is not closed begins again; a jump is no motion.
void read_periodic(const XmlElement& element, JointSpec* joint, Reporter* reporter) {
  const XmlElement* periodic = element.child("drake:is_periodic");
  if (periodic == nullptr) return;
  joint->periodic = value_flag(*periodic, false, reporter->diagnostics());
  if (!joint->periodic || joint->curve.empty()) return;
  const PlanarCurve curve(joint->curve, true);
  if (curve.is_closed()) return;
  joint->periodic = false;
  reporter->report(*periodic, Severity::kApproximated,
                   fmt::format("<drake:is_periodic>: the path ends {:.3g} m from its start, turned "
                               "by {:.3g} rad: its ends are limits, where the body would jump",
                               curve.gap(), curve.end_turn()));
}

}  // namespace

RigidTransform read_curve(const XmlElement& element, JointSpec* joint, Reporter* reporter) {
  joint->kind = JointKind::kCurvilinear;
  read_segments(element, joint, reporter);
  read_periodic(element, joint, reporter);
  const Vec3 x = read_direction(element, "drake:initial_tangent", {1, 0, 0}, reporter);
  const Vec3 z = read_direction(element, "drake:plane_normal", {0, 0, 1}, reporter);
  if (std::fabs(dot(x, z)) > 1e-9) {
    reporter->error(element,
                    "the path does not start in its plane; make <drake:initial_tangent> "
                    "perpendicular to <drake:plane_normal>");
    return {};
  }
  return {Mat3::from_columns(x, cross(z, x), z), {}};
}

bool has_one_coordinate(const JointSpec& joint) {
  switch (joint.kind) {
    case JointKind::kRevolute:
    case JointKind::kPrismatic:
    case JointKind::kScrew:
    case JointKind::kCurvilinear:
      return true;
    default:
      return false;
  }
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Poses relative to frames, each of which may be relative to others.
#include <algorithm>
#include <numbers>
#include <ranges>

#include <fmt/format.h>

#include "loaders/sdf/sdf.h"
#include "loaders/xml/attributes.h"
#include "loaders/xml/values.h"

namespace cenic::detail {
namespace {

// Some files write commas.
std::vector<double> read_pose_numbers(const XmlElement& pose, SdfReader* reader) {
  std::string text = value_text(pose);
  std::ranges::replace(text, ',', ' ');
  std::string reason;
  auto list = parse_numbers(text, &reason);
  if (list) return *list;
  reader->reporter().error(pose, fmt::format("<pose>: {}", reason));
  return {};
}

RigidTransform to_transform(const XmlElement& pose, const std::vector<double>& n, bool degrees,
                            SdfReader* reader) {
  if (n.empty()) return {};
  if (n.size() == 7) {
    const Quat q{n[6], n[3], n[4], n[5]};
    if (norm(q) > 1e-9) return {to_matrix(normalized(q)), {n[0], n[1], n[2]}};
    reader->reporter().error(pose, "<pose>: the quaternion is zero; 0 0 0 1 means no rotation");
    return {};
  }
  if (n.size() != 6) {
    reader->reporter().error(
        pose, fmt::format("<pose> has {} numbers; give x y z roll pitch yaw", n.size()));
    return {};
  }
  const double unit = degrees ? std::numbers::pi / 180 : 1;
  return {from_roll_pitch_yaw(unit * Vec3{n[3], n[4], n[5]}), {n[0], n[1], n[2]}};
}

}  // namespace

std::string join_scope(const std::string& scope, const std::string& name) {
  return scope.empty() ? name : scope + "::" + name;
}

SdfPose read_sdf_pose(const XmlElement& element, SdfReader* reader) {
  const XmlElement* pose = element.child("pose");
  if (pose == nullptr) return {};
  const Attributes a(*pose, reader->diagnostics());
  SdfPose result;
  result.relative_to = a.text("relative_to", a.text("frame"));
  const bool degrees = a.keyword("degrees", {"false", "true", "0", "1"}, 0) % 2 == 1;
  a.keyword("rotation_format", {"euler_rpy", "quat_xyzw"}, 0);
  result.X = to_transform(*pose, read_pose_numbers(*pose, reader), degrees, reader);
  return result;
}

void add_sdf_frame(const std::string& name, const SdfFrame& frame, SdfReader* reader) {
  if (name.empty() || name.ends_with("::")) {
    reader->reporter().error(*frame.element,
                             fmt::format("<{}> has no name; give it one", frame.element->name));
    return;
  }
  const XmlElement& element = *frame.element;
  if (reader->frames.try_emplace(name, frame).second) return;
  reader->reporter().error(element, fmt::format("another element is named '{}'; links, joints, "
                                                "frames and models each need a name of their own",
                                                name));
}

std::string resolve_sdf_name(const std::string& scope, const std::string& name) {
  constexpr std::string_view kModel = "__model__";
  if (name == kWorldName || name == "__root__") return "";
  if (name == kModel || name.empty()) return scope;
  constexpr std::string_view kInner = "::__model__";
  if (name.ends_with(kInner)) return join_scope(scope, name.substr(0, name.size() - kInner.size()));
  return join_scope(scope, name);
}

RigidTransform find_sdf_pose(const std::string& name, const XmlElement& asks, SdfReader* reader) {
  // The chain of bases, outermost last: files may be deep.
  std::vector<SdfFrame*> chain;
  const XmlElement* from = &asks;
  RigidTransform X;
  for (std::string at = name; !at.empty();) {
    const auto found = reader->frames.find(at);
    if (found == reader->frames.end()) {
      reader->reporter().error(*from, fmt::format("there is no frame '{}'; name a link, joint, "
                                                  "frame or model, or world",
                                                  at));
      break;
    }
    SdfFrame& frame = found->second;
    if (frame.state == SdfFrame::State::kDone) {
      X = frame.X_WF;
      break;
    }
    if (frame.state == SdfFrame::State::kOpen) {
      reader->reporter().error(
          *frame.element, fmt::format("the pose of '{}' depends on itself; break the cycle", at));
      break;
    }
    frame.state = SdfFrame::State::kOpen;
    chain.push_back(&frame);
    from = frame.element;
    at = frame.base;
  }
  for (SdfFrame* frame : std::views::reverse(chain)) {
    X = X * frame->X_BF;
    frame->X_WF = X;
    frame->state = SdfFrame::State::kDone;
  }
  return X;
}

std::string find_sdf_link(const std::string& name, SdfReader* reader) {
  std::string at = name;
  for (std::size_t k = 0; k <= reader->frames.size(); ++k) {
    if (at.empty()) return kWorldName;
    const auto found = reader->frames.find(at);
    if (found == reader->frames.end()) return "";
    if (found->second.is_link) return at;
    at = found->second.attached_to;
  }
  return "";
}

RigidTransform read_pose_in_link(const XmlElement& element, const SdfPart& link,
                                 SdfReader* reader) {
  const SdfPose pose = read_sdf_pose(element, reader);
  if (pose.relative_to.empty()) return pose.X;
  const std::string base = resolve_sdf_name(link.scope.path, pose.relative_to);
  return inverse(find_sdf_pose(link.name, element, reader)) * find_sdf_pose(base, element, reader) *
         pose.X;
}

}  // namespace cenic::detail

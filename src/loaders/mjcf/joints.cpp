// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "loaders/mjcf/body_parts.h"

namespace cenic::detail {
namespace {

JointKind kind_of(JointType type) {
  switch (type) {
    case JointType::kFree:
      return JointKind::kFree;
    case JointType::kBall:
      return JointKind::kBall;
    case JointType::kSlide:
      return JointKind::kPrismatic;
    case JointType::kHinge:
      break;
  }
  return JointKind::kRevolute;
}

void set_limits(const JointData& data, JointSpec* joint) {
  if (data.type == JointType::kBall) {
    const double most = data.range[1] - data.margin;
    if (most > 0 && most <= std::numbers::pi) joint->upper = {most};
  } else {
    joint->lower = {data.range[0] + data.margin};
    joint->upper = {data.range[1] - data.margin};
  }
}

JointSpec make_joint(const JointData& data, const RigidTransform& X_BF,
                     const MjcfOptions& options) {
  JointSpec joint{.kind = kind_of(data.type)};
  joint.damping = options.dampers ? data.damping : 0;
  joint.armature = data.armature;
  joint.stiffness = options.springs ? data.stiffness : 0;
  joint.dry_friction = options.dry_friction ? data.frictionloss : 0;
  if (data.type == JointType::kFree) return joint;
  joint.X_BF.p = X_BF * data.pos;
  joint.axis = X_BF.R * data.axis;
  if (data.limited && options.limits) set_limits(data, &joint);
  if (data.type == JointType::kBall) return joint;
  if (data.springref != 0) joint.rest = {data.springref};
  if (data.ref != 0) joint.position = {data.ref};
  return joint;
}

}  // namespace

RigidTransform calc_motion(const JointSpec& joint, double q) {
  const Vec3 axis = normalized(joint.axis);
  const RigidTransform X_FM = joint.kind == JointKind::kPrismatic
                                  ? RigidTransform::translation(q * axis)
                                  : RigidTransform::rotation(q * axis);
  return joint.X_BF * X_FM * inverse(joint.X_BF);
}

// MJCF places the body with its joints at `ref`, cenic with its joints at zero. The motions J_i of
// the stack are X_PB J_1(q_1 − r_1) J_2(q_2 − r_2) …; with P_i = J_1(−r_1) … J_i(−r_i), D = P_n and
// J'_i = P_{i−1} J_i P_{i−1}⁻¹ that is X_PB J'_1(q_1) … J'_n(q_n) D. In the frame at D the joint
// frames are D⁻¹ P_{i−1} X_BF.
void place_at_reference(const std::vector<double>& ref, BodySpec* body) {
  if (std::ranges::all_of(ref, [](double r) {
        return r == 0;
      })) {
    return;
  }
  RigidTransform P;
  std::vector<RigidTransform> frames;
  for (std::size_t i = 0; i < ref.size(); ++i) {
    frames.push_back(P * body->joints[i].X_BF);
    if (ref[i] != 0) P = P * calc_motion(body->joints[i], -ref[i]);
  }
  for (std::size_t i = 0; i < ref.size(); ++i) {
    body->joints[i].X_BF = inverse(P) * frames[i];
  }
  body->X_PB = body->X_PB * P;
}

void read_joint(const XmlElement& element, const BodyContext& in, MjcfWorld* world) {
  const bool free = element.name == "freejoint";
  const Attributes a =
      in.instance->document->attributes(element, in.childclass, world->diagnostics);
  JointData data;
  if (free) {  // takes no defaults
    data.name = a.text("name");
    data.type = JointType::kFree;
    a.accept({"group", "class"});
    if (a.keyword("align", {"false", "true", "auto"}, 0) == 1) {
      a.report(Severity::kIgnored, "align",
               "align: coordinates of free joints are those of the body frame as written");
    }
  } else {
    data = read_joint_data(a, in.instance->document->compiler);
  }
  if (in.body->index < 0) {
    a.error("", "a joint stands in the world, which does not move; put it into a body");
    return;
  }
  BodySpec& body = world->spec().bodies[in.body->index];
  if (data.type == JointType::kFree) {
    if (body.parent != kWorldName) {
      a.error("type", "a free joint stands in a body that is not a child of the world");
      return;
    }
  }
  JointSpec joint = make_joint(data, in.X_BF, world->options);
  joint.name = make_name(*in.instance, data.name, in.suffix);
  data.name = joint.name;
  const int number = static_cast<int>(world->joints.size());
  if (!joint.name.empty() && !world->joint_index.try_emplace(joint.name, number).second) {
    a.error("name", fmt::format("another joint is named '{}'; names are unique", joint.name));
    joint.name.clear();
  }
  const bool one_axis = data.type == JointType::kHinge || data.type == JointType::kSlide;
  in.body->refs.push_back(one_axis ? data.ref : 0);
  world->joints.push_back({in.body->index, static_cast<int>(body.joints.size()), data, &element,
                           joint.X_BF.p, normalized(joint.axis)});
  body.joints.push_back(std::move(joint));
}

void read_site(const XmlElement& element, const BodyContext& in, MjcfWorld* world) {
  const Attributes a =
      in.instance->document->attributes(element, in.childclass, world->diagnostics);
  const MjcfCompiler& compiler = in.instance->document->compiler;
  RigidTransform X = read_pose(a, compiler, world->diagnostics);
  if (const auto ends = a.numbers("fromto", 6, 6); !ends.empty()) {
    const Vec3 from{ends[0], ends[1], ends[2]}, to{ends[3], ends[4], ends[5]};
    X = {z_to_direction(from - to), 0.5 * (from + to)};
  }
  a.accept({"type", "size", "group", "material", "rgba", "class"});
  a.ignore({"user"}, "data of the user");
  world->report_once(element, Severity::kIgnored, "<site>: sites are not drawn");
  const std::string name = make_name(*in.instance, a.text("name"), in.suffix);
  if (name.empty()) return;
  if (!world->sites.try_emplace(name, MjcfPlace{in.body->index, in.X_BF * X}).second) {
    a.error("name", fmt::format("another site is named '{}'; names are unique", name));
  }
}

}  // namespace cenic::detail

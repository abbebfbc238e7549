// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/joint_layout.h"
#include "model/topology.h"
#include "model/validate.h"

namespace cenic::detail {

namespace {

// An array of coordinates or velocities: empty, or of the right length and finite.
bool check_array(const std::string& who, const char* what, const std::vector<double>& values,
                 int length, Problems* problems) {
  if (values.empty()) return true;
  if (static_cast<int>(values.size()) != length) {
    problems->add(who,
                  fmt::format("{} has {} numbers; give {} or none", what, values.size(), length));
    return false;
  }
  return std::all_of(values.begin(), values.end(), [&](double x) {
    return problems->check_finite(who, what, x);
  });
}

void check_coordinates(const std::string& who, const char* what, const JointSpec& joint,
                       const std::vector<double>& q, Problems* problems) {
  if (!check_array(who, what, q, num_positions(joint.kind), problems) || q.empty()) return;
  const int e = quaternion_start(joint.kind);
  if (e < 0) return;
  const double length = norm(Quat{q[e], q[e + 1], q[e + 2], q[e + 3]});
  if (!(length > 1e-9)) {
    problems->add(
        who, fmt::format("the quaternion of {} is zero; (1, 0, 0, 0) means no rotation", what));
  }
}

// A free joint's coordinates are the pose of the body in the world, which leaves no room for other
// frames.
void check_free(const BodySpec& body, const std::string& who, const JointSpec& joint,
                Problems* problems) {
  if (body.parent != kWorldName) {
    problems->add(who, fmt::format("a free joint moves a body in the world, and the parent is "
                                   "'{}'; set the parent to '{}'",
                                   body.parent, kWorldName));
  }
  if (body.joints.size() > 1) {
    problems->add(who, "a free joint must be the only joint of its body; remove the other joints");
  }
  if (!(joint.X_BF == RigidTransform{})) {
    problems->add(who,
                  "X_BF of a free joint must be the identity; place the body with X_PB or "
                  "position instead");
  }
  if (joint.stiffness != 0) {
    problems->add(who, "a free joint has no spring; set stiffness to zero");
  }
}

}  // namespace

void check_joint(const BodySpec& body, int joint_index, Problems* problems) {
  const JointSpec& joint = body.joints[joint_index];
  const std::string who = describe_joint(body, joint_index);
  problems->check_pose(who, "X_BF", joint.X_BF);
  const auto mobilizers = mobilizers_of(joint.kind);
  const MobilizerKind first = mobilizers.front().kind;
  const bool uses_axis =
      mobilizers.size() == 1 && first != MobilizerKind::kBall && first != MobilizerKind::kFree;
  if (uses_axis && problems->check_finite(who, "axis", joint.axis) && !(norm(joint.axis) > 0)) {
    problems->add(who, "axis is zero; give a direction");
  }
  if (joint.kind == JointKind::kScrew) problems->check_finite(who, "pitch", joint.pitch);
  problems->check_not_negative(who, "damping", joint.damping);
  problems->check_not_negative(who, "armature", joint.armature);
  problems->check_not_negative(who, "stiffness", joint.stiffness);
  problems->check_not_negative(who, "dry_friction", joint.dry_friction);
  check_coordinates(who, "position", joint, joint.position, problems);
  check_coordinates(who, "rest", joint, joint.rest, problems);
  check_array(who, "velocity", joint.velocity, num_velocities(joint.kind), problems);
  if (joint.kind == JointKind::kFree) check_free(body, who, joint, problems);
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "model/joint_layout.h"
#include "model/topology.h"
#include "model/validate.h"

namespace cenic::detail {

namespace {

// Empty, or of the right length.
bool check_length(const std::string& who, const char* what, const std::vector<double>& values,
                  int length, Problems* problems) {
  if (values.empty() || static_cast<int>(values.size()) == length) return true;
  problems->add(who,
                fmt::format("{} has {} numbers; give {} or none", what, values.size(), length));
  return false;
}

// An array of coordinates or velocities: empty, or of the right length and finite.
bool check_array(const std::string& who, const char* what, const std::vector<double>& values,
                 int length, Problems* problems) {
  if (!check_length(who, what, values, length, problems)) return false;
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
  if (!joint.lower.empty() || !joint.upper.empty()) {
    problems->add(who, "a free joint has no limits; leave lower and upper empty");
  }
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The limits of one coordinate: numbers in order. Infinite ones are none, if on the right side.
void check_limit(const std::string& who, double lower, double upper, Problems* problems) {
  if (std::isnan(lower) || lower == kInfinity) {
    problems->add(who, fmt::format("lower limit is {}; give a number, or -inf for none", lower));
  } else if (std::isnan(upper) || upper == -kInfinity) {
    problems->add(who, fmt::format("upper limit is {}; give a number, or inf for none", upper));
  } else if (lower > upper) {
    problems->add(
        who, fmt::format("lower limit {} is above the upper limit {}; swap them", lower, upper));
  }
}

void check_limits(const std::string& who, const JointSpec& joint, Problems* problems) {
  const int n = num_positions(joint.kind);
  const bool lower_good = check_length(who, "lower", joint.lower, n, problems);
  const bool upper_good = check_length(who, "upper", joint.upper, n, problems);
  if (!lower_good || !upper_good) return;
  for (int k = 0; k < n; ++k) {
    check_limit(who, joint.lower.empty() ? -kInfinity : joint.lower[k],
                joint.upper.empty() ? kInfinity : joint.upper[k], problems);
  }
}

// A ball joint is limited by the angle of its rotation, which is never negative nor above π.
void check_ball_limit(const std::string& who, const JointSpec& joint, Problems* problems) {
  if (!joint.lower.empty()) {
    problems->add(who, "a ball joint has no lower limit; give its largest angle as upper alone");
  }
  if (!check_length(who, "upper", joint.upper, 1, problems) || joint.upper.empty()) return;
  const double angle = joint.upper.front();
  if (!(angle > 0 && (angle <= std::numbers::pi || angle == kInfinity))) {
    problems->add(who, fmt::format("upper limit of the ball joint is {}; give its largest angle, "
                                   "above 0 and at most pi",
                                   angle));
  }
}

void check_curve(const std::string& who, const JointSpec& joint, Problems* problems) {
  if (joint.curve.empty()) {
    problems->add(who, "a curvilinear joint has no curve; give length and angle of each segment");
    return;
  }
  bool good = true;
  for (const CurveSegment& segment : joint.curve) {
    const bool finite = problems->check_finite(who, "length of a segment", segment.length) &&
                        problems->check_finite(who, "angle of a segment", segment.angle);
    if (finite && !(segment.length > 0)) {
      problems->add(who, fmt::format("a segment of the curve is {} m long; give lengths above zero",
                                     segment.length));
    }
    good = good && finite && segment.length > 0;
  }
  if (!good || !joint.periodic) return;
  const PlanarCurve curve(joint.curve, true);
  if (curve.is_closed()) return;
  problems->add(who, fmt::format("the curve is periodic and ends {:.3g} m from its start, turned "
                                 "by {:.3g} rad; close it, or let it not be periodic",
                                 curve.gap(), curve.end_turn()));
}

}  // namespace

void check_joint(const BodySpec& body, int joint_index, Problems* problems) {
  const JointSpec& joint = body.joints[joint_index];
  const std::string who = describe_joint(body, joint_index);
  problems->check_pose(who, "X_BF", joint.X_BF);
  const auto mobilizers = mobilizers_of(joint.kind);
  const MobilizerKind first = mobilizers.front().kind;
  const bool uses_axis = mobilizers.size() == 1 && mobilizers.front().axis_F == Vec3{} &&
                         first != MobilizerKind::kBall && first != MobilizerKind::kFree;
  if (uses_axis && problems->check_finite(who, "axis", joint.axis) && !(norm(joint.axis) > 0)) {
    problems->add(who, "axis is zero; give a direction");
  }
  if (joint.kind == JointKind::kScrew) problems->check_finite(who, "pitch", joint.pitch);
  if (joint.kind == JointKind::kCurvilinear) check_curve(who, joint, problems);
  problems->check_not_negative(who, "damping", joint.damping);
  problems->check_not_negative(who, "armature", joint.armature);
  problems->check_not_negative(who, "stiffness", joint.stiffness);
  problems->check_not_negative(who, "dry_friction", joint.dry_friction);
  check_compliance(who, "limit ", joint.limit_stiffness, joint.limit_damping, problems);
  check_coordinates(who, "position", joint, joint.position, problems);
  check_coordinates(who, "rest", joint, joint.rest, problems);
  check_array(who, "velocity", joint.velocity, num_velocities(joint.kind), problems);
  if (joint.kind == JointKind::kFree) {
    check_free(body, who, joint, problems);
  } else if (joint.kind == JointKind::kBall) {
    check_ball_limit(who, joint, problems);
  } else {
    check_limits(who, joint, problems);
  }
}

}  // namespace cenic::detail

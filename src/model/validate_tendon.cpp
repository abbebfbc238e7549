// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <cmath>

#include <fmt/format.h>

#include "model/joint_layout.h"
#include "model/validate.h"

namespace cenic::detail {
namespace {

std::string describe(const TendonSpec& tendon) { return fmt::format("tendon '{}'", tendon.name); }

void check_joints(const TendonSpec& t, const SpecNames& names, Problems* problems) {
  for (const TendonPart& part : t.joints) {
    const auto found = names.joints.find(part.joint);
    if (found == names.joints.end()) {
      problems->add(describe(t),
                    fmt::format("there is no joint '{}'; name a joint of the model", part.joint));
    } else if (num_positions(found->second.joint->kind) != 1) {
      problems->add(describe(t), fmt::format("joint '{}' has more than one coordinate; a tendon "
                                             "takes joints with one",
                                             part.joint));
    }
    problems->check_finite(describe(t), "a coefficient", part.coefficient);
  }
}

void check_branch(const TendonSpec& t, const PathBranch& branch, const SpecNames& names,
                  Problems* problems) {
  const std::string who = describe(t);
  const auto check_body = [&](const std::string& body) {
    if (body == kWorldName || names.bodies.contains(body)) return;
    problems->add(who, fmt::format("there is no body '{}'; name a body of the model or '{}'", body,
                                   kWorldName));
  };
  if (branch.points.size() < 2) problems->add(who, "a path has fewer than two points; give two");
  if (!(std::isfinite(branch.divisor) && branch.divisor > 0)) {
    problems->add(who, fmt::format("divisor is {}; give a positive number", branch.divisor));
  }
  for (const PathPoint& point : branch.points) {
    check_body(point.body);
    problems->check_finite(who, "a point of the path", point.p_B);
  }
  for (const PathObstacle& o : branch.obstacles) {
    check_body(o.body);
    problems->check_pose(who, "X_BG", o.X_BG);
    if (!(std::isfinite(o.obstacle.radius) && o.obstacle.radius > 0)) {
      problems->add(who, fmt::format("radius is {}; give a positive number", o.obstacle.radius));
    }
    if (o.after < 0 || o.after + 1 >= static_cast<int>(branch.points.size())) {
      problems->add(who, "an obstacle does not stand between two points of the path; set `after`");
    }
  }
}

void check_inertia(const TendonSpec& t, std::size_t num_trees, Problems* problems) {
  if (!problems->check_not_negative(describe(t), "armature", t.armature) || t.armature == 0) return;
  bool wraps = false;
  for (const PathBranch& branch : t.branches) {
    wraps = wraps || !branch.obstacles.empty();
  }
  if (wraps || num_trees > 1) {
    problems->add(describe(t),
                  "only a tendon within one tree, and without obstacles, has armature; set it to "
                  "zero");
  }
}

}  // namespace

SpecNames::SpecNames(const ModelSpec& spec) {
  for (int b = 0; b < static_cast<int>(spec.bodies.size()); ++b) {
    bodies.emplace(spec.bodies[b].name, b);
    for (const JointSpec& joint : spec.bodies[b].joints) {
      if (!joint.name.empty()) joints.emplace(joint.name, NamedJoint{&joint, b});
    }
  }
  for (int t = 0; t < static_cast<int>(spec.tendons.size()); ++t) {
    tendons.emplace(spec.tendons[t].name, t);
  }
}

std::set<int> find_trees(const TendonSpec& tendon, const SpecNames& names,
                         const Topology& topology) {
  std::set<int> trees;
  const auto add = [&](const std::string& body) {
    const auto found = names.bodies.find(body);
    if (found != names.bodies.end()) trees.insert(topology.tree[found->second]);
  };
  for (const TendonPart& part : tendon.joints) {
    const auto found = names.joints.find(part.joint);
    if (found != names.joints.end()) trees.insert(topology.tree[found->second.body]);
  }
  for (const PathBranch& branch : tendon.branches) {
    for (const PathPoint& point : branch.points) {
      add(point.body);
    }
    for (const PathObstacle& obstacle : branch.obstacles) {
      add(obstacle.body);
    }
  }
  trees.erase(-1);
  return trees;
}

void check_tendons(const ModelSpec& spec, const Topology* topology, Problems* problems) {
  if (spec.tendons.empty()) return;
  const SpecNames names(spec);
  for (const TendonSpec& t : spec.tendons) {
    const std::string who = describe(t);
    if (t.joints.empty() == t.branches.empty()) {
      problems->add(who, "a tendon runs along joints or along a path; give one of the two");
    }
    check_joints(t, names, problems);
    for (const PathBranch& branch : t.branches) {
      check_branch(t, branch, names, problems);
    }
    if (!(t.lower <= t.upper)) {
      problems->add(who, fmt::format("its limits are {} and {}; give a range", t.lower, t.upper));
    }
    check_compliance(who, "limit ", t.limit_stiffness, t.limit_damping, problems);
    const std::size_t num_trees = topology == nullptr ? 1 : find_trees(t, names, *topology).size();
    check_inertia(t, num_trees, problems);
    if (num_trees < 1) problems->add(who, "nothing that moves changes its length; remove it");
  }
}

}  // namespace cenic::detail

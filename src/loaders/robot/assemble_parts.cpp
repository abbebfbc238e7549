// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What comes after the tree of bodies: masses that the file leaves out, mimic joints, filters.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "loaders/robot/robot.h"
#include "model/mass_properties.h"

namespace cenic::detail {
namespace {

constexpr double kDensity = 1000;  // kg/m³, of a link of which the file gives no mass

struct Tree {
  std::vector<int> parent{};       // -1: world
  std::vector<bool> moves_mass{};  // the body or one that hangs on it has mass
};

Tree make_tree(const ModelSpec& spec) {
  const int n = static_cast<int>(spec.bodies.size());
  std::unordered_map<std::string, int> index;
  Tree tree;
  tree.moves_mass.resize(n);
  for (int b = 0; b < n; ++b) {
    const BodySpec& body = spec.bodies[b];
    const auto parent = index.find(body.parent);
    tree.parent.push_back(parent == index.end() ? -1 : parent->second);
    tree.moves_mass[b] = body.inertia && body.inertia->mass > 0;
    index.emplace(body.name, b);
  }
  for (int b = n - 1; b >= 0; --b) {  // parents come first
    if (tree.moves_mass[b] && tree.parent[b] >= 0) tree.moves_mass[tree.parent[b]] = true;
  }
  return tree;
}

bool hangs_on(const Tree& tree, int body, int on) {
  while (body > on) {
    body = tree.parent[body];
  }
  return body == on;
}

}  // namespace

std::optional<InertiaSpec> calc_shape_inertia(const BodySpec& body) {
  BodySpec solid = body;
  solid.inertia.reset();
  std::erase_if(solid.geometries, [](const GeometrySpec& g) {
    return !g.collides;
  });
  for (GeometrySpec& g : solid.geometries) {
    g.density = kDensity;
  }
  const SpatialInertia M = calc_body_inertia(solid);
  if (!(M.mass > 0)) return std::nullopt;
  return InertiaSpec{M.mass, M.com(), M.I_com()};
}

namespace {

using MissingLinks = std::unordered_map<std::string, const RobotLink*>;

// Gives the links that `root` carries the mass of their shapes; false when they have none.
bool weigh_shapes(const Tree& tree, int root, ModelSpec* spec, MissingLinks* missing,
                  Reporter* reporter) {
  bool found = false;
  for (int b = root; b < static_cast<int>(spec->bodies.size()); ++b) {
    // Links that one carries stand one after the other.
    if (!hangs_on(tree, b, root)) break;
    BodySpec& body = spec->bodies[b];
    const auto link = missing->find(body.name);
    if (link == missing->end()) continue;
    if (!body.inertia) body.inertia = calc_shape_inertia(body);
    if (!body.inertia) continue;
    found = true;
    reporter->report(*link->second->element, Severity::kApproximated,
                     fmt::format("link '{}' has no mass: taken as that of its collision shapes at "
                                 "1000 kg/m³, {:.3g} kg",
                                 body.name, body.inertia->mass));
    missing->erase(link);
  }
  return found;
}

// What cannot move for want of mass.
void hold(BodySpec* body, const MissingLinks& missing, Reporter* reporter) {
  const auto link = missing.find(body->name);
  if (link == missing.end()) return;
  if (body->joints[0].kind == JointKind::kFree) {
    body->joints.clear();
    reporter->report(*link->second->element, Severity::kApproximated,
                     fmt::format("link '{}' has neither mass nor collision shapes: held fixed in "
                                 "the world",
                                 body->name));
  } else if (body->joints[0].armature == 0) {
    reporter->error(
        *link->second->element,
        fmt::format("link '{}' moves and has no mass; give it an <inertial>", body->name));
  }
}

const FilterGroup* find_group(const Robot& robot, const std::string& name) {
  const auto found = std::ranges::find(robot.filter_groups, name, &FilterGroup::name);
  return found == robot.filter_groups.end() ? nullptr : &*found;
}

// All links of a group and of its member groups.
void collect_links(const Robot& robot, const FilterGroup& group, std::set<const FilterGroup*>* seen,
                   std::set<std::string>* links) {
  if (!seen->insert(&group).second) return;
  links->insert(group.links.begin(), group.links.end());
  for (const std::string& name : group.groups) {
    if (const FilterGroup* member = find_group(robot, name)) {
      collect_links(robot, *member, seen, links);
    }
  }
}

std::set<std::string> links_of(const Robot& robot, const FilterGroup& group) {
  std::set<const FilterGroup*> seen;
  std::set<std::string> links;
  collect_links(robot, group, &seen, &links);
  return links;
}

using LinkPairs = std::set<std::pair<std::string, std::string>>;

// Each link of the group with each of those it ignores.
void collect_pairs(const Robot& robot, const FilterGroup& group, Reporter* reporter,
                   LinkPairs* pairs) {
  constexpr std::size_t kMost = 1'000'000;
  const std::set<std::string> links = links_of(robot, group);
  for (const std::string& name : group.ignored) {
    const FilterGroup* other = find_group(robot, name);
    if (other == nullptr) {
      reporter->report(*group.element, Severity::kWarning,
                       fmt::format("there is no collision filter group '{}'", name));
      continue;
    }
    const std::set<std::string> others = links_of(robot, *other);
    for (const std::string& a : links) {
      for (const std::string& b : others) {
        if (a != b && pairs->size() < kMost) pairs->emplace(std::min(a, b), std::max(a, b));
      }
    }
  }
}

}  // namespace

void give_missing_inertias(Robot* robot, ModelSpec* spec, Reporter* reporter) {
  MissingLinks missing;
  for (const RobotLink& link : robot->links) {
    if (link.inertia_missing) missing.emplace(link.body.name, &link);
  }
  const Tree tree = make_tree(*spec);
  for (int b = 0; b < static_cast<int>(spec->bodies.size()); ++b) {
    if (spec->bodies[b].joints.empty() || tree.moves_mass[b]) continue;
    if (!weigh_shapes(tree, b, spec, &missing, reporter)) hold(&spec->bodies[b], missing, reporter);
  }
  for (BodySpec& body : spec->bodies) {
    if (!body.inertia) body.inertia = InertiaSpec{};
    const auto link = missing.find(body.name);
    if (link == missing.end()) continue;
    reporter->report_once(*link->second->element, Severity::kWarning,
                          "a link without <inertial> has no mass of its own");
  }
}

void add_mimics(const Robot& robot, Reporter* reporter, ModelSpec* spec) {
  std::unordered_map<std::string, JointSpec*> joints;
  for (BodySpec& body : spec->bodies) {
    for (JointSpec& joint : body.joints) {
      joints.emplace(joint.name, &joint);
    }
  }
  for (const RobotMimic& mimic : robot.mimics) {
    const auto follower = joints.find(mimic.joint), leader = joints.find(mimic.of);
    if (follower == joints.end() || leader == joints.end() || mimic.joint == mimic.of) {
      reporter->error(*mimic.element,
                      fmt::format("joint '{}' cannot mimic '{}'; name another joint that moves",
                                  mimic.joint, mimic.of));
      continue;
    }
    if (!has_one_coordinate(*follower->second) || !has_one_coordinate(*leader->second)) {
      reporter->error(*mimic.element, "mimic is for joints of one axis");
      continue;
    }
    ConstraintSpec coupler;
    coupler.kind = ConstraintKind::kCoupler;
    coupler.name = mimic.joint + ":mimic";
    coupler.a = mimic.joint;
    coupler.b = mimic.of;
    coupler.polynomial = {mimic.offset, mimic.multiplier};
    spec->constraints.push_back(coupler);
    const std::vector<double>& start = leader->second->position;
    const double q = mimic.offset + mimic.multiplier * (start.empty() ? 0 : start[0]);
    if (q != 0) follower->second->position = {q};
  }
}

void add_filter_groups(const Robot& robot, Reporter* reporter, ModelSpec* spec) {
  std::set<std::string> names{kWorldName};
  for (const BodySpec& body : spec->bodies) {
    names.insert(body.name);
  }
  LinkPairs pairs;
  for (const FilterGroup& group : robot.filter_groups) {
    for (const std::string& link : links_of(robot, group)) {
      if (names.contains(link)) continue;
      reporter->error(
          *group.element,
          fmt::format("collision filter group '{}': there is no link '{}'", group.name, link));
    }
    collect_pairs(robot, group, reporter, &pairs);
  }
  for (const auto& [a, b] : pairs) {
    if (names.contains(a) && names.contains(b)) spec->exclude.push_back({a, b});
  }
}

void start_within_limits(const XmlElement& element, JointSpec* joint, Reporter* reporter) {
  if (joint->lower.size() != 1 || joint->upper.size() != 1) return;
  if (!(joint->lower[0] <= joint->upper[0])) return;  // for compile() to find
  const double q = std::clamp(0.0, joint->lower[0], joint->upper[0]);
  if (q == 0) return;
  joint->position = {q};
  reporter->report(
      element, Severity::kWarning,
      fmt::format("joint '{}' starts at {:.6g}: zero is outside of its limits", joint->name, q));
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic {

namespace detail {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using NameIndex = std::unordered_map<std::string, int>;

// Bodies or joints by name; those without one cannot be meant.
template <class T>
NameIndex index_names(const std::vector<T>& named) {
  NameIndex index;
  for (int i = 0; i < static_cast<int>(named.size()); ++i) {
    if (!named[i].name.empty()) index.emplace(named[i].name, i);
  }
  return index;
}

// The trees, without the world, in ascending order.
std::vector<int> list_trees(std::set<int> trees) {
  trees.erase(-1);
  return {trees.begin(), trees.end()};
}

// The link that has the coordinate `k` of the joint, all of whose links have one each.
int find_link(const Model& model, const Joint& joint, int k) {
  return model.dof_link[joint.v_start + k];
}

}  // namespace

void add_limit(const JointSpec& joint, int k, int link, Model* model) {
  const bool ball = joint.kind == JointKind::kBall;
  const bool has_ends = joint.kind == JointKind::kCurvilinear && !joint.periodic;
  const double lowest = has_ends ? 0 : -kInfinity;
  const double highest = has_ends ? PlanarCurve(joint.curve, false).length() : kInfinity;
  const JointLimit limit{.link = link,
                         .lower = joint.lower.empty() || ball ? lowest : joint.lower[k],
                         .upper = joint.upper.empty() ? highest : joint.upper[k],
                         .stiffness = joint.limit_stiffness,
                         .damping = joint.limit_damping};
  if (std::isfinite(limit.lower) || std::isfinite(limit.upper)) model->limits.push_back(limit);
}

void fill_tendons(const ModelSpec& spec, Model* model) {
  const NameIndex bodies = index_names(model->bodies);
  const NameIndex joints = index_names(model->joints);
  for (const TendonSpec& from : spec.tendons) {
    Tendon to{.name = from.name,
              .branches = from.branches,
              .lower = from.lower,
              .upper = from.upper,
              .stiffness = from.limit_stiffness,
              .damping = from.limit_damping,
              .armature = from.armature};
    std::set<int> trees;
    for (const TendonPart& part : from.joints) {
      const int link = find_link(*model, model->joints[joints.at(part.joint)], 0);
      to.parts.push_back({link, part.coefficient});
      trees.insert(model->links[link].tree);
    }
    const auto add_body = [&](const std::string& name) {
      const int link = name == kWorldName ? -1 : model->bodies[bodies.at(name)].link;
      to.links.push_back(link);
      trees.insert(link < 0 ? -1 : model->links[link].tree);
    };
    for (const PathBranch& branch : from.branches) {
      for (const PathPoint& point : branch.points) {
        add_body(point.body);
      }
      for (const PathObstacle& obstacle : branch.obstacles) {
        add_body(obstacle.body);
      }
    }
    to.trees = list_trees(std::move(trees));
    if (to.armature > 0) model->heavy_tendons.push_back(static_cast<int>(model->tendons.size()));
    model->tendons.push_back(std::move(to));
  }
}

void fill_constraints(const ModelSpec& spec, Model* model) {
  if (spec.constraints.empty()) return;
  const NameIndex bodies = index_names(model->bodies);
  const NameIndex joints = index_names(model->joints);
  const NameIndex tendons = index_names(model->tendons);
  const auto link_of_body = [&](const std::string& name) {
    return name == kWorldName ? -1 : model->bodies[bodies.at(name)].link;
  };
  const auto link_of_joint = [&](const std::string& name, int k) {
    return find_link(*model, model->joints[joints.at(name)], k);
  };
  for (const ConstraintSpec& from : spec.constraints) {
    const bool coupler = from.kind == ConstraintKind::kCoupler;
    // The frame of a body is that of the link which carries it: X_LP is X_AP.
    Constraint to{.name = from.name,
                  .kind = from.kind,
                  .X_LP = from.X_AP,
                  .X_LQ = from.X_BQ,
                  .length = from.length,
                  .translation = {from.stiffness, from.damping},
                  .rotation = {from.rotational_stiffness, from.rotational_damping}};
    if (from.kind == ConstraintKind::kTendon) {
      to.polynomial = from.polynomial;
      std::set<int> trees;
      for (int side = 0; side < 2; ++side) {
        const std::string& name = side == 0 ? from.a : from.b;
        if (name.empty()) continue;
        to.tendon[side] = tendons.at(name);
        const Tendon& tendon = model->tendons[to.tendon[side]];
        trees.insert(tendon.trees.begin(), tendon.trees.end());
      }
      to.trees = list_trees(std::move(trees));
      model->constraints.push_back(std::move(to));
      continue;
    }
    to.link[0] = coupler ? link_of_joint(from.a, from.coordinate_a) : link_of_body(from.a);
    to.link[1] = coupler ? link_of_joint(from.b, from.coordinate_b) : link_of_body(from.b);
    to.trees = list_trees({model->tree_of(to.link[0]), model->tree_of(to.link[1])});
    if (coupler) to.polynomial = from.polynomial;
    model->constraints.push_back(std::move(to));
  }
}

std::string describe_constraint(ConstraintKind kind, const std::string& name, const std::string& a,
                                const std::string& b) {
  if (!name.empty()) return fmt::format("{} '{}'", to_string(kind), name);
  if (b.empty()) return fmt::format("{} constraint of '{}'", to_string(kind), a);
  return fmt::format("{} between '{}' and '{}'", to_string(kind), a, b);
}

}  // namespace detail

const char* to_string(ConstraintKind kind) {
  switch (kind) {
    case ConstraintKind::kCoupler:
      return "coupler";
    case ConstraintKind::kDistance:
      return "distance";
    case ConstraintKind::kBall:
      return "ball";
    case ConstraintKind::kWeld:
      return "weld";
    case ConstraintKind::kTendon:
      return "tendon";
  }
  return "?";
}

std::string Model::constraint_side(int c, int side) const {
  CENIC_CHECK(c >= 0 && c < static_cast<int>(constraints.size()));
  const Constraint& constraint = constraints[c];
  if (constraint.kind == ConstraintKind::kTendon) {
    return constraint.tendon[side] < 0 ? "" : tendons[constraint.tendon[side]].name;
  }
  const int link = constraint.link[side];
  if (link < 0) return kWorldName;
  if (constraint.kind != ConstraintKind::kCoupler) return bodies[links[link].body].name;
  const auto joint = std::find_if(joints.begin(), joints.end(), [&](const Joint& j) {
    return links[link].v_start >= j.v_start && links[link].v_start < j.v_start + j.nv;
  });
  return joint->name;
}

std::string Model::describe_constraint(int c) const {
  const std::string a = constraint_side(c, 0), b = constraint_side(c, 1);
  return detail::describe_constraint(constraints[c].kind, constraints[c].name, a, b);
}

}  // namespace cenic

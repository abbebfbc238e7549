// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/topology.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

namespace cenic::detail {

namespace {

// Fills Topology::parent; false when a name is unknown.
bool resolve_parents(const ModelSpec& spec, Topology* topology, Problems* problems) {
  std::unordered_map<std::string, int> index;
  for (int b = 0; b < static_cast<int>(spec.bodies.size()); ++b) {
    index.emplace(spec.bodies[b].name, b);
  }
  bool good = true;
  for (const BodySpec& body : spec.bodies) {
    int parent = -1;
    if (body.parent != kWorldName) {
      const auto found = index.find(body.parent);
      if (found == index.end()) {
        problems->add(describe(body), fmt::format("there is no body '{}' to be its parent; name a "
                                                  "body of the model or '{}'",
                                                  body.parent, kWorldName));
        good = false;
      } else {
        parent = found->second;
      }
    }
    topology->parent.push_back(parent);
  }
  return good;
}

// "'a', 'b', 'a'": the cycle of parents met when climbing from `start`, which is on it.
std::string describe_cycle(const ModelSpec& spec, const Topology& topology, int start) {
  std::string text = fmt::format("'{}'", spec.bodies[start].name);
  int b = start;
  do {
    b = topology.parent[b];
    text += fmt::format(" on '{}'", spec.bodies[b].name);
  } while (b != start);
  return text;
}

// Fills Topology::order by climbing from each body to the nearest one already in order; false when
// a climb meets itself.
bool sort_bodies(const ModelSpec& spec, Topology* topology, Problems* problems) {
  enum class Mark { kNew, kClimbing, kDone };
  std::vector<Mark> marks(spec.bodies.size(), Mark::kNew);
  std::vector<int> climb;
  bool good = true;
  for (int start = 0; start < static_cast<int>(spec.bodies.size()); ++start) {
    climb.clear();
    int b = start;
    for (; b >= 0 && marks[b] == Mark::kNew; b = topology->parent[b]) {
      marks[b] = Mark::kClimbing;
      climb.push_back(b);
    }
    if (b >= 0 && marks[b] == Mark::kClimbing) {
      problems->add(describe(spec.bodies[b]),
                    fmt::format("the parents go round in a circle ({}); hang one of these bodies "
                                "on '{}' or on a body outside the circle",
                                describe_cycle(spec, *topology, b), kWorldName));
      good = false;
    }
    for (const int c : climb) {
      marks[c] = Mark::kDone;
    }
    topology->order.insert(topology->order.end(), climb.rbegin(), climb.rend());
  }
  return good;
}

// A tree starts at each joint that hangs on what never moves; a weld group at each body with
// joints.
void group_bodies(const ModelSpec& spec, Topology* topology) {
  const std::size_t n = spec.bodies.size();
  topology->tree.assign(n, -1);
  topology->weld.assign(n, 0);
  topology->weld_parent.assign(n, -1);
  for (const int b : topology->order) {
    const int p = topology->parent[b];
    const int parent_tree = p < 0 ? -1 : topology->tree[p];
    const int parent_weld = p < 0 ? 0 : topology->weld[p];
    const bool has_joint = !spec.bodies[b].joints.empty();
    topology->tree[b] = has_joint && parent_tree < 0 ? topology->num_trees++ : parent_tree;
    topology->weld[b] = has_joint ? b + 1 : parent_weld;
    if (has_joint) {
      topology->weld_parent[b] = parent_weld > 0 ? parent_weld : -1;
    } else if (p >= 0) {
      topology->weld_parent[b] = topology->weld_parent[p];
    }
  }
}

}  // namespace

std::string describe(const BodySpec& body) { return fmt::format("body '{}'", body.name); }

std::string describe_joint(const BodySpec& body, int joint) {
  const std::string& name = body.joints[joint].name;
  return name.empty() ? fmt::format("body '{}', joint {}", body.name, joint + 1)
                      : fmt::format("body '{}', joint '{}'", body.name, name);
}

std::optional<Topology> make_topology(const ModelSpec& spec, Problems* problems) {
  Topology topology;
  if (!resolve_parents(spec, &topology, problems)) return std::nullopt;
  if (!sort_bodies(spec, &topology, problems)) return std::nullopt;
  group_bodies(spec, &topology);
  return topology;
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>

#include <fmt/format.h>

#include "core/suggest.h"
#include "loaders/scenario/compose.h"
#include "model/joint_layout.h"

namespace cenic::detail {
namespace {

constexpr std::size_t kMaxFilters = 1'000'000;

// The names that a pattern means: the one that it is to the letter, or all that fit.
std::vector<std::string> find_names(const std::vector<std::string>& names,
                                    const std::string& pattern) {
  if (std::ranges::find(names, pattern) != names.end()) return {pattern};
  std::vector<std::string> found;
  std::ranges::copy_if(names, std::back_inserter(found), [&](const std::string& name) {
    return matches(pattern, name);
  });
  return found;
}

class Applier {
 public:
  Applier(YamlSource* source, LoadedModel* whole)
      : source_(*source), whole_(*whole), spec_(whole->spec) {
    for (const BodySpec& body : spec_.bodies) {
      bodies_.push_back(body.name);
    }
  }

  void check_attachments(const std::vector<ModelEntry>& models) {
    for (const ModelEntry& m : models) {
      if (m.attach_to == kWorldName || std::ranges::find(bodies_, m.attach_to) != bodies_.end()) {
        continue;
      }
      source_.error(m.place, fmt::format("there is no body '{}' to attach '{}' to{}", m.attach_to,
                                         m.name, suggest(m.attach_to, bodies_)));
    }
  }

  void add_filters(const std::vector<FilterEntry>& filters) {
    std::vector<std::string> names = bodies_;
    names.emplace_back(kWorldName);
    for (const FilterEntry& filter : filters) {
      const std::vector<std::string> a = find_names(names, filter.a),
                                     b = find_names(names, filter.b);
      for (const auto& [pattern, found] : {std::pair{&filter.a, &a}, std::pair{&filter.b, &b}}) {
        if (!found->empty()) continue;
        source_.error(filter.place,
                      fmt::format("no body fits '{}'{}", *pattern, suggest(*pattern, names)));
      }
      if (a.size() * b.size() + spec_.exclude.size() > kMaxFilters) {
        source_.error(filter.place, fmt::format("more than {} pairs of bodies; use group and mask "
                                                "of geometries for so many",
                                                kMaxFilters));
        return;
      }
      for (const std::string& i : a) {
        for (const std::string& j : b) {
          if (i != j) spec_.exclude.push_back({i, j});
        }
      }
    }
  }

  void override_materials(const std::vector<MaterialEntry>& materials) {
    for (const MaterialEntry& entry : materials) {
      int count = 0;
      const auto apply = [&](const std::string& body, std::vector<GeometrySpec>* geometries) {
        if (!matches(entry.bodies, body)) return;
        for (GeometrySpec& geometry : *geometries) {
          if (!matches(entry.geometries, geometry.name)) continue;
          set(entry, &geometry);
          ++count;
        }
      };
      apply(kWorldName, &spec_.world_geometries);
      for (BodySpec& body : spec_.bodies) {
        apply(body.name, &body.geometries);
      }
      if (count > 0) continue;
      source_.error(entry.place, fmt::format("no geometry fits '{}' on bodies that fit '{}'",
                                             entry.geometries, entry.bodies));
    }
  }

  void set_positions(const NumbersByName& positions) {
    for (const NumbersEntry& entry : positions.entries) {
      JointSpec* joint = find_joint(entry);
      if (joint == nullptr || !check(entry, num_positions(joint->kind), "coordinates")) continue;
      joint->position = entry.values;
    }
  }
  void set_velocities(const NumbersByName& velocities) {
    for (const NumbersEntry& entry : velocities.entries) {
      JointSpec* joint = find_joint(entry);
      if (joint == nullptr || !check(entry, num_velocities(joint->kind), "velocities")) continue;
      joint->velocity = entry.values;
    }
  }

  void check_signals(const std::vector<OutputEntry>& outputs) {
    std::vector<std::string> names;
    for (const SystemSpec& system : spec_.systems) {
      names.push_back(system.name);
    }
    for (const OutputEntry& entry : outputs) {
      const std::string owner = entry.output.signal.substr(0, entry.output.signal.find('.'));
      whole_.sensors.push_back(entry.output);
      if (std::ranges::find(names, owner) != names.end()) continue;
      source_.error(entry.place,
                    fmt::format("there is no system '{}'{}", owner, suggest(owner, names)));
    }
  }

 private:
  static void set(const MaterialEntry& entry, GeometrySpec* geometry) {
    Material& m = geometry->material;
    m.stiffness = entry.stiffness.value_or(m.stiffness);
    m.dissipation = entry.dissipation.value_or(m.dissipation);
    m.static_friction = entry.static_friction.value_or(m.static_friction);
    m.dynamic_friction = entry.dynamic_friction.value_or(m.dynamic_friction);
    m.torsional_friction = entry.torsional_friction.value_or(m.torsional_friction);
    m.rolling_friction = entry.rolling_friction.value_or(m.rolling_friction);
    geometry->hydroelastic = entry.hydroelastic.value_or(geometry->hydroelastic);
  }

  // By its name, or by that of a body with one joint.
  JointSpec* find_joint(const NumbersEntry& entry) {
    std::vector<std::string> names;
    for (BodySpec& body : spec_.bodies) {
      for (JointSpec& joint : body.joints) {
        if (joint.name == entry.name) return &joint;
        if (!joint.name.empty()) names.push_back(joint.name);
      }
    }
    for (BodySpec& body : spec_.bodies) {
      if (body.name == entry.name && body.joints.size() == 1) return &body.joints[0];
    }
    source_.error(entry.place, fmt::format("there is no joint '{}', nor a body with one joint{}",
                                           entry.name, suggest(entry.name, names)));
    return nullptr;
  }

  bool check(const NumbersEntry& entry, int size, const char* what) {
    if (static_cast<int>(entry.values.size()) == size) return true;
    source_.error(entry.place, fmt::format("'{}' has {} {}, and {} numbers are given", entry.name,
                                           size, what, entry.values.size()));
    return false;
  }

  YamlSource& source_;
  LoadedModel& whole_;
  ModelSpec& spec_;
  std::vector<std::string> bodies_;
};

}  // namespace

bool matches(const std::string& pattern, const std::string& name) {
  std::size_t p = 0, n = 0, star = std::string::npos, after = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string::npos) {  // the last star takes one letter more
      p = star + 1;
      n = ++after;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string::npos;
}

void apply_to_whole(const Scenario& scenario, YamlSource* source, LoadedModel* whole) {
  Applier applier(source, whole);
  applier.check_attachments(scenario.models);
  applier.add_filters(scenario.filters);
  applier.override_materials(scenario.materials);
  applier.set_positions(scenario.positions);
  applier.set_velocities(scenario.velocities);
  applier.check_signals(scenario.outputs);
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/contact_filter.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "geometry/hydroelastic/pressure_field.h"
#include "model/pair_material.h"

namespace cenic {

bool Model::is_hydroelastic(int i, int j) const {
  const PressureField *a = geometries[i].field.get(), *b = geometries[j].field.get();
  return a != nullptr && b != nullptr &&
         (a->compliance == Compliance::kCompliant || b->compliance == Compliance::kCompliant);
}

bool Model::may_touch(int i, int j) const {
  const ContactClass& a = contact_classes[i];
  const ContactClass& b = contact_classes[j];
  if (a.weld == b.weld || !a.collides || !b.collides) return false;
  if (!forced.empty() && std::binary_search(forced.begin(), forced.end(), pair_key(i, j))) {
    return true;
  }
  if (filter_parent_child && (a.weld_parent == b.weld || b.weld_parent == a.weld)) return false;
  if ((a.group & b.mask) == 0 && (b.group & a.mask) == 0) return false;
  return excluded.empty() ||
         !std::binary_search(excluded.begin(), excluded.end(), pair_key(a.body + 1, b.body + 1));
}

namespace detail {

namespace {

using Names = std::unordered_map<std::string, int>;

// The index of a name; reports it and gives −1 when there is none.
int find_name(const Names& names, const std::string& name, const std::string& who, const char* what,
              Problems* problems) {
  const auto found = names.find(name);
  if (found != names.end()) return found->second;
  problems->add(
      who, fmt::format("there is no {} '{}'; correct the name or remove the entry", what, name));
  return -1;
}

void sort_unique(std::vector<std::uint64_t>* keys) {
  std::sort(keys->begin(), keys->end());
  keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
}

void fill_excluded(const ModelSpec& spec, Problems* problems, Model* model) {
  Names bodies{{kWorldName, 0}};
  for (const BodySpec& body : spec.bodies) {
    bodies.emplace(body.name, static_cast<int>(bodies.size()));
  }
  for (const ContactFilter& entry : spec.exclude) {
    const std::string who = fmt::format("exclude '{}', '{}'", entry.a, entry.b);
    const int a = find_name(bodies, entry.a, who, "body", problems);
    const int b = find_name(bodies, entry.b, who, "body", problems);
    if (a >= 0 && b >= 0) model->excluded.push_back(pair_key(a, b));
  }
  sort_unique(&model->excluded);
}

void fill_forced(const ModelSpec& spec, Problems* problems, Model* model) {
  Names geometries;
  int index = 0;
  for_each_geometry(spec, [&](int, const GeometrySpec& geometry) {
    if (!geometry.name.empty()) geometries.emplace(geometry.name, index);
    ++index;
  });
  for (const ContactPair& entry : spec.pairs) {
    const std::string who = fmt::format("pair '{}', '{}'", entry.a, entry.b);
    const int a = find_name(geometries, entry.a, who, "geometry", problems);
    const int b = find_name(geometries, entry.b, who, "geometry", problems);
    if (a < 0 || b < 0) continue;
    model->forced.push_back(pair_key(a, b));
    if (entry.material) model->pair_materials.push_back({pair_key(a, b), *entry.material});
  }
  sort_unique(&model->forced);
  auto& materials = model->pair_materials;
  std::ranges::stable_sort(materials, {}, &Model::PairOverride::key);
  for (std::size_t i = 1; i < materials.size(); ++i) {
    if (materials[i].key != materials[i - 1].key) continue;
    problems->add("pairs", "a pair of geometries has two materials; keep one");
  }
}

}  // namespace

std::string describe_geometry(const ModelSpec& spec, int body, const GeometrySpec& geometry) {
  const std::string owner = body < 0 ? kWorldName : describe(spec.bodies[body]);
  return geometry.name.empty() ? fmt::format("{}, a {}", owner, kind_name(geometry.shape))
                               : fmt::format("{}, geometry '{}'", owner, geometry.name);
}

void fill_contact_filter(const ModelSpec& spec, const Topology& topology, Problems* problems,
                         Model* model) {
  model->filter_parent_child = spec.filter_parent_child;
  for_each_geometry(spec, [&](int body, const GeometrySpec& geometry) {
    ContactClass entry{.body = body,
                       .group = geometry.group,
                       .mask = geometry.mask,
                       .collides = geometry.collides};
    if (body >= 0) {
      entry.weld = topology.weld[body];
      entry.weld_parent = topology.weld_parent[body];
    }
    model->contact_classes.push_back(entry);
  });
  fill_excluded(spec, problems, model);
  fill_forced(spec, problems, model);
}

void check_rigid_pairs(const ModelSpec& spec, const Model& model, Problems* problems) {
  std::vector<std::pair<int, std::string>> rigid;  // geometry and its description
  int index = 0;
  for_each_geometry(spec, [&](int body, const GeometrySpec& geometry) {
    if (geometry.collides && std::isinf(geometry.material.stiffness)) {
      rigid.emplace_back(index, describe_geometry(spec, body, geometry));
    }
    ++index;
  });
  for (std::size_t a = 0; a < rigid.size(); ++a) {
    for (std::size_t b = a + 1; b < rigid.size(); ++b) {
      if (!model.may_touch(rigid[a].first, rigid[b].first)) continue;
      if (find_pair_material(model, rigid[a].first, rigid[b].first) != nullptr) continue;
      problems->add(rigid[a].second,
                    fmt::format("may touch '{}' and both have infinite stiffness; give one of them "
                                "a finite stiffness or exclude the pair",
                                rigid[b].second));
      break;  // one line for each geometry is enough
    }
  }
}

}  // namespace detail
}  // namespace cenic

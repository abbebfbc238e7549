// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/coordinate_names.h"

#include <map>
#include <set>

#include <fmt/format.h>

namespace cenic {
namespace {

// Numbers of one name: those of a joint, or of all of a body's that have none.
struct Owner {
  std::string name{};
  std::vector<int> q{}, v{};
};

std::vector<Owner> find_owners(const Model& model) {
  std::vector<Owner> named, by_body;
  std::map<int, std::size_t> places;  // of bodies in by_body
  for (const Joint& joint : model.joints) {
    Owner* owner = nullptr;
    if (!joint.name.empty()) {
      owner = &named.emplace_back(Owner{.name = joint.name});
    } else {
      const auto [place, is_new] = places.emplace(joint.body, by_body.size());
      if (is_new) by_body.push_back({.name = model.bodies[joint.body].name});
      owner = &by_body[place->second];
    }
    for (int i = 0; i < joint.nq; ++i) {
      owner->q.push_back(joint.q_start + i);
    }
    for (int i = 0; i < joint.nv; ++i) {
      owner->v.push_back(joint.v_start + i);
    }
  }
  named.insert(named.end(), by_body.begin(), by_body.end());  // given names come first
  return named;
}

std::vector<std::string> make_names(const std::string& owner, std::size_t count) {
  if (count == 1) return {owner};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    names.push_back(fmt::format("{}[{}]", owner, i));
  }
  return names;
}

}  // namespace

CoordinateNames name_coordinates(const Model& model) {
  CoordinateNames names{std::vector<std::string>(model.nq), std::vector<std::string>(model.nv)};
  std::set<std::string> taken;  // of owners, and of numbers
  for (const Owner& owner : find_owners(model)) {
    std::string name = owner.name;
    std::vector<std::string> q, v;
    const auto is_free = [&] {
      q = make_names(name, owner.q.size());
      v = make_names(name, owner.v.size());
      bool free = !taken.contains(name);
      for (const auto* list : {&q, &v}) {
        for (const std::string& number : *list) {
          free = free && !taken.contains(number);
        }
      }
      return free;
    };
    for (int k = 2; !is_free(); ++k) {
      name = fmt::format("{}#{}", owner.name, k);
    }
    taken.insert(name);
    taken.insert(q.begin(), q.end());
    taken.insert(v.begin(), v.end());
    for (std::size_t i = 0; i < q.size(); ++i) {
      names.q[owner.q[i]] = q[i];
    }
    for (std::size_t i = 0; i < v.size(); ++i) {
      names.v[owner.v[i]] = v[i];
    }
  }
  return names;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mjcf/world.h"

#include <algorithm>

#include <fmt/format.h>

namespace cenic::detail {
namespace {

bool exists(const MjcfWorld& world, MjcfKind kind, const std::string& name) {
  switch (kind) {
    case MjcfKind::kBody:
      return world.body_index.contains(name);
    case MjcfKind::kJoint:
      return world.joint_index.contains(name);
    case MjcfKind::kGeom:
      return world.geom_index.contains(name);
    case MjcfKind::kSite:
      return world.sites.contains(name);
    case MjcfKind::kTendon:
      return world.tendons.contains(name);
  }
  return false;
}

const char* to_string(MjcfKind kind) {
  static constexpr const char* kNames[] = {"body", "joint", "geom", "site", "tendon"};
  return kNames[static_cast<int>(kind)];
}

bool resolve_all(const MjcfWorld& world, const MjcfInstance& instance,
                 const std::vector<MjcfReference>& references, const std::string& suffix) {
  return std::ranges::all_of(references, [&](const MjcfReference& r) {
    return !resolve(world, instance, r.kind, r.name, suffix).empty();
  });
}

}  // namespace

void MjcfWorld::report_once(const XmlElement& element, Severity severity, const std::string& what) {
  const auto [entry, added] = said_.try_emplace(what, &element);
  report(*entry->second, severity, what);
}

void MjcfWorld::ignore(const XmlElement& element, const std::string& what) {
  report(element, Severity::kIgnored, what);
  mark_read(element);
}

std::string make_name(const MjcfInstance& instance, const std::string& name,
                      const std::string& suffix) {
  return name.empty() ? "" : instance.prefix + name + suffix;
}

std::string resolve(const MjcfWorld& world, const MjcfInstance& instance, MjcfKind kind,
                    const std::string& name, const std::string& suffix) {
  if (kind == MjcfKind::kBody && name == kWorldName) return name;
  // What stands outside of the inner copies has only the end of the suffix.
  std::string rest = suffix;
  while (true) {
    std::string full = make_name(instance, name, rest);
    if (exists(world, kind, full)) return full;
    if (rest.empty()) return "";
    do {
      rest.erase(0, 1);
    } while (!rest.empty() && !instance.known_suffixes.contains(rest));
    if (!instance.known_suffixes.contains(rest)) return "";
  }
}

void for_each_copy(MjcfWorld* world, const MjcfInstance& instance, const XmlElement& element,
                   const std::vector<MjcfReference>& references,
                   const std::function<void(const std::string& suffix)>& f) {
  const std::string& plain = instance.suffixes.front();
  if (resolve_all(*world, instance, references, plain)) {
    f(plain);
    return;
  }
  int copies = 0;
  for (std::size_t i = 1; i < instance.suffixes.size(); ++i) {
    const std::string& suffix = instance.suffixes[i];
    // Copies in which nothing new is named are those of the suffix inside.
    const bool own = std::ranges::any_of(references, [&](const MjcfReference& r) {
      return exists(*world, r.kind, make_name(instance, r.name, suffix));
    });
    if (!own || !resolve_all(*world, instance, references, suffix)) continue;
    f(suffix);
    ++copies;
  }
  if (copies > 0 || instance.attached) return;
  for (const MjcfReference& r : references) {
    if (!resolve(*world, instance, r.kind, r.name, plain).empty()) continue;
    world->report(element, Severity::kError,
                  r.name.empty() ? fmt::format("<{}> names no {}", element.name, to_string(r.kind))
                                 : fmt::format("<{}>: there is no {} '{}'", element.name,
                                               to_string(r.kind), r.name));
  }
}

void for_each_in_section(const MjcfInstance& instance, const char* section,
                         const std::function<void(const XmlElement& child)>& f) {
  for (const auto& element : instance.document->root->children) {
    if (element->name != section) continue;
    element->read = true;
    for (const auto& child : element->children) {
      f(*child);
    }
  }
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mjcf/document.h"

#include <algorithm>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mjcf/families.h"
#include "loaders/xml/read_xml.h"

namespace cenic::detail {

double MjcfCompiler::angle(double given) const {
  return degrees ? given * std::numbers::pi / 180 : given;
}

MjcfCompiler read_compiler(const XmlElement& root, Diagnostics* diagnostics, MjcfCompiler c) {
  // Sections may be repeated; what comes later counts.
  std::vector<const XmlElement*> sections;
  for (const auto& child : root.children) {
    if (child->name != "compiler") continue;
    child->read = true;
    sections.insert(sections.begin(), child.get());
  }
  if (sections.empty()) return c;
  const Attributes a(*sections.front(), diagnostics, {sections.begin() + 1, sections.end()});
  c.degrees = a.keyword("angle", {"radian", "degree"}, c.degrees ? 1 : 0) == 1;
  c.autolimits = a.flag("autolimits", true);
  c.eulerseq = a.text("eulerseq", "xyz");
  if (c.eulerseq.size() != 3 || c.eulerseq.find_first_not_of("xyzXYZ") != std::string::npos) {
    a.error("eulerseq", "eulerseq: write three of the letters x, y, z, X, Y, Z");
    c.eulerseq = "xyz";
  }
  c.meshdir = a.text("meshdir", a.text("assetdir"));
  c.texturedir = a.text("texturedir", a.text("assetdir"));
  c.strippath = a.flag("strippath", c.strippath);
  c.fitaabb = a.flag("fitaabb", false);
  c.exact_mesh_inertia = a.flag("exactmeshinertia", false);
  c.balance_inertia = a.flag("balanceinertia", false);
  c.fuse_static = a.flag("fusestatic", c.fuse_static);
  c.inertia_from_geom =
      static_cast<InertiaFromGeom>(a.keyword("inertiafromgeom", {"false", "true", "auto"}, 2));
  const std::vector<double> groups = a.numbers("inertiagrouprange", 2, 2);
  if (!groups.empty()) {
    constexpr double kMost = 1e6;  // groups are small numbers
    c.group_first = static_cast<int>(std::clamp(groups[0], -kMost, kMost));
    c.group_last = static_cast<int>(std::clamp(groups[1], -kMost, kMost));
  }
  c.bound_mass = a.number("boundmass", 0);
  c.bound_inertia = a.number("boundinertia", 0);
  c.total_mass = a.number("settotalmass", -1);
  if (a.text("coordinate", "local") != "local") {
    a.error("coordinate", "coordinate: only local coordinates are known; global ones are obsolete");
  }
  if (a.flag("alignfree", false)) {
    a.report(Severity::kIgnored, "alignfree",
             "alignfree: coordinates of free joints are those of the body frame as written");
  }
  a.accept({"assetdir", "usethread", "convexhull"});
  a.ignore({"discardvisual", "fusestatic", "saveinertial"}, "changes nothing that moves");
  for (const XmlElement* section : sections) {
    for (const auto& child : section->children) {
      diagnostics->add(*child->file, child->line, Severity::kIgnored,
                       fmt::format("<{}>: lengths of actuators are not searched for", child->name));
      mark_read(*child);
    }
  }
  return c;
}

std::string family_of(const std::string& name) {
  for (const char* actuator :
       {"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
        "adhesion", "dcmotor", "pid", "orientation", "plugin"}) {
    if (name == actuator) return "actuator";
  }
  if (name == "spatial" || name == "fixed") return "tendon";
  if (name == "connect" || name == "weld" || name == "flex") return "equality";
  return name;
}

void MjcfDefaults::read(const XmlElement& root, Diagnostics* diagnostics) {
  for (const auto& child : root.children) {
    if (child->name == "default") read_class(*child, nullptr, diagnostics);
  }
}

void MjcfDefaults::read_class(const XmlElement& element, const MjcfClass* parent,
                              Diagnostics* diagnostics) {
  const Attributes a(element, diagnostics);
  std::string name = a.text("class");
  if (parent == nullptr) {
    if (!name.empty()) main_name_ = name;
    name.clear();
  } else if (name.empty()) {
    a.error("class", "a <default> inside of another needs a class; write class=\"...\"");
    return;
  } else if (classes_.contains(name) || name == main_name_) {
    a.error("class", fmt::format("class '{}' is there already; names are unique", name));
    return;
  }
  MjcfClass& self = classes_[name];
  self.parent = parent;
  for (const auto& child : element.children) {
    child->read = true;
    if (child->name == "default") continue;
    self.elements[family_of(child->name)].push_back(child.get());
  }
  for (const auto& child : element.children) {
    if (child->name == "default") read_class(*child, &self, diagnostics);
  }
}

const MjcfClass* MjcfDefaults::find(const std::string& name) const {
  const auto found = classes_.find(name == main_name_ ? "" : name);
  return found == classes_.end() ? nullptr : &found->second;
}

Attributes MjcfDocument::attributes(const XmlElement& element, const std::string& childclass,
                                    Diagnostics* diagnostics, const std::string& family) const {
  const XmlAttribute* own = element.find("class");
  const MjcfClass* c = defaults.find(own != nullptr ? own->value : childclass);
  if (c == nullptr) {
    diagnostics->add(
        *element.file, own != nullptr ? own->line : element.line, Severity::kError,
        fmt::format("there is no default class '{}'", own != nullptr ? own->value : childclass));
  }
  std::vector<const XmlElement*> fallbacks;
  const std::string key = family.empty() ? family_of(element.name) : family;
  for (; c != nullptr; c = c->parent) {
    const auto found = c->elements.find(key);
    if (found == c->elements.end()) continue;
    fallbacks.insert(fallbacks.end(), found->second.rbegin(), found->second.rend());
  }
  return {element, diagnostics, fallbacks};
}

MjcfDocument read_document(const std::string& path, const std::string& name,
                           const AssetPaths& paths, Diagnostics* diagnostics) {
  MjcfDocument document;
  document.root = read_xml_with_includes(path, name, paths);
  document.root->read = true;
  if (document.root->name != "mujoco") {
    throw FileError(name, document.root->line,
                    fmt::format("the file begins with <{}>; a MuJoCo model begins with <mujoco>",
                                document.root->name));
  }
  document.name = name;
  document.folder = folder_of(path);
  document.compiler = read_compiler(*document.root, diagnostics);
  document.defaults.read(*document.root, diagnostics);
  mark_default_attributes(document);
  read_extensions(&document);
  read_assets(paths, &document, diagnostics);
  return document;
}

}  // namespace cenic::detail

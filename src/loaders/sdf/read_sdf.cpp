// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/sdf/read_sdf.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/sdf/sdf.h"
#include "loaders/xml/attributes.h"
#include "loaders/xml/read_xml.h"
#include "loaders/xml/values.h"

namespace cenic {
namespace {

using detail::SdfPart;
using detail::SdfReader;

void check_version(const XmlElement& root, Diagnostics* diagnostics) {
  const Attributes a(root, diagnostics);
  const std::string version = a.text("version");
  for (const XmlAttribute& other : root.attributes) {
    if (other.name.starts_with("xmlns")) other.read = true;
  }
  for (const char* known : {"1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.11", "1.12"}) {
    if (version == known) return;
  }
  a.report(Severity::kWarning, "version",
           fmt::format("version '{}' of SDFormat is read as 1.7", version));
}

// The world, or else the models of the file.
void collect(const XmlElement& root, SdfReader* reader) {
  if (const XmlElement* world = root.child("world")) {
    collect_sdf_world(*world, reader);
    return;
  }
  const XmlElement* only = nullptr;
  int count = 0;
  for (const auto& child : root.children) {
    if (child->name != "model") continue;
    only = child.get();
    ++count;
    collect_sdf_model(*child, reader);
  }
  if (count != 1) return;
  const XmlAttribute* name = only->find("name");
  if (name == nullptr) return;
  reader->spec->name = name->value;
  reader->common_prefix = name->value + "::";
}

void read_parts(SdfReader* reader) {
  for (const SdfPart& part : reader->links) {
    read_sdf_link(part, reader);
  }
  for (const SdfPart& part : reader->joints) {
    read_sdf_joint(part, reader);
  }
  for (const SdfPart& part : reader->groups) {
    read_sdf_filter_group(part, reader);
  }
}

}  // namespace

LoadedModel read_sdf(const std::string& path, const AssetPaths& paths, const LoadOptions& options) {
  const std::unique_ptr<XmlElement> root = read_xml(path, path);
  if (root->name != "sdf") {
    throw FileError(
        path, root->line,
        fmt::format("the root element is <{}>; an SDFormat file begins with <sdf>", root->name));
  }
  LoadedModel loaded;
  Reporter reporter(&loaded.diagnostics);
  ResourcePaths resources(paths, options.packages);
  SdfReader reader;
  reader.spec = &loaded.spec;
  reader.robot.welded = options.welded;
  reader.context.reporter = &reporter;
  reader.context.resources = &resources;
  std::error_code status;
  reader.open_files.push_back(std::filesystem::weakly_canonical(path, status).string());

  check_version(*root, &loaded.diagnostics);
  collect(*root, &reader);
  read_parts(&reader);
  detail::assemble(std::move(reader.robot), &reporter, &loaded.spec);
  detail::add_robot_actuators(reader.actuators, &reporter, &loaded);
  if (reader.links.empty()) {
    reporter.error(*root, "the file has no links; it needs a <model> or <world> with some");
  }
  report_unread(*root, &loaded.diagnostics);
  for (const auto& included : reader.included) {
    report_unread(*included, &loaded.diagnostics);
  }
  return loaded;
}

}  // namespace cenic

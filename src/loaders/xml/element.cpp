// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/xml/element.h"

#include <fmt/format.h>

namespace cenic {

const XmlAttribute* XmlElement::find(std::string_view attribute) const {
  for (const XmlAttribute& a : attributes) {
    if (a.name != attribute) continue;
    a.read = true;
    return &a;
  }
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view child_name) const {
  for (const auto& c : children) {
    if (c->name != child_name) continue;
    c->read = true;
    return c.get();
  }
  return nullptr;
}

void report_unread(const XmlElement& element, Diagnostics* diagnostics, std::string_view optional) {
  if (!element.read && element.name == optional) return;
  if (!element.read) {
    diagnostics->add(*element.file, element.line, Severity::kIgnored,
                     fmt::format("element <{}> is not known here", element.name));
    return;
  }
  for (const XmlAttribute& a : element.attributes) {
    if (a.read) continue;
    diagnostics->add(*element.file, a.line, Severity::kIgnored,
                     fmt::format("attribute {} of <{}> is not known", a.name, element.name));
  }
  for (const auto& child : element.children) {
    report_unread(*child, diagnostics, optional);
  }
}

void mark_read(const XmlElement& element) {
  element.read = true;
  for (const XmlAttribute& a : element.attributes) {
    a.read = true;
  }
  for (const auto& child : element.children) {
    mark_read(*child);
  }
}

}  // namespace cenic

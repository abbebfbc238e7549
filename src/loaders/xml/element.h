// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// XmlElement: an XML file as a tree that knows file and line of everything, and which parts have
// been read. What nobody read is reported at the end (report_unread), so nothing is dropped
// silently.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/diagnostics.h"

namespace cenic {

struct XmlAttribute {
  std::string name, value;
  int line = 0;
  mutable bool read = false;
};

struct XmlElement {
  std::string name;
  std::shared_ptr<const std::string> file;
  int line = 0;
  std::string text{};         // between its tags, without blanks at the ends
  mutable bool read = false;  // its own attributes and children may be unread all the same
  std::vector<XmlAttribute> attributes;
  std::vector<std::unique_ptr<XmlElement>> children;

  // Marks it as read; nullptr when there is none.
  const XmlAttribute* find(std::string_view attribute) const;
  // The first child of that name, marked as read; nullptr when there is none.
  const XmlElement* child(std::string_view child_name) const;
};

// One entry for each element that nobody read and each attribute of those that were. Elements of
// the name `optional` may be left unread.
void report_unread(const XmlElement& element, Diagnostics* diagnostics,
                   std::string_view optional = "");
// Everything below, too, counts as read: it was reported in other words.
void mark_read(const XmlElement& element);

}  // namespace cenic

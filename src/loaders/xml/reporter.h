// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Reporter: entries about elements, and those that would fill pages said only once.
#pragma once

#include <map>
#include <string>

#include "loaders/xml/element.h"

namespace cenic {

class Reporter {
 public:
  explicit Reporter(Diagnostics* diagnostics) : diagnostics_(diagnostics) {}

  Diagnostics* diagnostics() const { return diagnostics_; }
  void report(const XmlElement& element, Severity severity, const std::string& what) {
    diagnostics_->add(*element.file, element.line, severity, what);
  }
  void error(const XmlElement& element, const std::string& what) {
    report(element, Severity::kError, what);
  }
  // Counted at the first place where it was said.
  void report_once(const XmlElement& element, Severity severity, const std::string& what) {
    report(*said_.try_emplace(what, &element).first->second, severity, what);
  }
  // Marks all of it as read.
  void ignore(const XmlElement& element, const std::string& what) {
    report(element, Severity::kIgnored, what);
    mark_read(element);
  }
  void ignore_once(const XmlElement& element, const std::string& what) {
    report_once(element, Severity::kIgnored, what);
    mark_read(element);
  }

 private:
  Diagnostics* diagnostics_;
  std::map<std::string, const XmlElement*> said_;
};

}  // namespace cenic

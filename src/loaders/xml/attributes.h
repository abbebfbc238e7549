// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Attributes: the attributes of an element with checked values, and with other elements to fall
// back on (defaults, nearest first). A bad value is reported as an error at its line and reads as
// absent, so that one run finds all mistakes. Numbers must be finite.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/xml/element.h"
#include "math/vec3.h"

namespace cenic {

class Attributes {
 public:
  // Marks the element as read.
  Attributes(const XmlElement& element, Diagnostics* diagnostics,
             const std::vector<const XmlElement*>& fallbacks = {});

  const XmlElement& element() const { return *elements_.front(); }
  // All, the element itself first.
  const std::vector<const XmlElement*>& elements() const { return elements_; }
  // Stands in the element itself or in a fallback.
  bool has(std::string_view name) const { return find(name) != nullptr; }

  std::string text(std::string_view name, const std::string& fallback = "") const;
  std::optional<double> number(std::string_view name) const;
  double number(std::string_view name, double fallback) const {
    return number(name).value_or(fallback);
  }
  std::optional<int> integer(std::string_view name) const;
  int integer(std::string_view name, int fallback) const {
    return integer(name).value_or(fallback);
  }
  // At least `least` and at most `most` numbers; empty when absent.
  std::vector<double> numbers(std::string_view name, int least, int most) const;
  // The first numbers of `fallback` replaced by those given: MJCF's lists of "up to n" numbers.
  std::vector<double> numbers_over(std::string_view name, std::vector<double> fallback) const;
  std::optional<Vec3> vector(std::string_view name) const;
  Vec3 vector(std::string_view name, const Vec3& fallback) const {
    return vector(name).value_or(fallback);
  }
  // Index of the word among those allowed.
  int keyword(std::string_view name, std::initializer_list<const char*> words, int fallback) const;
  bool flag(std::string_view name, bool fallback) const {
    return keyword(name, {"false", "true"}, fallback ? 1 : 0) == 1;
  }

  // At the line of the attribute where it stands, at the element's when it is absent.
  void report(Severity severity, std::string_view name, const std::string& what) const;
  void error(std::string_view name, const std::string& what) const {
    report(Severity::kError, name, what);
  }
  // Read elsewhere, or without a meaning of its own: marked as read.
  void accept(std::initializer_list<const char*> names) const;
  // Those that are given are reported as ignored: "timestep: reason".
  void ignore(std::initializer_list<const char*> names, const std::string& reason) const;
  void approximate(std::initializer_list<const char*> names, const std::string& reason) const;

 private:
  struct Place {
    const XmlElement* element;
    const XmlAttribute* attribute;
  };
  const XmlAttribute* find(std::string_view name) const { return find_place(name).attribute; }
  Place find_place(std::string_view name) const;

  std::vector<const XmlElement*> elements_;
  Diagnostics* diagnostics_;
};

// The numbers of a text with blanks between; nullopt and a reason when it is no such list.
std::optional<std::vector<double>> parse_numbers(std::string_view text, std::string* reason);

}  // namespace cenic

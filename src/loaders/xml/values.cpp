// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/xml/values.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "loaders/xml/attributes.h"

namespace cenic {
namespace {

void add_error(const XmlElement& element, const std::string& what, Diagnostics* diagnostics) {
  diagnostics->add(*element.file, element.line, Severity::kError,
                   fmt::format("<{}>: {}", element.name, what));
}

}  // namespace

const std::string& value_text(const XmlElement& element) {
  element.read = true;
  const XmlAttribute* value = element.find("value");
  return value != nullptr ? value->value : element.text;
}

std::vector<double> value_numbers(const XmlElement& element, int least, int most,
                                  Diagnostics* diagnostics) {
  std::string reason;
  const std::optional<std::vector<double>> list = parse_numbers(value_text(element), &reason);
  if (!list) {
    add_error(element, reason, diagnostics);
    return {};
  }
  const int n = static_cast<int>(list->size());
  if (n >= least && n <= most) return *list;
  add_error(
      element,
      fmt::format("it has {} numbers; give {}", n,
                  least == most ? std::to_string(least) : fmt::format("{} to {}", least, most)),
      diagnostics);
  return {};
}

std::optional<double> value_number(const XmlElement& element, Diagnostics* diagnostics) {
  const std::vector<double> list = value_numbers(element, 1, 1, diagnostics);
  if (list.empty()) return std::nullopt;
  return list.front();
}

std::optional<Vec3> value_vector(const XmlElement& element, Diagnostics* diagnostics) {
  const std::vector<double> list = value_numbers(element, 3, 3, diagnostics);
  if (list.empty()) return std::nullopt;
  return Vec3{list[0], list[1], list[2]};
}

bool value_flag(const XmlElement& element, bool fallback, Diagnostics* diagnostics) {
  const std::string& text = value_text(element);
  if (text == "1" || text == "true" || text == "True") return true;
  if (text == "0" || text == "false" || text == "False") return false;
  add_error(element, fmt::format("it is '{}'; write true or false", text.substr(0, 40)),
            diagnostics);
  return fallback;
}

std::string child_text(const XmlElement& element, std::string_view name) {
  const XmlElement* child = element.child(name);
  return child == nullptr ? "" : value_text(*child);
}

double child_number(const XmlElement& element, std::string_view name, double fallback,
                    Diagnostics* diagnostics) {
  const XmlElement* child = element.child(name);
  return child == nullptr ? fallback : value_number(*child, diagnostics).value_or(fallback);
}

std::optional<Vec3> child_vector(const XmlElement& element, std::string_view name,
                                 Diagnostics* diagnostics) {
  const XmlElement* child = element.child(name);
  if (child == nullptr) return std::nullopt;
  return value_vector(*child, diagnostics);
}

bool child_flag(const XmlElement& element, std::string_view name, bool fallback,
                Diagnostics* diagnostics) {
  const XmlElement* child = element.child(name);
  return child == nullptr ? fallback : value_flag(*child, fallback, diagnostics);
}

std::optional<double> parse_infinity(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::string word(text);
  std::ranges::transform(word, word.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  if (word != "inf" && word != "infinity") return std::nullopt;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return negative ? -kInfinity : kInfinity;
}

double child_limit(const XmlElement& element, std::string_view name, double fallback,
                   Diagnostics* diagnostics) {
  const XmlElement* child = element.child(name);
  if (child == nullptr) return fallback;
  if (const auto infinity = parse_infinity(value_text(*child))) return *infinity;
  return value_number(*child, diagnostics).value_or(fallback);
}

}  // namespace cenic

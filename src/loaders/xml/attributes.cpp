// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/xml/attributes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cenic {
namespace {

constexpr std::string_view kBlank = " \t\r\n\f\v";

// A finite number that takes up the whole word. Numbers too small to be told from zero are zero.
std::optional<double> parse_finite(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size()) return std::nullopt;
  if (status == std::errc::result_out_of_range) {
    // With so few digits before the exponent, what is out of range is too small.
    constexpr std::size_t kFewDigits = 300;
    const std::size_t e = word.find_first_of("eE");
    if (e < kFewDigits && e + 1 < word.size() && word[e + 1] == '-') return 0.0;
    return std::nullopt;
  }
  if (status != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string shorten(std::string_view text) {
  constexpr std::size_t kMost = 40;
  return std::string(text.size() > kMost ? text.substr(0, kMost) : text) +
         (text.size() > kMost ? "..." : "");
}

}  // namespace

std::optional<std::vector<double>> parse_numbers(std::string_view text, std::string* reason) {
  std::vector<double> numbers;
  for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;
       at = text.find_first_not_of(kBlank, at)) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::optional<double> value = parse_finite(word);
    if (!value) {
      *reason = fmt::format("'{}' is not a finite number", shorten(word));
      return std::nullopt;
    }
    numbers.push_back(*value);
    at = end;
  }
  return numbers;
}

Attributes::Attributes(const XmlElement& element, Diagnostics* diagnostics,
                       const std::vector<const XmlElement*>& fallbacks)
    : elements_{&element}, diagnostics_(diagnostics) {
  element.read = true;
  elements_.insert(elements_.end(), fallbacks.begin(), fallbacks.end());
}

Attributes::Place Attributes::find_place(std::string_view name) const {
  for (const XmlElement* element : elements_) {
    if (const XmlAttribute* a = element->find(name)) return {element, a};
  }
  return {elements_.front(), nullptr};
}

std::string Attributes::text(std::string_view name, const std::string& fallback) const {
  const XmlAttribute* a = find(name);
  return a == nullptr ? fallback : a->value;
}

std::vector<double> Attributes::numbers(std::string_view name, int least, int most) const {
  const XmlAttribute* a = find(name);
  if (a == nullptr) return {};
  std::string reason;
  std::optional<std::vector<double>> list = parse_numbers(a->value, &reason);
  if (!list) {
    error(name, fmt::format("{}: {}", name, reason));
    return {};
  }
  const int n = static_cast<int>(list->size());
  if (n < least || n > most) {
    error(name, fmt::format(
                    "{} has {} numbers; give {}", name, n,
                    least == most ? std::to_string(least) : fmt::format("{} to {}", least, most)));
    return {};
  }
  return *list;
}

std::vector<double> Attributes::numbers_over(std::string_view name,
                                             std::vector<double> fallback) const {
  const std::vector<double> given = numbers(name, 1, static_cast<int>(fallback.size()));
  std::ranges::copy(given, fallback.begin());
  return fallback;
}

std::optional<double> Attributes::number(std::string_view name) const {
  const std::vector<double> list = numbers(name, 1, 1);
  if (list.empty()) return std::nullopt;
  return list.front();
}

std::optional<int> Attributes::integer(std::string_view name) const {
  const std::optional<double> value = number(name);
  if (!value) return std::nullopt;
  if (std::trunc(*value) != *value || std::fabs(*value) > std::numeric_limits<int>::max()) {
    error(name, fmt::format("{} is {}; give a whole number", name, text(name)));
    return std::nullopt;
  }
  return static_cast<int>(*value);
}

std::optional<Vec3> Attributes::vector(std::string_view name) const {
  const std::vector<double> list = numbers(name, 3, 3);
  if (list.empty()) return std::nullopt;
  return Vec3{list[0], list[1], list[2]};
}

int Attributes::keyword(std::string_view name, std::initializer_list<const char*> words,
                        int fallback) const {
  const XmlAttribute* a = find(name);
  if (a == nullptr) return fallback;
  const auto found = std::find(words.begin(), words.end(), a->value);
  if (found != words.end()) return static_cast<int>(found - words.begin());
  error(name, fmt::format("{} is '{}'; write one of: {}", name, shorten(a->value),
                          fmt::join(words.begin(), words.end(), ", ")));
  return fallback;
}

void Attributes::report(Severity severity, std::string_view name, const std::string& what) const {
  const Place place = find_place(name);
  diagnostics_->add(*place.element->file,
                    place.attribute != nullptr ? place.attribute->line : place.element->line,
                    severity, what);
}

void Attributes::accept(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    find(name);
  }
}

void Attributes::ignore(std::initializer_list<const char*> names, const std::string& reason) const {
  for (const char* name : names) {
    if (has(name)) report(Severity::kIgnored, name, fmt::format("{}: {}", name, reason));
  }
}

void Attributes::approximate(std::initializer_list<const char*> names,
                             const std::string& reason) const {
  for (const char* name : names) {
    if (has(name)) report(Severity::kApproximated, name, fmt::format("{}: {}", name, reason));
  }
}

}  // namespace cenic

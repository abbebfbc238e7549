// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/diagnostics.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic {

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kApproximated:
      return "approximated";
    case Severity::kIgnored:
      return "ignored";
  }
  return "";
}

std::string to_string(const Diagnostic& d) {
  return fmt::format("{}:{}{}: {}: {}{}", d.file, d.line,
                     d.column > 0 ? fmt::format(":{}", d.column) : "", to_string(d.severity),
                     d.what, d.count > 1 ? fmt::format(" ({} times)", d.count) : "");
}

void Diagnostics::add(const std::string& file, int line, Severity severity, const std::string& what,
                      int column) {
  const std::string key =
      fmt::format("{}\n{}:{}\n{}\n{}", file, line, column, to_string(severity), what);
  const auto [entry, added] = index_.try_emplace(key, list_.size());
  if (added) {
    list_.push_back({file, line, severity, what, 1, column});
  } else {
    ++list_[entry->second].count;
  }
}

void Diagnostics::append(const Diagnostics& other) {
  list_.insert(list_.end(), other.list_.begin(), other.list_.end());
}

void Diagnostics::sort() {
  std::unordered_map<std::string, int> order;
  for (const Diagnostic& d : list_) {
    order.try_emplace(d.file, static_cast<int>(order.size()));
  }
  std::ranges::stable_sort(list_, [&](const Diagnostic& a, const Diagnostic& b) {
    return a.file == b.file ? a.line < b.line : order[a.file] < order[b.file];
  });
  index_.clear();
}

int Diagnostics::count(Severity severity) const {
  int sum = 0;
  for (const Diagnostic& d : list_) {
    if (d.severity == severity) sum += d.count;
  }
  return sum;
}

std::string Diagnostics::summary() const {
  std::string text;
  for (const Severity severity :
       {Severity::kError, Severity::kWarning, Severity::kApproximated, Severity::kIgnored}) {
    const int n = count(severity);
    if (n == 0) continue;
    const bool noun = severity == Severity::kError || severity == Severity::kWarning;
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", n, to_string(severity),
                        noun && n > 1 ? "s" : "");
  }
  return text.empty() ? "nothing" : text;
}

void Diagnostics::throw_errors() const {
  constexpr int kMostShown = 50;
  std::string text;
  int shown = 0, left = 0;
  for (const Diagnostic& d : list_) {
    if (d.severity != Severity::kError) continue;
    if (shown == kMostShown) {
      ++left;
      continue;
    }
    text += (text.empty() ? "" : "\n") + to_string(d);
    ++shown;
  }
  if (left > 0) text += fmt::format("\nand {} more errors", left);
  if (!text.empty()) throw Error(text);
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "plots/column_names.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cenic {
namespace {

constexpr std::size_t kShownNames = 8;

std::string strip_index(const std::string& name) {
  return name.ends_with(']') ? name.substr(0, name.rfind('[')) : name;
}

std::string list_names(const std::vector<std::string>& names) {
  std::vector<std::string> listed;  // what has several numbers once
  for (const std::string& name : names) {
    const std::string owner = strip_index(name);
    if (std::ranges::find(listed, owner) == listed.end()) listed.push_back(owner);
    if (listed.size() > kShownNames) break;
  }
  if (listed.empty()) return "none";
  if (listed.size() > kShownNames) listed.back() = "…";
  return fmt::format("{}", fmt::join(listed, ", "));
}

}  // namespace

bool means_coordinate(const std::string& asked, const std::string& name) {
  return name == asked || name + "[0]" == asked || name.starts_with(asked + "[");
}

bool means_signal(const std::string& asked, const std::string& name) {
  return means_coordinate(asked, name) || name.starts_with(asked + ".");
}

std::string describe_unknown_name(const std::string& kind, const std::string& asked,
                                  const std::vector<std::string>& names,
                                  const std::vector<std::string>& aliases) {
  const std::string owner = strip_index(asked);
  std::set<std::string> numbers;
  for (const auto* list : {&names, &aliases}) {
    std::ranges::copy_if(*list, std::inserter(numbers, numbers.end()), [&](const auto& name) {
      return strip_index(name) == owner;
    });
  }
  const std::string unknown = fmt::format("there is no {} '{}'", kind, asked);
  if (numbers.empty()) return fmt::format("{}; there are {}", unknown, list_names(names));
  return numbers.size() == 1 ? fmt::format("{}; '{}' has one, [0]", unknown, owner)
                             : fmt::format("{}; '{}' has {}, [0] to [{}]", unknown, owner,
                                           numbers.size(), numbers.size() - 1);
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "core/suggest.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cenic {
namespace {

// Letters to insert, delete or replace to turn a into b (Levenshtein).
int calc_edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i) + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string suggest(const std::string& wrong, const std::vector<std::string>& known) {
  if (known.empty()) return "; there are none";
  const auto near = std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
    return calc_edit_distance(wrong, a) < calc_edit_distance(wrong, b);
  });
  const bool close = calc_edit_distance(wrong, *near) <= std::max<int>(2, near->size() / 3);
  return fmt::format("{} (known: {})", close ? fmt::format("; did you mean '{}'?", *near) : "",
                     fmt::join(known, ", "));
}

}  // namespace cenic

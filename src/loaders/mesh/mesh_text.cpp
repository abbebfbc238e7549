// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mesh/mesh_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "core/error.h"
#include "loaders/read_file.h"

namespace cenic::detail {
namespace {

template <typename Number>
std::optional<Number> parse(std::string_view word) {
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  Number value{};
  const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string read_bytes(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  std::string bytes = read_file(path, path, kMost);
  if (bytes.empty()) throw FileError(path, 0, "the file is empty; export the mesh again");
  return bytes;
}

std::string find_beside(const std::string& path, const std::string& name) {
  const std::filesystem::path file = name;
  const bool leaves = file.is_absolute() || name.find("://") != std::string::npos ||
                      name.find('\0') != std::string::npos ||
                      std::ranges::any_of(file, [](const auto& part) {
                        return part == "..";
                      });
  if (name.empty() || leaves) return "";
  return (std::filesystem::path(path).parent_path() / file).string();
}

void split_words(std::string_view line, std::vector<std::string_view>* words) {
  words->clear();
  constexpr std::string_view kBlank = " \t\r\f\v";
  line = line.substr(0, line.find('#'));
  for (std::size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;
       at = line.find_first_not_of(kBlank, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words->push_back(line.substr(at, end - at));
    at = end;
  }
}

std::optional<double> parse_number(std::string_view word) { return parse<double>(word); }
std::optional<long> parse_integer(std::string_view word) { return parse<long>(word); }

Vec3 parse_point(const std::string& path, int line, const std::vector<std::string_view>& words) {
  if (words.size() < 4) {
    throw FileError(path, line,
                    "a vertex has " + std::to_string(words.size() - 1) +
                        " coordinates; write three numbers after '" + std::string(words[0]) + "'");
  }
  Vec3 p;
  for (int i = 0; i < 3; ++i) {
    const std::optional<double> value = parse_number(words[i + 1]);
    if (!value.has_value() || !std::isfinite(*value)) {
      throw FileError(path, line,
                      "coordinate '" + std::string(words[i + 1]) +
                          "' is not a finite number; export the mesh again");
    }
    p[i] = *value;
  }
  return p;
}

}  // namespace cenic::detail

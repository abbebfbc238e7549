// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/scenario/yaml_writer.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic::detail {
namespace {

constexpr std::size_t kLineWidth = 90;

template <typename Real>
std::string print_number(Real value) {
  if (std::isnan(value)) throw Error("a number is NaN, which no file can say");
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  return fmt::format("{}", value);
}

// Plain where it can be nothing but a text, else in quotes.
std::string print_text(const std::string& text) {
  const bool plain = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0) &&
                     std::ranges::all_of(text, [](unsigned char c) {
                       return c < 128 && (std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/');
                     });
  constexpr const char* kWords[] = {"true", "false", "null", "yes", "no", "on",
                                    "off",  "y",     "n",    "nan", "inf"};
  std::string lower = text;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  if (plain && std::ranges::find(kWords, lower) == std::end(kWords)) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += std::string("\\") + c;
    } else if (code < 32 || code == 127) {
      quoted += fmt::format("\\x{:02x}", code);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// One line, or empty when it does not fit.
std::string print_flow(const YamlValue& value) {
  if (value.kind == YamlValue::Kind::kScalar) return value.text;
  if (value.kind == YamlValue::Kind::kRows) return "";
  const bool map = value.kind == YamlValue::Kind::kMap;
  std::string line = map ? "{" : "[";
  for (const auto& [key, part] : value.parts) {
    const std::string text = print_flow(part);
    if (text.empty() || line.size() > kLineWidth) return "";
    line += fmt::format("{}{}{}", line.size() > 1 ? ", " : "", map ? key + ": " : "", text);
  }
  return line.size() > kLineWidth ? "" : line + (map ? "}" : "]");
}

bool is_list_of_scalars(const YamlValue& value) {
  return value.kind == YamlValue::Kind::kList &&
         std::ranges::all_of(value.parts, [](const auto& part) {
           return part.second.kind == YamlValue::Kind::kScalar;
         });
}

// A long list of scalars over several lines.
void print_long_list(const YamlValue& list, const std::string& indent, std::string* text) {
  std::string line = " [";
  for (std::size_t i = 0; i < list.parts.size(); ++i) {
    if (line.size() > kLineWidth) {
      *text += line + "\n";
      line = indent + "  ";
    }
    line += list.parts[i].second.text + (i + 1 < list.parts.size() ? ", " : "]\n");
  }
  *text += line;
}

void print_block(const YamlValue& value, const std::string& indent, bool in_list,
                 std::string* text);

// What follows "key:" or "-".
void print_part(const YamlValue& value, const std::string& indent, bool in_list,
                std::string* text) {
  const std::string line = print_flow(value);
  if (!line.empty()) {
    *text += " " + line + "\n";
  } else if (value.kind == YamlValue::Kind::kRows) {
    *text += " |\n";
    for (std::size_t start = 0; start < value.text.size();) {
      const std::size_t end = value.text.find('\n', start) + 1;
      *text += indent + "  " + value.text.substr(start, end - start);
      start = end;
    }
  } else if (is_list_of_scalars(value)) {
    print_long_list(value, indent, text);
  } else {
    print_block(value, indent + "  ", in_list, text);
  }
}

// A map in a list begins on the line of its dash.
void print_block(const YamlValue& value, const std::string& indent, bool in_list,
                 std::string* text) {
  const bool map = value.kind == YamlValue::Kind::kMap;
  bool same_line = in_list && map;
  if (!same_line) *text += "\n";
  for (const auto& [key, part] : value.parts) {
    *text += (same_line ? " " : indent) + (map ? key + ":" : "-");
    same_line = false;
    print_part(part, indent, !map, text);
  }
}

}  // namespace

std::string print_yaml(const YamlValue& map) {
  std::string text;
  for (const auto& [key, part] : map.parts) {
    text += key + ":";
    if (part.kind == YamlValue::Kind::kList && !is_list_of_scalars(part)) {
      print_block(part, "  ", false, &text);
    } else {
      print_part(part, "", false, &text);
    }
  }
  return text;
}

YamlValue YamlWriter::without(const YamlWriter& other) {
  YamlValue map{.kind = YamlValue::Kind::kMap};
  for (std::size_t i = 0; i < map_.parts.size(); ++i) {
    const bool absent = map_.parts[i].second == YamlValue{};
    if (absent || (!required_[i] && map_.parts[i] == other.map_.parts[i])) continue;
    map.parts.push_back(std::move(map_.parts[i]));
  }
  return map;
}

YamlValue YamlWriter::make(double value) { return {.text = print_number(value)}; }
YamlValue YamlWriter::make(float value) { return {.text = print_number(value)}; }
YamlValue YamlWriter::make(const std::string& value) { return {.text = print_text(value)}; }
YamlValue YamlWriter::make(const Vec3& value) {
  return make_list(std::array<double, 3>{value.x, value.y, value.z});
}

YamlValue YamlWriter::make(const Mat3& A) {
  const bool symmetric = A(0, 1) == A(1, 0) && A(0, 2) == A(2, 0) && A(1, 2) == A(2, 1);
  std::vector<double> numbers{A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2)};
  if (!symmetric) {
    numbers = {A(0, 0), A(0, 1), A(0, 2), A(1, 0), A(1, 1), A(1, 2), A(2, 0), A(2, 1), A(2, 2)};
  } else if (A == Mat3::diagonal({A(0, 0), A(1, 1), A(2, 2)})) {
    numbers.resize(3);
  }
  return make_list(numbers);
}

YamlValue YamlWriter::make(const RigidTransform& value) {
  PoseFields pose = make_pose_fields(value), none;
  return make_map(pose, none);
}

YamlValue YamlWriter::make(const NumbersByName& value) {
  YamlValue map{.kind = YamlValue::Kind::kMap};
  for (const NumbersEntry& entry : value.entries) {
    map.parts.emplace_back(print_text(entry.name), make_list(entry.values));
  }
  return map;
}

YamlValue YamlWriter::make(const std::vector<Vec3>& value) {
  YamlValue rows = make_rows();
  for (const Vec3& p : value) {
    rows.text += fmt::format("{} {} {}\n", p.x, p.y, p.z);
  }
  return rows;
}

YamlValue YamlWriter::make(const SystemSpec& value) {
  YamlValue map{.kind = YamlValue::Kind::kMap};
  map.parts.emplace_back("name", make(value.name));
  const bool known = for_each_system_type([&](auto& type) {
    if (!type.matches(*value.system)) return false;
    map.parts.emplace_back("type", make(std::string(type.name)));
    if (value.period != 0) map.parts.emplace_back("period", make(value.period));
    if (value.offset != 0) map.parts.emplace_back("offset", make(value.offset));
    if (!value.initial.empty()) map.parts.emplace_back("start", make(value.initial));
    YamlWriter writer, other;
    type.visit(other);
    type.take(*value.system);
    type.visit(writer);
    for (auto& part : writer.without(other).parts) {
      map.parts.push_back(std::move(part));
    }
    return true;
  });
  CENIC_CHECK(known);  // write_scenario() asks first
  return map;
}

}  // namespace cenic::detail

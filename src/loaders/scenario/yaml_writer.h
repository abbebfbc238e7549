// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// YamlWriter: the archive that turns structs into YAML text. What has its default value is left
// out; numbers have as few digits as give the same number again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "loaders/scenario/scenario.h"
#include "loaders/scenario/shape_choice.h"
#include "loaders/scenario/system_fields.h"

namespace cenic::detail {

// A YAML value before it is printed.
struct YamlValue {
  enum class Kind { kScalar, kRows, kList, kMap };
  Kind kind = Kind::kScalar;
  std::string text{};                                      // kScalar, kRows
  std::vector<std::pair<std::string, YamlValue>> parts{};  // kList (without keys), kMap
  friend bool operator==(const YamlValue&, const YamlValue&) = default;
};
// Block style; short lists and maps on one line.
std::string print_yaml(const YamlValue& map);

class YamlWriter {
 public:
  template <typename T>
  void field(const char* key, T& value, unsigned flags = 0) {
    map_.parts.emplace_back(key, make(value));
    required_.push_back((flags & kRequired) != 0);
  }
  void shape(Shape& shape) {
    ShapeChoice choice = make_choice(shape);
    describe(*this, choice);
  }

  void picture(TextureSpec& /*texture*/) {}  // its file is named, and written by others

  // The map of what is described, without what stands in `defaults` just so.
  template <typename T>
  static YamlValue make_map(T& value, T& defaults) {
    YamlWriter writer, other;
    describe(writer, value);
    describe(other, defaults);
    return writer.without(other);
  }

 private:
  YamlValue without(const YamlWriter& other);

  static YamlValue make(double value);
  static YamlValue make(float value);
  static YamlValue make(int value) { return {.text = std::to_string(value)}; }
  static YamlValue make(std::uint32_t value) { return {.text = std::to_string(value)}; }
  static YamlValue make(std::uint64_t value) { return {.text = std::to_string(value)}; }
  static YamlValue make(bool value) { return {.text = value ? "true" : "false"}; }
  static YamlValue make(const std::string& value);
  static YamlValue make(const Vec3& value);
  static YamlValue make(const Mat3& A);
  static YamlValue make(const RigidTransform& value);
  static YamlValue make(const NumbersByName& value);
  static YamlValue make(const SystemSpec& value);
  static YamlValue make(const std::vector<Vec3>& value);
  template <std::size_t N>
  static YamlValue make(const std::vector<std::array<int, N>>& value) {
    YamlValue rows = make_rows();
    for (const auto& row : value) {
      for (std::size_t i = 0; i < N; ++i) {
        rows.text += std::to_string(row[i]) + (i + 1 < N ? " " : "\n");
      }
    }
    return rows;
  }
  static YamlValue make_rows() { return {.kind = YamlValue::Kind::kRows}; }
  template <typename T>
  static YamlValue make(const T& value) requires std::is_enum_v<T> {
    return {.text = EnumWords<T>::kWords[static_cast<int>(value)]};
  }
  template <typename List>
  static YamlValue make_list(const List& values) {
    YamlValue list{.kind = YamlValue::Kind::kList};
    for (const auto& value : values) {
      list.parts.emplace_back("", make(value));
    }
    return list;
  }
  template <typename T, std::size_t N>
  static YamlValue make(const std::array<T, N>& values) {
    return make_list(values);
  }
  template <typename T>
  static YamlValue make(const std::vector<T>& values) {
    return make_list(values);
  }
  template <typename T>
  static YamlValue make(const std::optional<T>& value) {
    return value ? make(*value) : YamlValue{};
  }
  template <HasFields T>
  static YamlValue make(const T& value) {
    T copy = value, defaults;
    return make_map(copy, defaults);
  }

  YamlValue map_{.kind = YamlValue::Kind::kMap};
  std::vector<bool> required_{};
};

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// YamlReader: the archive that fills structs from a YAML map. A bad value is an error at its line
// and column and leaves the member as it was, so that one run finds all mistakes; keys that nobody
// asked for are errors.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "loaders/diagnostics.h"
#include "loaders/resource_paths.h"
#include "loaders/robot/shapes.h"
#include "loaders/scenario/scenario.h"
#include "loaders/scenario/system_fields.h"

namespace cenic::detail {

// A file that is being read.
struct YamlSource {
  std::string file{};
  Diagnostics* diagnostics = nullptr;
  ResourcePaths* resources = nullptr;
  MeshLibrary meshes{};
  std::map<std::string, std::shared_ptr<const std::string>> pictures{};  // by path, each read once

  void report(const Place& place, Severity severity, const std::string& what) {
    diagnostics->add(file, place.line, severity, what, place.column);
  }
  void error(const Place& place, const std::string& what) { report(place, Severity::kError, what); }
};

inline Place place_of(const YAML::Node& node) {
  return {node.Mark().line + 1, node.Mark().column + 1};
}

// The root of the file, within limits of size, depth and number of nodes (aliases counted as often
// as they are used) and without double keys. Throws FileError for what is no such YAML.
YAML::Node read_yaml(const std::string& path, const std::string& name);

class YamlReader {
 public:
  // Reports an error when the node is no map.
  YamlReader(const YAML::Node& map, YamlSource* source);

  template <typename T>
  void field(const char* key, T& value, unsigned flags = 0) {
    const YAML::Node node = find(key, flags);
    if (node.IsDefined()) read(node, value, flags);
  }
  void shape(Shape& shape);
  // The bytes of the texture's file.
  void picture(TextureSpec& texture);
  // Reports the keys that no field has.
  void finish();

 private:
  YAML::Node find(const char* key, unsigned flags);
  void error(const YAML::Node& node, const std::string& what) {
    source_->error(place_of(node), what);
  }
  // The path of a file that this one names; throws Error.
  std::string resolve(const std::string& file) const;
  bool expect_list(const YAML::Node& node, int size = -1);

  void read(const YAML::Node& node, double& value, unsigned flags);
  void read(const YAML::Node& node, float& value, unsigned flags);
  void read(const YAML::Node& node, int& value, unsigned flags);
  void read(const YAML::Node& node, std::uint32_t& value, unsigned flags);
  void read(const YAML::Node& node, std::uint64_t& value, unsigned flags);
  void read(const YAML::Node& node, bool& value, unsigned flags);
  void read(const YAML::Node& node, std::string& value, unsigned flags);
  void read(const YAML::Node& node, Vec3& value, unsigned flags);
  void read(const YAML::Node& node, Mat3& value, unsigned flags);
  void read(const YAML::Node& node, RigidTransform& value, unsigned flags);
  void read(const YAML::Node& node, NumbersByName& value, unsigned flags);
  void read(const YAML::Node& node, SystemSpec& value, unsigned flags);
  void read(const YAML::Node& node, std::vector<double>& value, unsigned flags);
  // Rows of numbers: a list of lists, or a text of numbers.
  void read(const YAML::Node& node, std::vector<Vec3>& value, unsigned flags);
  template <std::size_t N>
  void read(const YAML::Node& node, std::vector<std::array<int, N>>& value, unsigned /*flags*/) {
    std::vector<double> numbers;
    read_rows(node, N, &numbers);
    value.assign(numbers.size() / N, {});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      value[i / N][i % N] = to_index(node, numbers[i]);
    }
  }
  void read_rows(const YAML::Node& node, int columns, std::vector<double>* numbers);
  int to_index(const YAML::Node& node, double number);
  void read_word(const YAML::Node& node, const char* const* words, int count, int* value);

  template <typename T>
  void read(const YAML::Node& node, T& value, unsigned /*flags*/) requires std::is_enum_v<T> {
    int index = static_cast<int>(value);
    read_word(node, EnumWords<T>::kWords, std::size(EnumWords<T>::kWords), &index);
    value = static_cast<T>(index);
  }
  template <typename T, std::size_t N>
  void read(const YAML::Node& node, std::array<T, N>& value, unsigned flags) {
    if (!expect_list(node, N)) return;
    for (std::size_t i = 0; i < N; ++i) {
      read(node[i], value[i], flags);
    }
  }
  template <typename T>
  void read(const YAML::Node& node, std::vector<T>& value, unsigned flags) {
    if (!expect_list(node)) return;
    value.assign(node.size(), {});
    std::size_t i = 0;
    for (const YAML::Node& child : node) {
      read(child, value[i++], flags);
    }
  }
  template <typename T>
  void read(const YAML::Node& node, std::optional<T>& value, unsigned flags) {
    read(node, value.emplace(), flags);
  }
  template <HasFields T>
  void read(const YAML::Node& node, T& value, unsigned /*flags*/) {
    YamlReader reader(node, source_);
    describe(reader, value);
    reader.finish();
    if constexpr (requires { value.place; }) value.place = place_of(node);
  }

  struct Entry {
    YAML::Node key, value;
  };
  YAML::Node map_;
  std::vector<Entry> entries_{};  // of the map: walking a YAML::Node is slow
  YamlSource* source_;
  std::vector<std::string> known_{};
};

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// GltfFile: the JSON of a glTF 2.0 file and its buffers, beside it, inside of it, or behind it in
// one binary file. Every number is checked before it is used to reach into a buffer; what is wrong
// throws FileError.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cenic::detail {

class GltfFile {
 public:
  using Json = nlohmann::json;
  static constexpr std::uint64_t kMost = 1ULL << 32;  // bytes, elements

  explicit GltfFile(std::string path);

  [[noreturn]] void fail(const std::string& text) const;
  const Json& json() const { return json_; }
  // The array of that name; an empty one where there is none.
  const Json& array(const char* key) const { return array(json_, key); }
  const Json& array(const Json& in, const char* key) const;
  const Json& object(const Json& in, const char* key) const;
  // An entry of one of the arrays at the top.
  const Json& entry(const char* list, std::uint64_t index) const;
  // A whole number below the limit; the default where there is none.
  std::uint64_t index_of(const Json& in, const char* key, std::uint64_t limit,
                         std::optional<std::uint64_t> otherwise = std::nullopt) const;
  // So many finite numbers; the default where there are none.
  template <std::size_t N>
  std::array<double, N> numbers(const Json& in, const char* key,
                                std::array<double, N> values) const {
    const Json& list = array(in, key);
    if (in.find(key) == in.end()) return values;
    if (list.size() != N) fail(fmt::format("'{}' has not {} numbers", key, N));
    for (std::size_t i = 0; i < N; ++i) {
      if (!list[i].is_number() || !std::isfinite(list[i].get<double>())) {
        fail(fmt::format("'{}' holds what is no finite number", key));
      }
      values[i] = list[i].get<double>();
    }
    return values;
  }

  // Where the elements of an accessor are.
  struct View {
    const char* data = nullptr;
    std::uint64_t count = 0, stride = 0;
  };
  View find_view(const Json& accessor, std::uint64_t element_size) const;
  // All bytes of a buffer view.
  std::string_view view_bytes(const Json& view) const;
  // A file beside this one, or what stands in the URI itself.
  std::string read_uri(const std::string& uri) const;

 private:
  void parse(const std::string& bytes);
  std::string_view read_chunks(const std::string& bytes);
  void read_buffers();

  std::string path_;
  Json json_;
  std::string binary_;
  std::vector<std::string> buffers_;
};

}  // namespace cenic::detail

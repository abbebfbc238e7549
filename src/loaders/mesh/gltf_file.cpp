// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mesh/gltf_file.h"

#include <cctype>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "loaders/mesh/mesh_text.h"

namespace cenic::detail {
namespace {

std::string decode_base64(std::string_view text) {
  std::string out;
  std::uint32_t word = 0;
  int bits = 0;
  for (const char c : text) {
    int digit = -1;
    if (c >= 'A' && c <= 'Z') digit = c - 'A';
    if (c >= 'a' && c <= 'z') digit = c - 'a' + 26;
    if (c >= '0' && c <= '9') digit = c - '0' + 52;
    if (c == '+' || c == '-') digit = 62;
    if (c == '/' || c == '_') digit = 63;
    if (digit < 0) continue;  // padding and line ends
    word = (word << 6) | static_cast<std::uint32_t>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += static_cast<char>((word >> bits) & 255U);
  }
  return out;
}

// %20 and the like.
std::string decode_percent(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool code = text[i] == '%' && i + 2 < text.size() &&
                      std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0 &&
                      std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0;
    out += code ? static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)) : text[i];
    if (code) i += 2;
  }
  return out;
}

}  // namespace

GltfFile::GltfFile(std::string path) : path_(std::move(path)) {
  parse(read_bytes(path_));
  read_buffers();
}

void GltfFile::fail(const std::string& text) const { throw FileError(path_, 0, text); }

void GltfFile::parse(const std::string& bytes) {
  std::string_view text = bytes;
  if (bytes.starts_with("glTF")) text = read_chunks(bytes);
  json_ = Json::parse(text, nullptr, false);
  if (json_.is_discarded() || !json_.is_object()) fail("this is not glTF: its JSON is broken");
  const Json& asset = object(json_, "asset");
  const auto version = asset.find("version");
  if (version == asset.end() || !version->is_string() ||
      !version->get_ref<const std::string&>().starts_with("2.")) {
    fail("asset.version is not 2.0; export the mesh as glTF 2.0");
  }
}

// Header, then chunks of length, kind and bytes.
std::string_view GltfFile::read_chunks(const std::string& bytes) {
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return static_cast<std::size_t>(value);
  };
  if (bytes.size() < 20 || word(4) != 2) fail("this is no binary glTF of version 2");
  std::string_view text;
  for (std::size_t at = 12; at + 8 <= bytes.size();) {
    const std::size_t length = word(at), kind = word(at + 4);
    at += 8;
    if (length > bytes.size() - at) fail("a chunk is longer than the file");
    const std::string_view chunk = std::string_view(bytes).substr(at, length);
    if (kind == 0x4E4F534A && text.empty()) text = chunk;
    if (kind == 0x004E4942 && binary_.empty()) binary_ = chunk;
    at += length;
  }
  return text;
}

void GltfFile::read_buffers() {
  for (const Json& buffer : array("buffers")) {
    const auto uri = buffer.is_object() ? buffer.find("uri") : buffer.end();
    if (!buffer.is_object() || (uri != buffer.end() && !uri->is_string())) {
      fail("a buffer is not described as it should be");
    }
    buffers_.push_back(uri == buffer.end() ? binary_ : read_uri(uri->get<std::string>()));
    if (index_of(buffer, "byteLength", kMost) > buffers_.back().size()) {
      fail("a buffer has fewer bytes than its byteLength");
    }
  }
}

std::string GltfFile::read_uri(const std::string& uri) const {
  if (uri.starts_with("data:")) {
    const std::size_t comma = uri.find(',');
    if (comma == std::string::npos || uri.find(";base64") > comma) {
      fail("the data of a URI are not base64");
    }
    return decode_base64(std::string_view(uri).substr(comma + 1));
  }
  const std::string file = find_beside(path_, decode_percent(uri));
  if (file.empty()) fail(fmt::format("'{}' is not in the folder of the file, or below", uri));
  return read_bytes(file);
}

const GltfFile::Json& GltfFile::array(const Json& in, const char* key) const {
  static const Json kNone = Json::array();
  const auto found = in.find(key);
  if (found == in.end()) return kNone;
  if (!found->is_array()) fail(fmt::format("'{}' is not an array", key));
  return *found;
}
const GltfFile::Json& GltfFile::object(const Json& in, const char* key) const {
  static const Json kNone = Json::object();
  const auto found = in.find(key);
  if (found == in.end()) return kNone;
  if (!found->is_object()) fail(fmt::format("'{}' is not an object", key));
  return *found;
}
const GltfFile::Json& GltfFile::entry(const char* list, std::uint64_t index) const {
  const Json& all = array(list);
  if (index >= all.size() || !all[index].is_object()) {
    fail(fmt::format("there is no {}[{}]", list, index));
  }
  return all[index];
}
std::uint64_t GltfFile::index_of(const Json& in, const char* key, std::uint64_t limit,
                                 std::optional<std::uint64_t> otherwise) const {
  const auto found = in.find(key);
  if (found == in.end() && otherwise) return *otherwise;
  if (found == in.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() >= limit) {
    fail(fmt::format("'{}' is not a whole number below {}", key, limit));
  }
  return found->get<std::uint64_t>();
}
GltfFile::View GltfFile::find_view(const Json& accessor, std::uint64_t element_size) const {
  if (accessor.contains("sparse")) fail("sparse accessors are not known; export without them");
  if (!accessor.contains("bufferView")) fail("an accessor has no buffer view");
  const Json& view = entry("bufferViews", index_of(accessor, "bufferView", kMost));
  const std::string_view bytes = view_bytes(view);
  const std::uint64_t offset = index_of(accessor, "byteOffset", kMost, 0);
  View result;
  result.count = index_of(accessor, "count", kMost);
  result.stride = index_of(view, "byteStride", 253, element_size);
  if (result.stride < element_size) fail("byteStride is less than an element");
  // All below 2⁴⁵: no overflow.
  const std::uint64_t needed =
      result.count == 0 ? 0 : offset + (result.count - 1) * result.stride + element_size;
  if (needed > bytes.size()) fail("an accessor reaches beyond its buffer");
  result.data = bytes.data() + offset;
  return result;
}

std::string_view GltfFile::view_bytes(const Json& view) const {
  const std::uint64_t buffer = index_of(view, "buffer", buffers_.size());
  const std::uint64_t start = index_of(view, "byteOffset", kMost, 0);
  const std::uint64_t length = index_of(view, "byteLength", kMost);
  if (start + length > buffers_[buffer].size()) fail("a buffer view reaches beyond its buffer");
  return std::string_view(buffers_[buffer]).substr(start, length);
}

}  // namespace cenic::detail

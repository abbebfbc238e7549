// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// glTF 2.0: JSON with buffers beside it, inside of it, or behind it in one binary file. Every
// number is checked before it is used to reach into a buffer.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "loaders/mesh/mesh_text.h"
#include "loaders/mesh/read_mesh.h"
#include "math/rigid_transform.h"

namespace cenic {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMost = 1ULL << 32;  // bytes, elements
constexpr std::size_t kMostTriangles = 20'000'000;
constexpr std::size_t kMostNodes = 100'000;

struct Affine {
  Mat3 A = Mat3::identity();
  Vec3 p;
};
Affine operator*(const Affine& X, const Affine& Y) { return {X.A * Y.A, X.A * Y.p + X.p}; }

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

class GltfReader {
 public:
  explicit GltfReader(const std::string& path) : path_(path) {}

  MeshParts read() {
    parse(detail::read_bytes(path_));
    check_features();
    read_buffers();
    visited_.assign(array("nodes").size(), 0);
    // y is up in glTF: turned so that z is.
    const Affine root{{{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}}, {}};
    for (const std::size_t node : find_roots()) {
      add_nodes(node, root);
    }
    if (num_triangles_ == 0) fail("the file has no triangles");
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { throw FileError(path_, 0, text); }

  void note(const std::string& text) {
    if (std::ranges::find(result_.notes, text) == result_.notes.end()) {
      result_.notes.push_back(text);
    }
  }

  // ---- the file ----

  void parse(const std::string& bytes) {
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
  std::string_view read_chunks(const std::string& bytes) {
    const auto word = [&](std::size_t at) {
      std::uint32_t value = 0;
      std::memcpy(&value, bytes.data() + at, sizeof(value));
      return static_cast<std::size_t>(value);
    };
    if (bytes.size() < 20 || word(4) != 2) fail("this is no binary glTF of version 2");
    std::string_view json;
    for (std::size_t at = 12; at + 8 <= bytes.size();) {
      const std::size_t length = word(at), kind = word(at + 4);
      at += 8;
      if (length > bytes.size() - at) fail("a chunk is longer than the file");
      const std::string_view chunk = std::string_view(bytes).substr(at, length);
      if (kind == 0x4E4F534A && json.empty()) json = chunk;
      if (kind == 0x004E4942 && binary_.empty()) binary_ = chunk;
      at += length;
    }
    return json;
  }

  void check_features() {
    for (const Json& extension : array("extensionsRequired")) {
      const std::string name = extension.is_string() ? extension.get<std::string>() : "?";
      if (name.starts_with("KHR_materials_") || name == "KHR_texture_transform") continue;
      fail(fmt::format("it needs the extension {}, which is not known; export without it", name));
    }
    const std::pair<const char*, const char*> unseen[] = {
        {"textures", "textures are not drawn, base colours are"},
        {"animations", "animations are not played"},
        {"skins", "skins are not drawn: the mesh is as at rest"}};
    for (const auto& [key, text] : unseen) {
      if (!array(key).empty()) note(text);
    }
  }

  void read_buffers() {
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

  std::string read_uri(const std::string& uri) const {
    if (uri.starts_with("data:")) {
      const std::size_t comma = uri.find(',');
      if (comma == std::string::npos || uri.find(";base64") > comma) {
        fail("a buffer's data are not base64");
      }
      return decode_base64(std::string_view(uri).substr(comma + 1));
    }
    const std::filesystem::path file = decode_percent(uri);
    const bool beside = !file.is_absolute() && uri.find("://") == std::string::npos &&
                        std::ranges::none_of(file, [](const auto& part) {
                          return part == "..";
                        });
    if (!beside) fail(fmt::format("buffer '{}' is not in the folder of the file, or below", uri));
    return detail::read_bytes((std::filesystem::path(path_).parent_path() / file).string());
  }

  // ---- values, checked ----

  // The array of that name; an empty one where there is none.
  const Json& array(const char* key) const { return array(json_, key); }
  const Json& array(const Json& in, const char* key) const {
    static const Json kNone = Json::array();
    const auto found = in.find(key);
    if (found == in.end()) return kNone;
    if (!found->is_array()) fail(fmt::format("'{}' is not an array", key));
    return *found;
  }
  const Json& object(const Json& in, const char* key) const {
    static const Json kNone = Json::object();
    const auto found = in.find(key);
    if (found == in.end()) return kNone;
    if (!found->is_object()) fail(fmt::format("'{}' is not an object", key));
    return *found;
  }
  // An entry of one of the arrays at the top.
  const Json& entry(const char* list, std::uint64_t index) const {
    const Json& all = array(list);
    if (index >= all.size() || !all[index].is_object()) {
      fail(fmt::format("there is no {}[{}]", list, index));
    }
    return all[index];
  }
  // A whole number below the limit; the default where there is none.
  std::uint64_t index_of(const Json& in, const char* key, std::uint64_t limit,
                         std::optional<std::uint64_t> otherwise = std::nullopt) const {
    const auto found = in.find(key);
    if (found == in.end() && otherwise) return *otherwise;
    if (found == in.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() >= limit) {
      fail(fmt::format("'{}' is not a whole number below {}", key, limit));
    }
    return found->get<std::uint64_t>();
  }
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

  // ---- nodes ----

  // Of the scene that is shown; without scenes, all nodes that hang on no other.
  std::vector<std::size_t> find_roots() const {
    const std::size_t count = array("nodes").size();
    if (count > kMostNodes) fail("there are too many nodes");
    std::vector<std::size_t> roots;
    if (!array("scenes").empty()) {
      const Json& scene = entry("scenes", index_of(json_, "scene", kMost, 0));
      for (const Json& node : array(scene, "nodes")) {
        roots.push_back(to_index(node, count));
      }
      return roots;
    }
    std::vector<char> hangs(count, 0);
    for (std::size_t n = 0; n < count; ++n) {
      for (const Json& child : array(entry("nodes", n), "children")) {
        hangs[to_index(child, count)] = 1;
      }
    }
    for (std::size_t n = 0; n < count; ++n) {
      if (hangs[n] == 0) roots.push_back(n);
    }
    return roots;
  }

  std::size_t to_index(const Json& value, std::size_t count) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= count) {
      fail("a node is named that is not there");
    }
    return value.get<std::size_t>();
  }

  // The node and all below it, without recursion: files may nest as deep as they like.
  void add_nodes(std::size_t first, const Affine& X) {
    std::vector<std::pair<std::size_t, Affine>> open{{first, X}};
    while (!open.empty()) {
      const auto [n, above] = open.back();
      open.pop_back();
      if (std::exchange(visited_[n], 1) != 0) fail(fmt::format("node {} has two parents", n));
      const Json& node = entry("nodes", n);
      const Affine here = above * read_transform(node);
      if (node.contains("mesh")) add_mesh(entry("meshes", index_of(node, "mesh", kMost)), here);
      for (const Json& child : array(node, "children")) {
        open.emplace_back(to_index(child, visited_.size()), here);
      }
    }
  }

  Affine read_transform(const Json& node) const {
    if (node.contains("matrix")) {  // by columns
      const auto m = numbers<16>(node, "matrix", {});
      return {{{{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}}},
              {m[12], m[13], m[14]}};
    }
    const auto t = numbers<3>(node, "translation", {0, 0, 0});
    const auto q = numbers<4>(node, "rotation", {0, 0, 0, 1});  // x, y, z, w
    const auto s = numbers<3>(node, "scale", {1, 1, 1});
    const Quat turn{q[3], q[0], q[1], q[2]};
    if (!(norm(turn) > 0)) fail("a rotation is zero");
    return {to_matrix(normalized(turn)) * Mat3::diagonal({s[0], s[1], s[2]}), {t[0], t[1], t[2]}};
  }

  // ---- meshes ----

  void add_mesh(const Json& mesh, const Affine& X) {
    for (const Json& primitive : array(mesh, "primitives")) {
      if (!primitive.is_object()) fail("a primitive is not an object");
      if (!array(primitive, "targets").empty()) note("morph targets are left out");
      const std::uint64_t mode = index_of(primitive, "mode", 7, 4);
      if (mode < 4) {
        note("points and lines are not drawn");
        continue;
      }
      add_primitive(primitive, static_cast<int>(mode), X);
    }
  }

  void add_primitive(const Json& primitive, int mode, const Affine& X) {
    const Json& attributes = object(primitive, "attributes");
    if (!attributes.contains("POSITION")) {
      note("a primitive without positions is left out");
      return;
    }
    MeshPart& part = part_of(primitive);
    const int first = static_cast<int>(part.mesh.vertices.size());
    const std::uint64_t count = add_positions(index_of(attributes, "POSITION", kMost), X, &part);
    const std::vector<std::uint64_t> corners = read_corners(primitive, count);
    const bool mirrored = determinant(X.A) < 0;
    const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
      const auto at = [&](std::size_t k) {
        return first + static_cast<int>(corners[k]);
      };
      part.mesh.triangles.push_back(mirrored ? std::array{at(a), at(c), at(b)}
                                             : std::array{at(a), at(b), at(c)});
    };
    const std::size_t n = corners.size();
    if (mode == 4) {
      for (std::size_t k = 0; k + 2 < n; k += 3)
        add(k, k + 1, k + 2);
    } else if (mode == 5) {  // strip: every other one is turned round
      for (std::size_t k = 0; k + 2 < n; ++k)
        add(k, k + 1 + k % 2, k + 2 - k % 2);
    } else {  // fan
      for (std::size_t k = 1; k + 1 < n; ++k)
        add(0, k, k + 1);
    }
    num_triangles_ += n;
    if (num_triangles_ > 3 * kMostTriangles) fail("there are too many triangles");
  }

  // Triangles of one colour go together.
  MeshPart& part_of(const Json& primitive) {
    std::optional<std::array<float, 4>> color;
    if (primitive.contains("material")) {
      const Json& material = entry("materials", index_of(primitive, "material", kMost));
      const auto rgba =
          numbers<4>(object(material, "pbrMetallicRoughness"), "baseColorFactor", {1, 1, 1, 1});
      color.emplace();
      for (std::size_t i = 0; i < 4; ++i) {
        (*color)[i] = static_cast<float>(std::clamp(rgba[i], 0.0, 1.0));
      }
    }
    for (MeshPart& part : result_.parts) {
      if (part.color == color) return part;
    }
    result_.parts.push_back({{}, color});
    return result_.parts.back();
  }

  // Where the elements of an accessor are.
  struct View {
    const char* data = nullptr;
    std::uint64_t count = 0, stride = 0;
  };
  View find_view(const Json& accessor, std::uint64_t element_size) const {
    if (accessor.contains("sparse")) fail("sparse accessors are not known; export without them");
    if (!accessor.contains("bufferView")) fail("an accessor has no buffer view");
    const Json& view = entry("bufferViews", index_of(accessor, "bufferView", kMost));
    const std::uint64_t buffer = index_of(view, "buffer", buffers_.size());
    const std::uint64_t start = index_of(view, "byteOffset", kMost, 0);
    const std::uint64_t length = index_of(view, "byteLength", kMost);
    const std::uint64_t offset = index_of(accessor, "byteOffset", kMost, 0);
    View result;
    result.count = index_of(accessor, "count", kMost);
    result.stride = index_of(view, "byteStride", 253, element_size);
    if (result.stride < element_size) fail("byteStride is less than an element");
    // All below 2⁴⁵: no overflow.
    const std::uint64_t needed =
        result.count == 0 ? 0 : offset + (result.count - 1) * result.stride + element_size;
    if (needed > length || start + length > buffers_[buffer].size()) {
      fail("an accessor reaches beyond its buffer");
    }
    result.data = buffers_[buffer].data() + start + offset;
    return result;
  }

  std::uint64_t add_positions(std::uint64_t index, const Affine& X, MeshPart* part) {
    constexpr std::uint64_t kFloat = 5126;
    const Json& accessor = entry("accessors", index);
    if (index_of(accessor, "componentType", kMost) != kFloat ||
        accessor.value("type", Json()) != "VEC3") {
      fail("positions are not three floats each");
    }
    const View view = find_view(accessor, 3 * sizeof(float));
    if (part->mesh.vertices.size() + view.count > 3 * kMostTriangles) fail("too many vertices");
    for (std::uint64_t i = 0; i < view.count; ++i) {
      float p[3];
      std::memcpy(p, view.data + i * view.stride, sizeof(p));
      const Vec3 x = X.A * Vec3{p[0], p[1], p[2]} + X.p;
      if (!is_finite(x)) fail("a position is not finite");
      part->mesh.vertices.push_back(x);
    }
    return view.count;
  }

  // Numbers of vertices, in the order given or in that of the vertices.
  std::vector<std::uint64_t> read_corners(const Json& primitive, std::uint64_t num_vertices) const {
    std::vector<std::uint64_t> corners;
    if (!primitive.contains("indices")) {
      for (std::uint64_t i = 0; i < num_vertices; ++i)
        corners.push_back(i);
      return corners;
    }
    const Json& accessor = entry("accessors", index_of(primitive, "indices", kMost));
    const std::uint64_t type = index_of(accessor, "componentType", kMost);
    const std::size_t size = type == 5121 ? 1 : (type == 5123 ? 2 : (type == 5125 ? 4 : 0));
    if (size == 0 || accessor.value("type", Json()) != "SCALAR")
      fail("indices are not whole numbers");
    const View view = find_view(accessor, size);
    if (view.count > 3 * kMostTriangles) fail("there are too many triangles");
    corners.reserve(view.count);
    for (std::uint64_t i = 0; i < view.count; ++i) {
      std::uint32_t value = 0;
      std::memcpy(&value, view.data + i * view.stride, size);  // little endian
      if (value >= num_vertices) fail(fmt::format("there is no vertex {}", value));
      corners.push_back(value);
    }
    return corners;
  }

  const std::string& path_;
  Json json_;
  std::string binary_;
  std::vector<std::string> buffers_;
  std::vector<char> visited_;
  MeshParts result_;
  std::size_t num_triangles_ = 0;
};

}  // namespace

MeshParts read_gltf(const std::string& path) { return GltfReader(path).read(); }

}  // namespace cenic

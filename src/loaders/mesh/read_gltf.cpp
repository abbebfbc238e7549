// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Meshes of glTF 2.0: nodes, triangles, base colours and their pictures.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mesh/gltf_file.h"
#include "loaders/mesh/image.h"
#include "loaders/mesh/read_mesh.h"
#include "math/rigid_transform.h"

namespace cenic {
namespace {

constexpr std::size_t kMostTriangles = 20'000'000;
constexpr std::size_t kMostNodes = 100'000;

struct Affine {
  Mat3 A = Mat3::identity();
  Vec3 p;
};
Affine operator*(const Affine& X, const Affine& Y) { return {X.A * Y.A, X.A * Y.p + X.p}; }

class GltfReader : private detail::GltfFile {
 public:
  explicit GltfReader(const std::string& path) : GltfFile(path) {}

  MeshParts read() {
    check_features();
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
  void note(const std::string& text) {
    if (std::ranges::find(result_.notes, text) == result_.notes.end()) {
      result_.notes.push_back(text);
    }
  }

  void check_features() {
    for (const Json& extension : array("extensionsRequired")) {
      const std::string name = extension.is_string() ? extension.get<std::string>() : "?";
      if (name.starts_with("KHR_materials_") || name == "KHR_texture_transform") continue;
      fail(fmt::format("it needs the extension {}, which is not known; export without it", name));
    }
    const std::pair<const char*, const char*> unseen[] = {
        {"animations", "animations are not played"},
        {"skins", "skins are not drawn: the mesh is as at rest"}};
    for (const auto& [key, text] : unseen) {
      if (!array(key).empty()) note(text);
    }
  }

  // ---- nodes ----

  // Of the scene that is shown; without scenes, all nodes that hang on no other.
  std::vector<std::size_t> find_roots() const {
    const std::size_t count = array("nodes").size();
    if (count > kMostNodes) fail("there are too many nodes");
    std::vector<std::size_t> roots;
    if (!array("scenes").empty()) {
      const Json& scene = entry("scenes", index_of(json(), "scene", kMost, 0));
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
    const Surface surface = find_surface(primitive);
    MeshPart& part = part_of(surface);
    const int first = static_cast<int>(part.mesh.vertices.size());
    const std::uint64_t count = add_positions(index_of(attributes, "POSITION", kMost), X, &part);
    const std::vector<std::uint64_t> corners = read_corners(primitive, count);
    const std::vector<std::array<float, 2>> uv = read_uv(attributes, surface, count);
    const bool mirrored = determinant(X.A) < 0;
    const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
      if (mirrored) std::swap(b, c);
      const auto at = [&](std::size_t k) {
        return first + static_cast<int>(corners[k]);
      };
      part.mesh.triangles.push_back({at(a), at(b), at(c)});
      if (!uv.empty()) part.mesh.uv.push_back({uv[corners[a]], uv[corners[b]], uv[corners[c]]});
    };
    const std::size_t n = corners.size();
    if (mode == 4) {
      for (std::size_t k = 0; k + 2 < n; k += 3) {
        add(k, k + 1, k + 2);
      }
    } else if (mode == 5) {  // strip: every other one is turned round
      for (std::size_t k = 0; k + 2 < n; ++k) {
        add(k, k + 1 + k % 2, k + 2 - k % 2);
      }
    } else {  // fan
      for (std::size_t k = 1; k + 1 < n; ++k) {
        add(0, k, k + 1);
      }
    }
    num_triangles_ += n;
    if (num_triangles_ > 3 * kMostTriangles) fail("there are too many triangles");
  }

  // How a primitive looks.
  struct Surface {
    std::optional<std::array<float, 4>> color{};
    std::shared_ptr<const std::string> picture{};
    std::string places{};  // the attribute that says where in the picture vertices are
  };

  Surface find_surface(const Json& primitive) {
    Surface surface;
    if (!primitive.contains("material")) return surface;
    const Json& material = entry("materials", index_of(primitive, "material", kMost));
    const Json& base = object(material, "pbrMetallicRoughness");
    const auto rgba = numbers<4>(base, "baseColorFactor", {1, 1, 1, 1});
    surface.color.emplace();
    for (std::size_t i = 0; i < 4; ++i) {
      (*surface.color)[i] = static_cast<float>(std::clamp(rgba[i], 0.0, 1.0));
    }
    for (const char* other : {"normalTexture", "occlusionTexture", "emissiveTexture"}) {
      if (material.contains(other)) note("of textures, those of the base colour alone are drawn");
    }
    if (!base.contains("baseColorTexture")) return surface;
    const Json& texture = object(base, "baseColorTexture");
    surface.places = fmt::format("TEXCOORD_{}", index_of(texture, "texCoord", 8, 0));
    const Json& attributes = object(primitive, "attributes");
    if (object(texture, "extensions").contains("KHR_texture_transform")) {
      note("a texture that is moved on its surface is not drawn");
    } else if (!attributes.contains(surface.places)) {
      note("a texture is not drawn: the mesh does not say where it goes");
    } else {
      surface.picture = find_picture(index_of(texture, "index", kMost));
    }
    return surface;
  }

  // The picture of a texture, read once; null where it cannot be drawn, which is noted.
  std::shared_ptr<const std::string> find_picture(std::uint64_t texture) {
    const Json& described = entry("textures", texture);
    if (!described.contains("source")) {
      note("a texture without a plain picture is not drawn");
      return nullptr;
    }
    const std::uint64_t source = index_of(described, "source", kMost);
    const auto [found, is_new] = pictures_.try_emplace(source);
    if (!is_new) return found->second;
    const Json& image = entry("images", source);
    const auto uri = image.find("uri");
    try {
      if (uri != image.end() && !uri->is_string()) fail("the uri of an image is no text");
      found->second = check_picture(
          uri != image.end() ? read_uri(uri->get<std::string>())
                             : std::string(view_bytes(
                                   entry("bufferViews", index_of(image, "bufferView", kMost)))));
    } catch (const FileError& e) {
      note("a texture is not drawn: its picture cannot be read");
    } catch (const Error& e) {
      note(fmt::format("a texture is not drawn: {}", e.what()));
    }
    return found->second;
  }

  // Of the vertices of a primitive, with (0, 0) at the lower left; none without a picture.
  std::vector<std::array<float, 2>> read_uv(const Json& attributes, const Surface& surface,
                                            std::uint64_t num_vertices) const {
    constexpr std::uint64_t kByte = 5121, kShort = 5123, kFloat = 5126;
    std::vector<std::array<float, 2>> uv;
    if (surface.picture == nullptr) return uv;
    const Json& accessor = entry("accessors", index_of(attributes, surface.places.c_str(), kMost));
    const std::uint64_t type = index_of(accessor, "componentType", kMost);
    const std::size_t size = type == kFloat ? 4 : (type == kShort ? 2 : (type == kByte ? 1 : 0));
    if (size == 0 || accessor.value("type", Json()) != "VEC2") {
      fail("places in a texture are not two numbers each");
    }
    const View view = find_view(accessor, 2 * size);
    if (view.count != num_vertices) fail("places in a texture are not as many as vertices");
    for (std::uint64_t i = 0; i < view.count; ++i) {
      std::array<float, 2> place{};
      for (std::size_t k = 0; k < 2; ++k) {
        const char* from = view.data + i * view.stride + k * size;
        std::uint32_t bits = 0;
        std::memcpy(&bits, from, size);  // little endian
        place[k] = type == kFloat ? std::bit_cast<float>(bits)
                                  : static_cast<float>(bits) / (type == kShort ? 65535.0F : 255.0F);
        if (!std::isfinite(place[k])) fail("a place in a texture is not finite");
      }
      uv.push_back({place[0], 1 - place[1]});
    }
    return uv;
  }

  // Triangles that look the same go together.
  MeshPart& part_of(const Surface& surface) {
    for (MeshPart& part : result_.parts) {
      if (part.color == surface.color && part.picture == surface.picture) return part;
    }
    result_.parts.push_back({{}, surface.color, surface.picture});
    return result_.parts.back();
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
      for (std::uint64_t i = 0; i < num_vertices; ++i) {
        corners.push_back(i);
      }
      return corners;
    }
    const Json& accessor = entry("accessors", index_of(primitive, "indices", kMost));
    const std::uint64_t type = index_of(accessor, "componentType", kMost);
    const std::size_t size = type == 5121 ? 1 : (type == 5123 ? 2 : (type == 5125 ? 4 : 0));
    if (size == 0 || accessor.value("type", Json()) != "SCALAR") {
      fail("indices are not whole numbers");
    }
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

  std::map<std::uint64_t, std::shared_ptr<const std::string>> pictures_;
  std::vector<char> visited_;
  MeshParts result_;
  std::size_t num_triangles_ = 0;
};

}  // namespace

MeshParts read_gltf(const std::string& path) { return GltfReader(path).read(); }

}  // namespace cenic

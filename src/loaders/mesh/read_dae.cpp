// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// COLLADA: the triangles of all geometries that the scene shows, in metres and with z up, a part
// for each material. Skins and curves are left out.
#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mesh/dae_materials.h"
#include "loaders/mesh/read_mesh.h"
#include "loaders/xml/attributes.h"
#include "loaders/xml/read_xml.h"
#include "math/vec3.h"

namespace cenic {
namespace {

constexpr std::size_t kMostTriangles = 5'000'000;  // of all copies of all geometries
constexpr std::size_t kMostNumbers = 200'000'000;  // read, those of copies once more each

// x ↦ A x + p: scenes scale and shear, too.
struct Affine {
  Mat3 A = Mat3::identity();
  Vec3 p{};
};
Affine operator*(const Affine& a, const Affine& b) { return {a.A * b.A, a.A * b.p + a.p}; }

using Point2 = std::array<float, 2>;

std::string attribute(const XmlElement& element, const char* name) {
  const XmlAttribute* a = element.find(name);
  return a == nullptr ? "" : a->value;
}

class DaeReader {
 public:
  explicit DaeReader(const std::string& path)
      : path_(path), root_(read_xml(path, path)), materials_(path_, [this](const std::string& url) {
          return look_up(url);
        }) {}

  MeshParts read() {
    if (root_->name != "COLLADA") {
      throw FileError(
          path_, root_->line,
          "the file begins with <" + root_->name + ">; a .dae file begins with <COLLADA>");
    }
    index(*root_);
    const XmlElement* scenes = root_->child("library_visual_scenes");
    const Affine to_metres = read_asset();
    if (scenes != nullptr) {
      for (const auto& scene : scenes->children) {
        for (const auto& node : scene->children) {
          if (node->name == "node") add_node(*node, to_metres, 0);
        }
      }
    } else if (const XmlElement* geometries = root_->child("library_geometries")) {
      for (const auto& geometry : geometries->children) {
        add_geometry(*geometry, {}, to_metres);
      }
    }
    if (num_triangles_ == 0) throw FileError(path_, 0, "the file holds no triangles");
    MeshParts result;
    for (Part& part : parts_) {
      if (!part.painted) part.result.mesh.uv.clear();
      if (!part.result.mesh.triangles.empty()) result.parts.push_back(std::move(part.result));
    }
    result.notes = materials_.notes();
    return result;
  }

 private:
  [[noreturn]] void fail(const XmlElement& element, const std::string& what) const {
    throw FileError(path_, element.line, fmt::format("<{}>: {}", element.name, what));
  }

  void index(const XmlElement& element) {
    const std::string id = attribute(element, "id");
    if (!id.empty()) ids_.try_emplace(id, &element);
    for (const auto& child : element.children) {
      index(*child);
    }
  }

  const XmlElement* look_up(const std::string& url) const {
    const auto found = ids_.find(url.starts_with('#') ? url.substr(1) : url);
    return found == ids_.end() ? nullptr : found->second;
  }

  const XmlElement& find(const XmlElement& from, const std::string& url) const {
    const XmlElement* found = look_up(url);
    if (found == nullptr) fail(from, fmt::format("there is no element '{}' in the file", url));
    return *found;
  }

  // A part of the mesh, of one material.
  struct Part {
    const XmlElement* material = nullptr;  // may be none
    MeshPart result{};
    bool painted = true;  // all corners say where in a picture they are
  };
  Part& part_of(const XmlElement* material) {
    constexpr std::size_t kMostParts = 1000;  // each is drawn by itself
    const auto found = std::ranges::find(parts_, material, &Part::material);
    if (found != parts_.end()) return *found;
    if (parts_.size() >= kMostParts) return parts_.back();
    Part& part = parts_.emplace_back();
    part.material = material;
    const detail::MeshLook* look = material == nullptr ? nullptr : materials_.look(*material);
    if (look == nullptr) return part;
    part.result.color = look->color;
    part.result.picture = look->picture;
    return part;
  }

  // What the symbols of a geometry mean where it is shown.
  using Binding = std::map<std::string, const XmlElement*>;
  Binding read_binding(const XmlElement& instance) const {
    Binding binding;
    const XmlElement* bind = instance.child("bind_material");
    const XmlElement* technique = bind == nullptr ? nullptr : bind->child("technique_common");
    if (technique == nullptr) return binding;
    for (const auto& child : technique->children) {
      if (child->name != "instance_material") continue;
      binding[attribute(*child, "symbol")] = look_up(attribute(*child, "target"));
    }
    return binding;
  }

  std::vector<double> numbers(const XmlElement& element) {
    std::string reason;
    auto list = parse_numbers(element.text, &reason);
    if (!list) fail(element, reason);
    num_numbers_ += list->size();
    if (num_numbers_ > kMostNumbers) fail(element, "the scene shows its geometries too often");
    return *std::move(list);
  }

  Affine read_asset() const {
    Affine X;
    const XmlElement* asset = root_->child("asset");
    if (asset == nullptr) return X;
    if (const XmlElement* unit = asset->child("unit")) {
      std::string reason;
      const auto meter = parse_numbers(attribute(*unit, "meter"), &reason);
      if (meter && meter->size() == 1 && meter->front() > 0) X.A = meter->front() * X.A;
    }
    const XmlElement* up = asset->child("up_axis");
    const std::string axis = up == nullptr ? "Y_UP" : up->text;  // the format's default
    if (axis == "Y_UP") X.A = X.A * Mat3{{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    if (axis == "X_UP") X.A = X.A * Mat3{{{0, -1, 0}, {0, 0, 1}, {1, 0, 0}}};
    return X;
  }

  std::optional<Affine> read_step(const XmlElement& element) {
    const std::string& kind = element.name;
    if (kind != "matrix" && kind != "translate" && kind != "rotate" && kind != "scale") {
      return std::nullopt;
    }
    const std::vector<double> n = numbers(element);
    const std::size_t needed = kind == "matrix" ? 16 : (kind == "rotate" ? 4 : 3);
    if (n.size() != needed) fail(element, fmt::format("it needs {} numbers", needed));
    Affine step;
    if (kind == "matrix") {
      step.A = {{{n[0], n[1], n[2]}, {n[4], n[5], n[6]}, {n[8], n[9], n[10]}}};
      step.p = {n[3], n[7], n[11]};
    } else if (kind == "translate") {
      step.p = {n[0], n[1], n[2]};
    } else if (kind == "scale") {
      step.A = Mat3::diagonal({n[0], n[1], n[2]});
    } else {
      const Vec3 axis{n[0], n[1], n[2]};
      const double angle = n[3] * std::numbers::pi / 180;
      if (norm(axis) > 0) step.A = to_matrix(exp_map(angle * normalized(axis)));
    }
    return step;
  }

  void add_node(const XmlElement& node, Affine X, int depth) {
    constexpr int kDeepest = 500, kMostNodes = 100'000;
    if (depth > kDeepest || ++num_nodes_ > kMostNodes) {
      fail(node, "nodes are nested too deeply, or in themselves, or too many");
    }
    for (const auto& child : node.children) {
      if (const auto step = read_step(*child)) X = X * *step;
    }
    for (const auto& child : node.children) {
      if (child->name == "node") {
        add_node(*child, X, depth + 1);
      } else if (child->name == "instance_node") {
        add_node(find(*child, attribute(*child, "url")), X, depth + 1);
      } else if (child->name == "instance_geometry") {
        add_geometry(find(*child, attribute(*child, "url")), read_binding(*child), X);
      }
    }
  }

  void add_geometry(const XmlElement& geometry, const Binding& binding, const Affine& X) {
    const XmlElement* mesh = geometry.child("mesh");
    if (mesh == nullptr) return;
    for (const auto& child : mesh->children) {
      if (child->name == "triangles" || child->name == "polylist" || child->name == "polygons") {
        const auto bound = binding.find(attribute(*child, "material"));
        add_polygons(*child, X, &part_of(bound == binding.end() ? nullptr : bound->second));
      }
    }
  }

  // Positions of the vertices that an <input semantic="VERTEX"> names.
  std::vector<double> read_positions(const XmlElement& input) {
    const XmlElement& vertices = find(input, attribute(input, "source"));
    for (const auto& child : vertices.children) {
      if (child->name != "input" || attribute(*child, "semantic") != "POSITION") continue;
      const XmlElement& source = find(*child, attribute(*child, "source"));
      const XmlElement* array = source.child("float_array");
      if (array != nullptr) return numbers(*array);
    }
    fail(input, "it has no positions");
  }

  // Places in a picture that an <input semantic="TEXCOORD"> names; those of more than two numbers
  // have them first.
  std::vector<Point2> read_places(const XmlElement& input) {
    const XmlElement& source = find(input, attribute(input, "source"));
    const XmlElement* array = source.child("float_array");
    if (array == nullptr) return {};
    const XmlElement* technique = source.child("technique_common");
    const XmlElement* accessor = technique == nullptr ? nullptr : technique->child("accessor");
    const bool three = accessor != nullptr && attribute(*accessor, "stride") == "3";
    const std::vector<double> list = numbers(*array);
    std::vector<Point2> places;
    for (std::size_t i = 0; i + 1 < list.size(); i += three ? 3 : 2) {
      places.push_back({static_cast<float>(std::clamp(list[i], -1e6, 1e6)),
                        static_cast<float>(std::clamp(list[i + 1], -1e6, 1e6))});
    }
    return places;
  }

  // Where vertices, and places in a picture, stand among the numbers of a corner.
  struct Layout {
    std::size_t stride = 1, offset = 0, place_offset = 0;
    const XmlElement* vertex = nullptr;
    const XmlElement* place = nullptr;  // the first, if there are
  };
  Layout read_layout(const XmlElement& element) const {
    Layout layout;
    for (const auto& child : element.children) {
      if (child->name != "input") continue;
      std::string reason;
      const auto at = parse_numbers(attribute(*child, "offset"), &reason);
      const double k = at && at->size() == 1 ? at->front() : 0;
      if (!(k >= 0 && k < 64)) fail(*child, "offset is no small number");
      layout.stride = std::max(layout.stride, static_cast<std::size_t>(k) + 1);
      const std::string semantic = attribute(*child, "semantic");
      if (semantic == "VERTEX") {
        layout.vertex = child.get();
        layout.offset = static_cast<std::size_t>(k);
      } else if (semantic == "TEXCOORD" && layout.place == nullptr) {
        layout.place = child.get();
        layout.place_offset = static_cast<std::size_t>(k);
      }
    }
    if (layout.vertex == nullptr) fail(element, "it has no vertices");
    return layout;
  }

  // The corners that a <p> names; the vertices of the geometry begin at `first` and are `count`.
  struct Corner {
    int vertex = 0;
    Point2 place{};
  };
  std::vector<Corner> read_corners(const XmlElement& p, const Layout& layout, int first, int count,
                                   const std::vector<Point2>& places, Part* part) {
    const std::vector<double> list = numbers(p);
    std::vector<Corner> corners;
    for (std::size_t i = 0; i + layout.offset < list.size(); i += layout.stride) {
      const double vertex = list[i + layout.offset];
      if (!(vertex >= 0 && vertex < count) || std::trunc(vertex) != vertex) {
        fail(p, fmt::format("there is no vertex {}", vertex));
      }
      Corner& corner = corners.emplace_back();
      corner.vertex = first + static_cast<int>(vertex);
      const std::size_t at = i + layout.place_offset;
      const double place = at < list.size() ? list[at] : -1;
      if (place >= 0 && place < static_cast<double>(places.size())) {
        corner.place = places[static_cast<std::size_t>(place)];
      } else {
        part->painted = false;
      }
    }
    return corners;
  }

  void add_polygons(const XmlElement& element, const Affine& X, Part* part) {
    const Layout layout = read_layout(element);
    const std::vector<double> points = read_positions(*layout.vertex);
    std::vector<Point2> places;
    if (layout.place != nullptr) places = read_places(*layout.place);
    std::vector<Vec3>& vertices = part->result.mesh.vertices;
    const int first = static_cast<int>(vertices.size());
    for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
      vertices.push_back(X.A * Vec3{points[i], points[i + 1], points[i + 2]} + X.p);
      if (!is_finite(vertices.back())) fail(element, "a vertex is too far away");
    }
    const int count = static_cast<int>(vertices.size()) - first;
    num_vertices_ += count;
    if (num_vertices_ > kMostTriangles) fail(element, "there are too many vertices");
    std::vector<double> counts;
    if (const XmlElement* vcount = element.child("vcount")) counts = numbers(*vcount);
    for (const auto& child : element.children) {
      if (child->name != "p") continue;
      const std::vector<Corner> corners = read_corners(*child, layout, first, count, places, part);
      if (element.name == "triangles") counts.assign(corners.size() / 3, 3);
      if (element.name == "polygons") counts = {static_cast<double>(corners.size())};
      add_fans(*child, corners, counts, determinant(X.A) < 0, &part->result.mesh);
    }
  }

  void add_fans(const XmlElement& element, const std::vector<Corner>& corners,
                const std::vector<double>& counts, bool mirrored, TriangleMesh* mesh) {
    std::size_t at = 0;
    for (const double count : counts) {
      const auto n = static_cast<std::size_t>(std::clamp(count, 0.0, 1e9));
      if (at + n > corners.size()) fail(element, "it has fewer corners than its polygons need");
      for (std::size_t k = 2; k < n; ++k) {
        const Corner &a = corners[at], &b = corners[at + k - (mirrored ? 0 : 1)],
                     &c = corners[at + k - (mirrored ? 1 : 0)];
        mesh->triangles.push_back({a.vertex, b.vertex, c.vertex});
        mesh->uv.push_back({a.place, b.place, c.place});
        ++num_triangles_;
      }
      if (num_triangles_ > kMostTriangles) fail(element, "there are too many triangles");
      at += n;
    }
  }

  const std::string& path_;
  std::unique_ptr<XmlElement> root_;
  std::map<std::string, const XmlElement*> ids_;
  detail::DaeMaterials materials_;
  std::deque<Part> parts_;
  std::size_t num_vertices_ = 0, num_triangles_ = 0;
  int num_nodes_ = 0;
  std::size_t num_numbers_ = 0;  // read
};

}  // namespace

MeshParts read_dae(const std::string& path) { return DaeReader(path).read(); }

}  // namespace cenic

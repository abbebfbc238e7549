// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// COLLADA: the triangles of all geometries that the scene shows, in metres and with z up. Skins,
// curves and materials are left out.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
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

std::string attribute(const XmlElement& element, const char* name) {
  const XmlAttribute* a = element.find(name);
  return a == nullptr ? "" : a->value;
}

class DaeReader {
 public:
  explicit DaeReader(const std::string& path) : path_(path), root_(read_xml(path, path)) {}

  TriangleMesh read() {
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
        add_geometry(*geometry, to_metres);
      }
    }
    if (result_.triangles.empty()) throw FileError(path_, 0, "the file holds no triangles");
    return std::move(result_);
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

  const XmlElement& find(const XmlElement& from, const std::string& url) const {
    const auto found = ids_.find(url.starts_with('#') ? url.substr(1) : url);
    if (found == ids_.end()) fail(from, fmt::format("there is no element '{}' in the file", url));
    return *found->second;
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
        add_geometry(find(*child, attribute(*child, "url")), X);
      }
    }
  }

  void add_geometry(const XmlElement& geometry, const Affine& X) {
    const XmlElement* mesh = geometry.child("mesh");
    if (mesh == nullptr) return;
    for (const auto& child : mesh->children) {
      if (child->name == "triangles" || child->name == "polylist" || child->name == "polygons") {
        add_polygons(*child, X);
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

  // Where vertices stand among the numbers of a corner.
  struct Layout {
    std::size_t stride = 1, offset = 0;
    const XmlElement* vertex = nullptr;
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
      if (attribute(*child, "semantic") != "VERTEX") continue;
      layout.vertex = child.get();
      layout.offset = static_cast<std::size_t>(k);
    }
    if (layout.vertex == nullptr) fail(element, "it has no vertices");
    return layout;
  }

  // Vertices of the result that a <p> names; the geometry's begin at `first`.
  std::vector<int> read_corners(const XmlElement& p, const Layout& layout, int first) {
    const std::vector<double> list = numbers(p);
    const double count = static_cast<double>(result_.vertices.size()) - first;
    std::vector<int> corners;
    for (std::size_t i = layout.offset; i < list.size(); i += layout.stride) {
      if (!(list[i] >= 0 && list[i] < count) || std::trunc(list[i]) != list[i]) {
        fail(p, fmt::format("there is no vertex {}", list[i]));
      }
      corners.push_back(first + static_cast<int>(list[i]));
    }
    return corners;
  }

  void add_polygons(const XmlElement& element, const Affine& X) {
    const Layout layout = read_layout(element);
    const std::vector<double> points = read_positions(*layout.vertex);
    const int first = static_cast<int>(result_.vertices.size());
    for (std::size_t i = 0; i + 2 < points.size(); i += 3) {
      result_.vertices.push_back(X.A * Vec3{points[i], points[i + 1], points[i + 2]} + X.p);
      if (!is_finite(result_.vertices.back())) fail(element, "a vertex is too far away");
    }
    if (result_.vertices.size() > kMostTriangles) fail(element, "there are too many vertices");
    std::vector<double> counts;
    if (const XmlElement* vcount = element.child("vcount")) counts = numbers(*vcount);
    for (const auto& child : element.children) {
      if (child->name != "p") continue;
      const std::vector<int> corners = read_corners(*child, layout, first);
      if (element.name == "triangles") counts.assign(corners.size() / 3, 3);
      if (element.name == "polygons") counts = {static_cast<double>(corners.size())};
      add_fans(*child, corners, counts, determinant(X.A) < 0);
    }
  }

  void add_fans(const XmlElement& element, const std::vector<int>& corners,
                const std::vector<double>& counts, bool mirrored) {
    std::size_t at = 0;
    for (const double count : counts) {
      const auto n = static_cast<std::size_t>(std::clamp(count, 0.0, 1e9));
      if (at + n > corners.size()) fail(element, "it has fewer corners than its polygons need");
      for (std::size_t k = 2; k < n; ++k) {
        const int a = corners[at], b = corners[at + k - 1], c = corners[at + k];
        result_.triangles.push_back(mirrored ? std::array{a, c, b} : std::array{a, b, c});
      }
      if (result_.triangles.size() > kMostTriangles) fail(element, "there are too many triangles");
      at += n;
    }
  }

  const std::string& path_;
  std::unique_ptr<XmlElement> root_;
  std::map<std::string, const XmlElement*> ids_;
  TriangleMesh result_;
  int num_nodes_ = 0;
  std::size_t num_numbers_ = 0;  // read
};

}  // namespace

TriangleMesh read_dae(const std::string& path) { return DaeReader(path).read(); }

}  // namespace cenic

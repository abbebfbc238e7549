// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Wavefront OBJ: the positions (v), where they are in a picture (vt), faces (f) and their
// materials; normals, groups and lines are passed over.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/error.h"
#include "loaders/mesh/mesh_text.h"
#include "loaders/mesh/read_mesh.h"
#include "loaders/mesh/read_mtl.h"

namespace cenic {
namespace {

// The vertex of a corner "i", "i/t", "i//n" or "i/t/n": from 1 on, or from −1 back.
int parse_corner(const std::string& path, int line, std::string_view word, int num_vertices) {
  const std::optional<long> index = detail::parse_integer(word.substr(0, word.find('/')));
  if (!index.has_value()) {
    throw FileError(path, line,
                    "face corner '" + std::string(word) +
                        "' does not begin with a vertex number; write i, i/t, i//n or i/t/n");
  }
  const long vertex = *index < 0 ? num_vertices + *index : *index - 1;
  if (*index == 0 || vertex < 0 || vertex >= num_vertices) {
    throw FileError(path, line,
                    "face names vertex " + std::to_string(*index) + " but " +
                        std::to_string(num_vertices) +
                        " are defined so far; numbers run from 1, or from -1 back");
  }
  return static_cast<int>(vertex);
}

using Point2 = std::array<float, 2>;

// Where a corner "i/t" or "i/t/n" is in a picture; false when it does not say, or not well: that is
// for the eye alone.
bool find_uv(std::string_view word, const std::vector<Point2>& points, Point2* uv) {
  const std::size_t slash = word.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view rest = word.substr(slash + 1);
  const std::optional<long> index = detail::parse_integer(rest.substr(0, rest.find('/')));
  if (!index.has_value()) return false;
  const long count = static_cast<long>(points.size());
  const long at = *index < 0 ? count + *index : *index - 1;
  if (*index == 0 || at < 0 || at >= count) return false;
  *uv = points[at];
  return true;
}

// A picture that goes on beyond its borders may have any number.
Point2 parse_uv(const std::vector<std::string_view>& words) {
  Point2 uv{};
  for (std::size_t k = 0; k < 2 && k + 1 < words.size(); ++k) {
    const double x = detail::parse_number(words[k + 1]).value_or(0);
    uv[k] = std::fabs(x) < 1e6 ? static_cast<float>(x) : 0;
  }
  return uv;
}

class ObjReader {
 public:
  explicit ObjReader(const std::string& path) : path_(path) {}

  void read() {
    const std::string text = detail::read_bytes(path_);
    std::string joined;
    int line = 0;
    for (std::size_t at = 0; at < text.size();) {
      // A backslash at the end of a line joins it with the next.
      joined.clear();
      const int first_line = line + 1;
      for (bool more = true; more && at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        joined.append(text, at, end - at);
        at = end + 1;
        ++line;
        while (!joined.empty() && joined.back() == '\r') {
          joined.pop_back();
        }
        more = !joined.empty() && joined.back() == '\\';
        if (more) joined.back() = ' ';
      }
      read_line(joined, first_line);
    }
    if (mesh.vertices.empty()) {
      throw FileError(path_, line, "no vertices ('v x y z') found; is this a Wavefront OBJ file?");
    }
    if (mesh.triangles.empty()) {
      throw FileError(path_, line, "no faces ('f i j k') found; export the mesh with its faces");
    }
  }

  // ---- the result ----
  TriangleMesh mesh{};             // with places in a picture for all triangles, said or not
  std::vector<char> painted{};     // they are said, by triangle
  std::vector<int> material_of{};  // of each triangle, of `materials`
  std::vector<std::string> materials{""}, libraries{};

 private:
  void read_line(const std::string& line, int number) {
    detail::split_words(line, &words_);
    if (words_.empty()) return;
    if (words_[0] == "v") mesh.vertices.push_back(detail::parse_point(path_, number, words_));
    if (words_[0] == "vt") points_.push_back(parse_uv(words_));
    if (words_[0] == "f") add_face(number);
    if (words_.size() < 2) return;
    if (words_[0] == "mtllib") libraries.emplace_back(words_[1]);
    if (words_[0] == "usemtl") use_material(std::string(words_[1]));
  }

  void use_material(const std::string& name) {
    const auto found = std::ranges::find(materials, name);
    material_ = static_cast<int>(found - materials.begin());
    if (found == materials.end()) materials.push_back(name);
  }

  struct Corner {
    int vertex = 0;
    Point2 uv{};
    bool painted = false;
  };
  Corner parse(int line, std::string_view word) const {
    Corner corner;
    corner.vertex = parse_corner(path_, line, word, static_cast<int>(mesh.vertices.size()));
    corner.painted = find_uv(word, points_, &corner.uv);
    return corner;
  }

  void add_face(int line) {
    if (words_.size() < 4) {
      throw FileError(path_, line,
                      "a face has " + std::to_string(words_.size() - 1) +
                          " corners; a face needs at least three");
    }
    const Corner first = parse(line, words_[1]);
    Corner second = parse(line, words_[2]);
    for (std::size_t k = 3; k < words_.size(); ++k) {
      const Corner third = parse(line, words_[k]);
      const int a = first.vertex, b = second.vertex, c = third.vertex;
      // Corners named twice span no triangle.
      if (a != b && b != c && c != a) {
        mesh.triangles.push_back({a, b, c});
        mesh.uv.push_back({first.uv, second.uv, third.uv});
        painted.push_back(first.painted && second.painted && third.painted ? 1 : 0);
        material_of.push_back(material_);
      }
      second = third;
    }
  }

  const std::string& path_;
  std::vector<std::string_view> words_;
  std::vector<Point2> points_;
  int material_ = 0;
};

// Places in a picture, if all triangles have them.
void forget_places(const std::vector<char>& painted, TriangleMesh* mesh) {
  if (std::ranges::find(painted, 0) != painted.end()) mesh->uv.clear();
}

// The triangles of one material, with the vertices they need.
TriangleMesh extract(const ObjReader& all, int material) {
  TriangleMesh part;
  std::vector<char> painted;
  std::vector<int> index(all.mesh.vertices.size(), -1);
  for (std::size_t t = 0; t < all.mesh.triangles.size(); ++t) {
    if (all.material_of[t] != material) continue;
    auto triangle = all.mesh.triangles[t];
    for (int& v : triangle) {
      if (index[v] < 0) {
        index[v] = static_cast<int>(part.vertices.size());
        part.vertices.push_back(all.mesh.vertices[v]);
      }
      v = index[v];
    }
    part.triangles.push_back(triangle);
    part.uv.push_back(all.mesh.uv[t]);
    painted.push_back(all.painted[t]);
  }
  forget_places(painted, &part);
  return part;
}

}  // namespace

TriangleMesh read_obj(const std::string& path) {
  ObjReader reader(path);
  reader.read();
  forget_places(reader.painted, &reader.mesh);
  return std::move(reader.mesh);
}

MeshParts read_obj_parts(const std::string& path) {
  ObjReader reader(path);
  reader.read();
  MeshParts result;
  std::map<std::string, detail::MeshLook> materials;
  for (const std::string& name : reader.libraries) {
    materials.merge(detail::read_mtl(detail::find_beside(path, name), &result.notes));
  }
  if (materials.empty()) {
    forget_places(reader.painted, &reader.mesh);
    result.parts.push_back({std::move(reader.mesh), std::nullopt});
    return result;
  }
  constexpr std::size_t kMostParts = 1000;  // each looks through the whole mesh
  if (reader.materials.size() > kMostParts) {
    throw FileError(path, 0, "the mesh has more than 1000 materials; export it with fewer");
  }
  for (std::size_t m = 0; m < reader.materials.size(); ++m) {
    MeshPart part{extract(reader, static_cast<int>(m)), std::nullopt};
    if (part.mesh.triangles.empty()) continue;
    const auto found = materials.find(reader.materials[m]);
    if (found != materials.end()) {
      part.color = found->second.color;
      part.picture = found->second.picture;
    }
    result.parts.push_back(std::move(part));
  }
  return result;
}

}  // namespace cenic

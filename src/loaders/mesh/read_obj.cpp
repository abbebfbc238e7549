// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Wavefront OBJ: the positions (v) and faces (f); materials, normals, textures, groups and lines
// are passed over.
#include "core/error.h"
#include "loaders/mesh/mesh_text.h"
#include "loaders/mesh/read_mesh.h"

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

void add_face(const std::string& path, int line, const std::vector<std::string_view>& words,
              TriangleMesh* mesh) {
  if (words.size() < 4) {
    throw FileError(
        path, line,
        "a face has " + std::to_string(words.size() - 1) + " corners; a face needs at least three");
  }
  const int num_vertices = static_cast<int>(mesh->vertices.size());
  const int first = parse_corner(path, line, words[1], num_vertices);
  int second = parse_corner(path, line, words[2], num_vertices);
  for (std::size_t k = 3; k < words.size(); ++k) {
    const int third = parse_corner(path, line, words[k], num_vertices);
    // Corners named twice span no triangle.
    if (first != second && second != third && third != first) {
      mesh->triangles.push_back({first, second, third});
    }
    second = third;
  }
}

}  // namespace

TriangleMesh read_obj(const std::string& path) {
  const std::string text = detail::read_bytes(path);
  TriangleMesh mesh;
  std::vector<std::string_view> words;
  std::string joined;
  int line = 0;
  for (std::size_t at = 0; at < text.size();) {
    // A backslash at the end of a line joins it with the next.
    joined.clear();
    int first_line = line + 1;
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
    detail::split_words(joined, &words);
    if (words.empty()) continue;
    if (words[0] == "v") mesh.vertices.push_back(detail::parse_point(path, first_line, words));
    if (words[0] == "f") add_face(path, first_line, words, &mesh);
  }
  if (mesh.vertices.empty()) {
    throw FileError(path, line, "no vertices ('v x y z') found; is this a Wavefront OBJ file?");
  }
  if (mesh.triangles.empty()) {
    throw FileError(path, line, "no faces ('f i j k') found; export the mesh with its faces");
  }
  return mesh;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// STL. Binary: 80 bytes of anything, the number of triangles, 50 bytes a triangle (normal, corners,
// attribute). Text: solid … facet … outer loop … vertex ×3 … endloop … endfacet … endsolid. Stored
// normals are not used.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "core/error.h"
#include "loaders/mesh/mesh_text.h"
#include "loaders/mesh/read_mesh.h"

namespace cenic {
namespace {

constexpr std::size_t kHeader = 84, kTriangle = 50;

struct Vec3Hash {
  std::size_t operator()(const Vec3& p) const {
    const std::hash<double> hash;
    return hash(p.x) ^ hash(p.y) * 0x9E3779B97F4A7C15ull ^ hash(p.z) * 0xC2B2AE3D27D4EB4Full;
  }
};

// Gives equal corners one vertex, and leaves out triangles that have thereby lost a corner.
class MeshBuilder {
 public:
  void add(const Vec3 (&corners)[3]) {
    int v[3];
    for (int k = 0; k < 3; ++k) {
      const Vec3 p = corners[k] + Vec3{};  // −0 becomes 0
      const auto [at, is_new] = index_.try_emplace(p, static_cast<int>(mesh_.vertices.size()));
      if (is_new) mesh_.vertices.push_back(p);
      v[k] = at->second;
    }
    if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) mesh_.triangles.push_back({v[0], v[1], v[2]});
  }
  TriangleMesh finish(const std::string& path, int line) {
    if (mesh_.triangles.empty()) {
      throw FileError(path, line,
                      "no triangles with three different corners found; export the mesh again");
    }
    return std::move(mesh_);
  }

 private:
  TriangleMesh mesh_;
  std::unordered_map<Vec3, int, Vec3Hash> index_;
};

std::uint32_t stored_count(const std::string& bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);
  return count;
}

bool looks_like_text(const std::string& bytes) {
  if (bytes.compare(0, 5, "solid") != 0) return false;
  // Some binary files begin with "solid" too: their length gives them away, or a zero byte.
  if (bytes.size() >= kHeader && bytes.size() == kHeader + kTriangle * stored_count(bytes)) {
    return false;
  }
  return bytes.find('\0') == std::string::npos;
}

TriangleMesh read_binary(const std::string& path, const std::string& bytes) {
  if (bytes.size() < kHeader) {
    throw FileError(path, 1,
                    "the file has " + std::to_string(bytes.size()) +
                        " bytes, less than the 84 of a binary STL header; export the mesh again");
  }
  const std::size_t count = stored_count(bytes);
  if (bytes.size() < kHeader + kTriangle * count) {
    throw FileError(path, 1,
                    "the header promises " + std::to_string(count) + " triangles, but only " +
                        std::to_string((bytes.size() - kHeader) / kTriangle) +
                        " are there: the file is truncated; copy or export it again");
  }
  MeshBuilder builder;
  for (std::size_t t = 0; t < count; ++t) {
    float value[9];
    std::memcpy(value, bytes.data() + kHeader + kTriangle * t + 12, sizeof value);
    Vec3 corners[3];
    for (int k = 0; k < 3; ++k) {
      const float* v = value + static_cast<std::ptrdiff_t>(3) * k;
      corners[k] = {v[0], v[1], v[2]};
      if (!is_finite(corners[k])) {
        throw FileError(path, 1,
                        "triangle " + std::to_string(t) +
                            " has a coordinate that is not a finite number; export the mesh again");
      }
    }
    builder.add(corners);
  }
  return builder.finish(path, 1);
}

// Reads the lines of a text file one after the other.
class TextReader {
 public:
  explicit TextReader(const std::string& path) : path_(path) {}

  void read_line(const std::vector<std::string_view>& words, int line) {
    if (words[0] == "outer") {
      check(!in_loop_, line, "'outer loop' inside of a loop; an 'endloop' is missing");
      in_loop_ = true, num_corners_ = 0;
    } else if (words[0] == "vertex") {
      check(in_loop_, line, "'vertex' outside of a loop; an 'outer loop' is missing");
      check(num_corners_ < 3, line, "a fourth vertex in a facet; STL knows triangles only");
      corners_[num_corners_++] = detail::parse_point(path_, line, words);
    } else if (words[0] == "endloop") {
      const int count = in_loop_ ? num_corners_ : 0;
      check(count == 3, line,
            "a facet with " + std::to_string(count) + " vertices; a facet needs three");
      builder_.add(corners_);
      in_loop_ = false;
    } else {
      const bool known = words[0] == "solid" || words[0] == "facet" || words[0] == "endfacet" ||
                         words[0] == "endsolid";
      check(known, line, "unknown word '" + std::string(words[0]) + "'; is this an STL file?");
    }
  }
  TriangleMesh finish(int line) {
    check(!in_loop_, line, "the file ends inside of a facet: it is truncated; export it again");
    return builder_.finish(path_, line);
  }

 private:
  void check(bool condition, int line, const std::string& text) const {
    if (!condition) throw FileError(path_, line, text);
  }

  const std::string& path_;
  MeshBuilder builder_;
  Vec3 corners_[3];
  int num_corners_ = 0;
  bool in_loop_ = false;
};

TriangleMesh read_text(const std::string& path, const std::string& bytes) {
  TextReader reader(path);
  std::vector<std::string_view> words;
  int line = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
    detail::split_words(std::string_view(bytes).substr(at, end - at), &words);
    at = end + 1;
    ++line;
    if (!words.empty()) reader.read_line(words, line);
  }
  return reader.finish(line);
}

}  // namespace

TriangleMesh read_stl(const std::string& path) {
  const std::string bytes = detail::read_bytes(path);
  return looks_like_text(bytes) ? read_text(path, bytes) : read_binary(path, bytes);
}

}  // namespace cenic

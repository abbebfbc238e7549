// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/volume_field.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/triangle_distance.h"

namespace cenic {
namespace {

using detail::add_note;
using Tet = std::array<int, 4>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoVolume = 1e-12;  // 6V over the longest edge cubed

struct FaceUse {
  std::array<int, 3> face;  // sorted vertices
  int tet, corner;          // opposite the corner
};

std::array<int, 3> face_key(const Tet& tet, int corner) {
  std::array<int, 3> face{};
  for (int k = 0; k < 3; ++k) {
    face[k] = tet[kTetFaces[corner][k]];
  }
  std::sort(face.begin(), face.end());
  return face;
}

std::vector<FaceUse> make_sorted_faces(const TetMesh& mesh) {
  std::vector<FaceUse> faces;
  faces.reserve(4 * mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (int corner = 0; corner < 4; ++corner) {
      faces.push_back({face_key(mesh.tets[t], corner), static_cast<int>(t), corner});
    }
  }
  std::sort(faces.begin(), faces.end(), [](const FaceUse& a, const FaceUse& b) {
    return std::tie(a.face, a.tet) < std::tie(b.face, b.tet);
  });
  return faces;
}

// f(first use, number of uses) for each face.
template <class F>
void for_each_face(const std::vector<FaceUse>& faces, F&& f) {
  for (std::size_t i = 0, end = 0; i < faces.size(); i = end) {
    for (end = i; end < faces.size() && faces[end].face == faces[i].face;) {
      ++end;
    }
    f(faces[i], end - i);
  }
}

double calc_longest_edge(const TetMesh& mesh, const Tet& tet) {
  double longest = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = i + 1; j < 4; ++j) {
      longest = std::max(longest, norm_squared(mesh.vertices[tet[i]] - mesh.vertices[tet[j]]));
    }
  }
  return std::sqrt(longest);
}

void merge_vertices(TetMesh* mesh, MeshNotes* notes) {
  const double size = detail::calc_size<4>(mesh->vertices, mesh->tets);
  const std::vector<int> first = detail::find_duplicates(mesh->vertices, size);
  int count = 0;
  for (std::size_t v = 0; v < first.size(); ++v) {
    count += first[v] != static_cast<int>(v) ? 1 : 0;
  }
  if (count == 0) return;
  for (Tet& tet : mesh->tets) {
    for (int& v : tet) {
      v = first[v];
    }
  }
  add_note(notes, fmt::format("merged {} duplicate vertices", count));
}

// Turns tetrahedra that are inside out and drops those without volume; number[t] is what the file
// calls tetrahedron t.
void check_volumes(TetMesh* mesh, std::vector<int>* number, MeshNotes* notes) {
  std::size_t kept = 0;
  int num_turned = 0, num_dropped = 0, first_turned = -1, first_dropped = -1;
  for (int t = 0; t < static_cast<int>(mesh->tets.size()); ++t) {
    Tet tet = mesh->tets[t];
    const double longest = calc_longest_edge(*mesh, tet);
    double six_volumes = calc_six_volumes(mesh->vertices[tet[0]], mesh->vertices[tet[1]],
                                          mesh->vertices[tet[2]], mesh->vertices[tet[3]]);
    if (!(std::fabs(six_volumes) > kNoVolume * longest * longest * longest)) {
      if (num_dropped++ == 0) first_dropped = t;
      continue;
    }
    if (six_volumes < 0) {
      std::swap(tet[2], tet[3]);
      if (num_turned++ == 0) first_turned = t;
    }
    mesh->tets[kept++] = tet;
    number->push_back(t);
  }
  mesh->tets.resize(kept);
  if (kept == 0) {
    throw Error(
        fmt::format("none of the {} tetrahedra has a volume; check the units and mesh the "
                    "solid again",
                    num_dropped));
  }
  if (num_turned > 0) {
    add_note(notes, fmt::format("turned {} tetrahedra that were inside out (first: tetrahedron {})",
                                num_turned, first_turned));
  }
  if (num_dropped > 0) {
    add_note(notes, fmt::format("dropped {} tetrahedra without volume (first: tetrahedron {})",
                                num_dropped, first_dropped));
  }
}

void check_conforming(const TetMesh& mesh, const std::vector<int>& number) {
  for_each_face(make_sorted_faces(mesh), [&](const FaceUse& first, std::size_t count) {
    if (count <= 2) return;
    const Vec3& p = mesh.vertices[first.face[0]];
    throw Error(fmt::format(
        "the face of vertices {}, {} and {} near ({:.6g}, {:.6g}, {:.6g}) belongs to {} tetrahedra "
        "(tetrahedron {} is one): they overlap; mesh the solid again",
        first.face[0], first.face[1], first.face[2], p.x, p.y, p.z, count, number[first.tet]));
  });
}

// Edges, faces and tetrahedra through the inside whose ends are all on the surface would have zero
// depth throughout. A vertex in the middle of each such edge, then face, then tetrahedron mends it;
// in this order the fewest are needed.
class Refiner {
 public:
  Refiner(TetMesh* mesh, MeshNotes* notes) : mesh_(*mesh), notes_(notes) {}

  void run() {
    find_surface();
    const std::size_t before = mesh_.vertices.size();
    split_edges();
    const std::size_t after_edges = mesh_.vertices.size();
    split_faces();
    const std::size_t after_faces = mesh_.vertices.size();
    split_tets();
    const std::size_t after_tets = mesh_.vertices.size();
    if (after_tets == before) return;
    add_note(
        notes_,
        fmt::format("added vertices to {} edges, {} faces and {} tetrahedra inside that had "
                    "all their ends on the surface",
                    after_edges - before, after_faces - after_edges, after_tets - after_faces));
  }

 private:
  static constexpr int kEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

  bool is_on_surface(int v) const { return v < num_old_ && on_surface_[v] != 0; }

  void find_surface() {
    num_old_ = static_cast<int>(mesh_.vertices.size());
    on_surface_.assign(mesh_.vertices.size(), 0);
    for_each_face(make_sorted_faces(mesh_), [&](const FaceUse& use, std::size_t count) {
      if (count != 1) return;
      for (int k = 0; k < 3; ++k) {
        on_surface_[use.face[k]] = 1;
        surface_edges_.insert({use.face[k == 2 ? 1 : 0], use.face[k == 0 ? 1 : 2]});
      }
    });
  }

  int add_vertex(const Vec3& p) {
    mesh_.vertices.push_back(p);
    return static_cast<int>(mesh_.vertices.size()) - 1;
  }

  // Cuts tetrahedra, and what they are cut into, as long as split(tet, &out) appends parts to out.
  template <class Split>
  void split_all(Split&& split) {
    std::vector<Tet> out, stack;
    out.reserve(mesh_.tets.size());
    for (const Tet& whole : mesh_.tets) {
      stack.assign(1, whole);
      while (!stack.empty()) {
        const Tet tet = stack.back();
        stack.pop_back();
        if (!split(tet, &stack)) out.push_back(tet);
      }
    }
    mesh_.tets = std::move(out);
  }
  static Tet replaced(Tet tet, int corner, int v) {
    tet[corner] = v;
    return tet;
  }

  // Of several bad edges the one of the lowest vertices is cut first, in all tetrahedra alike: so
  // their common faces are cut in the same way.
  void split_edges() {
    split_all([&](const Tet& tet, std::vector<Tet>* out) {
      std::pair<int, int> lowest{num_old_, num_old_};
      const int* ends = nullptr;
      for (const auto& edge : kEdges) {
        const std::pair<int, int> key = std::minmax(tet[edge[0]], tet[edge[1]]);
        const bool bad =
            is_on_surface(key.first) && is_on_surface(key.second) && !surface_edges_.contains(key);
        if (bad && key < lowest) lowest = key, ends = edge;
      }
      if (ends == nullptr) return false;
      const auto [at, is_new] = edge_vertices_.try_emplace(lowest, 0);
      if (is_new) {
        at->second =
            add_vertex(0.5 * (mesh_.vertices[lowest.first] + mesh_.vertices[lowest.second]));
      }
      out->push_back(replaced(tet, ends[0], at->second));
      out->push_back(replaced(tet, ends[1], at->second));
      return true;
    });
  }

  void split_faces() {
    std::map<std::array<int, 3>, int> middles;  // of bad faces
    for_each_face(make_sorted_faces(mesh_), [&](const FaceUse& use, std::size_t count) {
      const auto& [a, b, c] = use.face;
      if (count == 1 || !is_on_surface(a) || !is_on_surface(b) || !is_on_surface(c)) return;
      middles[use.face] =
          add_vertex((mesh_.vertices[a] + mesh_.vertices[b] + mesh_.vertices[c]) / 3);
    });
    if (middles.empty()) return;
    split_all([&](const Tet& tet, std::vector<Tet>* out) {
      for (int corner = 0; corner < 4; ++corner) {
        const auto at = middles.find(face_key(tet, corner));
        if (at == middles.end()) continue;
        for (int k = 0; k < 4; ++k) {
          if (k != corner) out->push_back(replaced(tet, k, at->second));
        }
        return true;
      }
      return false;
    });
  }

  void split_tets() {
    split_all([&](const Tet& tet, std::vector<Tet>* out) {
      Vec3 sum;
      for (const int v : tet) {
        if (!is_on_surface(v)) return false;
        sum += mesh_.vertices[v];
      }
      const int middle = add_vertex(0.25 * sum);
      for (int k = 0; k < 4; ++k) {
        out->push_back(replaced(tet, k, middle));
      }
      return true;
    });
  }

  TetMesh& mesh_;
  MeshNotes* notes_;
  int num_old_ = 0;  // vertices before any were added
  std::vector<char> on_surface_;
  std::set<std::pair<int, int>> surface_edges_;
  std::map<std::pair<int, int>, int> edge_vertices_;  // in the middle of bad edges
};

// Vertices of no tetrahedron are left out.
void compact(TetMesh* mesh) {
  std::vector<int> index(mesh->vertices.size(), -1);
  for (const Tet& tet : mesh->tets) {
    for (const int v : tet) {
      index[v] = 0;
    }
  }
  int count = 0;
  for (std::size_t v = 0; v < index.size(); ++v) {
    if (index[v] < 0) continue;
    index[v] = count;
    mesh->vertices[count++] = Vec3(mesh->vertices[v]);
  }
  mesh->vertices.resize(count);
  for (Tet& tet : mesh->tets) {
    for (int& v : tet) {
      v = index[v];
    }
  }
}

void fill_depths(VolumeField* field) {
  const TetMesh& mesh = field->mesh;
  std::vector<char> on_surface(mesh.vertices.size(), 0);
  for_each_face(make_sorted_faces(mesh), [&](const FaceUse& use, std::size_t count) {
    for (const int v : use.face) {
      if (count == 1) on_surface[v] = 1;
    }
  });
  const TriangleMesh boundary = extract_boundary(mesh);
  const SurfaceDistance distance(boundary);
  field->depth.assign(mesh.vertices.size(), 0);
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    if (on_surface[v] == 0) field->depth[v] = distance.calc_distance(mesh.vertices[v]);
    field->max_depth = std::max(field->max_depth, field->depth[v]);
  }
  int num_level = 0, first_level = -1;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    double low = kInfinity, high = 0;
    for (const int v : mesh.tets[t]) {
      low = std::min(low, field->depth[v]);
      high = std::max(high, field->depth[v]);
    }
    if (high - low <= 1e-12 * field->max_depth && num_level++ == 0) {
      first_level = static_cast<int>(t);
    }
  }
  if (num_level > 0) {
    const Vec3& p = mesh.vertices[mesh.tets[first_level][0]];
    add_note(&field->notes,
             fmt::format("{} tetrahedra are equally deep throughout and press in no direction "
                         "(first: near ({:.6g}, {:.6g}, {:.6g}))",
                         num_level, p.x, p.y, p.z));
  }
}

}  // namespace

SurfaceDistance::SurfaceDistance(const TriangleMesh& mesh) : mesh_(mesh) {
  std::vector<Aabb> boxes;
  boxes.reserve(mesh.triangles.size());
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 &p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
    boxes.push_back({cwise_min(p, cwise_min(q, r)), cwise_max(p, cwise_max(q, r))});
  }
  tree_.build(boxes);
}

double SurfaceDistance::distance_squared(int t, const Vec3& x, Vec3* point) const {
  const auto& [a, b, c] = mesh_.triangles[t];
  *point = find_nearest_on_triangle(x, mesh_.vertices[a], mesh_.vertices[b], mesh_.vertices[c]);
  return norm_squared(*point - x);
}

double SurfaceDistance::calc_distance(const Vec3& x) const {
  Vec3 point;
  return std::sqrt(tree_.find_nearest(x, kInfinity, [&](int t) {
    return distance_squared(t, x, &point);
  }));
}

double SurfaceDistance::hit_distance(int t, const Vec3& x, const Vec3& dir, double bound) const {
  const auto& [i, j, k] = mesh_.triangles[t];
  return calc_hit_distance(x, dir, mesh_.vertices[i], mesh_.vertices[j], mesh_.vertices[k], bound);
}

TriangleMesh extract_boundary(const TetMesh& mesh) {
  TriangleMesh boundary;
  std::vector<int> index(mesh.vertices.size(), -1);
  for_each_face(make_sorted_faces(mesh), [&](const FaceUse& use, std::size_t count) {
    if (count != 1) return;
    std::array<int, 3> triangle{};
    for (int k = 0; k < 3; ++k) {
      const int v = mesh.tets[use.tet][kTetFaces[use.corner][k]];
      if (index[v] < 0) {
        index[v] = static_cast<int>(boundary.vertices.size());
        boundary.vertices.push_back(mesh.vertices[v]);
      }
      triangle[k] = index[v];
    }
    boundary.triangles.push_back(triangle);
  });
  return boundary;
}

TetMesh prepare_tets(TetMesh mesh, MeshNotes* notes) {
  detail::check_elements<4>(mesh.vertices, mesh.tets, "tetrahedron");
  merge_vertices(&mesh, notes);
  std::vector<int> number;
  check_volumes(&mesh, &number, notes);
  check_conforming(mesh, number);
  compact(&mesh);
  return mesh;
}

VolumeField make_volume_field(TetMesh mesh) {
  VolumeField field;
  field.mesh = prepare_tets(std::move(mesh), &field.notes);
  Refiner(&field.mesh, &field.notes).run();
  fill_depths(&field);
  if (!(field.max_depth > 0)) {
    throw Error("no point of the mesh is below its surface; mesh the solid again");
  }
  return field;
}

}  // namespace cenic

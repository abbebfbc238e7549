// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/mesh_check.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/hash.h"
#include "core/union_find.h"

namespace cenic {
namespace {

using detail::add_note;

constexpr double kMergeTolerance = 1e-9;  // of the size of the mesh
constexpr double kFlat = 1e-9;            // height over longest edge of a triangle without area
constexpr double kMaxCoordinate = 1e9;    // m

// Corner 3t + k is also the edge of triangle t from its corner k to the next.
int next_in_triangle(int corner) { return corner % 3 == 2 ? corner - 2 : corner + 1; }

// An edge whichever way it runs: lower vertex, higher vertex.
std::uint64_t edge_key(int v, int w) {
  return static_cast<std::uint64_t>(std::min(v, w)) << 32 |
         static_cast<std::uint32_t>(std::max(v, w));
}

struct EdgeUse {
  std::uint64_t edge;
  int corner;
};

class Surface {
 public:
  Surface(TriangleMesh mesh, MeshNotes* notes) : mesh_(std::move(mesh)), notes_(notes) {
    detail::check_elements<3>(mesh_.vertices, mesh_.triangles, "triangle");
    size_ = detail::calc_size<3>(mesh_.vertices, mesh_.triangles);
    number_.resize(mesh_.triangles.size());
    for (std::size_t t = 0; t < number_.size(); ++t) {
      number_[t] = static_cast<int>(t);
    }
  }

  TriangleMesh prepare_closed() {
    // A surface closed by its numbers is left so: parts that touch at a place stay apart.
    sort_edges();
    if (find_faulty_edge() < edges_.size() || find_flat_triangle() >= 0) {
      merge_vertices();
      drop_collapsed();
      sort_edges();
      check_edges();
    }
    link_neighbors();
    orient();
    flip_flat_triangles();
    split_touching_vertices();
    turn_outward();
    return compacted();
  }

  TriangleMesh prepare_open() {
    merge_vertices();
    drop_collapsed();
    drop_flat();
    sort_edges();
    link_neighbors();
    orient();
    if (is_closed(mesh_)) turn_outward();
    return compacted();
  }

 private:
  int num_triangles() const { return static_cast<int>(mesh_.triangles.size()); }
  int vertex(int corner) const { return mesh_.triangles[corner / 3][corner % 3]; }
  int next_vertex(int corner) const { return vertex(next_in_triangle(corner)); }
  std::string describe_vertex(int v) const {
    const Vec3& p = mesh_.vertices[v];
    return fmt::format("vertex {} ({:.6g}, {:.6g}, {:.6g})", v, p.x, p.y, p.z);
  }

  void merge_vertices() {
    const std::vector<int> first = detail::find_duplicates(mesh_.vertices, size_);
    int count = 0;
    for (std::size_t v = 0; v < first.size(); ++v) {
      count += first[v] != static_cast<int>(v) ? 1 : 0;
    }
    if (count == 0) return;
    for (auto& triangle : mesh_.triangles) {
      triangle = {first[triangle[0]], first[triangle[1]], first[triangle[2]]};
    }
    add_note(notes_, fmt::format("merged {} duplicate vertices", count));
  }

  // Leaves out the triangles of which drop(t) is true.
  template <class Drop>
  void drop_triangles(const char* what, Drop&& drop) {
    int kept = 0, first = -1;
    for (int t = 0; t < num_triangles(); ++t) {
      if (drop(t)) {
        if (first < 0) first = number_[t];
        continue;
      }
      mesh_.triangles[kept] = mesh_.triangles[t];
      number_[kept++] = number_[t];
    }
    const int count = num_triangles() - kept;
    mesh_.triangles.resize(kept);
    number_.resize(kept);
    if (count > 0) {
      add_note(notes_,
               fmt::format("dropped {} triangles {} (first: triangle {})", count, what, first));
    }
    if (kept == 0) {
      throw Error("no triangle of the mesh has an area; check its units and export it again");
    }
  }

  // Triangles that lost a corner to merging, and copies.
  void drop_collapsed() {
    drop_triangles("without area", [&](int t) {
      const auto& [a, b, c] = mesh_.triangles[t];
      return a == b || b == c || c == a;
    });
    std::vector<std::pair<std::array<int, 3>, int>> sorted;
    for (int t = 0; t < num_triangles(); ++t) {
      auto corners = mesh_.triangles[t];
      std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
      sorted.emplace_back(corners, t);
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<char> is_copy(sorted.size(), 0);
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i].first == sorted[i - 1].first) is_copy[sorted[i].second] = 1;
    }
    drop_triangles("that are copies of others", [&](int t) {
      return is_copy[t] != 0;
    });
  }
  void drop_flat() {
    drop_triangles("without area", [&](int t) {
      return is_flat(t);
    });
  }

  int longest_edge(int t) const {
    int longest = 3 * t;
    double length = -1;
    for (int corner = 3 * t; corner < 3 * t + 3; ++corner) {
      const double l =
          norm_squared(mesh_.vertices[next_vertex(corner)] - mesh_.vertices[vertex(corner)]);
      if (l > length) length = l, longest = corner;
    }
    return longest;
  }
  bool is_flat(int t) const {
    const auto& [a, b, c] = mesh_.triangles[t];
    const Vec3 &p = mesh_.vertices[a], &q = mesh_.vertices[b], &r = mesh_.vertices[c];
    const double longest =
        std::max({norm_squared(q - p), norm_squared(r - q), norm_squared(p - r)});
    return !(norm(cross(q - p, r - p)) > kFlat * longest);
  }
  int find_flat_triangle() const {
    for (int t = 0; t < num_triangles(); ++t) {
      if (is_flat(t)) return t;
    }
    return -1;
  }

  void sort_edges() {
    edges_.clear();
    for (int corner = 0; corner < 3 * num_triangles(); ++corner) {
      edges_.push_back({edge_key(vertex(corner), next_vertex(corner)), corner});
    }
    std::sort(edges_.begin(), edges_.end(), [](const EdgeUse& a, const EdgeUse& b) {
      return a.edge != b.edge ? a.edge < b.edge : a.corner < b.corner;
    });
  }
  // The first entry beyond those of the edge at i.
  std::size_t end_of_edge(std::size_t i) const {
    std::size_t end = i;
    while (end < edges_.size() && edges_[end].edge == edges_[i].edge) {
      ++end;
    }
    return end;
  }
  // The first entry of an edge that has not just two triangles; beyond the last when all are good.
  std::size_t find_faulty_edge() const {
    std::size_t i = 0, end = 0;
    for (; i < edges_.size(); i = end) {
      end = end_of_edge(i);
      if (end - i != 2) break;
    }
    return i;
  }
  void check_edges() const {
    const std::size_t faulty = find_faulty_edge();
    if (faulty == edges_.size()) return;
    int num_faulty = 0;
    for (std::size_t i = faulty, end = 0; i < edges_.size(); i = end) {
      end = end_of_edge(i);
      num_faulty += end - i != 2 ? 1 : 0;
    }
    const int corner = edges_[faulty].corner;
    const std::size_t uses = end_of_edge(faulty) - faulty;
    const std::string where = fmt::format("the edge from {} to {}", describe_vertex(vertex(corner)),
                                          describe_vertex(next_vertex(corner)));
    if (uses == 1) {
      throw Error(fmt::format(
          "the surface is open: {} belongs to triangle {} alone (faulty edges in all: {}); close "
          "the holes in a mesh editor",
          where, number_[corner / 3], num_faulty));
    }
    throw Error(fmt::format(
        "the surface is not a solid's: {} belongs to {} triangles (faulty edges in all: {}); "
        "separate the parts or remove inner walls in a mesh editor",
        where, uses, num_faulty));
  }

  // Edges of other than two triangles stay without neighbours.
  void link_neighbors() {
    neighbor_.assign(edges_.size(), -1);
    for (std::size_t i = 0; i < edges_.size();) {
      const std::size_t end = end_of_edge(i);
      if (end - i == 2) {
        neighbor_[edges_[i].corner] = edges_[i + 1].corner;
        neighbor_[edges_[i + 1].corner] = edges_[i].corner;
      }
      i = end;
    }
  }

  // Walks each connected part and turns triangles so that they agree; the lesser half is turned.
  void orient() {
    std::vector<signed char> turned(mesh_.triangles.size(), -1);
    int count = 0;
    for (int seed = 0; seed < num_triangles(); ++seed) {
      if (turned[seed] >= 0) continue;
      const std::vector<int> part = agree_from(seed, &turned);
      const auto num_turned = std::count_if(part.begin(), part.end(), [&](int t) {
        return turned[t] == 1;
      });
      const signed char which = 2 * num_turned > std::ssize(part) ? 0 : 1;
      for (const int t : part) {
        if (turned[t] != which) continue;
        std::swap(mesh_.triangles[t][1], mesh_.triangles[t][2]);
        ++count;
      }
    }
    if (count == 0) return;
    add_note(notes_,
             fmt::format("turned {} triangles round to agree with their neighbours", count));
    sort_edges();
    link_neighbors();
  }
  // The triangles connected with the seed, which of them must be turned (1) for all to agree with
  // it in `turned`.
  std::vector<int> agree_from(int seed, std::vector<signed char>* turned) const {
    std::vector<int> part{seed};
    (*turned)[seed] = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      const int t = part[i];
      for (int corner = 3 * t; corner < 3 * t + 3; ++corner) {
        const int other = neighbor_[corner];
        if (other < 0) continue;
        const bool same_way = vertex(corner) == vertex(other);
        const int wanted = same_way ? 1 - (*turned)[t] : (*turned)[t];
        signed char& found = (*turned)[other / 3];
        if (found < 0) {
          found = static_cast<signed char>(wanted);
          part.push_back(other / 3);
        } else if (found != wanted) {
          throw Error(fmt::format(
              "the surface has one side only (like a Möbius strip): triangles {} and {} cannot be "
              "turned to agree at {}; rebuild that part in a mesh editor",
              number_[t], number_[other / 3], describe_vertex(vertex(corner))));
        }
      }
    }
    return part;
  }

  bool has_edge(std::uint64_t edge) const {
    const auto at = std::lower_bound(edges_.begin(), edges_.end(), edge,
                                     [](const EdgeUse& use, std::uint64_t value) {
                                       return use.edge < value;
                                     });
    return at != edges_.end() && at->edge == edge;
  }

  // A triangle without area and its neighbour at the longest edge, which runs through its third
  // corner, have the other diagonal instead. Two such in a row may need another round.
  void flip_flat_triangles() {
    int count = 0, first = -1;
    for (int round = 0; round < 10; ++round) {
      std::vector<char> touched;
      std::unordered_set<std::uint64_t> new_edges;
      for (int t = 0; t < num_triangles(); ++t) {
        if (!is_flat(t)) continue;
        touched.resize(mesh_.triangles.size(), 0);
        const int corner = longest_edge(t), other = neighbor_[corner];
        const int a = vertex(corner), b = next_vertex(corner);
        const int c = vertex(next_in_triangle(next_in_triangle(corner)));
        const int d = vertex(next_in_triangle(next_in_triangle(other)));
        const bool free = touched[t] == 0 && touched[other / 3] == 0;
        // The table does not know the edges made in this round.
        if (!free || c == d || has_edge(edge_key(c, d))) continue;
        if (!new_edges.insert(edge_key(c, d)).second) continue;
        mesh_.triangles[t] = {a, d, c};
        mesh_.triangles[other / 3] = {d, b, c};
        touched[t] = touched[other / 3] = 1;
        if (first < 0) first = number_[t];
        ++count;
      }
      if (touched.empty()) break;
      sort_edges();
      link_neighbors();
    }
    if (count > 0) {
      add_note(notes_, fmt::format("changed {} edges to be rid of triangles without area (first: "
                                   "triangle {})",
                                   count, first));
    }
    const int left = find_flat_triangle();
    if (left >= 0) {
      add_note(notes_,
               fmt::format("triangle {} has no area and cannot be resolved", number_[left]));
    }
  }

  // Corners at one vertex are of one fan when edges join them; each further fan gets a copy.
  void split_touching_vertices() {
    UnionFind fans;
    fans.reset(3 * num_triangles());
    for (int corner = 0; corner < 3 * num_triangles(); ++corner) {
      const int other = neighbor_[corner];  // runs from our next vertex to ours
      fans.unite(corner, next_in_triangle(other));
      fans.unite(next_in_triangle(corner), other);
    }
    std::vector<int> first_fan(mesh_.vertices.size(), -1), copy(3 * mesh_.triangles.size(), -1);
    int count = 0;
    for (int corner = 0; corner < 3 * num_triangles(); ++corner) {
      const int v = vertex(corner), fan = fans.find(corner);
      if (first_fan[v] < 0) first_fan[v] = fan;
      if (fan == first_fan[v]) continue;
      if (copy[fan] < 0) {
        copy[fan] = static_cast<int>(mesh_.vertices.size());
        const Vec3 p = mesh_.vertices[v];
        mesh_.vertices.push_back(p);
        first_fan.push_back(fan);
        ++count;
      }
      mesh_.triangles[corner / 3][corner % 3] = copy[fan];
    }
    if (count > 0) {
      add_note(notes_,
               fmt::format("split {} vertices at which parts of the surface only touch", count));
    }
  }

  void turn_outward() {
    const double volume = calc_volume(mesh_);
    if (!(std::fabs(volume) > 1e-12 * size_ * size_ * size_)) {
      throw Error(fmt::format(
          "the surface encloses no volume ({:.3g} m³ in a box of {:.3g} m); give a solid with some "
          "thickness, or check the units",
          volume, size_));
    }
    if (volume > 0) return;
    for (auto& triangle : mesh_.triangles) {
      std::swap(triangle[1], triangle[2]);
    }
    add_note(notes_, "turned all triangles round: the surface was inside out");
  }

  // Without the vertices of no triangle.
  TriangleMesh compacted() const {
    std::vector<int> index(mesh_.vertices.size(), -1);
    for (const auto& triangle : mesh_.triangles) {
      for (const int v : triangle) {
        index[v] = 0;
      }
    }
    TriangleMesh out;
    for (std::size_t v = 0; v < index.size(); ++v) {
      if (index[v] < 0) continue;
      index[v] = static_cast<int>(out.vertices.size());
      out.vertices.push_back(mesh_.vertices[v]);
    }
    out.triangles.reserve(mesh_.triangles.size());
    for (const auto& [a, b, c] : mesh_.triangles) {
      out.triangles.push_back({index[a], index[b], index[c]});
    }
    return out;
  }

  TriangleMesh mesh_;
  MeshNotes* notes_;
  double size_ = 0;             // largest extent
  std::vector<int> number_;     // of each triangle in the mesh given
  std::vector<EdgeUse> edges_;  // sorted
  std::vector<int> neighbor_;   // the corner of the other triangle at each edge, or −1
};

// Keeps one vertex a cell, the cells being twice as wide as the tolerance.
class VertexGrid {
 public:
  VertexGrid(const Vec3& lower, double tolerance, std::span<const Vec3> vertices)
      : lower_(lower),
        tolerance_(tolerance),
        per_cell_(tolerance > 0 ? 0.5 / tolerance : 0),
        vertices_(vertices) {
    cells_.reserve(vertices.size());
  }

  // The vertex kept in v's cell, or one within the tolerance in the seven cells on v's side; else
  // v, which is kept.
  int find_or_add(int v) {
    const Vec3 at = per_cell_ * (vertices_[v] - lower_);
    Cell own{}, side{};
    for (int i = 0; i < 3; ++i) {
      own[i] = static_cast<std::int64_t>(std::floor(at[i]));
      side[i] = at[i] - std::floor(at[i]) < 0.5 ? -1 : 1;
    }
    for (unsigned k = 0; k < 8; ++k) {
      Cell cell = own;
      for (unsigned i = 0; i < 3; ++i) {
        if ((k >> i & 1U) != 0) cell[i] += side[i];
      }
      const auto found = cells_.find(cell);
      if (found == cells_.end()) continue;
      if (k == 0 || norm(vertices_[found->second] - vertices_[v]) <= tolerance_) {
        return found->second;
      }
    }
    cells_.emplace(own, v);
    return v;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  struct CellHash {
    std::size_t operator()(const Cell& c) const {
      return mix(static_cast<std::uint64_t>(c[0]) ^
                 mix(static_cast<std::uint64_t>(c[1]) ^ mix(static_cast<std::uint64_t>(c[2]))));
    }
  };

  Vec3 lower_;
  double tolerance_, per_cell_;
  std::span<const Vec3> vertices_;
  std::unordered_map<Cell, int, CellHash> cells_;
};

}  // namespace

namespace detail {

void add_note(MeshNotes* notes, const std::string& text) {
  if (notes != nullptr) notes->repairs.push_back(text);
}

template <std::size_t N>
double calc_size(std::span<const Vec3> vertices, std::span<const std::array<int, N>> elements) {
  if (elements.empty()) return 0;
  Vec3 lower = vertices[elements[0][0]], upper = lower;
  for (const auto& element : elements) {
    for (const int v : element) {
      lower = cwise_min(lower, vertices[v]);
      upper = cwise_max(upper, vertices[v]);
    }
  }
  const Vec3 extent = upper - lower;
  return std::max({extent.x, extent.y, extent.z});
}
template double calc_size(std::span<const Vec3>, std::span<const std::array<int, 3>>);
template double calc_size(std::span<const Vec3>, std::span<const std::array<int, 4>>);

template <std::size_t N>
void check_elements(std::span<const Vec3> vertices, std::span<const std::array<int, N>> elements,
                    const char* element) {
  if (vertices.empty() || elements.empty()) {
    throw Error(fmt::format("the mesh has {} vertices and {} {}s; export it again with its faces",
                            vertices.size(), elements.size(), element));
  }
  if (elements.size() > kMaxMeshElements || vertices.size() > 4 * std::size_t{kMaxMeshElements}) {
    throw Error(fmt::format(
        "the mesh has {} {}s and {} vertices, more than the limit of {} {}s; decimate it first",
        elements.size(), element, vertices.size(), kMaxMeshElements, element));
  }
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const Vec3& p = vertices[v];
    const double largest = std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
    if (is_finite(p) && largest <= kMaxCoordinate) continue;
    throw Error(fmt::format(
        "vertex {} is at ({}, {}, {}), which is not a place within 1e9 m; export the mesh again", v,
        p.x, p.y, p.z));
  }
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (const int v : elements[e]) {
      if (v >= 0 && v < static_cast<int>(vertices.size())) continue;
      throw Error(
          fmt::format("{} {} names vertex {}, but vertices run from 0 to {}; export the mesh again",
                      element, e, v, vertices.size() - 1));
    }
  }
}
template void check_elements(std::span<const Vec3>, std::span<const std::array<int, 3>>,
                             const char*);
template void check_elements(std::span<const Vec3>, std::span<const std::array<int, 4>>,
                             const char*);

std::vector<int> find_duplicates(std::span<const Vec3> vertices, double size) {
  Vec3 lower = vertices.empty() ? Vec3{} : vertices[0];
  for (const Vec3& p : vertices) {
    lower = cwise_min(lower, p);
  }
  VertexGrid grid(lower, kMergeTolerance * size, vertices);
  std::vector<int> first(vertices.size());
  for (int v = 0; v < static_cast<int>(vertices.size()); ++v) {
    first[v] = grid.find_or_add(v);
  }
  return first;
}

}  // namespace detail

TriangleMesh prepare_closed_surface(const TriangleMesh& mesh, MeshNotes* notes) {
  return Surface(mesh, notes).prepare_closed();
}

TriangleMesh prepare_open_surface(const TriangleMesh& mesh, MeshNotes* notes) {
  return Surface(mesh, notes).prepare_open();
}

bool is_closed(const TriangleMesh& mesh) {
  // Of edges sorted by their ends, each directed one must be met by its reverse, and be alone.
  std::vector<std::uint64_t> forward, backward;
  for (const auto& triangle : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      const auto a = static_cast<std::uint64_t>(triangle[k]);
      const auto b = static_cast<std::uint64_t>(triangle[(k + 1) % 3]);
      forward.push_back(a << 32 | b);
      backward.push_back(b << 32 | a);
    }
  }
  std::sort(forward.begin(), forward.end());
  std::sort(backward.begin(), backward.end());
  const bool alone = std::adjacent_find(forward.begin(), forward.end()) == forward.end();
  return !forward.empty() && alone && forward == backward;
}

double calc_volume(const TriangleMesh& mesh) {
  // From a vertex rather than the origin: no digits are lost far away from it.
  double six_volumes = 0;
  const Vec3 o = mesh.vertices.empty() ? Vec3{} : mesh.vertices[0];
  for (const auto& [a, b, c] : mesh.triangles) {
    six_volumes += calc_six_volumes(o, mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
  }
  return six_volumes / 6;
}

}  // namespace cenic

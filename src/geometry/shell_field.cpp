// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// make_shell_field: a closed surface and the same surface moved inward, with prisms between.
//
// Vertex v moves to v − t n. The direction n is the angle-weighted normal, bent where needed so
// that it leaves all triangles at v by their outer side. How far it may go is found with a ball
// that rolls inside: at v − t n the incident planes are t c away, c = min n·nᵢ; as long as no other
// part of the surface is nearer than that, the point still belongs to v's side of the solid, and
// depth grows along the way as t c. The first t at which something else is as near is on the medial
// axis; 0.9 of it are used. A ray first, so as to begin inside; alone it would not do: beside a
// convex edge it goes deep along the neighbouring face. Then prisms that fold are made shallower.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/volume_field.h"

namespace cenic {
namespace {

constexpr double kWay = 0.9;  // of the way to the medial axis
// Of the ball's radius. On the medial axis of a round solid everything is equally near: a ball that
// does not quite touch saves looking at all of it.
constexpr double kSlack = 0.05;
constexpr double kLeastCosine = 0.05;     // of a direction and the normals at its vertex
constexpr double kLeastVolume = 1e-3;     // of a tetrahedron, against its prism's base × thickness
constexpr double kLeastDepth = 0.6;       // of the inner wall, against its vertices
constexpr double kLeastThickness = 1e-7;  // of the size of the solid: below, a vertex does not move
constexpr double kThin = 1e-4;            // of the size of the solid: worth a note
constexpr double kLeastHeld = 0.999;      // of the triangles must keep some shell
constexpr int kMaxShrinks = 200;

class ShellBuilder {
 public:
  ShellBuilder(const TriangleMesh& surface, double max_thickness)
      : surface_(surface),
        distance_(surface),
        num_vertices_(static_cast<int>(surface.vertices.size())) {
    size_ = detail::calc_size<3>(surface_.vertices, surface_.triangles);
    limit_ = max_thickness > 0 ? std::min(max_thickness, size_) : size_;
    find_fans();
    find_directions();
    find_thicknesses();
    shrink_until_good();
  }

  VolumeField make() {
    VolumeField field;
    std::vector<int> inner(num_vertices_);  // where each vertex has moved; itself when it has not
    field.mesh.vertices = surface_.vertices;
    field.depth.assign(num_vertices_, 0);
    for (int v = 0; v < num_vertices_; ++v) {
      inner[v] = thickness_[v] > 0 ? static_cast<int>(field.mesh.vertices.size()) : v;
      if (thickness_[v] == 0) continue;
      field.mesh.vertices.push_back(moved(v));
      // Never more than it has moved, whatever the rounding.
      field.depth.push_back(std::min(distance_.calc_distance(moved(v)), thickness_[v]));
      field.max_depth = std::max(field.max_depth, field.depth.back());
    }
    for (const auto& triangle : surface_.triangles) {
      for (const auto& corners : cut_prism(triangle)) {
        std::array<int, 4> tet{};
        for (int k = 0; k < 4; ++k) {
          tet[k] = corners[k] < num_vertices_ ? corners[k] : inner[corners[k] - num_vertices_];
        }
        // Of a prism with an unmoved vertex only the tetrahedra without it twice are left.
        auto sorted = tet;
        std::sort(sorted.begin(), sorted.end());
        if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end()) {
          field.mesh.tets.push_back(tet);
        }
      }
    }
    add_notes(&field);
    return field;
  }

 private:
  const Vec3& vertex(int v) const { return surface_.vertices[v]; }
  Vec3 moved(int v) const { return vertex(v) - thickness_[v] * direction_[v]; }
  // Vertex v < num_vertices of the surface, or the one that vertex v − num_vertices moves to.
  Vec3 place(int v) const { return v < num_vertices_ ? vertex(v) : moved(v - num_vertices_); }

  // The triangles at each vertex, in flat arrays.
  void find_fans() {
    fan_start_.assign(num_vertices_ + 1, 0);
    for (const auto& triangle : surface_.triangles) {
      for (const int v : triangle) {
        ++fan_start_[v + 1];
      }
    }
    for (int v = 0; v < num_vertices_; ++v) {
      fan_start_[v + 1] += fan_start_[v];
    }
    fan_.resize(fan_start_.back());
    std::vector<int> next(fan_start_.begin(), fan_start_.end() - 1);
    normal_.reserve(surface_.triangles.size());
    for (std::size_t t = 0; t < surface_.triangles.size(); ++t) {
      const auto& [a, b, c] = surface_.triangles[t];
      normal_.push_back(normalized(cross(vertex(b) - vertex(a), vertex(c) - vertex(a))));
      for (const int v : surface_.triangles[t]) {
        fan_[next[v]++] = static_cast<int>(t);
      }
    }
  }

  // min over the triangles at v of n·nᵢ, and which it is.
  std::pair<double, int> calc_least_cosine(int v, const Vec3& n) const {
    std::pair<double, int> least{2, -1};
    for (int k = fan_start_[v]; k < fan_start_[v + 1]; ++k) {
      const double cosine = dot(n, normal_[fan_[k]]);
      if (cosine < least.first) least = {cosine, fan_[k]};
    }
    return least;
  }

  Vec3 calc_angle_weighted_normal(int v) const {
    Vec3 sum;
    for (int k = fan_start_[v]; k < fan_start_[v + 1]; ++k) {
      const auto& triangle = surface_.triangles[fan_[k]];
      const int i =
          static_cast<int>(std::find(triangle.begin(), triangle.end(), v) - triangle.begin());
      const Vec3 a = normalized(vertex(triangle[(i + 1) % 3]) - vertex(v));
      const Vec3 b = normalized(vertex(triangle[(i + 2) % 3]) - vertex(v));
      sum += std::atan2(norm(cross(a, b)), dot(a, b)) * normal_[fan_[k]];
    }
    return normalized(sum);
  }

  void find_directions() {
    direction_.resize(num_vertices_);
    cosine_.resize(num_vertices_);
    for (int v = 0; v < num_vertices_; ++v) {
      Vec3 n = calc_angle_weighted_normal(v), best = n;
      auto [cosine, worst] = calc_least_cosine(v, n);
      double best_cosine = cosine;
      // At a sharp saddle: toward the normal that is furthest away, in shrinking steps (the centre
      // of the smallest cone around all normals, by Badoiu and Clarkson's iteration).
      for (int i = 1; best_cosine < 0.3 && i <= 100; ++i) {
        n = normalized(n + (1.0 / (i + 1)) * normal_[worst]);
        std::tie(cosine, worst) = calc_least_cosine(v, n);
        if (cosine > best_cosine) best_cosine = cosine, best = n;
      }
      direction_[v] = best;
      cosine_[v] = best_cosine;
    }
  }

  void find_thicknesses() {
    thickness_.resize(num_vertices_);
    for (int v = 0; v < num_vertices_; ++v) {
      thickness_[v] = cosine_[v] > kLeastCosine ? std::min(limit_, find_thickness(v)) : 0;
    }
  }
  double find_thickness(int v) const {
    const Vec3& n = direction_[v];
    const double c = (1 - 1e-3) * cosine_[v], a = 1 - c * c;
    const auto is_incident = [&](int t) {
      const auto& [i, j, k] = surface_.triangles[t];
      return i == v || j == v || k == v;
    };
    const double hit = distance_.find_first_hit(vertex(v), -n, 2 * size_, is_incident);
    if (hit >= 2 * size_) return 0;  // outside, by rounding at a very sharp corner
    double t = std::min(limit_ / kWay, hit);
    for (int i = 0; i < 50; ++i) {
      Vec3 q;
      const double reach = (1 - kSlack) * t * c;
      if (!distance_.find_nearest(vertex(v) - t * n, reach, is_incident, &q)) break;
      // The smaller t at which q is just t c away: a t² − 2 b t + g = 0.
      const Vec3 d = vertex(v) - q;
      const double b = dot(n, d), g = norm_squared(d);
      const double smaller = g / (b + std::sqrt(std::max(0.0, b * b - a * g)));
      if (!(smaller < (1 - 1e-6) * t)) break;
      t = smaller;
    }
    return kWay * t;
  }

  // Three tetrahedra between a triangle and its copy inside. Each of the three sides is cut from
  // the outer end of its lower vertex to the inner end of the higher one, by which neighbours
  // agree.
  std::array<std::array<int, 4>, 3> cut_prism(std::array<int, 3> triangle) const {
    std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()),
                triangle.end());
    const auto [a, b, c] = triangle;  // a is the lowest
    const int A = a + num_vertices_, B = b + num_vertices_, C = c + num_vertices_;
    if (b < c) return {{{a, c, b, C}, {a, C, b, B}, {a, C, B, A}}};
    return {{{a, c, b, B}, {a, C, c, B}, {a, C, B, A}}};
  }

  bool is_folded(const std::array<int, 3>& triangle) const {
    const auto& [a, b, c] = triangle;
    const double area = norm(cross(vertex(b) - vertex(a), vertex(c) - vertex(a)));
    const double least = std::min({positive(a), positive(b), positive(c)});
    for (const auto& tet : cut_prism(triangle)) {
      // A tetrahedron flat only because a vertex does not move is none.
      bool flat = false;
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          flat = flat || (tet[i] + num_vertices_ == tet[j] && thickness_[tet[i]] == 0);
        }
      }
      const double six_volumes =
          calc_six_volumes(place(tet[0]), place(tet[1]), place(tet[2]), place(tet[3]));
      if (!flat && !(six_volumes > kLeastVolume * area * least)) return true;
    }
    return false;
  }
  double positive(int v) const {
    return thickness_[v] > 0 ? thickness_[v] : std::numeric_limits<double>::infinity();
  }

  // Large triangles may come near something between their vertices that these do not see: there the
  // inner wall is much nearer to the surface than its vertices make believe.
  bool is_too_deep(const std::array<int, 3>& triangle) const {
    const auto& [a, b, c] = triangle;
    const auto is_near = [&](const Vec3& x, double depth) {
      Vec3 q;
      return distance_.find_nearest(
          x, kLeastDepth * depth,
          [](int) {
            return false;
          },
          &q);
    };
    const Vec3 A = moved(a), B = moved(b), C = moved(c);
    const double x = depth(a), y = depth(b), z = depth(c);
    return is_near((A + B + C) / 3, (x + y + z) / 3) || is_near(0.5 * (A + B), 0.5 * (x + y)) ||
           is_near(0.5 * (B + C), 0.5 * (y + z)) || is_near(0.5 * (C + A), 0.5 * (z + x));
  }
  // The distance to the planes at v, which is the least it can have been moved away from them.
  double depth(int v) const { return thickness_[v] * cosine_[v]; }

  // In folded and too deep prisms the vertices that have moved furthest stay further out, until
  // none is left.
  void shrink_until_good() {
    std::vector<char> shrink(num_vertices_), check(surface_.triangles.size(), 1);
    for (int round = 0; round < kMaxShrinks && mark_vertices(check, &shrink); ++round) {
      // The last rounds give up what is still bad.
      const double factor = round + 5 < kMaxShrinks ? 0.7 : 0;
      std::fill(check.begin(), check.end(), 0);
      for (int v = 0; v < num_vertices_; ++v) {
        if (shrink[v] == 0) continue;
        const double less = factor * thickness_[v];
        thickness_[v] = less > kLeastThickness * size_ ? less : 0;
        for (int k = fan_start_[v]; k < fan_start_[v + 1]; ++k) {
          check[fan_[k]] = 1;
        }
      }
    }
  }
  // Which vertices to move less, by the triangles to check; false when there are none.
  bool mark_vertices(const std::vector<char>& check, std::vector<char>* shrink) const {
    bool any = false;
    std::fill(shrink->begin(), shrink->end(), 0);
    for (std::size_t t = 0; t < surface_.triangles.size(); ++t) {
      const auto& triangle = surface_.triangles[t];
      const auto& [a, b, c] = triangle;
      const double most = std::max({thickness_[a], thickness_[b], thickness_[c]});
      if (check[t] == 0 || most == 0 || !(is_folded(triangle) || is_too_deep(triangle))) continue;
      for (const int v : triangle) {
        if (thickness_[v] > 0.7 * most) (*shrink)[v] = 1;
      }
      any = true;
    }
    return any;
  }

  void add_notes(VolumeField* field) const {
    std::size_t num_bare = 0, num_weak = 0, first = surface_.triangles.size();
    for (std::size_t t = 0; t < surface_.triangles.size(); ++t) {
      int unmoved = 0;
      for (const int v : surface_.triangles[t]) {
        unmoved += thickness_[v] == 0 ? 1 : 0;
      }
      if (unmoved > 0) first = std::min(first, t);
      num_weak += unmoved > 0 ? 1 : 0;
      num_bare += unmoved == 3 ? 1 : 0;
    }
    const std::size_t count = surface_.triangles.size();
    if (static_cast<double>(count - num_bare) < kLeastHeld * static_cast<double>(count)) {
      throw Error(fmt::format(
          "no room for a compliant shell under {} of {} triangles (first: triangle {}): the "
          "surface "
          "folds or crosses itself there; simplify it, or give a tetrahedral mesh (.vtk)",
          num_bare, count, first));
    }
    if (num_weak > 0) {
      detail::add_note(&field->notes,
                       fmt::format("the shell thins out to nothing at a corner of {} triangles "
                                   "(first: triangle {}), and {} have none",
                                   num_weak, first, num_bare));
    }
    const auto is_thin = [&](double t) {
      return t > 0 && t < std::min(kThin * size_, 0.1 * limit_);
    };
    const auto thin = std::find_if(thickness_.begin(), thickness_.end(), is_thin);
    if (thin == thickness_.end()) return;
    const Vec3& p = vertex(static_cast<int>(thin - thickness_.begin()));
    detail::add_note(
        &field->notes,
        fmt::format("the shell is thinner than {:.2g} m at {} vertices (first: near ({:.6g}, "
                    "{:.6g}, {:.6g}))",
                    std::min(kThin * size_, 0.1 * limit_),
                    std::count_if(thin, thickness_.end(), is_thin), p.x, p.y, p.z));
  }

  const TriangleMesh& surface_;
  SurfaceDistance distance_;
  int num_vertices_;
  double size_ = 0, limit_ = 0;
  std::vector<int> fan_start_, fan_;  // triangles at each vertex
  std::vector<Vec3> normal_;          // of each triangle
  std::vector<Vec3> direction_;       // outward, of each vertex
  std::vector<double> cosine_;        // least one of the direction and the normals at the vertex
  std::vector<double> thickness_;     // how far each vertex moves inward; 0: it stays
};

}  // namespace

VolumeField make_shell_field(const TriangleMesh& surface, double max_thickness) {
  if (!(max_thickness >= 0) || !std::isfinite(max_thickness)) {
    throw Error(fmt::format(
        "the thickness of a shell is {}; give a positive one in metres, or 0 for no limit",
        max_thickness));
  }
  MeshNotes notes;
  const TriangleMesh closed = prepare_closed_surface(surface, &notes);
  VolumeField field = ShellBuilder(closed, max_thickness).make();
  field.notes.repairs.insert(field.notes.repairs.begin(), notes.repairs.begin(),
                             notes.repairs.end());
  return field;
}

}  // namespace cenic

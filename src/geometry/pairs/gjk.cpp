// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The closest point v to the origin of D = A − B is found by growing a simplex of points of D: from
// the closest point of the simplex, ask D for its furthest point w towards the origin; v·w/|v|
// bounds the distance from below.
#include "geometry/pairs/gjk.h"

#include <algorithm>
#include <limits>

namespace cenic::detail {
namespace {

constexpr int kMaxIterations = 100;
constexpr double kRelativeGap = 1e-13;  // of |v|²
constexpr double kTouching = 1e-10;     // of the largest |w|: closer cores count as touching

struct Vertex {
  Vec3 w, a, b;  // w = a − b
};

struct Simplex {
  int count = 0;
  Vertex vertex[4];
  double share[4] = {1, 0, 0, 0};  // barycentric coordinates of the closest point
};

// The closest point of a part of a simplex: which vertices, their shares, and the point itself.
struct Part {
  int count = 0;
  int index[3] = {0, 0, 0};
  double share[3] = {1, 0, 0};
  Vec3 v;
};

Part closest_on_segment(const Simplex& s, int i, int j) {
  const Vec3 &a = s.vertex[i].w, &b = s.vertex[j].w;
  const Vec3 ab = b - a;
  const double length_squared = norm_squared(ab);
  const double t = length_squared > 0 ? -dot(a, ab) / length_squared : 0;
  if (!(t > 0)) return {1, {i, 0, 0}, {1, 0, 0}, a};
  if (t >= 1) return {1, {j, 0, 0}, {1, 0, 0}, b};
  return {2, {i, j, 0}, {1 - t, t, 0}, a + t * ab};
}

Part closer(const Part& p, const Part& q) { return norm_squared(q.v) < norm_squared(p.v) ? q : p; }

Part closest_on_triangle(const Simplex& s, int i, int j, int k) {
  const Vec3 &a = s.vertex[i].w, &b = s.vertex[j].w, &c = s.vertex[k].w;
  const Vec3 n = cross(b - a, c - a);
  const double n_squared = norm_squared(n);
  if (n_squared > 0) {
    // Barycentric coordinates of the projection are signed areas over the whole.
    const double u = dot(n, cross(b, c)), v = dot(n, cross(c, a)), w = dot(n, cross(a, b));
    if (u > 0 && v > 0 && w > 0) {
      const double sum = u + v + w;
      // Along n, not as a sum of corners: the direction stays exact however small the distance is.
      return {3, {i, j, k}, {u / sum, v / sum, w / sum}, dot(a, n) / n_squared * n};
    }
  }
  return closer(closer(closest_on_segment(s, i, j), closest_on_segment(s, j, k)),
                closest_on_segment(s, k, i));
}

// False when the origin is inside.
bool closest_on_tetrahedron(const Simplex& s, Part* best) {
  constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
  double best_squared = std::numeric_limits<double>::infinity();
  for (const auto& f : kFaces) {
    const Vec3& a = s.vertex[f[0]].w;
    const Vec3 n = cross(s.vertex[f[1]].w - a, s.vertex[f[2]].w - a);
    const double inside = dot(n, s.vertex[f[3]].w - a), origin = -dot(n, a);
    if (inside * origin > 0) continue;  // the origin is on the side of the fourth vertex
    const Part part = closest_on_triangle(s, f[0], f[1], f[2]);
    const double squared = norm_squared(part.v);
    if (squared < best_squared) best_squared = squared, *best = part;
  }
  return best_squared < std::numeric_limits<double>::infinity();
}

bool find_closest(const Simplex& s, Part* part) {
  switch (s.count) {
    case 1:
      *part = {1, {0, 0, 0}, {1, 0, 0}, s.vertex[0].w};
      return true;
    case 2:
      *part = closest_on_segment(s, 0, 1);
      return true;
    case 3:
      *part = closest_on_triangle(s, 0, 1, 2);
      return true;
    default:
      return closest_on_tetrahedron(s, part);
  }
}

void keep(const Part& part, Simplex* s) {
  Vertex kept[3];
  for (int i = 0; i < part.count; ++i) {
    kept[i] = s->vertex[part.index[i]];
  }
  s->count = part.count;
  for (int i = 0; i < part.count; ++i) {
    s->vertex[i] = kept[i];
    s->share[i] = part.share[i];
  }
}

bool contains(const Simplex& s, const Vec3& w) {
  for (int i = 0; i < s.count; ++i) {
    if (s.vertex[i].w == w) return true;
  }
  return false;
}

GjkResult make_result(const Simplex& s, const Vec3& v) {
  GjkResult result;
  result.status = GjkStatus::kSeparated;
  result.distance = norm(v);
  result.nhat = v / -result.distance;
  for (int i = 0; i < s.count; ++i) {
    result.p_A += s.share[i] * s.vertex[i].a;
    result.p_B += s.share[i] * s.vertex[i].b;
  }
  return result;
}

}  // namespace

GjkResult calc_gjk(const Core& A, const Core& B, double cutoff) {
  Simplex simplex;
  Vec3 v = A.center - B.center;
  if (!(norm_squared(v) > 0)) v = {1, 0, 0};
  double largest_squared = 0;
  double v_squared = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Vec3 a = calc_core_support(A, -v), b = calc_core_support(B, v);
    const Vec3 w = a - b;
    largest_squared = std::max(largest_squared, norm_squared(w));
    const double v_dot_w = dot(v, w);
    if (v_dot_w > 0 && v_dot_w > cutoff * norm(v)) return {GjkStatus::kFar, 0, {}, {}, {}};
    if (iteration > 0 &&
        (v_squared - v_dot_w <= kRelativeGap * v_squared || contains(simplex, w))) {
      break;
    }
    const Simplex before = simplex;
    simplex.vertex[simplex.count++] = {w, a, b};
    Part part;
    if (!find_closest(simplex, &part)) return {};
    // Rounding has the last word: a simplex that is no better ends the search with the one before
    // it.
    const double squared = norm_squared(part.v);
    if (!(squared < v_squared)) {
      simplex = before;
      break;
    }
    keep(part, &simplex);
    v = part.v;
    v_squared = squared;
    if (v_squared <= kTouching * kTouching * largest_squared) return {};
  }
  return make_result(simplex, v);
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A polytope inside D = A − B is grown where its nearest face is: the support point of D along that
// face's normal either lies in the face, which is then part of the surface of D, or becomes a new
// vertex. Unlike the textbook version the first tetrahedron need not hold the origin: faces the
// origin is outside of have a negative offset, are therefore first in line, and disappear. So cores
// that just touch need no special case.
#include "geometry/pairs/epa.h"

#include <algorithm>
#include <limits>

#include "geometry/pairs/polish.h"

namespace cenic::detail {
namespace {

constexpr int kMaxVertices = 160;
constexpr int kMaxFaces = 2 * kMaxVertices;
constexpr double kTolerance = 1e-13;  // of the size of D
// A polished minimum is exact in itself; this much of the depth (and of the size) may hide a second
// one as deep.
constexpr double kSlackDepth = 1e-3, kSlackSize = 1e-6;
constexpr int kPolishEvery = 6;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Vertex {
  Vec3 w, a, b;  // w = a − b
};

struct Face {
  int v[3] = {0, 0, 0};
  Vec3 n;             // outward unit normal
  double offset = 0;  // n·w
};

struct Edge {
  int from = 0, to = 0;
};

class Polytope {
 public:
  Polytope(const Core& A, const Core& B) : A_(A), B_(B) {}

  bool start();
  Penetration expand();

 private:
  Vertex support(const Vec3& n) const {
    const Vec3 a = calc_core_support(A_, n), b = calc_core_support(B_, -n);
    return {a - b, a, b};
  }
  Face make_face(int i, int j, int k) const;
  bool replace_visible(const Vec3& w, int picked);
  void drop_or_add(int from, int to);
  int nearest_face() const;
  Penetration make_result(const Face& face, double depth) const;
  bool polish(const Face& face, Penetration* best) const;
  void attach_witness(Penetration* best) const;

  const Core& A_;
  const Core& B_;
  int num_vertices_ = 0, num_faces_ = 0, num_edges_ = 0;
  double size_ = 0;
  Vertex vertices_[kMaxVertices];
  Face faces_[kMaxFaces];
  Edge edges_[kMaxFaces];
};

Face Polytope::make_face(int i, int j, int k) const {
  const Vec3 &a = vertices_[i].w, &b = vertices_[j].w, &c = vertices_[k].w;
  const Vec3 n = cross(b - a, c - a);
  const double length = norm(n);
  // A sliver has no normal to speak of: it closes the surface but is never the nearest face.
  const double longest = std::max({norm_squared(b - a), norm_squared(c - a), norm_squared(c - b)});
  if (!(length > 1e-14 * longest)) return {{i, j, k}, {}, kInfinity};
  const Vec3 unit = n / length;
  return {{i, j, k}, unit, std::max({dot(unit, a), dot(unit, b), dot(unit, c)})};
}

// Two opposite points of D, the furthest from their line, and the furthest from the plane of the
// three.
bool Polytope::start() {
  Vec3 d = A_.center - B_.center;
  d = norm_squared(d) > 0 ? normalized(d) : Vec3{0, 0, 1};
  vertices_[0] = support(d);
  vertices_[1] = support(-d);
  Vec3 line = vertices_[0].w - vertices_[1].w;
  if (!(norm_squared(line) > 0)) return false;
  size_ = norm(line);
  const Vec3 e1 = any_orthogonal(line / size_), e2 = cross(line / size_, e1);
  double best = 0;
  for (const Vec3& e : {e1, -e1, e2, -e2}) {
    const Vertex candidate = support(e);
    const double off = norm(cross(line / size_, candidate.w - vertices_[0].w));
    if (off > best) best = off, vertices_[2] = candidate;
  }
  size_ = std::max(size_, best);
  if (!(best > 1e-14 * size_)) return false;
  const Vec3 n =
      normalized(cross(vertices_[1].w - vertices_[0].w, vertices_[2].w - vertices_[0].w));
  const Vertex up = support(n), down = support(-n);
  const double above = dot(n, up.w - vertices_[0].w), below = -dot(n, down.w - vertices_[0].w);
  if (!(std::max(above, below) > 1e-14 * size_)) return false;
  vertices_[3] = above >= below ? up : down;
  num_vertices_ = 4;
  const bool flip = above >= below;  // the base 0-1-2 must look away from vertex 3
  const int i = flip ? 2 : 1, j = flip ? 1 : 2;
  faces_[0] = make_face(0, i, j);
  faces_[1] = make_face(0, 3, i);
  faces_[2] = make_face(i, 3, j);
  faces_[3] = make_face(j, 3, 0);
  num_faces_ = 4;
  return true;
}

int Polytope::nearest_face() const {
  int nearest = 0;
  for (int f = 1; f < num_faces_; ++f) {
    if (faces_[f].offset < faces_[nearest].offset) nearest = f;
  }
  return nearest;
}

// An edge seen once is on the border of the visible part; seen from both sides it is inside and
// goes.
void Polytope::drop_or_add(int from, int to) {
  for (int e = 0; e < num_edges_; ++e) {
    if (edges_[e].from == to && edges_[e].to == from) {
      edges_[e] = edges_[--num_edges_];
      return;
    }
  }
  edges_[num_edges_++] = {from, to};
}

bool Polytope::replace_visible(const Vec3& w, int picked) {
  num_edges_ = 0;
  int kept = 0;
  for (int f = 0; f < num_faces_; ++f) {
    const Face face = faces_[f];
    const bool visible = f == picked || dot(face.n, w - vertices_[face.v[0]].w) > 1e-15 * size_ ||
                         face.offset == kInfinity;
    if (!visible) {
      faces_[kept++] = face;
      continue;
    }
    if (num_edges_ + 3 > kMaxFaces) return false;
    for (int k = 0; k < 3; ++k) {
      drop_or_add(face.v[k], face.v[(k + 1) % 3]);
    }
  }
  num_faces_ = kept;
  if (num_faces_ + num_edges_ > kMaxFaces || num_edges_ == 0) return false;
  for (int e = 0; e < num_edges_; ++e) {
    faces_[num_faces_++] = make_face(edges_[e].from, edges_[e].to, num_vertices_ - 1);
  }
  return true;
}

// Witness points: the barycentric coordinates, in the face, of the origin's projection.
Penetration Polytope::make_result(const Face& face, double depth) const {
  const Vertex &p = vertices_[face.v[0]], &q = vertices_[face.v[1]], &r = vertices_[face.v[2]];
  const Vec3 o = face.offset * face.n;
  double share[3] = {std::max(0.0, dot(face.n, cross(q.w - o, r.w - o))),
                     std::max(0.0, dot(face.n, cross(r.w - o, p.w - o))),
                     std::max(0.0, dot(face.n, cross(p.w - o, q.w - o)))};
  const double sum = share[0] + share[1] + share[2];
  if (!(sum > 0)) share[0] = 1;
  const double f = sum > 0 ? 1 / sum : 1;
  return {true, depth, face.n, f * (share[0] * p.a + share[1] * q.a + share[2] * r.a),
          f * (share[0] * p.b + share[1] * q.b + share[2] * r.b)};
}

bool Polytope::polish(const Face& face, Penetration* best) const {
  Support support[3];
  for (int k = 0; k < 3; ++k) {
    support[k] = {vertices_[face.v[k]].a, vertices_[face.v[k]].b};
  }
  Penetration polished = *best;
  polished.nhat = face.n;
  if (!polish_depth(A_, B_, support, size_, &polished)) return false;
  if (!(polished.depth <= best->depth + kTolerance * size_)) return false;
  *best = polished;
  return true;
}

// The best normal may have come up early, on a face far inside of D: then a face now on the surface
// that looks the same way gives the points. What is left between them and the depth goes evenly to
// both.
void Polytope::attach_witness(Penetration* best) const {
  const auto residual = [&] {
    return best->depth - dot(best->nhat, best->p_A - best->p_B);
  };
  if (std::fabs(residual()) > 1e-9 * size_) {
    double closest = kInfinity;
    for (int f = 0; f < num_faces_; ++f) {
      const Face& face = faces_[f];
      const double off = norm(face.n - best->nhat) + std::fabs(face.offset - best->depth) / size_;
      if (!(face.offset < kInfinity) || off >= closest) continue;
      closest = off;
      const Penetration other = make_result(face, best->depth);
      best->p_A = other.p_A, best->p_B = other.p_B;
    }
  }
  const Vec3 correction = 0.5 * residual() * best->nhat;
  best->p_A += correction;
  best->p_B -= correction;
}

Penetration Polytope::expand() {
  const bool curved = is_curved(A_) || is_curved(B_);
  bool polished = false;
  Penetration best;
  best.depth = kInfinity;
  while (true) {
    const int f = nearest_face();
    const Face face = faces_[f];
    if (!(face.offset < kInfinity)) break;
    const Vertex next = support(face.n);
    const double depth = dot(face.n, next.w);
    size_ = std::max(size_, norm(next.w - vertices_[0].w));
    if (depth < best.depth - (polished ? kTolerance * size_ : 0)) {
      best = make_result(face, depth);
      polished = false;
    }
    // The least depth is between the nearest face's offset and the best depth seen.
    const double gap = best.depth - face.offset;
    if (gap <= kTolerance * size_ || num_vertices_ == kMaxVertices) break;
    const double slack = kSlackDepth * std::fabs(best.depth) + kSlackSize * size_;
    if (curved && !polished && (num_vertices_ % kPolishEvery == 0 || gap <= slack)) {
      polished = polish(face, &best);
    }
    if (polished && best.depth - face.offset <= slack) break;
    vertices_[num_vertices_++] = next;
    if (!replace_visible(next.w, f)) break;
  }
  attach_witness(&best);
  return best;
}

}  // namespace

Penetration calc_epa(const Core& A, const Core& B) {
  Polytope polytope(A, B);
  if (!polytope.start()) return {};
  return polytope.expand();
}

}  // namespace cenic::detail

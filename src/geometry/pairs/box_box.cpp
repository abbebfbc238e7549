// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Box against box by separating axes, in the frame of A: C = R_AB, t = p_AB. A direction's gap is
// s(n) = |n·t| − h_A(n) − h_B(n); the pair is apart when some s > 0, else the largest s is minus
// the depth. The 6 face normals first, then the 9 products of edges, which must beat the best face
// by the face bias.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "geometry/pairs/bias.h"
#include "geometry/pairs/box_face.h"
#include "geometry/pairs/pairs.h"

namespace cenic::detail {
namespace {

struct Relative {
  Mat3 C;  // C(i, j) = a_i·b_j
  Mat3 abs_C;
  Vec3 t;  // centre of B in A
};

struct Axis {
  double gap = -std::numeric_limits<double>::infinity();
  int i = 0, j = -1;  // face: axis i of its box; edges: axis i of A and j of B
};

struct Gaps {
  Axis face_A, face_B, edge;
};

constexpr int next_axis(int i) { return i == 2 ? 0 : i + 1; }

// False as soon as a gap exceeds the margin.
bool find_face_gaps(const Relative& rel, const Vec3& ha, const Vec3& hb, double margin,
                    Gaps* gaps) {
  double s[6];
  for (int i = 0; i < 3; ++i) {
    s[i] = std::fabs(rel.t[i]) - ha[i] - dot(rel.abs_C.row[i], hb);
  }
  for (int i = 0; i < 3; ++i) {
    if (!(s[i] <= margin)) return false;
  }
  const Vec3 tb = transpose_times(rel.C, rel.t), reach = transpose_times(rel.abs_C, ha);
  for (int j = 0; j < 3; ++j) {
    s[3 + j] = std::fabs(tb[j]) - hb[j] - reach[j];
  }
  for (int j = 0; j < 3; ++j) {
    if (!(s[3 + j] <= margin)) return false;
  }
  for (int i = 0; i < 3; ++i) {
    if (s[i] > gaps->face_A.gap) gaps->face_A = {s[i], i, -1};
    if (s[3 + i] > gaps->face_B.gap) gaps->face_B = {s[3 + i], i, -1};
  }
  return true;
}

// The axis a_i × b_j of length √(1 − C_ij²). Only gaps above `threshold` are of interest: a
// negative numerator can only get smaller by the division, so most products are done without a
// root.
bool find_edge_gap(const Relative& rel, const Vec3& ha, const Vec3& hb, double threshold,
                   double margin, Gaps* gaps) {
  for (int i = 0; i < 3; ++i) {
    const int i1 = next_axis(i), i2 = next_axis(i1);
    for (int j = 0; j < 3; ++j) {
      const int j1 = next_axis(j), j2 = next_axis(j1);
      const double reach = ha[i1] * rel.abs_C(i2, j) + ha[i2] * rel.abs_C(i1, j) +
                           hb[j1] * rel.abs_C(i, j2) + hb[j2] * rel.abs_C(i, j1);
      const double numerator =
          std::fabs(rel.t[i2] * rel.C(i1, j) - rel.t[i1] * rel.C(i2, j)) - reach;
      if (numerator < 0 && numerator <= threshold) continue;
      const double length_squared = rel.C(i1, j) * rel.C(i1, j) + rel.C(i2, j) * rel.C(i2, j);
      if (length_squared < 1e-10) continue;  // parallel edges: a face normal does as well
      const double gap = numerator / std::sqrt(length_squared);
      if (gap > margin) return false;
      if (gap > threshold && gap > gaps->edge.gap) gaps->edge = {gap, i, j};
    }
  }
  return true;
}

struct EdgePair {
  Vec3 nhat;      // from A to B, in A
  Vec3 p_A, p_B;  // closest points of the two edges' lines, in A
  std::uint32_t feature = 0;
  bool interior = false;  // both within their edges
};

EdgePair calc_edge_pair(const Relative& rel, const Vec3& ha, const Vec3& hb, const Axis& axis) {
  EdgePair pair;
  Vec3 a;
  a[axis.i] = 1;
  const Vec3 b = rel.C.column(axis.j);
  pair.nhat = normalized(cross(a, b));
  if (dot(pair.nhat, rel.t) < 0) pair.nhat = -pair.nhat;
  // Middles of the edge of A furthest along n and of B furthest along −n.
  Vec3 mid_A, mid_B = rel.t;
  pair.feature = 1u << 16 | static_cast<std::uint32_t>(axis.i << 2 | axis.j) << 8;
  for (int k = 0; k < 3; ++k) {
    const Vec3 bk = rel.C.column(k);
    const bool up_A = pair.nhat[k] > 0, up_B = dot(pair.nhat, bk) < 0;
    if (k != axis.i) mid_A[k] = up_A ? ha[k] : -ha[k], pair.feature |= up_A ? 1u << k : 0;
    if (k != axis.j) mid_B += (up_B ? hb[k] : -hb[k]) * bk, pair.feature |= up_B ? 8u << k : 0;
  }
  // (d + y b − x a) ⟂ a, b with |a| = |b| = 1.
  const Vec3 d = mid_B - mid_A;
  const double ab = dot(a, b), da = dot(d, a), db = dot(d, b);
  const double sin_squared = std::max(1 - ab * ab, 1e-12);
  const double x = (da - ab * db) / sin_squared, y = (ab * da - db) / sin_squared;
  const double lx = ha[axis.i], ly = hb[axis.j];
  pair.interior = std::fabs(x) <= lx && std::fabs(y) <= ly;
  pair.p_A = mid_A + std::clamp(x, -lx, lx) * a;
  pair.p_B = mid_B + std::clamp(y, -ly, ly) * b;
  return pair;
}

void set_edge_point(const RigidTransform& X_WA, const EdgePair& pair, Manifold* manifold) {
  manifold->nhat_AB_W = X_WA.R * pair.nhat;
  manifold->count = 1;
  manifold->points[0] = {X_WA * pair.p_A, X_WA * pair.p_B, dot(pair.nhat, pair.p_B - pair.p_A), 1,
                         pair.feature};
}

double least_gap(const Manifold& manifold) {
  double gap = std::numeric_limits<double>::infinity();
  for (int k = 0; k < manifold.count; ++k) {
    gap = std::min(gap, manifold.points[k].phi);
  }
  return gap;
}

// What the choice of a face needs to know of the pair.
struct Pair {
  const Posed& A;
  const Posed& B;
  const ManifoldOptions& options;
  Relative rel;
  double width = 0;   // smallest half extent of both
  bool on_B = false;  // B's faces come first
};

void calc_face_points(const Pair& pair, int axis, bool on_B, Manifold* manifold) {
  const Relative& rel = pair.rel;
  const Posed &R = on_B ? pair.B : pair.A, &I = on_B ? pair.A : pair.B;
  manifold->count = 0;
  if (on_B) {
    const BoxFace face{R.shape.size, I.shape.size, transpose(rel.C), -transpose_times(rel.C, rel.t),
                       axis};
    collect_box_face_points(face, R.X_WG, /*swapped=*/true, pair.options.margin, manifold);
  } else {
    const BoxFace face{R.shape.size, I.shape.size, rel.C, rel.t, axis};
    collect_box_face_points(face, R.X_WG, /*swapped=*/false, pair.options.margin, manifold);
  }
}

// A face whose normal is near to the edges' axis and that is hardly deeper where the boxes lie over
// each other.
bool find_face_near_edge(const Pair& pair, double edge_gap, const Vec3& nhat, Manifold* manifold) {
  for (const bool on_B : {pair.on_B, !pair.on_B}) {
    const Vec3 c = cwise_abs(on_B ? transpose_times(pair.rel.C, nhat) : nhat);
    const int i = c.x >= c.y ? (c.x >= c.z ? 0 : 2) : (c.y >= c.z ? 1 : 2);
    if (c[i] < kNearFace) continue;
    calc_face_points(pair, i, on_B, manifold);
    if (is_as_good(least_gap(*manifold), edge_gap, calc_bias(edge_gap, pair.width))) return true;
  }
  manifold->count = 0;
  return false;
}

}  // namespace

void calc_box_box(const Posed& A, const Posed& B, const ManifoldOptions& options,
                  Manifold* manifold) {
  const Vec3 &ha = A.shape.size, &hb = B.shape.size;
  Pair pair{A, B, options, {}, std::min({ha.x, ha.y, ha.z, hb.x, hb.y, hb.z})};
  Relative& rel = pair.rel;
  rel.t = transpose_times(A.X_WG.R, B.X_WG.p - A.X_WG.p);
  // Bounding spheres first: most pairs of a broad phase that are apart end here.
  const double reach = std::sqrt(norm_squared(ha)) + std::sqrt(norm_squared(hb)) + options.margin;
  if (!(norm_squared(rel.t) <= reach * reach)) return;
  rel.C = transpose(A.X_WG.R) * B.X_WG.R;
  for (int i = 0; i < 3; ++i) {
    rel.abs_C.row[i] = cwise_abs(rel.C.row[i]);
  }

  Gaps gaps;
  if (!find_face_gaps(rel, ha, hb, options.margin, &gaps)) return;
  const auto bias = [&](double gap) {
    return options.face_bias ? calc_bias(gap, pair.width) : 0.0;
  };
  pair.on_B = gaps.face_B.gap > gaps.face_A.gap + bias(gaps.face_A.gap);
  const Axis& face = pair.on_B ? gaps.face_B : gaps.face_A;
  const double threshold = std::max(gaps.face_A.gap, gaps.face_B.gap) + bias(face.gap);
  if (!find_edge_gap(rel, ha, hb, threshold, options.margin, &gaps)) return;

  if (gaps.edge.j >= 0) {
    const EdgePair edges = calc_edge_pair(rel, ha, hb, gaps.edge);
    if (options.face_bias && find_face_near_edge(pair, gaps.edge.gap, edges.nhat, manifold)) return;
    if (edges.interior) return set_edge_point(A.X_WG, edges, manifold);
  } else {
    calc_face_points(pair, face.i, pair.on_B, manifold);
    if (face.gap <= 0 ? least_gap(*manifold) < 0 : manifold->count > 0) return;
  }
  // Corners or edges face each other beside the faces: the true closest (or least deep) points.
  manifold->count = 0;
  calc_convex_convex(A, B, options, manifold);
}

}  // namespace cenic::detail

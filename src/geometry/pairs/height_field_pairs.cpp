// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A convex shape A on a height field B, in the field's frame F. Three families of points:
//   sharp   corners of A below a facet, as on a half space along the facet
//   round   the place of A (or of an end of a capsule) that looks along a facet's normal, where its
//           foot lies in the facet
//   edges   convex edges of the field inside A: the deepest point, or two where A has flat faces
// Edges between facets of one plane give nothing, so the ground is as smooth as it is drawn.
#include <algorithm>
#include <cmath>

#include "core/hash.h"
#include "geometry/convex_hull.h"
#include "geometry/height_field.h"
#include "geometry/height_field_contact.h"
#include "geometry/pairs/pairs.h"
#include "geometry/point_distance.h"
#include "geometry/triangle_distance.h"

namespace cenic {
namespace {

using Candidate = HeightFieldCollider::Candidate;

constexpr double kFlat = 1e-6;       // change of slope across an edge up to which it is none
constexpr double kSharpEdge = 0.01;  // change of slope from which an edge counts in full
constexpr double kInclusive = 1e-9;  // of a cell: a foot on a border lies in both facets
constexpr double kNearCorner = 4;    // depths around a corner in which facets are looked for
constexpr double kSameSpot = 0.35;   // radii: round contacts closer than this share their weight
constexpr double kEdgeWeight = 4;    // edges of the field carry at most this in sum
constexpr double kTiny = 1e-12;      // m, depth of a gap when weights are shared

std::uint32_t make_feature(int part, const Vec3& n) {
  const auto x = static_cast<std::uint64_t>(std::llround(1e7 * n.x));
  const auto y = static_cast<std::uint64_t>(std::llround(1e7 * n.y));
  return static_cast<std::uint32_t>(mix(mix(mix(part) + x) + y));
}

struct Edge {
  Vec3 a, b;
  Vec3 n;           // mean of the normals beside it
  double turn = 0;  // how much the slope falls from one side to the other
  Vec3 into[2];     // across it and down its two sides; zero at a border
  std::uint32_t id = 0;
};

class Collector {
 public:
  Collector(const Shape& A, const RigidTransform& X_FA, const HeightField& field, double margin,
            std::vector<Candidate>* out)
      : A_(A),
        X_(X_FA),
        field_(field),
        margin_(margin),
        round_(A.kind == ShapeKind::kSphere || A.kind == ShapeKind::kEllipsoid ||
               A.kind == ShapeKind::kCapsule),
        out_(*out) {}

  void collect() {
    out_.clear();
    const Aabb box = inflated(calc_aabb(A_, X_), margin_);
    low_ = box.lower.z;
    if (!(low_ < field_.highest) || !(box.upper.z > -field_.base)) return;
    cells_ = find_cells(field_, box.lower.x, box.lower.y, box.upper.x, box.upper.y);
    if (cells_.r0 == cells_.r1) return;
    switch (A_.kind) {
      case ShapeKind::kSphere:
      case ShapeKind::kEllipsoid:
        collect_round(0, X_.p);
        break;
      case ShapeKind::kCapsule:
        collect_round(0, X_ * Vec3{0, 0, -A_.size.z});
        collect_round(1, X_ * Vec3{0, 0, A_.size.z});
        break;
      case ShapeKind::kBox:
        collect_box();
        break;
      case ShapeKind::kCylinder:
        collect_cylinder();
        break;
      case ShapeKind::kConvex:
        collect_hull();
        break;
      default:
        return;
    }
    const std::size_t first_edge = out_.size();
    if (!inside_) collect_edges();
    if (round_) {
      share_by_distance();
    } else {
      limit_weights(first_edge);
    }
  }

 private:
  void add_on_facet(const Facet& facet, const Vec3& q, double phi, int part, double weight) {
    out_.push_back({.p_A = q,
                    .p_B = q - phi * facet.n,
                    .nhat = -facet.n,
                    .phi = phi,
                    .weight = weight,
                    .part = part,
                    .feature = make_feature(part, facet.n)});
  }

  // ---- corners ----

  void collect_box() {
    for (int v = 0; v < 8; ++v) {
      const Vec3& h = A_.size;
      const Vec3 corner{(v & 1) != 0 ? h.x : -h.x, (v & 2) != 0 ? h.y : -h.y,
                        (v & 4) != 0 ? h.z : -h.z};
      add_corner(X_ * corner, v, [](const Vec3&) {
        return 1.0;
      });
    }
  }

  // The weights of a hull on a half space, for the plane below each vertex.
  void collect_hull() {
    const ConvexHull& hull = *A_.hull;
    for (int v = 0; v < static_cast<int>(hull.vertices.size()); ++v) {
      add_corner(X_ * hull.vertices[v], v, [&](const Vec3& n) {
        return detail::calc_vertex_weight(hull, v, transpose_times(X_.R, n));
      });
    }
  }

  // Four points on each rim, as on a half space: from the one that is deepest for the ground below
  // it.
  void collect_cylinder() {
    const double radius = A_.size.x;
    for (int cap = 0; cap < 2; ++cap) {
      const double z = cap == 0 ? -A_.size.z : A_.size.z;
      double x = 1, y = 0;
      Vec3 n{0, 0, 1};
      for (int pass = 0; pass < 2; ++pass) {
        const Vec3 d = transpose_times(X_.R, n);
        const double rho = std::sqrt(d.x * d.x + d.y * d.y);
        x = rho > 0 ? -d.x / rho : 1, y = rho > 0 ? -d.y / rho : 0;
        Facet below;
        const Vec3 q = X_ * Vec3{radius * x, radius * y, z};
        if (find_facet(field_, q.x, q.y, &below)) n = below.n;
      }
      for (int k = 0; k < 4; ++k) {
        add_corner(X_ * Vec3{radius * x, radius * y, z}, 4 * cap + k, [](const Vec3&) {
          return 1.0;
        });
        const double turned = -y;
        y = x, x = turned;
      }
    }
  }

  // On the facet below or above it. In a fold of the ground also on those beside, which share the
  // weight: they take over as the corner slides across.
  template <typename Weight>
  void add_corner(const Vec3& p, int v, const Weight& weight) {
    if (p.z > field_.highest + margin_ || p.z < -field_.base) return;
    Facet facet;
    if (!find_facet(field_, p.x, p.y, &facet)) return;
    const double phi = dot(facet.n, p - facet.v);
    if (!(phi < margin_)) return;
    const std::size_t first = out_.size();
    add_on_facet(facet, p, phi, v, weight(facet.n));
    if (phi < 0) add_fold(p, v, weight);
    if (out_.size() == first + 1) return;
    double sum = 0;
    for (std::size_t i = first; i < out_.size(); ++i) {
      sum -= out_[i].phi;
    }
    for (std::size_t i = first; i < out_.size(); ++i) {
      out_[i].weight *= -out_[i].phi / sum;
    }
  }

  template <typename Weight>
  void add_fold(const Vec3& p, int v, const Weight& weight) {
    const std::size_t first = out_.size() - 1;
    const double phi = out_[first].phi;
    const double reach = std::min(-kNearCorner * phi, 0.5 * std::min(field_.dx(), field_.dy()));
    const CellRange near = find_cells(field_, p.x - reach, p.y - reach, p.x + reach, p.y + reach);
    for (int r = near.r0; r < near.r1; ++r) {
      for (int c = near.c0; c < near.c1; ++c) {
        for (const bool upper : {false, true}) {
          const Facet f = calc_facet(field_, r, c, upper);
          const double phi_f = dot(f.n, p - f.v);
          // Deeper ones are beyond a ridge, not in a fold.
          if (!(phi_f < 0) || phi_f < phi) continue;
          const bool known = std::any_of(out_.begin() + first, out_.end(), [&](const Candidate& k) {
            return norm_squared(f.n + k.nhat) < kFlat * kFlat;
          });
          if (known || distance_in_plane(p, r, c, upper) > reach) continue;
          add_on_facet(f, p, phi_f, v, weight(f.n));
        }
      }
    }
  }

  // Seen from above, how far p is from the facet.
  double distance_in_plane(const Vec3& p, int r, int c, bool upper) const {
    const auto flat = [](Vec3 x) {
      x.z = 0;
      return x;
    };
    const Vec3 a = flat(field_.vertex(r, c)), b = flat(field_.vertex(r + 1, c + 1)),
               d = flat(upper ? field_.vertex(r + 1, c) : field_.vertex(r, c + 1)), x = flat(p);
    return norm(x - find_nearest_on_triangle(x, a, b, d));
  }

  // ---- round parts ----

  Vec3 calc_lowest(const Vec3& center, const Vec3& n) const {
    if (A_.kind == ShapeKind::kEllipsoid) return X_ * calc_support(A_, transpose_times(X_.R, -n));
    return center - A_.size.x * n;
  }

  void collect_round(int part, const Vec3& center) {
    Facet below;
    if (find_facet(field_, center.x, center.y, &below) && dot(below.n, center - below.v) < 0) {
      // In the ground by more than half: the way out is up.
      if (center.z < -field_.base) return;
      inside_ = true;
      const Vec3 q = calc_lowest(center, below.n);
      add_on_facet(below, q, dot(below.n, q - below.v), part, 1);
      return;
    }
    for (int r = cells_.r0; r < cells_.r1; ++r) {
      for (int c = cells_.c0; c < cells_.c1; ++c) {
        for (const bool upper : {false, true}) {
          try_facet(part, center, r, c, upper);
        }
      }
    }
  }

  void try_facet(int part, const Vec3& center, int r, int c, bool upper) {
    const Facet facet = calc_facet(field_, r, c, upper);
    if (dot(facet.n, center - facet.v) < 0) return;  // the far side of a thin wall
    const Vec3 q = calc_lowest(center, facet.n);
    const double phi = dot(facet.n, q - facet.v);
    if (!(phi < margin_)) return;
    const Vec3 foot = q - phi * facet.n;
    const double u = (foot.x + field_.half_x) / field_.dx() - c;
    const double v = (foot.y + field_.half_y) / field_.dy() - r;
    const double across = upper ? v - u : u - v;
    const bool in_cell = u >= -kInclusive && u <= 1 + kInclusive && v >= -kInclusive &&
                         v <= 1 + kInclusive && across >= -kInclusive;
    if (in_cell) add_on_facet(facet, q, phi, part, 1);
  }

  // ---- convex edges of the field ----

  void collect_edges() {
    for (int r = cells_.r0; r <= cells_.r1; ++r) {
      for (int c = cells_.c0; c <= cells_.c1; ++c) {
        for (int kind = 0; kind < 3; ++kind) {
          Edge edge;
          if (make_edge(r, c, kind, &edge)) add_edge(edge);
        }
      }
    }
  }

  // From the grid point (r, c) along x, along y, or across the cell. False when it is not convex,
  // or too low to touch.
  bool make_edge(int r, int c, int kind, Edge* edge) const {
    const int r2 = kind == 0 ? r : r + 1, c2 = kind == 1 ? c : c + 1;
    if (r2 >= field_.rows || c2 >= field_.columns) return false;
    if (std::max(field_.height(r, c), field_.height(r2, c2)) < low_) return false;
    // The facets at the two sides, and the direction from the first to the second.
    Facet sides[2];
    bool has[2] = {true, true};
    double tx = 0, ty = 0;
    if (kind == 0) {
      has[0] = r > 0, has[1] = r + 1 < field_.rows, ty = 1;
      if (has[0]) sides[0] = calc_facet(field_, r - 1, c, true);
      if (has[1]) sides[1] = calc_facet(field_, r, c, false);
    } else if (kind == 1) {
      has[0] = c > 0, has[1] = c + 1 < field_.columns, tx = 1;
      if (has[0]) sides[0] = calc_facet(field_, r, c - 1, false);
      if (has[1]) sides[1] = calc_facet(field_, r, c, true);
    } else {
      sides[0] = calc_facet(field_, r, c, true), sides[1] = calc_facet(field_, r, c, false);
      const double length = std::hypot(field_.dx(), field_.dy());
      tx = field_.dy() / length, ty = -field_.dx() / length;
    }
    edge->turn = 1;
    if (has[0] && has[1]) {
      edge->turn = tx * (sides[0].gx - sides[1].gx) + ty * (sides[0].gy - sides[1].gy);
    }
    if (!(edge->turn > kFlat)) return false;
    edge->a = field_.vertex(r, c), edge->b = field_.vertex(r2, c2);
    edge->n = normalized((has[0] ? sides[0].n : Vec3{}) + (has[1] ? sides[1].n : Vec3{}));
    const Vec3 along = normalized(edge->b - edge->a);
    for (int k = 0; k < 2; ++k) {
      if (!has[k]) continue;
      const Vec3 t = cross(sides[k].n, along);
      edge->into[k] = (t.x * tx + t.y * ty > 0) == (k == 1) ? t : -t;
    }
    edge->id = static_cast<std::uint32_t>(
        mix(3 * (static_cast<std::uint64_t>(r) * field_.columns + c) + kind));
    return true;
  }

  PointDistance distance_at(const Edge& edge, double t) const {
    return calc_point_distance(A_, inverse_times(X_, edge.a + t * (edge.b - edge.a)));
  }

  // The distance from A is convex along the edge: between 0 and 1, where does it stop falling?
  double find_least(const Edge& edge, int halvings) const {
    const Vec3 d = transpose_times(X_.R, edge.b - edge.a);
    double low = 0, high = 1;
    if (dot(distance_at(edge, 0).gradient, d) >= 0) return 0;
    if (dot(distance_at(edge, 1).gradient, d) <= 0) return 1;
    for (int i = 0; i < halvings; ++i) {
      const double middle = 0.5 * (low + high);
      (dot(distance_at(edge, middle).gradient, d) < 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  // Where the edge comes out of A on the way from t_in, inside, to t_end.
  double find_exit(const Edge& edge, double t_in, double t_end) const {
    if (distance_at(edge, t_end).distance <= 0) return t_end;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (t_in + t_end);
      (distance_at(edge, middle).distance < 0 ? t_in : t_end) = middle;
    }
    return t_in;
  }

  void add_edge(const Edge& edge) {
    constexpr int kCoarse = 20;
    // A convex function lies above its tangent.
    const PointDistance middle = distance_at(edge, 0.5);
    const double least =
        middle.distance - 0.5 * std::fabs(dot(X_.R * middle.gradient, edge.b - edge.a));
    if (least >= margin_) return;
    const double t = find_least(edge, least < 0 ? kHalvings : kCoarse);
    const double strength = std::min(1.0, edge.turn / kSharpEdge);
    if (round_ || !(distance_at(edge, t).distance < 0)) {
      add_edge_point(edge, t, strength, 0);
      return;
    }
    // Gauss points of the part inside: its ends, and with them the force, come and go continuously.
    constexpr double kGauss = 0.57735026918962576;
    const double t0 = find_exit(edge, t, 0), t1 = find_exit(edge, t, 1);
    for (const double s : {-kGauss, kGauss}) {
      add_edge_point(edge, 0.5 * (t0 + t1) + 0.5 * s * (t1 - t0), 0.5 * strength, s > 0 ? 1 : 0);
    }
  }

  void add_edge_point(const Edge& edge, double t, double strength, std::uint32_t number) {
    const Vec3 x = edge.a + t * (edge.b - edge.a);
    const PointDistance near = distance_at(edge, t);
    if (!(near.distance < margin_)) return;
    Candidate c{.p_A = X_ * near.closest,
                .p_B = x,
                .nhat = X_.R * near.gradient,
                .phi = near.distance,
                .strength = strength,
                .part = -1,
                .feature = edge.id + number};
    if (round_ && !is_nearest(edge, c.nhat)) return;
    // Out of a thin plate the nearest way may be down into the ground: up it is, then. Round parts
    // have their middle above the ground: what they see from behind is not what they touch.
    if (dot(c.nhat, edge.n) > -kDownwards) {
      if (round_ || c.phi >= 0) return;
      c.phi = -calc_way_out(x, edge.n), c.nhat = -edge.n, c.p_A = x + c.phi * edge.n;
    }
    out_.push_back(c);
  }

  // Is the edge nearer than the facets beside it? Else those are touched, or others further on.
  static bool is_nearest(const Edge& edge, const Vec3& nhat) {
    return dot(nhat, edge.into[0]) >= -kInclusive && dot(nhat, edge.into[1]) >= -kInclusive;
  }

  // How far A must move along n to be clear of the point x inside of it.
  double calc_way_out(const Vec3& x, const Vec3& n) const {
    double low = 0, high = 2 * calc_bounding_radius(A_);
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = 0.5 * (low + high);
      const bool in = calc_point_distance(A_, inverse_times(X_, x - middle * n)).distance < 0;
      (in ? low : high) = middle;
    }
    return high;
  }

  // ---- weights ----

  // Round parts touch in one spot, whatever number of facets and edges meet there:
  // w_i = c_i s_i² / Σ_j κ_ij c_j s_j², s the depth, c the strength, κ falling from 1 at the same
  // place to 0 at the distance ℓ.
  void share_by_distance() {
    const double radius =
        A_.kind == ShapeKind::kEllipsoid ? std::min({A_.size.x, A_.size.y, A_.size.z}) : A_.size.x;
    const double length_squared = kSameSpot * kSameSpot * radius * radius;
    const auto share = [](const Candidate& c) {
      const double s = std::max(0.0, -c.phi) + kTiny;
      return c.strength * s * s;
    };
    for (Candidate& own : out_) {
      double sum = 0;
      for (const Candidate& other : out_) {
        if (own.part >= 0 && other.part >= 0 && own.part != other.part) continue;
        const double d = norm_squared(own.p_A - other.p_A) / length_squared;
        if (d < 1) sum += (1 - d) * (1 - d) * share(other);
      }
      own.weight = share(own) / sum;
    }
  }

  // Edges under flat faces: the more of them touch, the less each counts. Their effective number is
  // (Σ c s)² / Σ c s²; points that come or go have s = 0.
  void limit_weights(std::size_t first) {
    double sum = 0, squares = 0;
    for (std::size_t i = first; i < out_.size(); ++i) {
      const double s = std::max(0.0, -out_[i].phi) + kTiny;
      sum += out_[i].strength * s, squares += out_[i].strength * s * s;
    }
    if (!(squares > 0)) return;
    const double factor = std::min(1.0, kEdgeWeight * squares / (sum * sum));
    for (std::size_t i = first; i < out_.size(); ++i) {
      out_[i].weight = factor * out_[i].strength;
    }
  }

  static constexpr int kHalvings = 44;
  static constexpr double kDownwards = 0.05;

  const Shape& A_;
  const RigidTransform& X_;
  const HeightField& field_;
  double margin_;
  bool round_;
  std::vector<Candidate>& out_;
  CellRange cells_;
  double low_ = 0;       // of A, less the margin
  bool inside_ = false;  // a round part is in the ground by more than half
};

}  // namespace

std::span<const HeightFieldPoint> HeightFieldCollider::find(const Shape& A,
                                                            const RigidTransform& X_WA,
                                                            const Shape& B,
                                                            const RigidTransform& X_WB,
                                                            double margin) {
  points_.clear();
  const RigidTransform X_FA = inverse(X_WB) * X_WA;
  if (!is_finite(X_FA.p) || !is_finite(X_FA.R.row[0]) || std::isnan(margin)) return points_;
  Collector(A, X_FA, *B.height_field, margin, &candidates_).collect();
  for (const Candidate& c : candidates_) {
    points_.push_back({{X_WB * c.p_A, X_WB * c.p_B, c.phi, c.weight, c.feature}, X_WB.R * c.nhat});
  }
  return points_;
}

double calc_safe_part(const Shape& A, const RigidTransform& X_WA, const Shape& B,
                      const RigidTransform& X_WB, const Vec3& way_W) {
  const HeightField& field = *B.height_field;
  const Aabb box = calc_aabb(A, inverse(X_WB) * X_WA);
  const Vec3 half = 0.5 * (box.upper - box.lower), way = transpose_times(X_WB.R, way_W);
  const Vec3 lower = box.lower + cwise_min(way, {}), upper = box.upper + cwise_max(way, {});
  if (lower.z > field.highest) return 1;
  const CellRange cells = find_cells(field, lower.x, lower.y, upper.x, upper.y);
  const double rise = std::hypot(way.x, way.y) * calc_slope_spread(field, cells);
  return 0.5 * std::min({half.x, half.y, half.z}) / rise;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/hydroelastic/surface_points.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/hash.h"

namespace cenic {
namespace {

// A polygon whose radius of gyration exceeds this share of the surface's is worth three points, if
// it carries more than a rim does.
constexpr double kLarge = 0.2;
// Polygons of one cluster look the same way within 8 degrees; those that carry next to nothing, all
// together, may look further aside: rims. The force of all stays exact, whichever way they look.
constexpr double kSameWay = 0.990268, kRimForce = 0.02, kRimWay = 0.3;
// Polygons along an edge of a convex solid may look this far aside from the force. They move along
// with the edge: taken by themselves they would resist sliding that nothing resists.
constexpr double kFlankWay = 0.45;
constexpr double kMostTilt = 0.5;  // of a point's force against the cluster's normal, tangent
constexpr double kNothing = 1e-3;  // share of the force below which it does not matter at all where

// A cluster thinner than this share of its length, in squares, is a line.
constexpr double kLine = 1e-9;

// cos and sin of 0°, 120° and 240°.
constexpr double kHalfRoot3 = 0.8660254037844386;
constexpr double kCos[3] = {1, -0.5, -0.5}, kSin[3] = {0, kHalfRoot3, -kHalfRoot3};

double calc_stiffness(const SurfacePolygon& s) {
  return s.moments.area * std::max(s.gradient, PointMaker::kLeastGradient * s.steepness);
}

double calc_force(const SurfacePolygon& s) { return s.moments.area * s.pressure; }

// The two parts of a polygon that touch and do not touch yet have names of their own: kinds 0 to 4
// and 11 to 15, clusters 5 to 7.
std::uint32_t name(int cell_M, int cell_N, std::uint32_t kind) {
  return static_cast<std::uint32_t>(
             mix((static_cast<std::uint64_t>(cell_M) << 32) | static_cast<std::uint64_t>(cell_N)))
             << 4 |
         kind;
}

std::uint32_t name(const SurfacePolygon& s, std::uint32_t kind) {
  return name(s.cell_M, s.cell_N, s.pressure <= 0 ? kind + 11 : kind);
}

void add_at(const SurfacePolygon& s, double x, double y, double share, std::uint32_t kind,
            std::vector<SurfacePoint>* points) {
  const double p = s.pressure + s.px * x + s.py * y;
  SurfacePoint& point = points->emplace_back();
  point.p = s.moments.centroid + x * s.moments.t1 + y * s.moments.t2;
  point.nhat = s.nhat;
  point.force = share * s.moments.area * p;
  point.stiffness = share * calc_stiffness(s);
  point.depth = p * s.softness;
  point.feature = name(s, kind);
}

void add_centroid(const SurfacePolygon& s, std::vector<SurfacePoint>* points) {
  add_at(s, 0, 0, 1, 0, points);
}

// The force of a linear pressure acts at c + S ∇p/p(c), inside the polygon where nothing pulls:
// there ∇p·S ∇p ≤ p(c)²/2 (equal for a triangle with p = 0 along an edge). More comes of rounding
// where next to nothing presses, and would put the point anywhere.
void add_centre_of_pressure(const SurfacePolygon& s, std::vector<SurfacePoint>* points) {
  const detail::PolygonMoments& m = s.moments;
  const double x = m.sxx * s.px + m.sxy * s.py, y = m.sxy * s.px + m.syy * s.py;
  if (s.px * x + s.py * y > 0.501 * s.pressure * s.pressure) return add_centroid(s, points);
  add_at(s, x / s.pressure, y / s.pressure, 1, 1, points);
  points->back().force = calc_force(s);
  points->back().depth = s.pressure * s.softness;
}

// Three points with the polygon's second moments: exact for forces, torques and stiffnesses. They
// lie inside any convex polygon.
void add_three(const SurfacePolygon& s, std::vector<SurfacePoint>* points) {
  const detail::PolygonMoments& m = s.moments;
  const detail::Root2 root = detail::calc_root_of_double(m.sxx, m.sxy, m.syy);
  for (int i = 0; i < 3; ++i) {
    add_at(s, root.xx * kCos[i] + root.xy * kSin[i], root.xy * kCos[i] + root.yy * kSin[i], 1.0 / 3,
           2 + i, points);
  }
}

void add_polygon(const SurfacePolygon& s, bool large, std::vector<SurfacePoint>* points) {
  if (large) {
    add_three(s, points);
  } else if (s.pressure > 0) {
    add_centre_of_pressure(s, points);
  } else {
    add_centroid(s, points);
  }
}

bool is_narrow(const SurfacePolygon& s, double width) {
  const detail::PolygonMoments& m = s.moments;
  return m.sxx * m.syy - m.sxy * m.sxy < width * width * (m.sxx + m.syy);
}

}  // namespace

// Of a whole surface.
struct PointMaker::Scale {
  double gyration = 0;  // square of the radius of gyration
  double force = 0;     // sum of those of the polygons
  Vec3 nhat;            // along the net force
  bool is_large(const SurfacePolygon& s) const {
    return s.moments.sxx + s.moments.syy > kLarge * kLarge * gyration &&
           (s.pressure <= 0 || calc_force(s) > kRimForce * force);
  }
};

namespace {

PointMaker::Scale calc_scale(std::span<const SurfacePolygon> polygons) {
  double area = 0, second = 0, force = 0;
  Vec3 first, net;
  const Vec3& origin = polygons[0].moments.centroid;
  for (const SurfacePolygon& s : polygons) {
    const Vec3 d = s.moments.centroid - origin;
    area += s.moments.area;
    first += s.moments.area * d;
    second += s.moments.area * (norm_squared(d) + s.moments.sxx + s.moments.syy);
    if (s.pressure <= 0) continue;
    force += calc_force(s);
    net += calc_force(s) * s.nhat;
  }
  return {second / area - norm_squared(first) / (area * area), force, normalized(net)};
}

// A cluster about its centre of stiffness, in the plane across its force.
struct Cluster {
  Vec3 nhat, centre, t1, t2;
  double force = 0, stiffness = 0;
  double sxx = 0, sxy = 0, syy = 0;  // second moments of the stiffness
  double bx = 0, by = 0;             // n × torque
  double spin = 0;                   // torque about the normal
  std::uint32_t feature = 0;         // of the first point
};

// Points that have the cluster's force and torque, its normal stiffness and the second moments S of
// that stiffness:
//   r_i = √2 S^½ u_i,  f_i = |F|/3 + (S⁻¹ b)·r_i/3,  b = n × τ about the centre of stiffness.
// The torque about the normal, τ·n, comes from forces along n × r_i. Along axes in which the
// cluster is fine S does not count: two points on a line, or one, which has no such torque.
// False when they would not all press.
bool add_cluster_points(const Cluster& c, double fine, std::vector<SurfacePoint>* points) {
  const auto [sxx, sxy, syy] = std::array{c.sxx, c.sxy, c.syy};
  const auto [bx, by, P0] = std::array{c.bx, c.by, c.force};
  // Principal moments λ1 ≥ λ2, the first along (ex, ey).
  const double mean = 0.5 * (sxx + syy), half = 0.5 * (sxx - syy);
  const double spread = std::sqrt(half * half + sxy * sxy);
  const double l1 = mean + spread, l2 = mean - spread;
  int count = 3;
  bool sound = bx * bx + by * by <= 4 * P0 * P0 * l1;
  const std::size_t begin = points->size();
  // At (x, y), with a force (tx, ty) in the plane besides that along the normal. Forces that pull,
  // or act from far outside, come of polygons that do not lie in one plane.
  const auto place = [&](int i, double x, double y, double force, double tx, double ty) {
    const double aside = tx * tx + ty * ty;
    sound = sound && force >= 0 && aside <= kMostTilt * kMostTilt * force * force;
    const double total = std::sqrt(force * force + aside);
    SurfacePoint& point = points->emplace_back();
    point.p = c.centre + x * c.t1 + y * c.t2;
    point.nhat = aside > 0 ? (1 / total) * (force * c.nhat + tx * c.t1 + ty * c.t2) : c.nhat;
    point.force = total;
    point.stiffness = c.stiffness / count;
    point.depth = force * count / c.stiffness;
    point.feature = c.feature + i;
  };
  if (l1 <= fine * fine) {
    count = 1;
    place(0, bx / P0, by / P0, P0, 0, 0);
  } else if (l2 <= std::max(fine * fine, kLine * l1)) {
    count = 2;
    double ex = spread + half, ey = sxy;
    if (half < 0) ex = sxy, ey = spread - half;
    const double length = std::sqrt(ex * ex + ey * ey);
    ex = length > 0 ? ex / length : 1, ey = length > 0 ? ey / length : 0;
    const double along = (bx * ex + by * ey) / 2, across = (by * ex - bx * ey) / P0;
    const double r = std::sqrt(l1);
    for (const int i : {0, 1}) {
      const double x = i == 0 ? r : -r;
      const double t = 0.5 * c.spin / x;
      place(i, x * ex - across * ey, x * ey + across * ex, 0.5 * P0 + along / x, -t * ey, t * ex);
    }
  } else {
    const double det = sxx * syy - sxy * sxy;
    const double yx = (syy * bx - sxy * by) / det, yy = (sxx * by - sxy * bx) / det;
    const detail::Root2 root = detail::calc_root_of_double(sxx, sxy, syy);
    for (int i = 0; i < 3; ++i) {
      const double x = root.xx * kCos[i] + root.xy * kSin[i];
      const double y = root.xy * kCos[i] + root.yy * kSin[i];
      const double t = c.spin / (3 * (sxx + syy));
      place(i, x, y, (P0 + yx * x + yy * y) / 3, -t * y, t * x);
    }
  }
  if (!sound) points->resize(begin);
  return sound;
}

}  // namespace

const char* to_string(SurfaceQuadrature quadrature) {
  switch (quadrature) {
    case SurfaceQuadrature::kReduced:
      return "reduced";
    case SurfaceQuadrature::kPolygons:
      return "polygons";
    case SurfaceQuadrature::kCentroid:
      return "centroid";
  }
  return "?";
}

void PointMaker::make(std::span<const SurfacePolygon> polygons, SurfaceQuadrature quadrature,
                      std::vector<SurfacePoint>* points, double fine, double flank) {
  points->clear();
  if (polygons.empty()) return;
  if (quadrature == SurfaceQuadrature::kCentroid) {
    for (const SurfacePolygon& s : polygons) {
      add_centroid(s, points);
    }
    return;
  }
  const Scale scale = calc_scale(polygons);
  open_.clear();
  for (int i = 0; i < static_cast<int>(polygons.size()); ++i) {
    const SurfacePolygon& s = polygons[i];
    if (quadrature == SurfaceQuadrature::kReduced && s.pressure > 0) {
      open_.push_back(i);
    } else {
      add_polygon(s, scale.is_large(s), points);
    }
  }
  while (!open_.empty()) {
    take_cluster(polygons, scale, flank);
    const SurfacePolygon& seed = polygons[cluster_[0]];
    double cluster_force = 0;
    for (const int i : cluster_) {
      cluster_force += calc_force(polygons[i]);
    }
    const bool small = cluster_force < kRimForce * scale.force;
    const bool single = cluster_.size() == 1 && (small || !scale.is_large(seed));
    if (!single && add_cluster(polygons, small ? INFINITY : fine, points)) continue;
    for (const int i : cluster_) {
      add_polygon(polygons[i], scale.is_large(polygons[i]), points);
    }
  }
}

// Moves the strongest polygon and those that go with it from open_ to cluster_.
void PointMaker::take_cluster(std::span<const SurfacePolygon> polygons, const Scale& scale,
                              double flank) {
  const int strongest = *std::ranges::max_element(open_, {}, [&](int i) {
    return calc_force(polygons[i]);
  });
  const SurfacePolygon& seed = polygons[strongest];
  const bool beside_narrow = is_narrow(seed, flank);
  const auto is_flank = [&](const SurfacePolygon& s) {
    return dot(s.nhat, scale.nhat) > kFlankWay && (beside_narrow || is_narrow(s, flank));
  };
  const bool flanks = dot(seed.nhat, scale.nhat) > kFlankWay;
  cluster_.clear();
  cluster_.push_back(strongest);
  std::size_t kept = 0;
  double rim_force = 0;
  for (const int i : open_) {
    if (i == strongest) continue;
    const SurfacePolygon& s = polygons[i];
    const double way = dot(s.nhat, seed.nhat);
    if (way > kSameWay || (flanks && is_flank(s))) {
      cluster_.push_back(i);
      continue;
    }
    const double force = calc_force(s), with = rim_force + force;
    if (force < kNothing * scale.force || (way > kRimWay && with < kRimForce * scale.force)) {
      cluster_.push_back(i);
      rim_force = with;
    } else {
      open_[kept++] = i;
    }
  }
  open_.resize(kept);
}

bool PointMaker::add_cluster(std::span<const SurfacePolygon> polygons, double fine,
                             std::vector<SurfacePoint>* points) const {
  const SurfacePolygon& seed = polygons[cluster_[0]];
  const Vec3& origin = seed.moments.centroid;
  Vec3 F, torque;
  for (const int i : cluster_) {
    const SurfacePolygon& s = polygons[i];
    const detail::PolygonMoments& m = s.moments;
    const double force = calc_force(s);
    // ∫ p (x − origin) dA
    const Vec3 first =
        force * (m.centroid - origin) +
        m.area * ((m.sxx * s.px + m.sxy * s.py) * m.t1 + (m.sxy * s.px + m.syy * s.py) * m.t2);
    F += force * s.nhat;
    torque += cross(first, s.nhat);
  }
  Cluster cluster;
  cluster.force = norm(F);
  cluster.nhat = (1 / cluster.force) * F;
  cluster.t1 = any_orthogonal(cluster.nhat);
  cluster.t2 = cross(cluster.nhat, cluster.t1);
  const Vec3 &nhat = cluster.nhat, &t1 = cluster.t1, &t2 = cluster.t2;
  double K0 = 0, Kx = 0, Ky = 0, Kxx = 0, Kxy = 0, Kyy = 0, Kz = 0;
  for (const int i : cluster_) {
    const SurfacePolygon& s = polygons[i];
    const detail::PolygonMoments& m = s.moments;
    const double way = dot(s.nhat, nhat);
    const double k = way * way * calc_stiffness(s);
    const Vec3 d = m.centroid - origin;
    const double x = dot(d, t1), y = dot(d, t2);
    const double a = dot(t1, m.t1), b = dot(t1, m.t2), c = dot(t2, m.t1), e = dot(t2, m.t2);
    K0 += k;
    Kx += k * x, Ky += k * y, Kz += k * dot(d, nhat);
    Kxx += k * (x * x + a * a * m.sxx + 2 * a * b * m.sxy + b * b * m.syy);
    Kxy += k * (x * y + a * c * m.sxx + (a * e + b * c) * m.sxy + b * e * m.syy);
    Kyy += k * (y * y + c * c * m.sxx + 2 * c * e * m.sxy + e * e * m.syy);
  }
  const double w = 1 / K0, x = w * Kx, y = w * Ky;
  const Vec3 centre = x * t1 + y * t2 + w * Kz * nhat;  // from the origin
  cluster.centre = origin + centre;
  cluster.stiffness = K0;
  cluster.sxx = w * Kxx - x * x, cluster.sxy = w * Kxy - x * y, cluster.syy = w * Kyy - y * y;
  torque -= cross(centre, F);
  cluster.bx = -dot(torque, t2), cluster.by = dot(torque, t1);  // n × torque
  cluster.spin = dot(torque, nhat);
  cluster.feature = name(seed, 5);
  return add_cluster_points(cluster, fine, points);
}

bool PointMaker::make(const PlaneSection& s, std::vector<SurfacePoint>* points, double fine) {
  points->clear();
  if (!(s.p > 0)) return false;
  const double x = s.gx / s.g, y = s.gy / s.g;
  return add_cluster_points({s.nhat, s.origin + x * s.t1 + y * s.t2, s.t1, s.t2, s.p, s.g,
                             s.gxx / s.g - x * x, s.gxy / s.g - x * y, s.gyy / s.g - y * y,
                             s.px - s.p * x, s.py - s.p * y, 0, name(s.strongest, 0, 5)},
                            fine, points);
}

}  // namespace cenic

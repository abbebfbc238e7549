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
constexpr double kNothing = 1e-5;  // share of the force below which it does not matter at all where

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
  points->push_back({s.moments.centroid + x * s.moments.t1 + y * s.moments.t2, s.nhat,
                     share * s.moments.area * p, share * calc_stiffness(s), p * s.softness,
                     name(s, kind)});
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

// What makes a polygon of a surface large.
struct Scale {
  double gyration = 0;  // square of the radius of gyration
  double force = 0;     // of the whole surface
  bool is_large(const SurfacePolygon& s) const {
    return s.moments.sxx + s.moments.syy > kLarge * kLarge * gyration &&
           (s.pressure <= 0 || calc_force(s) > kRimForce * force);
  }
};

Scale calc_scale(std::span<const SurfacePolygon> polygons) {
  double area = 0, second = 0, force = 0;
  Vec3 first;
  const Vec3& origin = polygons[0].moments.centroid;
  for (const SurfacePolygon& s : polygons) {
    const Vec3 d = s.moments.centroid - origin;
    area += s.moments.area;
    first += s.moments.area * d;
    second += s.moments.area * (norm_squared(d) + s.moments.sxx + s.moments.syy);
    force += std::max(calc_force(s), 0.0);
  }
  return {second / area - norm_squared(first) / (area * area), force};
}

// A cluster about its centre of stiffness, in the plane across its force.
struct Cluster {
  Vec3 nhat, centre, t1, t2;
  double force = 0, stiffness = 0;
  double sxx = 0, sxy = 0, syy = 0;  // second moments of the stiffness
  double bx = 0, by = 0;             // n × torque
  std::uint32_t feature = 0;         // of the first point
};

// Points that have the cluster's force and torque (but for the torque about the force), its normal
// stiffness and the second moments S of that stiffness:
//   r_i = √2 S^½ u_i,  f_i = |F|/3 + (S⁻¹ b)·r_i/3,  b = n × τ about the centre of stiffness.
// Along axes in which the cluster is fine S does not count: two points on a line, or one.
bool add_cluster_points(const Cluster& c, double fine, std::vector<SurfacePoint>* points) {
  const auto [sxx, sxy, syy] = std::array{c.sxx, c.sxy, c.syy};
  const auto [bx, by, P0] = std::array{c.bx, c.by, c.force};
  // Principal moments λ1 ≥ λ2, the first along (ex, ey).
  const double mean = 0.5 * (sxx + syy), half = 0.5 * (sxx - syy);
  const double spread = std::sqrt(half * half + sxy * sxy);
  const double l1 = mean + spread, l2 = mean - spread;
  std::array<SurfacePoint, 3> three;
  int count = 3;
  const auto place = [&](int i, double x, double y, double force) {
    SurfacePoint& point = three[i];
    point.p = c.centre + x * c.t1 + y * c.t2;
    point.nhat = c.nhat;
    point.force = force;
    point.stiffness = c.stiffness / count;
    point.depth = force * count / c.stiffness;
    point.feature = c.feature + i;
  };
  if (l1 <= fine * fine) {
    count = 1;
    place(0, bx / P0, by / P0, P0);
  } else if (l2 <= std::max(fine * fine, kLine * l1)) {
    count = 2;
    double ex = spread + half, ey = sxy;
    if (half < 0) ex = sxy, ey = spread - half;
    const double length = std::hypot(ex, ey);
    ex = length > 0 ? ex / length : 1, ey = length > 0 ? ey / length : 0;
    const double along = (bx * ex + by * ey) / 2, across = (by * ex - bx * ey) / P0;
    const double r = std::sqrt(l1);
    for (const int i : {0, 1}) {
      const double x = i == 0 ? r : -r;
      place(i, x * ex - across * ey, x * ey + across * ex, 0.5 * P0 + along / x);
    }
  } else {
    const double det = sxx * syy - sxy * sxy;
    const double yx = (syy * bx - sxy * by) / det, yy = (sxx * by - sxy * bx) / det;
    const detail::Root2 root = detail::calc_root_of_double(sxx, sxy, syy);
    for (int i = 0; i < 3; ++i) {
      const double x = root.xx * kCos[i] + root.xy * kSin[i];
      const double y = root.xy * kCos[i] + root.yy * kSin[i];
      place(i, x, y, (P0 + yx * x + yy * y) / 3);
    }
  }
  // Forces that pull, or act from far outside, come of polygons that do not lie in one plane.
  bool sound = bx * bx + by * by <= 4 * P0 * P0 * l1;
  for (int i = 0; i < count; ++i) {
    sound = sound && three[i].force >= 0;
  }
  if (sound) points->insert(points->end(), three.begin(), three.begin() + count);
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
                      std::vector<SurfacePoint>* points, double fine) {
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
    const int seed = *std::ranges::max_element(open_, {}, [&](int i) {
      return calc_force(polygons[i]);
    });
    cluster_.clear();
    cluster_.push_back(seed);
    std::size_t kept = 0;
    double rim_force = 0;
    for (const int i : open_) {
      if (i == seed) continue;
      const double way = dot(polygons[i].nhat, polygons[seed].nhat);
      const double force = calc_force(polygons[i]), with = rim_force + force;
      const bool rim =
          force < kNothing * scale.force || (way > kRimWay && with < kRimForce * scale.force);
      if (way > kSameWay || rim) {
        cluster_.push_back(i);
        if (way <= kSameWay) rim_force = with;
      } else {
        open_[kept++] = i;
      }
    }
    open_.resize(kept);
    double cluster_force = 0;
    for (const int i : cluster_) {
      cluster_force += calc_force(polygons[i]);
    }
    const bool small = cluster_force < kRimForce * scale.force;
    const bool single = cluster_.size() == 1 && (small || !scale.is_large(polygons[seed]));
    if (!single && add_cluster(polygons, small ? INFINITY : fine, points)) continue;
    for (const int i : cluster_) {
      add_polygon(polygons[i], scale.is_large(polygons[i]), points);
    }
  }
}

bool PointMaker::add_cluster(std::span<const SurfacePolygon> polygons, double fine,
                             std::vector<SurfacePoint>* points) const {
  const SurfacePolygon& seed = polygons[cluster_[0]];
  const Vec3& origin = seed.moments.centroid;
  Vec3 F, torque, K1;
  double K0 = 0;
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
    const double way = dot(s.nhat, seed.nhat);
    const double k = way * way * calc_stiffness(s);
    K0 += k;
    K1 += k * (m.centroid - origin);
  }
  const double P0 = norm(F);
  const Vec3 nhat = F / P0;
  const Vec3 centre = K1 / K0;  // from the origin
  torque -= cross(centre, F);
  const Vec3 t1 = any_orthogonal(nhat), t2 = cross(nhat, t1);
  double sxx = 0, sxy = 0, syy = 0;
  for (const int i : cluster_) {
    const SurfacePolygon& s = polygons[i];
    const detail::PolygonMoments& m = s.moments;
    const double way = dot(s.nhat, seed.nhat);
    const double k = way * way * calc_stiffness(s) / K0;
    const Vec3 d = m.centroid - origin - centre;
    const double x = dot(d, t1), y = dot(d, t2);
    const double a = dot(t1, m.t1), b = dot(t1, m.t2), c = dot(t2, m.t1), e = dot(t2, m.t2);
    sxx += k * (x * x + a * a * m.sxx + 2 * a * b * m.sxy + b * b * m.syy);
    sxy += k * (x * y + a * c * m.sxx + (a * e + b * c) * m.sxy + b * e * m.syy);
    syy += k * (y * y + c * c * m.sxx + 2 * c * e * m.sxy + e * e * m.syy);
  }
  const Vec3 lever = cross(nhat, torque);
  return add_cluster_points({nhat, origin + centre, t1, t2, P0, K0, sxx, sxy, syy, dot(lever, t1),
                             dot(lever, t2), name(seed, 5)},
                            fine, points);
}

bool PointMaker::make(const PlaneSection& s, std::vector<SurfacePoint>* points, double fine) {
  points->clear();
  if (!(s.p > 0)) return false;
  const double x = s.gx / s.g, y = s.gy / s.g;
  return add_cluster_points({s.nhat, s.origin + x * s.t1 + y * s.t2, s.t1, s.t2, s.p, s.g,
                             s.gxx / s.g - x * x, s.gxy / s.g - x * y, s.gyy / s.g - y * y,
                             s.px - s.p * x, s.py - s.p * y, name(s.strongest, 0, 5)},
                            fine, points);
}

}  // namespace cenic

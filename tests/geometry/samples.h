// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Random shapes and poses, and an oracle that knows nothing of GJK, EPA or separating axes: the
// signed distance of two convex shapes is −min over unit n of h_A(n) + h_B(−n), found by looking in
// thousands of directions.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "geometry/convex_hull.h"
#include "geometry/manifold.h"

namespace cenic::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Vec3 in_cube(double half) {
    return {uniform(-half, half), uniform(-half, half), uniform(-half, half)};
  }
  Vec3 direction() {
    while (true) {
      const Vec3 v = in_cube(1);
      if (norm(v) < 1 && norm(v) > 0.1) return normalized(v);
    }
  }
  Mat3 rotation() {
    std::normal_distribution<double> normal;
    return to_matrix(
        normalized(Quat{normal(engine_), normal(engine_), normal(engine_), normal(engine_)}));
  }
  RigidTransform pose(double half) { return {rotation(), in_cube(half)}; }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }

 private:
  std::mt19937 engine_;
};

inline Shape random_hull(Random* random, int num_points, double scale) {
  std::vector<Vec3> points;
  for (int i = 0; i < num_points; ++i) {
    points.push_back(scale * random->in_cube(1));
  }
  return make_convex(std::make_shared<ConvexHull>(make_convex_hull(points)));
}

// Sizes within [0.2, 1] × scale.
inline Shape random_shape(ShapeKind kind, Random* random, double scale = 1) {
  const auto size = [&] {
    return scale * random->uniform(0.2, 1);
  };
  switch (kind) {
    case ShapeKind::kSphere:
      return make_sphere(size());
    case ShapeKind::kBox:
      return make_box({size(), size(), size()});
    case ShapeKind::kCylinder:
      return make_cylinder(size(), size());
    case ShapeKind::kCapsule:
      return make_capsule(size(), size());
    case ShapeKind::kEllipsoid:
      return make_ellipsoid({size(), size(), size()});
    case ShapeKind::kHalfSpace:
      return make_half_space();
    case ShapeKind::kConvex:
      return random_hull(random, 20, scale);
    case ShapeKind::kHeightField:
    case ShapeKind::kSurface:
      break;
  }
  return {};
}

// max of n·x over the posed shape.
inline double support_value(const Shape& shape, const RigidTransform& X, const Vec3& n) {
  return dot(n, X * calc_support(shape, transpose_times(X.R, n)));
}

class DepthOracle {
 public:
  DepthOracle(const Shape& A, const RigidTransform& X_WA, const Shape& B,
              const RigidTransform& X_WB)
      : A_(A), B_(B), X_WA_(X_WA), X_WB_(X_WB) {}

  // n·(a − b) at most: what B must move along n to be clear of A.
  double depth_along(const Vec3& n) const {
    return support_value(A_, X_WA_, n) + support_value(B_, X_WB_, -n);
  }

  // min over n, never below it: any direction found gives an upper bound.
  double depth(Vec3* best_n = nullptr) const {
    constexpr int kNumDirections = 1500;
    constexpr int kNumStarts = 12;
    std::vector<std::pair<double, Vec3>> all;
    for (int i = 0; i < kNumDirections; ++i) {
      const double z = 1 - (2 * i + 1.0) / kNumDirections, r = std::sqrt(1 - z * z),
                   a = 2.399963229728653 * i;
      add(Vec3{r * std::cos(a), r * std::sin(a), z}, &all);
    }
    std::vector<Vec3> edges;
    add_special(&all, &edges);
    std::partial_sort(all.begin(), all.begin() + kNumStarts, all.end(),
                      [](const auto& p, const auto& q) {
                        return p.first < q.first;
                      });
    double best = all[0].first;
    if (best_n != nullptr) *best_n = all[0].second;
    for (int i = 0; i < kNumStarts; ++i) {
      auto [value, n] = refine(all[i].second, all[i].first, {});
      for (const Vec3& edge : edges) {
        if (std::fabs(dot(n, edge)) > 0.02) continue;
        const Vec3 across = normalized(n - dot(n, edge) * edge);
        const auto [value_across, n_across] = refine(across, depth_along(across), edge);
        if (value_across < value) value = value_across, n = n_across;
      }
      if (value < best) {
        best = value;
        if (best_n != nullptr) *best_n = n;
      }
    }
    return best;
  }

 private:
  void add(const Vec3& n, std::vector<std::pair<double, Vec3>>* all) const {
    all->emplace_back(depth_along(n), n);
  }

  // Directions at which the function has kinks: normals of flat faces, and products of straight
  // edges.
  void add_special(std::vector<std::pair<double, Vec3>>* all, std::vector<Vec3>* edges) const {
    std::vector<Vec3> edges_A, edges_B;
    collect(A_, X_WA_, &edges_A, all);
    collect(B_, X_WB_, &edges_B, all);
    for (const Vec3& a : edges_A) {
      for (const Vec3& b : edges_B) {
        const Vec3 n = cross(a, b);
        if (norm(n) < 1e-6 * norm(a) * norm(b)) continue;
        add(normalized(n), all);
        add(-normalized(n), all);
      }
    }
    const Vec3 d = X_WB_.p - X_WA_.p;
    if (norm(d) > 0) add(normalized(d), all);
    for (const Vec3& a : edges_A) {
      edges->push_back(normalized(a));
    }
    for (const Vec3& b : edges_B) {
      edges->push_back(normalized(b));
    }
  }

  void collect(const Shape& shape, const RigidTransform& X, std::vector<Vec3>* edges,
               std::vector<std::pair<double, Vec3>>* all) const {
    const auto normal = [&](const Vec3& n) {
      add(n, all), add(-n, all);
    };
    if (shape.kind == ShapeKind::kBox) {
      for (int i = 0; i < 3; ++i) {
        edges->push_back(X.R.column(i)), normal(X.R.column(i));
      }
    } else if (shape.kind == ShapeKind::kCylinder || shape.kind == ShapeKind::kCapsule) {
      edges->push_back(X.R.column(2)), normal(X.R.column(2));
    } else if (shape.kind == ShapeKind::kConvex) {
      for (const Vec3& n : shape.hull->face_normals) {
        normal(X.R * n);
      }
      const ConvexHull& hull = *shape.hull;
      for (std::size_t v = 0; v < hull.vertices.size(); ++v) {
        for (int k = hull.neighbor_start[v]; k < hull.neighbor_start[v + 1]; ++k) {
          if (hull.neighbors[k] > static_cast<int>(v)) {
            edges->push_back(X.R * (hull.vertices[hull.neighbors[k]] - hull.vertices[v]));
          }
        }
      }
    }
  }

  // Tries eight directions around the best one, turning the star at each round and shrinking it
  // when nothing is gained. With an edge given, only the two directions across it: along the edge
  // the function has a kink.
  std::pair<double, Vec3> refine(Vec3 n, double value, const Vec3& edge) const {
    const bool across = norm(edge) > 0;
    double step = across ? 0.01 : 0.05, turn = 0;
    while (step > 1e-9) {
      const Vec3 t1 = across ? normalized(cross(n, edge)) : any_orthogonal(n), t2 = cross(n, t1);
      bool better = false;
      turn += across ? 0 : 0.7;
      for (int k = 0; k < 8; k += across ? 4 : 1) {
        const double a = turn + k * 0.7853981633974483;
        const Vec3 m = normalized(n + step * (std::cos(a) * t1 + std::sin(a) * t2));
        const double v = depth_along(m);
        if (v < value) value = v, n = m, better = true;
      }
      if (!better) step *= 0.6;
    }
    return {value, n};
  }

  const Shape& A_;
  const Shape& B_;
  RigidTransform X_WA_, X_WB_;
};

inline double least_phi(const Manifold& manifold) {
  double phi = 1e300;
  for (int k = 0; k < manifold.count; ++k) {
    phi = std::min(phi, manifold.points[k].phi);
  }
  return phi;
}

// Torque about the origin and force on B by springs of unit stiffness.
inline Spatial calc_wrench(const Manifold& manifold) {
  Spatial wrench;
  for (int k = 0; k < manifold.count; ++k) {
    const ManifoldPoint& point = manifold.points[k];
    const Vec3 f = point.weight * std::max(0.0, -point.phi) * manifold.nhat_AB_W;
    wrench += {cross(0.5 * (point.p_WA + point.p_WB), f), f};
  }
  return wrench;
}

}  // namespace cenic::test

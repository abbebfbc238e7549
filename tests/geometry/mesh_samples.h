// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Closed surfaces to test with.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <vector>

#include "geometry/triangle_mesh.h"

namespace cenic::test {

// The box from lower to upper, each face of n × n squares; shared vertices merged by place.
inline TriangleMesh box_surface(const Vec3& lower, const Vec3& upper, int n = 1) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, int> index;
  const auto vertex = [&](std::array<int, 3> at) {
    const auto [found, is_new] = index.try_emplace(at, static_cast<int>(mesh.vertices.size()));
    if (is_new) {
      Vec3 p;
      for (int i = 0; i < 3; ++i) {
        p[i] = lower[i] + (upper[i] - lower[i]) * at[i] / n;
      }
      mesh.vertices.push_back(p);
    }
    return found->second;
  };
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int side = 0; side < 2; ++side) {
      for (int i = 0; i < n * n; ++i) {
        std::array<int, 3> a{};
        a[axis] = side * n, a[u] = i % n, a[v] = i / n;
        std::array<int, 3> b = a, c = a, d = a;
        ++b[u], ++c[u], ++c[v], ++d[v];
        if (side == 0) std::swap(b, d);
        mesh.triangles.push_back({vertex(a), vertex(b), vertex(c)});
        mesh.triangles.push_back({vertex(a), vertex(c), vertex(d)});
      }
    }
  }
  return mesh;
}

// An octahedron refined and blown up to the unit sphere, times the radius.
inline TriangleMesh sphere_surface(double radius, int levels) {
  TriangleMesh mesh{
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
      {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [found, is_new] =
          middles.try_emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (is_new) mesh.vertices.push_back(normalized(mesh.vertices[a] + mesh.vertices[b]));
      return found->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [a, b, c] : mesh.triangles) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    mesh.triangles = finer;
  }
  for (Vec3& p : mesh.vertices) {
    p *= radius;
  }
  return mesh;
}

// A grid of m × n points closed in both directions; point(u, v) with u, v in [0, 1), and the normal
// outward along ∂u × ∂v.
inline TriangleMesh torus_grid(int m, int n, const std::function<Vec3(double, double)>& point) {
  TriangleMesh mesh;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      mesh.vertices.push_back(point(1.0 * i / m, 1.0 * j / n));
    }
  }
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * n + j, b = (i + 1) % m * n + j, c = (i + 1) % m * n + (j + 1) % n,
                d = i * n + (j + 1) % n;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

inline TriangleMesh torus_surface(double major, double minor, int m, int n) {
  return torus_grid(m, n, [=](double u, double v) {
    const double a = 2 * std::numbers::pi * u, b = 2 * std::numbers::pi * v;
    const double r = major + minor * std::cos(b);
    return Vec3{r * std::cos(a), r * std::sin(a), minor * std::sin(b)};
  });
}

// A polygon in the xy-plane, counter-clockwise, pulled up from z = 0 to h; it is cut into triangles
// by the caller.
inline TriangleMesh prism_surface(const std::vector<Vec3>& polygon,
                                  const std::vector<std::array<int, 3>>& caps, double h) {
  TriangleMesh mesh;
  const int n = static_cast<int>(polygon.size());
  mesh.vertices = polygon;
  for (const Vec3& p : polygon) {
    mesh.vertices.push_back(p + Vec3{0, 0, h});
  }
  for (const auto& [a, b, c] : caps) {
    mesh.triangles.push_back({a, c, b});
    mesh.triangles.push_back({n + a, n + b, n + c});
  }
  for (int i = 0; i < n; ++i) {
    const int j = (i + 1) % n;
    mesh.triangles.push_back({i, j, n + j});
    mesh.triangles.push_back({i, n + j, n + i});
  }
  return mesh;
}

// An L of two arms of width 1 and length 2; volume 3 h.
inline TriangleMesh l_surface(double h) {
  return prism_surface({{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}},
                       {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}, h);
}

// A cup without handle, open at the top: a closed surface of revolution with walls of the given
// thickness; its profile runs outside up and inside down.
inline TriangleMesh cup_surface(double radius, double height, double wall, int segments) {
  const std::vector<std::pair<double, double>> profile{
      {0.5 * radius, 0},       {radius, 0},
      {radius, 0.5 * height},  {radius, height},
      {radius - wall, height}, {radius - wall, 0.5 * height},
      {radius - wall, wall},   {0.5 * radius, wall}};
  TriangleMesh mesh;
  const int n = static_cast<int>(profile.size());
  for (int i = 0; i < segments; ++i) {
    const double a = 2 * std::numbers::pi * i / segments;
    for (const auto& [r, z] : profile) {
      mesh.vertices.push_back({r * std::cos(a), r * std::sin(a), z});
    }
  }
  const int bottom = static_cast<int>(mesh.vertices.size()), top = bottom + 1;
  mesh.vertices.push_back({0, 0, 0});
  mesh.vertices.push_back({0, 0, wall});
  for (int i = 0; i < segments; ++i) {
    const int here = i * n, next = (i + 1) % segments * n;
    for (int k = 0; k + 1 < n; ++k) {
      mesh.triangles.push_back({here + k, next + k, next + k + 1});
      mesh.triangles.push_back({here + k, next + k + 1, here + k + 1});
    }
    mesh.triangles.push_back({bottom, next, here});
    mesh.triangles.push_back({top, here + n - 1, next + n - 1});
  }
  return mesh;
}

}  // namespace cenic::test

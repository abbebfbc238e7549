// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Meshes that MuJoCo makes itself, by the formulas of its manual. Superquadrics have
//   c(w, m) = sgn(cos w) |cos w|^m,  s(w, m) = sgn(sin w) |sin w|^m.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mjcf/mesh.h"

namespace cenic::detail {
namespace {

using std::numbers::pi;

constexpr int kMostResolution = 2000;

double power(double x, double m) { return std::copysign(std::pow(std::fabs(x), m), x); }
double c(double w, double m) { return power(std::cos(w), m); }
double s(double w, double m) { return power(std::sin(w), m); }

// A whole number within its limits.
int whole(const std::vector<double>& params, std::size_t i, int least, int most) {
  const double value = params[i];
  if (value >= least && value <= most && std::trunc(value) == value) return static_cast<int>(value);
  throw Error(fmt::format("params: number {} is {}; give a whole number from {} to {}", i + 1,
                          value, least, most));
}

double real(const std::vector<double>& params, std::size_t i, double least, double most) {
  if (params[i] >= least && params[i] <= most) return params[i];
  throw Error(fmt::format("params: number {} is {}; give a number from {} to {}", i + 1, params[i],
                          least, most));
}

// Each side of an icosahedron is halved, again and again.
TriangleMesh make_icosphere(int subdivisions) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  TriangleMesh mesh;
  mesh.vertices = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                   {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  mesh.triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (int round = 0; round < subdivisions; ++round) {
    std::map<std::pair<int, int>, int> halves;
    const auto half = [&](int a, int b) {
      const std::pair<int, int> side = std::minmax(a, b);
      const auto [found, is_new] = halves.try_emplace(side, static_cast<int>(mesh.vertices.size()));
      if (is_new) mesh.vertices.push_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
      return found->second;
    };
    std::vector<std::array<int, 3>> finer;
    for (const auto& [x, y, z] : mesh.triangles) {
      const int xy = half(x, y), yz = half(y, z), zx = half(z, x);
      for (const std::array<int, 3>& t :
           {std::array{x, xy, zx}, {y, yz, xy}, {z, zx, yz}, {xy, yz, zx}}) {
        finer.push_back(t);
      }
    }
    mesh.triangles = std::move(finer);
    for (Vec3& v : mesh.vertices) {
      v = normalized(v);
    }
  }
  for (Vec3& v : mesh.vertices) {
    v = normalized(v);
  }
  return mesh;
}

// The upper half of an octahedron whose edges have n parts, blown up to the unit sphere, and its
// base about the centre. Row i from the tip has i points in each quadrant.
TriangleMesh make_hemisphere(int n) {
  const Vec3 corners[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 1}};
  const auto index = [&](int row, int quadrant, int k) {  // k may be that of the next quadrant
    return row == 0 ? 0 : 1 + 2 * row * (row - 1) + (quadrant * row + k) % (4 * row);
  };
  for (int row = 1; row <= n; ++row) {
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      for (int k = 0; k < row; ++k) {
        const Vec3 across = (row - k) * corners[quadrant] + k * corners[(quadrant + 1) % 4];
        mesh.vertices.push_back(normalized(across + Vec3{0, 0, static_cast<double>(n - row)}));
      }
    }
  }
  const int centre = static_cast<int>(mesh.vertices.size());
  mesh.vertices.emplace_back();
  for (int quadrant = 0; quadrant < 4; ++quadrant) {
    for (int row = 1; row <= n; ++row) {
      for (int k = 0; k < row; ++k) {
        const int left = index(row, quadrant, k), right = index(row, quadrant, k + 1);
        const int above = index(row - 1, quadrant, k);
        mesh.triangles.push_back({left, right, above});
        if (row == n) mesh.triangles.push_back({right, left, centre});
        if (k + 1 < row) {
          mesh.triangles.push_back({right, index(row - 1, quadrant, k + 1), above});
        }
      }
    }
  }
  return mesh;
}

// Rings of n points from the bottom up, with a pole at each end or closed to a torus.
TriangleMesh make_rings(int rings, int n, bool torus, const auto& point, const Vec3& bottom,
                        const Vec3& top) {
  TriangleMesh mesh;
  for (int r = 0; r < rings; ++r) {
    for (int k = 0; k < n; ++k) {
      mesh.vertices.push_back(point(r, k));
    }
  }
  const int bands = torus ? rings : rings - 1;
  for (int r = 0; r < bands; ++r) {
    for (int k = 0; k < n; ++k) {
      const int below = r * n, above = (r + 1) % rings * n, next = (k + 1) % n;
      mesh.triangles.push_back({below + k, below + next, above + next});
      mesh.triangles.push_back({below + k, above + next, above + k});
    }
  }
  if (torus) return mesh;
  const int b = static_cast<int>(mesh.vertices.size()), last = (rings - 1) * n;
  mesh.vertices.insert(mesh.vertices.end(), {bottom, top});
  for (int k = 0; k < n; ++k) {
    const int next = (k + 1) % n;
    mesh.triangles.push_back({b, next, k});
    mesh.triangles.push_back({b + 1, last + k, last + next});
  }
  return mesh;
}

// The hull of a polygon at z = −1 and a smaller one at z = 1; a radius of zero is a tip.
TriangleMesh make_cone(int n, double radius) {
  const auto point = [&](int r, int k) {
    const double size = r == 0 ? 1 : radius, w = 2 * pi * k / n;
    return Vec3{size * std::cos(w), size * std::sin(w), r == 0 ? -1.0 : 1.0};
  };
  return make_rings(radius > 0 ? 2 : 1, n, false, point, {0, 0, -1}, {0, 0, 1});
}

TriangleMesh make_supersphere(int n, double e, double north) {
  const auto point = [&](int r, int k) {
    const double theta = pi * (r + 1) / n - pi / 2, phi = 2 * pi * k / n - pi;
    return Vec3{c(theta, north) * c(phi, e), c(theta, north) * s(phi, e), s(theta, north)};
  };
  return make_rings(n - 1, n, false, point, {0, 0, -1}, {0, 0, 1});
}

// Around the main circle ring by ring, each around the tube.
TriangleMesh make_supertorus(int n, double radius, double minor, double major) {
  const auto point = [&](int r, int k) {
    const double u = 2 * pi * r / n, v = -2 * pi * k / n;
    const double out = 1 + radius * c(v, minor);
    return Vec3{out * c(u, major), out * s(u, major), radius * s(v, minor)};
  };
  return make_rings(n, n, true, point, {}, {});
}

}  // namespace

TriangleMesh make_builtin_mesh(const std::string& kind, const std::vector<double>& params) {
  const std::map<std::string, std::size_t> counts = {
      {"sphere", 1}, {"hemisphere", 1}, {"cone", 2}, {"supersphere", 3}, {"supertorus", 4}};
  const auto known = counts.find(kind);
  if (known == counts.end()) {
    throw Error(
        fmt::format("builtin mesh '{}' is not known; sphere, hemisphere, cone, supersphere and "
                    "supertorus are",
                    kind));
  }
  if (params.size() != known->second) {
    throw Error(fmt::format("params has {} numbers; a builtin {} needs {}", params.size(), kind,
                            known->second));
  }
  constexpr double kMostPower = 100;
  if (kind == "sphere") return make_icosphere(whole(params, 0, 0, 4));
  if (kind == "hemisphere") return make_hemisphere(1 + whole(params, 0, 0, 10));
  const int n = whole(params, 0, 3, kMostResolution);
  if (kind == "cone") return make_cone(n, real(params, 1, 0, 1));
  if (kind == "supersphere") {
    return make_supersphere(n, real(params, 1, 0, kMostPower), real(params, 2, 0, kMostPower));
  }
  constexpr double kLeast = 1e-6;
  return make_supertorus(n, real(params, 1, kLeast, 1), real(params, 2, kLeast, kMostPower),
                         real(params, 3, kLeast, kMostPower));
}

}  // namespace cenic::detail

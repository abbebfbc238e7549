// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Pressure fields of the primitives and of hulls. All are p = E · (depth below the surface)/H along
// the way to the medial axis, H the largest depth; a hull's heart is its centroid.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/convex_hull.h"
#include "geometry/hydroelastic/field_builder.h"

namespace cenic::detail {
namespace {

constexpr double kPi = std::numbers::pi;

// By how much the radius of a regular polygon must exceed that of the circle of the same area.
double calc_polygon_scale(int sides) {
  const double angle = 2 * kPi / sides;
  return std::sqrt(angle / std::sin(angle));
}

// The angle of corner i of a regular polygon, the same number however often it went around: cells
// that share a corner agree to the last bit.
double calc_angle(int i, int sides) { return 2 * kPi * ((i % sides + sides) % sides) / sides; }

// A frustum between the polygons `outer` (on the surface) and `inner`, both counter-clockwise seen
// from outside, pressure p inside.
void add_frustum(std::span<const Vec3> outer, std::span<const Vec3> inner, double p,
                 FieldBuilder* builder) {
  const int n = static_cast<int>(outer.size());
  std::vector<Vec3> vertices(outer.begin(), outer.end());
  vertices.insert(vertices.end(), inner.begin(), inner.end());
  std::vector<double> pressures(2 * n, 0.0);
  std::fill(pressures.begin() + n, pressures.end(), p);
  std::vector<FaceLoop> loops(2);
  for (int i = 0; i < n; ++i) {
    loops[0].push_back(i);
    loops[1].push_back(2 * n - 1 - i);
    loops.push_back({(i + 1) % n, i, n + i, n + (i + 1) % n});
  }
  builder->add_cell(vertices, pressures, loops, true);
}

}  // namespace

// Six blocks between a face and the medial rectangle, with half sizes h − m, m the least of h.
PressureField make_box_field(const Vec3& h, double modulus) {
  FieldBuilder builder(modulus);
  const double m = std::min({h.x, h.y, h.z});
  const Vec3 core = h - Vec3{m, m, m};
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (const int side : {1, -1}) {
      Vec3 outer[4], inner[4];
      for (int i = 0; i < 4; ++i) {
        const double su = i == 0 || i == 3 ? -side : side, sv = i < 2 ? -1 : 1;
        outer[i][axis] = side * h[axis], inner[i][axis] = side * core[axis];
        outer[i][u] = su * h[u], inner[i][u] = su * core[u];
        outer[i][v] = sv * h[v], inner[i][v] = sv * core[v];
      }
      add_frustum(outer, inner, modulus, &builder);
    }
  }
  return builder.finish();
}

// Two caps and a wedge for each facet of the side, over the medial segment, point or disc: the same
// cylinder shrunk by m = min(radius, half length) on all sides.
PressureField make_cylinder_field(double radius, double half_length, int sides, double modulus) {
  FieldBuilder builder(modulus);
  const double m = std::min(radius, half_length);
  const double rim = radius * calc_polygon_scale(sides);
  const double core = rim * (radius - m) / radius;
  const auto point = [&](double r, double z, int i) {
    const double angle = calc_angle(i, sides);
    return Vec3{r * std::cos(angle), r * std::sin(angle), z};
  };
  for (const int side : {1, -1}) {
    std::vector<Vec3> outer, inner;
    for (int i = 0; i < sides; ++i) {
      outer.push_back(point(rim, side * half_length, side * i));
      inner.push_back(point(core, side * (half_length - m), side * i));
    }
    add_frustum(outer, inner, modulus, &builder);
  }
  for (int i = 0; i < sides; ++i) {
    const double z = half_length, c = half_length - m;
    const Vec3 outer[4] = {point(rim, -z, i), point(rim, -z, i + 1), point(rim, z, i + 1),
                           point(rim, z, i)};
    const Vec3 inner[4] = {point(core, -c, i), point(core, -c, i + 1), point(core, c, i + 1),
                           point(core, c, i)};
    add_frustum(outer, inner, modulus, &builder);
  }
  return builder.finish();
}

// Pyramids between the facets and the axis. Facets between two circles of latitude are isosceles
// trapezoids, hence flat.
PressureField make_capsule_field(double radius, double half_length, int sides, double modulus) {
  FieldBuilder builder(modulus);
  const int circles = std::max(2, sides / 4);  // from the equator to a pole
  const double r = radius * calc_polygon_scale(sides);
  const auto point = [&](int latitude, int i, int side) {
    const double theta = 0.5 * kPi * latitude / circles, phi = calc_angle(i, sides);
    const double rho = latitude == circles ? 0 : r * std::cos(theta);
    return Vec3{rho * std::cos(phi), rho * std::sin(phi),
                side * (half_length + r * std::sin(theta))};
  };
  for (int i = 0; i < sides; ++i) {
    const Vec3 outer[4] = {point(0, i, -1), point(0, i + 1, -1), point(0, i + 1, 1),
                           point(0, i, 1)};
    const Vec3 low{0, 0, -half_length}, high{0, 0, half_length};
    const Vec3 inner[4] = {low, low, high, high};
    add_frustum(outer, inner, modulus, &builder);
    for (const int side : {1, -1}) {
      for (int latitude = 0; latitude < circles; ++latitude) {
        const int a = side > 0 ? i : i + 1, b = side > 0 ? i + 1 : i;
        std::vector<Vec3> base = {point(latitude, a, side), point(latitude, b, side),
                                  point(latitude + 1, b, side)};
        if (latitude + 1 < circles) base.push_back(point(latitude + 1, a, side));
        builder.add_pyramid(side > 0 ? high : low, modulus, base);
      }
    }
  }
  return builder.finish();
}

namespace {

struct UnitTriangle {
  Vec3 a, b, c;
};

// Triangles on the unit sphere: an octahedron's, each split into four at every level.
std::vector<UnitTriangle> make_sphere_triangles(int levels) {
  std::vector<UnitTriangle> triangles;
  for (const double x : {1.0, -1.0}) {
    for (const double y : {1.0, -1.0}) {
      for (const double z : {1.0, -1.0}) {
        const Vec3 a{x, 0, 0}, b{0, y, 0}, c{0, 0, z};
        triangles.push_back(x * y * z > 0 ? UnitTriangle{a, b, c} : UnitTriangle{a, c, b});
      }
    }
  }
  for (int level = 0; level < levels; ++level) {
    std::vector<UnitTriangle> finer;
    finer.reserve(4 * triangles.size());
    for (const auto& [a, b, c] : triangles) {
      const Vec3 ab = normalized(a + b), bc = normalized(b + c), ca = normalized(c + a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    triangles = std::move(finer);
  }
  return triangles;
}

}  // namespace

// Tetrahedra from the centre, scaled to the volume of the smooth solid: an inscribed mesh would
// touch too late by its sag.
PressureField make_ellipsoid_field(const Vec3& semi_axes, int levels, double modulus) {
  FieldBuilder builder(modulus);
  const std::vector<UnitTriangle> triangles = make_sphere_triangles(levels);
  double volume = 0;
  for (const auto& [a, b, c] : triangles) {
    volume += dot(a, cross(b, c)) / 6;
  }
  const double scale = std::cbrt(4 * kPi / 3 / volume);
  const auto place = [&](const Vec3& x) {
    return scale * Vec3{semi_axes.x * x.x, semi_axes.y * x.y, semi_axes.z * x.z};
  };
  for (const auto& [a, b, c] : triangles) {
    builder.add_tetrahedron({place(a), place(b), place(c), Vec3{}}, {0, 0, 0, modulus}, true);
  }
  PressureField field = builder.finish();
  if (semi_axes.x == semi_axes.y && semi_axes.y == semi_axes.z) field.sphere_radius = semi_axes.x;
  return field;
}

PressureField make_hull_field(const ConvexHull& hull, double modulus) {
  FieldBuilder builder(modulus);
  const int num_faces = static_cast<int>(hull.face_normals.size());
  const auto vertex = [&](int face, int i) -> const Vec3& {
    return hull.vertices[hull.face_vertices[hull.face_start[face] + i]];
  };
  // Centroid of the volume.
  Vec3 moment;
  double volume = 0;
  for (int f = 0; f < num_faces; ++f) {
    const int n = hull.face_start[f + 1] - hull.face_start[f];
    for (int i = 1; i + 1 < n; ++i) {
      const Vec3 a = vertex(f, 0) - hull.center, b = vertex(f, i) - hull.center,
                 c = vertex(f, i + 1) - hull.center;
      const double v = dot(a, cross(b, c));
      volume += v;
      moment += 0.25 * v * (a + b + c);
    }
  }
  const Vec3 heart = hull.center + moment / volume;
  constexpr int kMaxSides = 40;  // of a polygon: what clipping buffers hold, with room to spare
  for (int f = 0; f < num_faces; ++f) {
    const int n = hull.face_start[f + 1] - hull.face_start[f];
    for (int first = 1; first + 1 < n; first += kMaxSides - 2) {
      std::vector<Vec3> base = {vertex(f, 0)};
      for (int i = first; i < std::min(n, first + kMaxSides - 1); ++i) {
        base.push_back(vertex(f, i));
      }
      builder.add_pyramid(heart, modulus, base);
    }
  }
  return builder.finish();
}

PressureField make_half_space_field(double modulus, double thickness) {
  PressureField field;
  field.compliance = Compliance::kCompliant;
  field.half_space = true;
  field.modulus = modulus;
  field.foundation = thickness;
  field.size = INFINITY;
  PressureCell cell;
  cell.gradient = {0, 0, -modulus / thickness};
  cell.steepness = modulus / thickness;
  cell.softness = thickness / modulus;
  cell.num_planes = 1;
  cell.outer = true;
  field.planes.push_back({{0, 0, 1}, 0});
  field.cells.push_back(cell);
  return field;
}

}  // namespace cenic::detail

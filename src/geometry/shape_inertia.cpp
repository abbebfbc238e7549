// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Volume, centre and rotational inertia of the solids of unit density.
#include <numbers>

#include "geometry/convex_hull.h"
#include "geometry/shape.h"
#include "geometry/solid_mesh.h"

namespace cenic {
namespace {

using std::numbers::pi;

// A solid with its centre at the origin and mean squares xx = ∫x²/V …: I = V diag(yy+zz, xx+zz,
// xx+yy).
SpatialInertia from_mean_squares(double volume, const Vec3& m) {
  return {volume, {}, volume * Mat3::diagonal({m.y + m.z, m.x + m.z, m.x + m.y})};
}

SpatialInertia capsule_inertia(double r, double h) {
  // The cylinder, and one sphere cut in two halves whose centres are 3r/8 beyond the ends:
  // ∫z² over both halves = V_s (r²/5 + 2 h (3r/8) + h²).
  const double cylinder = 2 * pi * r * r * h;
  const double sphere = 4.0 / 3.0 * pi * r * r * r;
  const double xx = cylinder * r * r / 4 + sphere * r * r / 5;
  const double zz = cylinder * h * h / 3 + sphere * (r * r / 5 + 0.75 * h * r + h * h);
  const double volume = cylinder + sphere;
  return from_mean_squares(volume, Vec3{xx, xx, zz} / volume);
}

// A sum over signed tetrahedra with one corner at a common point: with edges a, b, d from there and
// V = a·(b×d)/6, ∫x = V (a+b+d)/4 and ∫x xᵀ = V/20 (a aᵀ + b bᵀ + d dᵀ + s sᵀ), s = a + b + d.
class TetSum {
 public:
  explicit TetSum(const Vec3& origin) : origin_(origin) {}

  void add(const Vec3& p, const Vec3& q, const Vec3& r) {
    const Vec3 a = p - origin_, b = q - origin_, d = r - origin_, s = a + b + d;
    const double V = dot(a, cross(b, d)) / 6;
    volume_ += V;
    first_ += 0.25 * V * s;
    second_ = second_ + V / 20 * (outer(a, a) + outer(b, b) + outer(d, d) + outer(s, s));
  }
  SpatialInertia calc_inertia() const {
    const Mat3 I = trace(second_) * Mat3::identity() - second_;
    return shift_inertia({volume_, first_, I}, origin_);
  }

 private:
  Vec3 origin_;
  double volume_ = 0;
  Vec3 first_;
  Mat3 second_;
};

// The fans of all faces.
SpatialInertia hull_inertia(const ConvexHull& hull) {
  TetSum sum(hull.center);
  const int num_faces = static_cast<int>(hull.face_normals.size());
  for (int f = 0; f < num_faces; ++f) {
    const Vec3& p = hull.vertices[hull.face_vertices[hull.face_start[f]]];
    for (int k = hull.face_start[f] + 1; k + 1 < hull.face_start[f + 1]; ++k) {
      sum.add(p, hull.vertices[hull.face_vertices[k]], hull.vertices[hull.face_vertices[k + 1]]);
    }
  }
  return sum.calc_inertia();
}

SpatialInertia mesh_inertia(const SolidMesh& mesh) {
  TetSum sum(mesh.hull.center);
  for (const auto& [a, b, c] : mesh.surface.triangles) {
    sum.add(mesh.surface.vertices[a], mesh.surface.vertices[b], mesh.surface.vertices[c]);
  }
  return sum.calc_inertia();
}

}  // namespace

SpatialInertia calc_unit_density_inertia(const Shape& shape) {
  const Vec3& s = shape.size;
  const double xx = s.x * s.x;
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return from_mean_squares(4.0 / 3.0 * pi * xx * s.x, {xx / 5, xx / 5, xx / 5});
    case ShapeKind::kBox:
      return from_mean_squares(8 * s.x * s.y * s.z, {xx / 3, s.y * s.y / 3, s.z * s.z / 3});
    case ShapeKind::kCylinder:
      return from_mean_squares(2 * pi * xx * s.z, {xx / 4, xx / 4, s.z * s.z / 3});
    case ShapeKind::kCapsule:
      return capsule_inertia(s.x, s.z);
    case ShapeKind::kEllipsoid:
      return from_mean_squares(4.0 / 3.0 * pi * s.x * s.y * s.z,
                               {xx / 5, s.y * s.y / 5, s.z * s.z / 5});
    case ShapeKind::kHalfSpace:
    case ShapeKind::kHeightField:
    case ShapeKind::kSurface:
      break;
    case ShapeKind::kConvex:
      if (shape.mesh != nullptr && shape.mesh->closed) return mesh_inertia(*shape.mesh);
      return hull_inertia(*shape.hull);
  }
  return {};
}

}  // namespace cenic

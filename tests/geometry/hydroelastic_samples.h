// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Fields of all kinds, and the wrench of a contact surface by any quadrature.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "geometry/hydroelastic/contact_surface.h"
#include "geometry/hydroelastic/field_builder.h"
#include "geometry/hydroelastic/surface_points.h"
#include "geometry/samples.h"

namespace cenic::test {

constexpr double kModulus = 1e7;

using FieldPtr = std::shared_ptr<const PressureField>;

inline FieldPtr make_compliant(const Shape& shape, double modulus = kModulus,
                               double resolution = 0) {
  return make_pressure_field(shape,
                             {.compliance = Compliance::kCompliant,
                              .modulus = modulus,
                              .resolution = resolution,
                              .slab_thickness = 0.1},
                             nullptr);
}
inline FieldPtr make_rigid(const Shape& shape, double resolution = 0) {
  return make_pressure_field(shape, {.compliance = Compliance::kRigid, .resolution = resolution},
                             nullptr);
}

struct Wrench {
  Vec3 force, torque;      // on M, about its origin, in its frame
  double stiffness = 0;    // Σ A g
  double normal_only = 0;  // Σ A |p|: what the force would be without directions
  std::size_t polygons = 0, points = 0;
};

inline std::vector<SurfacePolygon> find_polygons(const PressureField& M, const PressureField& N,
                                                 const RigidTransform& X_MN, double margin = 0) {
  SurfaceFinder finder;
  SurfaceCandidates candidates;
  std::vector<SurfacePolygon> polygons;
  finder.find(M, N, X_MN, margin, &candidates, &polygons);
  return polygons;
}

inline Wrench calc_wrench(const std::vector<SurfacePolygon>& polygons,
                          SurfaceQuadrature quadrature = SurfaceQuadrature::kPolygons) {
  std::vector<SurfacePoint> points;
  PointMaker().make(polygons, quadrature, &points);
  Wrench w;
  w.polygons = polygons.size();
  w.points = points.size();
  for (const SurfacePoint& point : points) {
    w.force += point.force * point.nhat;
    w.torque += cross(point.p, point.force * point.nhat);
  }
  for (const SurfacePolygon& s : polygons) {
    w.stiffness += s.moments.area * s.gradient;
    w.normal_only += s.moments.area * std::fabs(s.pressure);
  }
  return w;
}

inline Wrench calc_wrench(const PressureField& M, const PressureField& N,
                          const RigidTransform& X_MN,
                          SurfaceQuadrature quadrature = SurfaceQuadrature::kPolygons) {
  return calc_wrench(find_polygons(M, N, X_MN), quadrature);
}

// N moved by the twist, a rotation vector about M's origin and a translation.
inline RigidTransform move(const RigidTransform& X_MN, const Vec3& turn, const Vec3& shift) {
  return RigidTransform{RigidTransform::rotation(turn).R, shift} * X_MN;
}

}  // namespace cenic::test

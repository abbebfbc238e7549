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

// What the rule of angles (kCosLimit) leaves out: the wrench on M of all polygons that look more
// than 112.5° away from a gradient, by brute force. With it the surface is whole and its wrench is
// a slope of U.
constexpr double kCosLimit = -0.3826834323650898;

inline void add_polygon(const detail::Polygon& polygon, const Vec3& nhat, const PressureCell& cell,
                        Wrench* w) {
  const detail::PolygonMoments m = detail::calc_moments(polygon, nhat);
  if (!(m.area > 0)) return;
  const double p = dot(cell.gradient, m.centroid) + cell.offset;
  const double px = dot(cell.gradient, m.t1), py = dot(cell.gradient, m.t2);
  // ∫ p x dA
  const Vec3 first = m.area * (p * m.centroid + (m.sxx * px + m.sxy * py) * m.t1 +
                               (m.sxy * px + m.syy * py) * m.t2);
  w->force += m.area * p * nhat;
  w->torque += cross(first, nhat);
  w->normal_only += m.area * p;
  ++w->polygons;
}

// The polygon within the planes of a cell at X.
inline const detail::Polygon* clip_by_cell(const PressureField& field, const PressureCell& cell,
                                           const RigidTransform& X, const detail::Polygon* polygon,
                                           detail::Polygon (*buffers)[2]) {
  for (int f = cell.plane_begin; f < cell.plane_begin + cell.num_planes; ++f) {
    const Vec3 nhat = X.R * field.planes[f].normal;
    detail::Polygon* out = polygon == &(*buffers)[0] ? &(*buffers)[1] : &(*buffers)[0];
    polygon = detail::clip(polygon, nhat, -field.planes[f].offset - dot(nhat, X.p), out);
  }
  return polygon;
}

inline Wrench calc_left_out(const PressureField& M, const PressureField& N,
                            const RigidTransform& X_MN) {
  Wrench w;
  detail::Polygon start, buffers[2];
  for (const PressureCell& A : M.cells) {
    if (N.half_space && N.compliance == Compliance::kRigid) continue;  // there nothing is left out
    for (const SurfaceFace& face : N.faces) {
      const Vec3 nhat = X_MN.R * face.normal;
      if (dot(nhat, A.gradient) > kCosLimit * A.steepness) continue;
      start.count = 0;
      for (int v = face.vertex_begin; v < face.vertex_begin + face.num_vertices; ++v) {
        start.add(X_MN * N.face_vertices[v]);
      }
      const detail::Polygon* polygon = clip_by_cell(M, A, {}, &start, &buffers);
      if (polygon->count >= 3) add_polygon(*polygon, nhat, A, &w);
    }
    for (const PressureCell& B : N.cells) {
      const Vec3 gB = X_MN.R * B.gradient, slope = A.gradient - gB;
      const double length = norm(slope);
      const bool counts = dot(slope, A.gradient) > kCosLimit * A.steepness * length &&
                          -dot(slope, gB) > kCosLimit * B.steepness * length;
      if (counts || length == 0) continue;
      const double offset = A.offset - B.offset + dot(gB, X_MN.p);
      detail::slice_cell(M, A, 0, slope, offset, &start);
      const detail::Polygon* polygon = clip_by_cell(N, B, X_MN, &start, &buffers);
      if (polygon->count >= 3) add_polygon(*polygon, slope / length, A, &w);
    }
  }
  return w;
}

}  // namespace cenic::test

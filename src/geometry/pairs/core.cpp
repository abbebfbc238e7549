// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/pairs/core.h"

#include <algorithm>

namespace cenic::detail {

Vec3 calc_core_support(const Core& core, const Vec3& d) {
  const Mat3& R = core.X.R;
  const Vec3& s = core.size;
  switch (core.kind) {
    case ShapeKind::kSphere:
      return core.X.p;
    case ShapeKind::kCapsule: {
      const Vec3 axis = R.column(2);
      return core.X.p + std::copysign(s.z, dot(axis, d)) * axis;
    }
    case ShapeKind::kConvex:
      return core.X * core.hull->vertices[find_support_vertex(*core.hull, transpose_times(R, d))];
    case ShapeKind::kBox: {
      const Vec3 e = transpose_times(R, d);
      return core.X *
             Vec3{std::copysign(s.x, e.x), std::copysign(s.y, e.y), std::copysign(s.z, e.z)};
    }
    case ShapeKind::kCylinder: {
      const Vec3 e = transpose_times(R, d);
      const double rho = std::sqrt(e.x * e.x + e.y * e.y);
      const double f = rho > 0 ? s.x / rho : 0;
      return core.X * Vec3{f * e.x, f * e.y, std::copysign(s.z, e.z)};
    }
    case ShapeKind::kEllipsoid: {
      const Vec3 e = transpose_times(R, d);
      const Vec3 u{s.x * e.x, s.y * e.y, s.z * e.z};
      const double f = 1 / norm(u);
      return core.X * Vec3{f * s.x * u.x, f * s.y * u.y, f * s.z * u.z};
    }
    case ShapeKind::kHalfSpace:
    case ShapeKind::kHeightField:
    case ShapeKind::kSurface:
      break;
  }
  return core.X.p;
}

double calc_core_extent(const Core& core) {
  if (core.kind == ShapeKind::kSphere) return 0;
  if (core.hull == nullptr) return std::max({core.size.x, core.size.y, core.size.z});
  double extent = 0;
  for (const double sign : {-1.0, 1.0}) {
    const Vec3 v = core.hull->vertices[find_support_vertex(*core.hull, {sign, sign, sign})];
    extent = std::max(extent, norm(v - core.hull->center));
  }
  return extent;
}

}  // namespace cenic::detail

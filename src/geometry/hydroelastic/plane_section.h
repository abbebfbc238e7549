// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The contact surface with a rigid plane, all of whose polygons look the same way: what the points
// need of it is a handful of sums, and no polygon is ever made.
#pragma once

#include "geometry/hydroelastic/pressure_field.h"

namespace cenic {

// Integrals over the parts of a plane inside a solid, in axes of the plane: of the pressure p and
// of the stiffness for each area g.
struct PlaneSection {
  Vec3 nhat, origin, t1, t2;         // t1 × t2 = nhat
  double p = 0, px = 0, py = 0;      // ∫p, ∫p x, ∫p y
  double g = 0, gx = 0, gy = 0;      // ∫g, ∫g x, ∫g y
  double gxx = 0, gxy = 0, gyy = 0;  // ∫g x², ∫g xy, ∫g y²
  int strongest = -1;                // cell with the largest force, and that force
  double strongest_force = 0;
  int num_polygons = 0;
};

// The cut of a solid with the plane through `point`. Polygons smaller than `least_area` or without
// pressure do not count; g is at least `least_gradient` of the steepest.
PlaneSection calc_plane_section(const PressureField& field, const Vec3& nhat, const Vec3& point,
                                double least_area, double least_gradient);

}  // namespace cenic

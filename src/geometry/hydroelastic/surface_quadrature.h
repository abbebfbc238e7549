// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How a contact surface is turned into points.
#pragma once

namespace cenic {

enum class SurfaceQuadrature {
  // Polygons that look the same way become three points together, with their force, torque, normal
  // and rocking stiffness.
  kReduced,
  // Each polygon by itself: three points that have its second moments, or one at its centre of
  // pressure when it is small.
  kPolygons,
  // One point at the centroid of each polygon: right force, wrong torque. For comparison.
  kCentroid,
};
const char* to_string(SurfaceQuadrature quadrature);

}  // namespace cenic

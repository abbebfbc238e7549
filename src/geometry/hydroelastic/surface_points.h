// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// From a contact surface to contact points: forces and stiffnesses at places that give the wrench
// of the pressure exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "geometry/hydroelastic/contact_surface.h"
#include "geometry/hydroelastic/plane_section.h"
#include "geometry/hydroelastic/surface_quadrature.h"

namespace cenic {

// In the frame of the surface.
struct SurfacePoint {
  Vec3 p;
  Vec3 nhat;                  // out of N, into M
  double force = 0;           // elastic, N; negative across a gap
  double stiffness = 0;       // N/m, positive
  double depth = 0;           // m; negative: gap
  std::uint32_t feature = 0;  // the same while the same cells meet
};

class PointMaker {
 public:
  // Replaces `points` by those of the surface. Reduced clusters need no more than one point, or two
  // on a line, where their radius of gyration is below `fine`, m. Polygons narrower than `flank`
  // may join others that look aside: right for convex solids, which slide on each other's edges.
  void make(std::span<const SurfacePolygon> polygons, SurfaceQuadrature quadrature,
            std::vector<SurfacePoint>* points, double fine = 0, double flank = 0);

  // The same, reduced, for the surface with a rigid plane. False when it takes polygons: nothing
  // presses, or the points would not all press.
  static bool make(const PlaneSection& section, std::vector<SurfacePoint>* points, double fine);
  // Where the gradient lies along the surface a large force would have no stiffness and act as an
  // explicit one: it gets at least this share of the steepest. Only the part of order h of the law
  // feels it.
  static constexpr double kLeastGradient = 0.1;

  struct Scale;

 private:
  void take_cluster(std::span<const SurfacePolygon> polygons, const Scale& scale, double flank);
  // Up to three points for the polygons of cluster_; false when they would not all press.
  bool add_cluster(std::span<const SurfacePolygon> polygons, double fine,
                   std::vector<SurfacePoint>* points) const;

  std::vector<int> open_, cluster_;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Hydroelastic contact between posed geometries: orders the two solids, keeps their candidate lists
// from query to query and turns contact surfaces into points.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "geometry/hydroelastic/surface_points.h"
#include "model/model.h"

namespace cenic {

class SurfaceContacts {
 public:
  struct Posed {
    int index;
    const Geometry& geometry;
    const RigidTransform& X_WG;
  };
  struct Found {
    std::span<const SurfacePoint> points;  // in M's frame; until the next find()
    RigidTransform X_WM;
    double sign = 1;  // normals from A into B are sign · nhat
    bool touching = false;
  };

  // Points of the contact surface, and with a reach > 0, m, across gaps that motion may close.
  Found find(const Posed& A, const Posed& B, double reach, SurfaceQuadrature quadrature);

  // Where no surface was found, point contact steps in for gaps wider than a field goes out, and
  // for solids so deep in each other that their pressures say nothing any more. Shallow: neither.
  static bool is_shallow(const Geometry& A, const Geometry& B, double phi);

  static double calc_energy(const Posed& A, const Posed& B);

  // Since the last call.
  SurfaceCounters take_counters() { return std::exchange(finder_.counters, {}); }

 private:
  struct Entry {
    SurfaceCandidates candidates;
    std::uint64_t used = 0;  // number of the query
  };
  SurfaceCandidates* find_candidates(int a, int b);

  SurfaceFinder finder_;
  PointMaker maker_;
  std::vector<SurfacePolygon> polygons_;
  std::vector<SurfacePoint> points_;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::uint64_t query_ = 0;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Which cells of two solids may meet: a list that serves while the solids move little, or, between
// solids of few cells, all pairs anew by how deep the solids are in each other.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/broad_phase.h"
#include "geometry/hydroelastic/pressure_field.h"
#include "geometry/hydroelastic/surface_counters.h"

namespace cenic {

// Pairs of cells that may meet while N moves by no more than the skin: kept from query to query.
// Not used between solids of few cells.
struct SurfaceCandidates {
  RigidTransform X_MN;
  double skin = -1;   // less than zero: no list
  double margin = 0;  // that the list allows for
  std::vector<IndexPair> pairs;
};

// The widest gap between two boxes, b posed at X_AB, along the six axes of their faces; where all
// overlap, minus the least overlap.
struct BoxGap {
  double width = 0;
  Vec3 nhat;  // from a to b, in the frame of a
};
BoxGap find_box_gap(const Aabb& a, const Aabb& b, const RigidTransform& X_AB);

// N, posed at X_MN in the frame of M; surfaces are sought across gaps up to the margin.
struct CellPairQuery {
  const PressureField& M;
  const PressureField& N;
  const RigidTransform& X_MN;
  double margin = 0;
  double gap = 0;  // between the boxes around both, when they are bounded: find_box_gap()
};

class CellPairFinder {
 public:
  // Pairs (cell of M, cell or face of N) in an order that depends on the query alone, until the
  // next call.
  std::span<const IndexPair> find(const CellPairQuery& q, SurfaceCandidates* candidates,
                                  SurfaceCounters* counters);

 private:
  std::array<IndexPair, kLanes * kLanes> few_{};
};

}  // namespace cenic

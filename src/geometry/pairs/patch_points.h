// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Contact points between features: face and face, face and line, line and line. All in the frame of
// the pair.
#pragma once

#include "geometry/pairs/patch.h"
#include "geometry/pairs/reduce.h"

namespace cenic::detail {

// One side of a pair and its flat face there.
struct FaceSide {
  const Core& core;
  FlatFace face;
};

// What all points of a manifold have in common. The feature R owns the reference face; `swapped`: R
// belongs to B.
struct PatchTarget {
  Vec3 nhat;  // from R to I
  double margin = 0;
  bool swapped = false;
  std::uint32_t name = 0;  // of the two features, high bits of the points' names
  PointReducer* reducer = nullptr;

  void add(const Vec3& on_R, const Vec3& on_I, double weight, std::uint32_t name_in_patch) const;
};

// Each returns false when the features do not lie over each other along nhat.
bool add_face_face(const FaceSide& R, const FaceSide& I, const PatchTarget& target);
// A line of I over the face of R, less the radius around the line.
bool add_face_line(const FaceSide& R, const Segment& line, double radius,
                   const PatchTarget& target);

struct LinePair {
  Segment R, I;
  double radius_R = 0, radius_I = 0;
  double scale = 0;      // overlap from which two points carry full weight
  double closest_R = 0;  // parameter in [0, 1] of the closest point on R's line
};
bool add_line_line(const LinePair& lines, const PatchTarget& target);

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Points between a face of one box (the reference) and the other box's face that looks at it (the
// incident one).
#pragma once

#include "geometry/manifold.h"

namespace cenic::detail {

struct BoxFace {
  Vec3 h_R;      // half extents of the reference box R
  Vec3 h_I;      // of the incident box I
  Mat3 C;        // axes of I in R, in columns
  Vec3 t;        // centre of I in R
  int axis = 0;  // of R, the face's normal up to the sign that points to I
};

// Clips the incident face to the rectangle of the reference face; the vertices of what is left and
// less than `margin` above the reference face become points. `swapped`: R is B of the manifold, I
// is A.
void collect_box_face_points(const BoxFace& face, const RigidTransform& X_WR, bool swapped,
                             double margin, Manifold* manifold);

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Newton's method on the depth function of two cores, from a direction the expanding polytope has
// found.
#pragma once

#include "geometry/pairs/epa.h"

namespace cenic::detail {

struct Support {
  Vec3 a, b;
};

inline bool is_curved(const Core& core) {
  return core.kind == ShapeKind::kEllipsoid || core.kind == ShapeKind::kCylinder;
}

// Improves result->nhat, depth and points. `support` are the support points at the corners of the
// polytope's nearest face: where they lie on a straight edge or side, the normal is held across it.
// False when Newton does not converge.
bool polish_depth(const Core& A, const Core& B, const Support (&support)[3], double size,
                  Penetration* result);

}  // namespace cenic::detail

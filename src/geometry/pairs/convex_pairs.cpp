// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/pairs/gjk.h"
#include "geometry/pairs/pairs.h"

namespace cenic::detail {

void calc_convex_convex(const Posed& A, const Posed& B, const ManifoldOptions& options, Manifold* manifold) {
  const Core a = make_core(A.shape, {});
  const Core b = make_core(B.shape, inverse(A.X_WG) * B.X_WG);
  const GjkResult gjk = calc_gjk(a, b, options.margin + a.radius + b.radius);
  if (gjk.status != GjkStatus::kSeparated) return;
  manifold->nhat_AB_W = A.X_WG.R * gjk.nhat;
  manifold->count = 1;
  manifold->points[0] = {A.X_WG * (gjk.p_A + a.radius * gjk.nhat), A.X_WG * (gjk.p_B - b.radius * gjk.nhat),
                         gjk.distance - a.radius - b.radius, 1, 0};
}
void calc_capsule_capsule(const Posed& A, const Posed& B, const ManifoldOptions& options, Manifold* manifold) {
  calc_convex_convex(A, B, options, manifold);
}

}  // namespace cenic::detail

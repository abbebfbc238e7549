// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Which pair function serves which two kinds, and the order in which it sees the two shapes.
#include "geometry/manifold.h"

#include <utility>

#include "geometry/convex_hull.h"
#include "geometry/pairs/pairs.h"

namespace cenic {
namespace {

using detail::PairFunction;

// Rows and columns in the order of ShapeKind; empty where the mirrored entry serves, or (half
// space, half space).
constexpr PairFunction kTable[kNumShapeKinds][kNumShapeKinds] = {
    // sphere
    {detail::calc_sphere_sphere, detail::calc_sphere_box, detail::calc_sphere_any,
     detail::calc_sphere_any, detail::calc_sphere_any, detail::calc_sphere_half_space,
     detail::calc_sphere_any},
    // box
    {nullptr, detail::calc_box_box, detail::calc_convex_convex, detail::calc_convex_convex,
     detail::calc_convex_convex, detail::calc_box_half_space, detail::calc_convex_convex},
    // cylinder
    {nullptr, nullptr, detail::calc_convex_convex, detail::calc_convex_convex,
     detail::calc_convex_convex, detail::calc_cylinder_half_space, detail::calc_convex_convex},
    // capsule
    {nullptr, nullptr, nullptr, detail::calc_capsule_capsule, detail::calc_convex_convex,
     detail::calc_capsule_half_space, detail::calc_convex_convex},
    // ellipsoid
    {nullptr, nullptr, nullptr, nullptr, detail::calc_convex_convex,
     detail::calc_ellipsoid_half_space, detail::calc_convex_convex},
    // half space
    {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr},
    // convex
    {nullptr, nullptr, nullptr, nullptr, nullptr, detail::calc_convex_half_space,
     detail::calc_convex_convex}};

// 0 for finite numbers, NaN otherwise.
double zero_if_finite(const RigidTransform& X) {
  double sum = X.p.x + X.p.y + X.p.z;
  for (const Vec3& row : X.R.row) {
    sum += row.x + row.y + row.z;
  }
  return 0 * sum;
}

int compare(const Vec3& a, const Vec3& b) {
  for (int i = 0; i < 3; ++i) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

// Two shapes of one kind are put in an order that does not depend on their names: the larger first,
// so that the order (and with it the choice between equally good faces) does not change as they
// move; between shapes of equal size by place.
bool comes_second(const Shape& A, const RigidTransform& X_WA, const Shape& B,
                  const RigidTransform& X_WB) {
  int order = compare(B.size, A.size);
  if (order == 0 && A.kind == ShapeKind::kConvex && A.hull != B.hull) {
    const auto &a = A.hull->vertices, &b = B.hull->vertices;
    order = a.size() != b.size() ? (a.size() > b.size() ? -1 : 1) : compare(b[0], a[0]);
  }
  if (order == 0) order = compare(X_WA.p, X_WB.p);
  for (int i = 0; i < 3 && order == 0; ++i) {
    order = compare(X_WA.R.row[i], X_WB.R.row[i]);
  }
  return order > 0;
}

void exchange(Manifold* manifold) {
  manifold->nhat_AB_W = -manifold->nhat_AB_W;
  for (int k = 0; k < manifold->count; ++k) {
    std::swap(manifold->points[k].p_WA, manifold->points[k].p_WB);
  }
}

}  // namespace

void calc_manifold(const Shape& A, const RigidTransform& X_WA, const Shape& B,
                   const RigidTransform& X_WB, const ManifoldOptions& options, Manifold* manifold) {
  manifold->count = 0;
  if (!(zero_if_finite(X_WA) + zero_if_finite(X_WB) == 0) || std::isnan(options.margin)) return;
  const int a = static_cast<int>(A.kind), b = static_cast<int>(B.kind);
  if (a >= kNumShapeKinds || b >= kNumShapeKinds) return;
  PairFunction function = kTable[a][b];
  const bool swap = a == b ? comes_second(A, X_WA, B, X_WB) : function == nullptr;
  if (!swap) {
    if (function != nullptr) function({A, X_WA}, {B, X_WB}, options, manifold);
    return;
  }
  function = kTable[b][a];
  if (function == nullptr) return;
  function({B, X_WB}, {A, X_WA}, options, manifold);
  exchange(manifold);
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Two capsules: the closest points of their axes, and a second point where the axes run side by
// side.
#include <algorithm>

#include "geometry/pairs/pairs.h"
#include "geometry/pairs/patch_points.h"

namespace cenic::detail {
namespace {

// Closest points m_A + x d_A (|x| ≤ l_A) and m_B + y d_B, |d| = 1: minimise |r + y d_B − x d_A|², r
// = m_B − m_A.
void find_closest(const Vec3& r, const Vec3& d_A, const Vec3& d_B, const double (&l)[2],
                  double (&at)[2]) {
  const double c = dot(d_A, d_B), ra = dot(r, d_A), rb = dot(r, d_B);
  const double sin_squared = norm_squared(cross(d_A, d_B));
  double x = sin_squared > 1e-14 ? std::clamp((ra - c * rb) / sin_squared, -l[0], l[0]) : 0;
  double y = std::clamp(c * x - rb, -l[1], l[1]);
  // A clamped y moves x, and a clamped x then fixes y again.
  x = std::clamp(ra + c * y, -l[0], l[0]);
  y = std::clamp(c * x - rb, -l[1], l[1]);
  at[0] = x, at[1] = y;
}

}  // namespace

void calc_capsule_capsule(const Posed& A, const Posed& B, const ManifoldOptions& options,
                          Manifold* manifold) {
  const Vec3 d_A = A.X_WG.R.column(2), d_B = B.X_WG.R.column(2);
  const double l[2] = {A.shape.size.z, B.shape.size.z};
  const double radius_A = A.shape.size.x, radius_B = B.shape.size.x;
  double at[2];
  find_closest(B.X_WG.p - A.X_WG.p, d_A, d_B, l, at);
  const Vec3 p = A.X_WG.p + at[0] * d_A, q = B.X_WG.p + at[1] * d_B;
  const double distance = norm(q - p);
  const double phi = distance - radius_A - radius_B;
  if (!(phi < options.margin)) return;
  // Axes that meet: across both of them.
  Vec3 nhat;
  if (distance > 1e-12 * (radius_A + radius_B)) {
    nhat = (q - p) / distance;
  } else {
    const Vec3 across = cross(d_A, d_B);
    nhat = norm(across) > 1e-9 ? normalized(across) : any_orthogonal(d_A);
  }
  PointReducer reducer(nhat);
  const PatchTarget target{nhat, options.margin, false, 0, &reducer};
  LinePair lines{{{A.X_WG.p - l[0] * d_A, A.X_WG.p + l[0] * d_A}},
                 {{B.X_WG.p - l[1] * d_B, B.X_WG.p + l[1] * d_B}},
                 radius_A,
                 radius_B,
                 radius_A + radius_B,
                 0.5 + 0.5 * at[0] / l[0]};
  if (add_line_line(lines, target)) {
    reducer.finish(manifold);
    manifold->nhat_AB_W = nhat;
    if (manifold->count > 0) return;
  }
  manifold->nhat_AB_W = nhat;
  manifold->count = 1;
  manifold->points[0] = {p + radius_A * nhat, q - radius_B * nhat, phi, 1, 1u << 31};
}

}  // namespace cenic::detail

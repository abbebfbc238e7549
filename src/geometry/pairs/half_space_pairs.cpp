// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Bounded shapes A on a half space B (solid below z = 0 of its frame). With u the outward normal of
// the plane, a point a of A has φ = u·(a − p_B), and its partner on the plane is a − φ u. The
// normal from A into B is −u.
#include "geometry/convex_hull.h"
#include "geometry/pairs/pairs.h"
#include "geometry/pairs/reduce.h"

namespace cenic::detail {
namespace {

struct Plane {
  Vec3 u;             // outward normal
  double offset = 0;  // u·p_B
};

Plane make_plane(const Posed& B) {
  const Vec3 u = B.X_WG.R.column(2);
  return {u, dot(u, B.X_WG.p)};
}

void set_point(const Plane& plane, const Vec3& p_WA, double phi, std::uint32_t feature,
               ManifoldPoint* point) {
  point->p_WA = p_WA;
  point->p_WB = p_WA - phi * plane.u;
  point->phi = phi;
  point->weight = 1;
  point->feature = feature;
}

void try_point(const Plane& plane, const Vec3& p_WA, double margin, std::uint32_t feature,
               Manifold* manifold) {
  const double phi = dot(plane.u, p_WA) - plane.offset;
  if (phi < margin) set_point(plane, p_WA, phi, feature, add_point(manifold));
}

}  // namespace

void calc_sphere_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                            Manifold* manifold) {
  const Plane plane = make_plane(B);
  manifold->nhat_AB_W = -plane.u;
  try_point(plane, A.X_WG.p - A.shape.size.x * plane.u, options.margin, 0, manifold);
}

void calc_box_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                         Manifold* manifold) {
  const Plane plane = make_plane(B);
  manifold->nhat_AB_W = -plane.u;
  const Vec3& h = A.shape.size;
  const Vec3 d = transpose_times(A.X_WG.R, plane.u);  // u in the box
  const double center = dot(plane.u, A.X_WG.p) - plane.offset;
  const double sx = h.x * d.x, sy = h.y * d.y, sz = h.z * d.z;
  if (!(center - std::fabs(sx) - std::fabs(sy) - std::fabs(sz) < options.margin)) return;
  const Vec3 ax = h.x * A.X_WG.R.column(0), ay = h.y * A.X_WG.R.column(1),
             az = h.z * A.X_WG.R.column(2);
  for (int v = 0; v < 8; ++v) {
    const double x = (v & 1) != 0 ? 1 : -1, y = (v & 2) != 0 ? 1 : -1, z = (v & 4) != 0 ? 1 : -1;
    const double phi = center + x * sx + y * sy + z * sz;
    if (!(phi < options.margin)) continue;
    set_point(plane, A.X_WG.p + x * ax + y * ay + z * az, phi, static_cast<std::uint32_t>(v),
              add_point(manifold));
  }
}

// Four rim points a cap, from the deepest direction in steps of 90 degrees. Force and torque of
// four such points that all touch do not depend on where the four start, so nothing jumps when the
// cylinder stands upright and the deepest direction is arbitrary. Lying down, the first of each cap
// are the ends of the lowest line.
void calc_cylinder_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                              Manifold* manifold) {
  const Plane plane = make_plane(B);
  manifold->nhat_AB_W = -plane.u;
  const double radius = A.shape.size.x, half_length = A.shape.size.z;
  const Vec3 d = transpose_times(A.X_WG.R, plane.u);
  const double center = dot(plane.u, A.X_WG.p) - plane.offset;
  const double rho = std::sqrt(d.x * d.x + d.y * d.y);
  if (!(center - half_length * std::fabs(d.z) - radius * rho < options.margin)) return;
  double x = 1, y = 0;  // deepest direction in the cap
  if (rho > 0) x = -d.x / rho, y = -d.y / rho;
  for (int cap = 0; cap < 2; ++cap) {
    const double z = cap == 0 ? -half_length : half_length;
    for (int k = 0; k < 4; ++k) {
      const Vec3 p_G{radius * x, radius * y, z};
      try_point(plane, A.X_WG * p_G, options.margin, static_cast<std::uint32_t>(4 * cap + k),
                manifold);
      const double turned = -y;
      y = x, x = turned;
    }
  }
}

void calc_capsule_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                             Manifold* manifold) {
  const Plane plane = make_plane(B);
  manifold->nhat_AB_W = -plane.u;
  const Vec3 half_axis = A.shape.size.z * A.X_WG.R.column(2);
  const Vec3 lowest = A.X_WG.p - A.shape.size.x * plane.u;
  try_point(plane, lowest - half_axis, options.margin, 0, manifold);
  try_point(plane, lowest + half_axis, options.margin, 1, manifold);
}

void calc_ellipsoid_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                               Manifold* manifold) {
  const Plane plane = make_plane(B);
  manifold->nhat_AB_W = -plane.u;
  const Vec3 p_G = calc_support(A.shape, transpose_times(A.X_WG.R, -plane.u));
  try_point(plane, A.X_WG * p_G, options.margin, 0, manifold);
}

// The mean of its weights w_vf in the faces f around it, w_v = Σ_f c_f⁴ w_vf / Σ_f c_f⁴,
// c_f = max(0, −d·n_f) + ε: the polygon's own weights when it lies on a face (4 in sum, however
// many corners), 1 at each corner of a box, and continuous in between.
double calc_vertex_weight(const ConvexHull& hull, int vertex, const Vec3& d) {
  double sum = 0, weighted = 0;
  for (int c = hull.corner_start[vertex]; c < hull.corner_start[vertex + 1]; ++c) {
    const double cosine = -dot(d, hull.face_normals[hull.corners[c].face]);
    const double c2 = (std::fmax(0.0, cosine) + 1e-3) * (std::fmax(0.0, cosine) + 1e-3);
    sum += c2 * c2;
    weighted += c2 * c2 * hull.corners[c].weight;
  }
  return weighted / sum;
}

// Every vertex is a point.
void calc_convex_half_space(const Posed& A, const Posed& B, const ManifoldOptions& options,
                            Manifold* manifold) {
  const Plane plane = make_plane(B);
  manifold->nhat_AB_W = -plane.u;
  const ConvexHull& hull = *A.shape.hull;
  const Vec3 d = transpose_times(A.X_WG.R, plane.u);
  const double center = dot(plane.u, A.X_WG.p) - plane.offset;
  if (!(center + dot(d, hull.vertices[find_support_vertex(hull, -d)]) < options.margin)) return;
  PointReducer reducer(-plane.u);
  for (int v = 0; v < static_cast<int>(hull.vertices.size()); ++v) {
    const double phi = center + dot(d, hull.vertices[v]);
    if (!(phi < options.margin)) continue;
    ManifoldPoint point;
    set_point(plane, A.X_WG * hull.vertices[v], phi, static_cast<std::uint32_t>(v), &point);
    point.weight = calc_vertex_weight(hull, v, d);
    reducer.add(point);
  }
  reducer.finish(manifold);
}

}  // namespace cenic::detail

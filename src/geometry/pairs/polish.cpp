// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// On the unit sphere, f(n) = h_A(n) + h_B(−n) has the gradient w = a − b (support points) and the
// Hessian P (∇²h_A + ∇²h_B) P − (n·w) P, P = 1 − n nᵀ. Straight edges are kinks of h: there n·k = 0
// holds for the edge's direction k and Newton runs in what is left, a plane, a line, or nothing.
#include "geometry/pairs/polish.h"

#include <algorithm>

namespace cenic::detail {
namespace {

constexpr double kMaxStep = 0.5;  // radians; a longer one has left the neighbourhood

struct Kink {
  int count = 0;
  Vec3 k;             // unit direction of the first straight edge
  bool on_A = false;  // whose edge it is
  Vec3 from, to;      // its end points
};

// Adds the straight edges between the support points s of one core.
void find_kinks(const Core& core, const Vec3 (&s)[3], bool on_A, Kink* kink) {
  for (int i = 0; i < 3; ++i) {
    const Vec3 &from = s[i], &to = s[(i + 1) % 3];
    Vec3 k;
    Vec3 end_from = from, end_to = to;
    if (core.kind == ShapeKind::kCylinder) {
      const Vec3 axis = core.X.R.column(2);
      if (std::fabs(dot(axis, to - from)) < core.size.z) continue;
      k = axis;
      // The side through `from`, whichever end that is.
      const double up = dot(axis, from - core.X.p) > 0 ? 1 : -1;
      end_to = from - 2 * up * core.size.z * axis;
    } else if (core.kind == ShapeKind::kEllipsoid || from == to) {
      continue;
    } else {
      k = normalized(to - from);
    }
    if (kink->count == 1 && norm(cross(kink->k, k)) < 1e-9) {
      // Parallel edges of both: a line of contact, nothing to polish.
      if (kink->on_A != on_A) kink->count = 2;
      continue;
    }
    if (kink->count == 0) *kink = {0, k, on_A, end_from, end_to};
    ++kink->count;
  }
}

// t ↦ (t·∇²h t, …): adds the curvature of a core in the tangents t1, t2 as (H11, H12, H22).
Vec3 calc_curvature(const Core& core, const Vec3& n, const Vec3& t1, const Vec3& t2) {
  const Vec3 d = transpose_times(core.X.R, n);
  const Vec3 u = transpose_times(core.X.R, t1), v = transpose_times(core.X.R, t2);
  const Vec3& s = core.size;
  if (core.kind == ShapeKind::kEllipsoid) {
    // h = |E d|, ∇²h = (E² − (E²d)(E²d)ᵀ/h²)/h
    const auto inner = [&](const Vec3& x, const Vec3& y) {
      return s.x * s.x * x.x * y.x + s.y * s.y * x.y * y.y + s.z * s.z * x.z * y.z;
    };
    const double h = std::sqrt(inner(d, d)), du = inner(d, u) / h, dv = inner(d, v) / h;
    return Vec3{inner(u, u) - du * du, inner(u, v) - du * dv, inner(v, v) - dv * dv} / h;
  }
  if (core.kind == ShapeKind::kCylinder) {
    // h = r ρ + …, ρ = |d_xy|: curved only about the axis, r τ τᵀ/ρ with τ = (−d_y, d_x)/ρ
    const double rho = std::sqrt(d.x * d.x + d.y * d.y);
    if (!(rho > 1e-12)) return {};
    const double tu = (d.x * u.y - d.y * u.x) / rho, tv = (d.x * v.y - d.y * v.x) / rho;
    return s.x / rho * Vec3{tu * tu, tu * tv, tv * tv};
  }
  return {};
}

// Newton step in the tangent plane, or along t1 only; false when the function is not convex there
// or the step wild.
bool calc_step(const Vec3& H, double g1, double g2, bool line, double (&step)[2]) {
  if (line) {
    if (!(H.x > 0)) return false;
    step[0] = -g1 / H.x, step[1] = 0;
    return std::fabs(step[0]) < kMaxStep;
  }
  const double det = H.x * H.z - H.y * H.y;
  if (!(H.x > 0) || !(det > 0)) return false;
  step[0] = -(H.z * g1 - H.y * g2) / det;
  step[1] = -(H.x * g2 - H.y * g1) / det;
  return std::hypot(step[0], step[1]) < kMaxStep;
}

// Moves p along the edge by the shift that leaves a − b no part along it, but not beyond the edge's
// ends.
void move_along(const Kink& kink, double shift, Vec3* p) {
  const double from = dot(kink.from - *p, kink.k), to = dot(kink.to - *p, kink.k);
  *p += std::clamp(shift, std::min(from, to), std::max(from, to)) * kink.k;
}

}  // namespace

bool polish_depth(const Core& A, const Core& B, const Support (&support)[3], double size,
                  Penetration* result) {
  Kink kink;
  find_kinks(A, {support[0].a, support[1].a, support[2].a}, true, &kink);
  find_kinks(B, {support[0].b, support[1].b, support[2].b}, false, &kink);
  if (kink.count > 1) return false;
  const bool line = kink.count == 1;
  Vec3 n = result->nhat;
  for (int iteration = 0; iteration < 20; ++iteration) {
    if (line) n = normalized(n - dot(n, kink.k) * kink.k);
    const Vec3 t1 = line ? cross(n, kink.k) : any_orthogonal(n), t2 = cross(n, t1);
    Vec3 a = calc_core_support(A, n), b = calc_core_support(B, -n);
    const Vec3 w = a - b;
    const double depth = dot(n, w), g1 = dot(t1, w), g2 = line ? 0 : dot(t2, w);
    Vec3 H = calc_curvature(A, n, t1, t2) + calc_curvature(B, n, t1, t2);
    H.x -= depth, H.z -= depth;
    double step[2];
    if (!calc_step(H, g1, g2, line, step)) return false;
    const double length = std::hypot(step[0], step[1]);
    // The size of the step, or what rounding leaves of the gradient.
    if (std::min(length, (std::fabs(g1) + std::fabs(g2)) / size) < 1e-13) {
      if (line) move_along(kink, dot(kink.on_A ? -w : w, kink.k), kink.on_A ? &a : &b);
      *result = {true, depth, n, a, b};
      return true;
    }
    n = normalized(n + step[0] * t1 + step[1] * t2);
  }
  return false;
}

}  // namespace cenic::detail

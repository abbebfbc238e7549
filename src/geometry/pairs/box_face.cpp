// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/pairs/box_face.h"

#include <cstdint>

namespace cenic::detail {
namespace {

// A vertex over the reference rectangle: (u, v) in its plane, w the height above it. `in` and `out`
// name the sides the vertex lies between: 0–3 the incident face's, 4–7 the rectangle's.
struct ClipVertex {
  double u = 0, v = 0, w = 0;
  std::uint32_t in = 0, out = 0;
};

struct Polygon {
  int count = 0;
  ClipVertex vertex[8];
};

ClipVertex cut(const ClipVertex& p, const ClipVertex& q, double dp, double dq) {
  const double f = dp / (dp - dq);
  return {p.u + f * (q.u - p.u), p.v + f * (q.v - p.v), p.w + f * (q.w - p.w), 0, 0};
}

// Keeps the part of the polygon on which side = limit − sign·coordinate ≥ 0.
template <int kSide>
void clip(double limit, const Polygon& from, Polygon* to) {
  const auto room = [limit](const ClipVertex& p) {
    return kSide == 0   ? limit - p.u
           : kSide == 1 ? limit - p.v
           : kSide == 2 ? limit + p.u
                        : limit + p.v;
  };
  constexpr std::uint32_t kName = 4 + kSide;
  to->count = 0;
  if (from.count == 0) return;
  const ClipVertex* p = &from.vertex[from.count - 1];
  double dp = room(*p);
  for (int k = 0; k < from.count; ++k) {
    const ClipVertex* q = &from.vertex[k];
    const double dq = room(*q);
    if ((dp < 0) != (dq < 0) && to->count < 8) {
      ClipVertex c = cut(*p, *q, dp, dq);
      if (dp < 0) {
        c.in = kName, c.out = p->out;  // comes in
      } else {
        c.in = p->out, c.out = kName;  // goes out
      }
      to->vertex[to->count++] = c;
    }
    if (dq >= 0 && to->count < 8) to->vertex[to->count++] = *q;
    p = q, dp = dq;
  }
}

void clip_to_rectangle(double hu, double hv, Polygon* polygon) {
  Polygon other;
  clip<0>(hu, *polygon, &other);
  clip<1>(hv, other, polygon);
  clip<2>(hu, *polygon, &other);
  clip<3>(hv, other, polygon);
}

// Weight 4 × (half of the two sides at a vertex)/perimeter: 4 in sum, 1 each for a rectangle.
void calc_weights(const Polygon& polygon, double* weight) {
  double side[8], perimeter = 0;
  for (int k = 0; k < polygon.count; ++k) {
    const ClipVertex &p = polygon.vertex[k],
                     &q = polygon.vertex[k + 1 == polygon.count ? 0 : k + 1];
    const double du = q.u - p.u, dv = q.v - p.v, dw = q.w - p.w;
    side[k] = std::sqrt(du * du + dv * dv + dw * dw);
    perimeter += side[k];
  }
  const double scale = perimeter > 0 ? 2 / perimeter : 0;
  for (int k = 0; k < polygon.count; ++k) {
    weight[k] = perimeter > 0 ? scale * (side[k] + side[k == 0 ? polygon.count - 1 : k - 1])
                              : 1.0 / polygon.count;
  }
}

int largest_axis(const Vec3& a) { return a.x >= a.y ? (a.x >= a.z ? 0 : 2) : (a.y >= a.z ? 1 : 2); }

// The incident face over the reference rectangle.
struct Incident {
  Polygon polygon;
  std::uint32_t name = 0;
  bool inside = true;
};

void collect_incident(const BoxFace& face, double sign, Incident* incident) {
  const int i = face.axis, iu = i == 2 ? 0 : i + 1, iv = i == 0 ? 2 : i - 1;
  // The incident face is the one most against the normal.
  const int j = largest_axis(cwise_abs(face.C.row[i]));
  const int j1 = j == 2 ? 0 : j + 1, j2 = j == 0 ? 2 : j - 1;
  const bool positive = sign * face.C(i, j) < 0;
  const Vec3 center = face.t + (positive ? face.h_I[j] : -face.h_I[j]) * face.C.column(j);
  const Vec3 e1 = face.h_I[j1] * face.C.column(j1), e2 = face.h_I[j2] * face.C.column(j2);
  const Vec3 corner[4] = {center - e1 - e2, center + e1 - e2, center + e1 + e2, center - e1 + e2};
  incident->name = static_cast<std::uint32_t>((positive ? 4 : 0) | j);
  incident->polygon.count = 4;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const double u = corner[k][iu], v = corner[k][iv];
    incident->polygon.vertex[k] = {u, v, sign * corner[k][i] - face.h_R[i], (k + 3) % 4, k};
    incident->inside =
        incident->inside && std::fabs(u) <= face.h_R[iu] && std::fabs(v) <= face.h_R[iv];
  }
}

}  // namespace

void collect_box_face_points(const BoxFace& face, const RigidTransform& X_WR, bool swapped,
                             double margin, Manifold* manifold) {
  const int i = face.axis, iu = i == 2 ? 0 : i + 1, iv = i == 0 ? 2 : i - 1;
  const double sign = face.t[i] < 0 ? -1 : 1;
  Incident incident;
  collect_incident(face, sign, &incident);
  Polygon& polygon = incident.polygon;
  double weight[8] = {1, 1, 1, 1};
  if (!incident.inside) {
    clip_to_rectangle(face.h_R[iu], face.h_R[iv], &polygon);
    calc_weights(polygon, weight);
  }

  const Vec3 normal = sign * X_WR.R.column(i);  // from R to I
  const Vec3 axis_u = X_WR.R.column(iu), axis_v = X_WR.R.column(iv);
  const Vec3 origin = X_WR.p + face.h_R[i] * normal;
  const std::uint32_t names =
      static_cast<std::uint32_t>((sign > 0 ? 8 : 0) | i << 1 | (swapped ? 1 : 0)) << 12 |
      incident.name << 8;
  manifold->nhat_AB_W = swapped ? -normal : normal;
  for (int k = 0; k < polygon.count; ++k) {
    const ClipVertex& p = polygon.vertex[k];
    if (!(p.w < margin)) continue;
    const Vec3 on_R = origin + p.u * axis_u + p.v * axis_v;
    const Vec3 on_I = on_R + p.w * normal;
    manifold->points[manifold->count++] = {swapped ? on_I : on_R, swapped ? on_R : on_I, p.w,
                                           weight[k], names | p.in << 3 | p.out};
  }
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/hydroelastic/polygon.h"

#include "geometry/hydroelastic/field_builder.h"

namespace cenic::detail {

void slice_cell(const PressureField& field, const PressureCell& cell, double margin,
                const Vec3& slope, double offset, Polygon* polygon) {
  polygon->count = 0;
  const CellVertex* v = field.vertices.data() + cell.vertex_begin;
  double f[FieldBuilder::kMaxVertices];
  int positive = 0;
  if (margin > 0) {
    for (int i = 0; i < cell.num_vertices; ++i) {
      f[i] = dot(slope, v[i].p) + offset + margin * dot(slope, v[i].spread);
      positive += f[i] > 0 ? 1 : 0;
    }
  } else {
    for (int i = 0; i < cell.num_vertices; ++i) {
      f[i] = dot(slope, v[i].p) + offset;
      positive += f[i] > 0 ? 1 : 0;
    }
  }
  if (positive == 0 || positive == cell.num_vertices) return;
  // The cut runs from edge to edge over the faces between them: each face is entered over one edge.
  // Seen along the slope, an edge that comes down is left over the face to its left.
  const CellEdge* edges = field.edges.data() + cell.edge_begin;
  std::uint8_t entered[FieldBuilder::kMaxVertices];
  int start = -1, crossings = 0;
  for (int e = 0; e < cell.num_edges; ++e) {
    const bool down = f[edges[e].a] > 0;
    if (down == (f[edges[e].b] > 0)) continue;
    entered[down ? edges[e].right : edges[e].left] = static_cast<std::uint8_t>(e);
    start = e;
    ++crossings;
  }
  int e = start;
  for (int i = 0; i < crossings; ++i) {
    const auto [a, b, left, right] = edges[e];
    const double t = f[a] / (f[a] - f[b]);
    const Vec3 pa = v[a].p + margin * v[a].spread, pb = v[b].p + margin * v[b].spread;
    polygon->add(pa + t * (pb - pa));
    e = entered[f[a] > 0 ? left : right];
  }
}

PolygonMoments calc_moments(const Polygon& polygon, const Vec3& nhat) {
  PolygonMoments m;
  make_plane_axes(nhat, &m.t1, &m.t2);
  const Vec3& origin = polygon.p[0];
  // Fan of triangles from the first vertex: moments about it.
  double area2 = 0, mx = 0, my = 0, sxx = 0, sxy = 0, syy = 0;
  Vec3 d = polygon.p[1] - origin;
  double x0 = dot(d, m.t1), y0 = dot(d, m.t2);
  for (int i = 2; i < polygon.count; ++i) {
    d = polygon.p[i] - origin;
    const double x1 = dot(d, m.t1), y1 = dot(d, m.t2);
    const double twice = x0 * y1 - x1 * y0;
    const double sx = x0 + x1, sy = y0 + y1;
    area2 += twice;
    mx += twice * sx;
    my += twice * sy;
    sxx += twice * (sx * sx + x0 * x0 + x1 * x1);
    sxy += twice * (sx * sy + x0 * y0 + x1 * y1);
    syy += twice * (sy * sy + y0 * y0 + y1 * y1);
    x0 = x1;
    y0 = y1;
  }
  m.area = 0.5 * area2;
  if (!(area2 > 0)) return m;
  const double w = 1 / (12 * area2), cx = 4 * w * mx, cy = 4 * w * my;
  m.centroid = origin + cx * m.t1 + cy * m.t2;
  m.sxx = w * sxx - cx * cx;
  m.sxy = w * sxy - cx * cy;
  m.syy = w * syy - cy * cy;
  return m;
}

}  // namespace cenic::detail

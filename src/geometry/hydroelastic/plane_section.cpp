// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/hydroelastic/plane_section.h"

#include <algorithm>
#include <cmath>

#include "geometry/hydroelastic/polygon.h"

namespace cenic {
namespace {

using Mask = Mask8;

// The sums of PlaneSection, lane by lane.
struct Sums {
  V8 p{}, px{}, py{}, g{}, gx{}, gy{}, gxx{}, gxy{}, gyy{};
};

struct Plane2 {
  Vec3 nhat, origin, t1, t2;
  double least_area = 0, least_gradient = 0;
};

V8 dot8(const Vec3& n, const V8& x, const V8& y, const V8& z) {
  return n.x * x + n.y * y + n.z * z;
}

// What the polygons of eight cells, of which those of `count` are wanted, add to the sums.
class BlockSection {
 public:
  BlockSection(const Plane2& plane, const CellBlocks& blocks, const CellBlock& block)
      : plane_(plane), cut_(blocks.cuts[block.cut]), rows_(blocks.rows.data() + block.row_begin) {
    Mask above{};
    for (int i = 0; i < cut_.num_vertices; ++i) {
      f_[i] = dot8(plane.nhat, row(3 * i), row(3 * i + 1), row(3 * i + 2)) -
              dot(plane.nhat, plane.origin);
      above |= (f_[i] > 0) & (1LL << i);
    }
    const long long all = (1LL << cut_.num_vertices) - 1;
    for (int lane = 0; lane < kLanes; ++lane) {
      above_[lane] = lane < block.count && above[lane] != all ? static_cast<int>(above[lane]) : 0;
    }
  }

  // Adds the polygons, the cells with the same vertices above the plane together.
  void add(const CellBlock& block, Sums* sums, PlaneSection* section) {
    bool placed = false;
    for (int first = 0; first < kLanes; ++first) {
      if (above_[first] == 0) continue;
      if (!placed) place_vertices();
      placed = true;
      const int above = above_[first];
      Mask active{};
      for (int lane = first; lane < kLanes; ++lane) {
        if (above_[lane] != above) continue;
        active[lane] = -1;
        above_[lane] = 0;
      }
      const V8 force = add_alike(cut_.patterns[above], active, sums);
      for (int lane = first; lane < kLanes; ++lane) {
        if (!(force[lane] > 0)) continue;
        ++section->num_polygons;
        if (force[lane] <= section->strongest_force) continue;
        section->strongest_force = force[lane];
        section->strongest = block.cells[lane];
      }
    }
  }

 private:
  const V8& row(int i) const { return load8(rows_[i].lane.data()); }

  void place_vertices() {
    for (int i = 0; i < cut_.num_vertices; ++i) {
      const V8 x = row(3 * i) - plane_.origin.x, y = row(3 * i + 1) - plane_.origin.y,
               z = row(3 * i + 2) - plane_.origin.z;
      x_[i] = dot8(plane_.t1, x, y, z);
      y_[i] = dot8(plane_.t2, x, y, z);
    }
  }

  // Returns the forces; zero where there is none, or the lane is not active.
  V8 add_alike(const CellCut::Pattern& pattern, const Mask& active, Sums* sums) const {
    const auto corner = [&](int i, V8* x, V8* y) {
      const int a = pattern.a[i], b = pattern.b[i];
      const V8 t = f_[a] / (f_[a] - f_[b]);
      *x = x_[a] + t * (x_[b] - x_[a]);
      *y = y_[a] + t * (y_[b] - y_[a]);
    };
    // Moments about the first corner, as in calc_moments().
    V8 ox, oy, x0, y0, area2{}, mx{}, my{}, sxx{}, sxy{}, syy{};
    corner(0, &ox, &oy);
    corner(1, &x0, &y0);
    x0 -= ox, y0 -= oy;
    for (int i = 2; i < pattern.count; ++i) {
      V8 x1, y1;
      corner(i, &x1, &y1);
      x1 -= ox, y1 -= oy;
      const V8 twice = x0 * y1 - x1 * y0, sx = x0 + x1, sy = y0 + y1;
      area2 += twice;
      mx += twice * sx;
      my += twice * sy;
      sxx += twice * (sx * sx + x0 * x0 + x1 * x1);
      sxy += twice * (sx * sy + x0 * y0 + x1 * y1);
      syy += twice * (sy * sy + y0 * y0 + y1 * y1);
      x0 = x1;
      y0 = y1;
    }
    const V8 w = 1 / (12 * area2), dx = 4 * w * mx, dy = 4 * w * my;
    sxx = w * sxx - dx * dx;
    sxy = w * sxy - dx * dy;
    syy = w * syy - dy * dy;
    return add_polygons(0.5 * area2, ox + dx, oy + dy, sxx, sxy, syy, active, sums);
  }

  V8 add_polygons(const V8& area, const V8& x, const V8& y, const V8& sxx, const V8& sxy,
                  const V8& syy, const Mask& active, Sums* sums) const {
    const int n = 3 * cut_.num_vertices;
    const V8 &gradient_x = row(n), &gradient_y = row(n + 1), &gradient_z = row(n + 2);
    const V8 px = dot8(plane_.t1, gradient_x, gradient_y, gradient_z);
    const V8 py = dot8(plane_.t2, gradient_x, gradient_y, gradient_z);
    const V8 p =
        dot8(plane_.origin, gradient_x, gradient_y, gradient_z) + row(n + 3) + px * x + py * y;
    const Mask good = active & (area > plane_.least_area) & (p > 0);
    const V8 zero{}, force = good ? area * p : zero;
    const V8 g = good ? area * max8(dot8(plane_.nhat, gradient_x, gradient_y, gradient_z),
                                    plane_.least_gradient * row(n + 4))
                      : zero;
    // Lanes that do not count may hold anything, infinities too.
    const V8 cx = good ? x : zero, cy = good ? y : zero;
    const V8 xx = good ? sxx : zero, xy = good ? sxy : zero, yy = good ? syy : zero;
    const V8 a = good ? area : zero;
    sums->p += force;
    sums->px += force * cx + a * (xx * px + xy * py);
    sums->py += force * cy + a * (xy * px + yy * py);
    sums->g += g;
    sums->gx += g * cx;
    sums->gy += g * cy;
    sums->gxx += g * (xx + cx * cx);
    sums->gxy += g * (xy + cx * cy);
    sums->gyy += g * (yy + cy * cy);
    return force;
  }

  const Plane2& plane_;
  const CellCut& cut_;
  const LaneRow* rows_;
  int above_[kLanes];  // by bits; 0: not cut
  V8 f_[CellCut::kMaxVertices];
  V8 x_[CellCut::kMaxVertices], y_[CellCut::kMaxVertices];
};

// A cell with many vertices, such as the end of a cylinder.
void add_cell(const PressureField& field, int index, const Plane2& plane, PlaneSection* out) {
  const PressureCell& cell = field.cells[index];
  detail::Polygon polygon;
  slice_cell(field, cell, 0, plane.nhat, -dot(plane.nhat, plane.origin), &polygon);
  if (polygon.count < 3) return;
  const detail::PolygonMoments m = calc_moments(polygon, plane.nhat);
  const double p = dot(cell.gradient, m.centroid) + cell.offset, force = m.area * p;
  if (!(m.area > plane.least_area) || !(p > 0)) return;
  ++out->num_polygons;
  if (force > out->strongest_force) out->strongest_force = force, out->strongest = index;
  const Vec3 d = m.centroid - plane.origin;
  const double x = dot(d, plane.t1), y = dot(d, plane.t2);
  // The polygon's axes are turned against the plane's.
  const double c = dot(plane.t1, m.t1), s = dot(plane.t1, m.t2);
  const double sxx = c * c * m.sxx + 2 * c * s * m.sxy + s * s * m.syy;
  const double sxy = c * s * (m.syy - m.sxx) + (c * c - s * s) * m.sxy;
  const double syy = s * s * m.sxx - 2 * c * s * m.sxy + c * c * m.syy;
  const double px = dot(cell.gradient, plane.t1), py = dot(cell.gradient, plane.t2);
  const double g =
      m.area * std::max(dot(plane.nhat, cell.gradient), plane.least_gradient * cell.steepness);
  out->p += force;
  out->px += force * x + m.area * (sxx * px + sxy * py);
  out->py += force * y + m.area * (sxy * px + syy * py);
  out->g += g;
  out->gx += g * x;
  out->gy += g * y;
  out->gxx += g * (sxx + x * x);
  out->gxy += g * (sxy + x * y);
  out->gyy += g * (syy + y * y);
}

}  // namespace

PlaneSection calc_plane_section(const PressureField& field, const Vec3& nhat, const Vec3& point,
                                double least_area, double least_gradient) {
  PlaneSection out;
  out.nhat = nhat;
  out.origin = field.center - dot(nhat, field.center - point) * nhat;
  out.t1 = any_orthogonal(nhat);
  out.t2 = cross(nhat, out.t1);
  const Plane2 plane{nhat, out.origin, out.t1, out.t2, least_area, least_gradient};
  for (const int i : field.blocks.others) {
    add_cell(field, i, plane, &out);
  }
  Sums s;
  for (const CellBlock& block : field.blocks.blocks) {
    BlockSection(plane, field.blocks, block).add(block, &s, &out);
  }
  out.p += sum(s.p);
  out.px += sum(s.px);
  out.py += sum(s.py);
  out.g += sum(s.g);
  out.gx += sum(s.gx);
  out.gy += sum(s.gy);
  out.gxx += sum(s.gxx);
  out.gxy += sum(s.gxy);
  out.gyy += sum(s.gyy);
  return out;
}

}  // namespace cenic

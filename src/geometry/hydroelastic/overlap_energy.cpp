// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// All regions are cut into tetrahedra: they stay tetrahedra under cuts by planes, and a linear
// function's integral over one is its volume times the mean at its corners. All terms have one
// sign, so nothing cancels.
#include "geometry/hydroelastic/overlap_energy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

namespace cenic {
namespace {

using Tetrahedron = std::array<Vec3, 4>;
using Region = std::vector<Tetrahedron>;

// f(x) = slope·x + offset
struct Linear {
  Vec3 slope;
  double offset = 0;
  double operator()(const Vec3& x) const { return dot(slope, x) + offset; }
};
Linear operator-(const Linear& f, const Linear& g) {
  return {f.slope - g.slope, f.offset - g.offset};
}

double integrate(const Linear& f, const Region& region) {
  double sum = 0;
  for (const auto& [a, b, c, d] : region) {
    const double volume = std::fabs(dot(b - a, cross(c - a, d - a))) / 6;
    sum += volume * 0.25 * (f(a) + f(b) + f(c) + f(d));
  }
  return sum;
}

// A prism between the triangles (a b c) and (A B C).
void add_prism(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& A, const Vec3& B,
               const Vec3& C, Region* region) {
  region->push_back({a, b, c, C});
  region->push_back({a, b, B, C});
  region->push_back({a, A, B, C});
}

// The part of a tetrahedron with f ≤ 0.
void clip(Tetrahedron x, const Linear& f, Region* out) {
  // Those inside first.
  std::array<double, 4> value;
  int inside = 0;
  for (int i = 0; i < 4; ++i) {
    value[i] = f(x[i]);
    if (value[i] > 0) continue;
    std::swap(x[i], x[inside]);
    std::swap(value[i], value[inside++]);
  }
  const auto cut = [&](int i, int j) {
    return x[i] + value[i] / (value[i] - value[j]) * (x[j] - x[i]);
  };
  if (inside == 4) {
    out->push_back(x);
  } else if (inside == 3) {
    add_prism(x[0], x[1], x[2], cut(0, 3), cut(1, 3), cut(2, 3), out);
  } else if (inside == 2) {
    add_prism(x[0], cut(0, 2), cut(0, 3), x[1], cut(1, 2), cut(1, 3), out);
  } else if (inside == 1) {
    out->push_back({x[0], cut(0, 1), cut(0, 2), cut(0, 3)});
  }
}

Region clip(const Region& region, const Linear& f) {
  Region out;
  out.reserve(3 * region.size());
  for (const Tetrahedron& x : region) {
    clip(x, f, &out);
  }
  return out;
}

// Cells and half spaces in the frame of M.
Linear make_pressure(const PressureCell& cell, const RigidTransform& X_MG) {
  const Vec3 gradient = X_MG.R * cell.gradient;
  return {gradient, cell.offset - dot(gradient, X_MG.p)};
}
Linear make_outside(const Plane& plane, const RigidTransform& X_MG) {
  const Vec3 nhat = X_MG.R * plane.normal;
  return {nhat, -plane.offset - dot(nhat, X_MG.p)};
}
// Most cells of a pair do not meet: the planes tell before anything is cut.
Region clip_by_cell(Region region, const PressureField& field, const PressureCell& cell,
                    const RigidTransform& X_MG) {
  std::vector<std::pair<double, Linear>> cuts;  // with the share of the region's height they keep
  for (int i = 0; i < cell.num_planes; ++i) {
    const Linear f = make_outside(field.planes[cell.plane_begin + i], X_MG);
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (const Tetrahedron& x : region) {
      const auto [low, high] = std::minmax({f(x[0]), f(x[1]), f(x[2]), f(x[3])});
      lowest = std::min(lowest, low);
      highest = std::max(highest, high);
    }
    if (lowest > 0) return {};
    if (highest > 0) cuts.emplace_back(lowest / (lowest - highest), f);
  }
  // Each cut makes more pieces: those that leave little come first.
  std::ranges::sort(cuts, {}, &std::pair<double, Linear>::first);
  for (const auto& [share, f] : cuts) {
    region = clip(region, f);
  }
  return region;
}

// A convex cell as tetrahedra between its first vertex and fans over its faces: an edge (a b) of a
// face makes the triangle (r a b), r being any one vertex of that face.
Region split(const PressureField& field, const PressureCell& cell) {
  Region region;
  region.reserve(2 * static_cast<std::size_t>(cell.num_edges));
  const CellVertex* v = field.vertices.data() + cell.vertex_begin;
  std::vector<int> fan(cell.num_planes, -1);
  for (int e = cell.edge_begin; e < cell.edge_begin + cell.num_edges; ++e) {
    const auto [a, b, left, right] = field.edges[e];
    for (const int face : {left, right}) {
      if (fan[face] < 0) fan[face] = a;
      const int r = fan[face];
      if (r != a && r != b) region.push_back({v[0].p, v[r].p, v[a].p, v[b].p});
    }
  }
  return region;
}

// ∫ min(p, q) = ∫ q + ∫ (p − q) where p < q.
double integrate_lesser(const Linear& p, const Linear& q, const Region& region) {
  return integrate(q, region) + integrate(p - q, clip(region, p - q));
}

// M is bounded, N a half space.
double calc_on_half_space(const PressureField& M, const PressureField& N,
                          const RigidTransform& X_MN) {
  const Vec3 nhat = X_MN.R.column(2);
  const double offset = dot(nhat, X_MN.p);
  double energy = 0;
  M.tree.for_each_below(nhat, offset, 0, [&](int i) {
    const PressureCell& cell = M.cells[i];
    const Region region = clip(split(M, cell), {nhat, -offset});
    const Linear p = make_pressure(cell, {});
    energy += N.compliance == Compliance::kRigid
                  ? integrate(p, region)
                  : integrate_lesser(p, make_pressure(N.cells[0], X_MN), region);
  });
  return energy;
}

// The inside of a closed surface is the sum of the tetrahedra between a point and the triangles of
// the surface, negative where these are seen from their back.
double calc_with_rigid(const PressureField& M, const PressureField& N, const RigidTransform& X_MN) {
  double energy = 0;
  const Vec3 centre = X_MN * N.center;
  for (const SurfaceFace& face : N.faces) {
    const auto vertex = [&](int i) {
      return X_MN * N.face_vertices[face.vertex_begin + i];
    };
    for (int k = 1; k + 1 < face.num_vertices; ++k) {
      const Tetrahedron x{centre, vertex(0), vertex(k), vertex(k + 1)};
      const double side = dot(x[1] - x[0], cross(x[2] - x[0], x[3] - x[0])) > 0 ? 1 : -1;
      const auto add_cell = [&](int i) {
        const PressureCell& cell = M.cells[i];
        energy += side * integrate(make_pressure(cell, {}), clip_by_cell({x}, M, cell, {}));
      };
      if (M.half_space) {
        add_cell(0);
        continue;
      }
      const Aabb box{cwise_min(cwise_min(x[0], x[1]), cwise_min(x[2], x[3])),
                     cwise_max(cwise_max(x[0], x[1]), cwise_max(x[2], x[3]))};
      M.tree.for_each_overlap(box, add_cell);
    }
  }
  return energy;
}

}  // namespace

double calc_overlap_energy(const PressureField& M, const PressureField& N,
                           const RigidTransform& X_MN) {
  const bool rigid_M = M.compliance == Compliance::kRigid,
             rigid_N = N.compliance == Compliance::kRigid;
  if ((rigid_M && rigid_N) || (M.half_space && N.half_space)) return 0;
  if (rigid_M || (M.half_space && !rigid_N)) return calc_overlap_energy(N, M, inverse(X_MN));
  if (N.half_space) return calc_on_half_space(M, N, X_MN);
  if (rigid_N) return calc_with_rigid(M, N, X_MN);
  double energy = 0;
  M.tree.for_each_pair(N.tree, X_MN, 0, [&](int i, int j) {
    const PressureCell &A = M.cells[i], &B = N.cells[j];
    const Region region = clip_by_cell(split(M, A), N, B, X_MN);
    energy += integrate_lesser(make_pressure(A, {}), make_pressure(B, X_MN), region);
  });
  return energy;
}

}  // namespace cenic

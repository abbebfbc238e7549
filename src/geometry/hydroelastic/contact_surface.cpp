// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/hydroelastic/contact_surface.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "geometry/hydroelastic/surface_query.h"

namespace cenic {
namespace {

using detail::kCosGap;
using detail::kCosLimit;
using detail::Polygon;

constexpr double kLeastArea = 1e-14;  // of a polygon, in squares of the smaller solid's size
constexpr double kInWall = 1e-12;  // a face this near to a wall, in sizes of the solid, lies in it

// The wall of a cell, not its outer face, that lies in the plane across nhat through x; −1: none.
int find_wall(const PressureCell& cell, const Plane* planes, const Vec3& nhat, const Vec3& x,
              double size) {
  for (int f = cell.outer ? 1 : 0; f < cell.num_planes; ++f) {
    if (std::fabs(dot(planes[f].normal, nhat)) < 0.999) continue;
    if (norm_squared(cross(planes[f].normal, nhat)) < kInWall * kInWall &&
        std::fabs(dot(planes[f].normal, x) - planes[f].offset) <= kInWall * size) {
      return f;
    }
  }
  return -1;
}

}  // namespace

void SurfaceFinder::find(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
                         double margin, SurfaceCandidates* candidates,
                         std::vector<SurfacePolygon>* polygons, const SurfaceMotion* motion) {
  const Query q{M, N, X_MN, margin, calc_least_area(M, N), polygons, motion};
  ++counters.queries;
  polygons->clear();
  if (keep_corners) {
    corners.clear();
    corner_counts.clear();
  }
  double gap = 0;
  if (motion != nullptr) {
    gap = motion->gap;
  } else if (!M.half_space && !N.half_space) {
    gap = find_box_gap(M.tree.bounds(), N.tree.bounds(), X_MN).width;
  }
  const std::span<const IndexPair> pairs =
      pair_finder_.find({M, N, X_MN, margin, gap}, candidates, &counters);
  if (pairs.empty()) return;
  ++stamp_;
  const std::size_t parts = N.compliance == Compliance::kRigid ? N.faces.size() : N.cells.size();
  if (stamps_.size() < parts) stamps_.resize(parts, 0);
  if (N.compliance == Compliance::kRigid && N.half_space) {
    for (const IndexPair& pair : pairs) {
      cut_by_plane(q, pair.a);
    }
  } else if (N.compliance == Compliance::kRigid) {
    normals_M_.resize(std::max(normals_M_.size(), N.faces.size()));
    face_vertices_M_.resize(std::max(face_vertices_M_.size(), N.face_vertices.size()));
    for (const IndexPair& pair : pairs) {
      cut_by_face(q, pair.a, pair.b);
    }
  } else {
    gradients_M_.resize(std::max(gradients_M_.size(), N.cells.size()));
    offsets_M_.resize(std::max(offsets_M_.size(), N.cells.size()));
    planes_M_.resize(std::max(planes_M_.size(), N.planes.size()));
    cut_by_cells(q, pairs);
  }
  counters.polygons += polygons->size();
}

double SurfaceFinder::calc_least_area(const PressureField& M, const PressureField& N) {
  const double size = std::min(M.size, N.size);
  return kLeastArea * size * size;
}

void SurfaceFinder::cut_by_plane(const Query& q, int i) {
  const PressureCell& cell = q.M.cells[i];
  const Vec3 nhat = q.X_MN.R.column(2);
  slice_cell(q.M, cell, cell.outer ? q.margin : 0, nhat, -dot(nhat, q.X_MN.p), &buffer_[0]);
  if (buffer_[0].count < 3) return;
  SurfacePolygon out;
  out.nhat = nhat;
  out.cell_M = i;
  out.gradient = dot(nhat, cell.gradient);
  out.steepness = cell.steepness;
  out.softness = cell.softness;
  emit(q, buffer_[0], &out);
}

// The polygon within the planes of a cell, but for the wall that it lies in, whose outer face is
// moved by the margin.
const Polygon* SurfaceFinder::clip_by_cell(const PressureCell& cell, const Plane* planes,
                                           double margin, const Polygon* polygon, int wall) {
  // Planes that a ball around the polygon does not reach cut nothing off.
  Vec3 centre;
  for (int i = 0; i < polygon->count; ++i) {
    centre += polygon->p[i];
  }
  centre *= 1.0 / polygon->count;
  double radius = 0;
  for (int i = 0; i < polygon->count; ++i) {
    radius = std::max(radius, norm_squared(polygon->p[i] - centre));
  }
  radius = std::sqrt(radius);
  for (int f = 0; f < cell.num_planes && polygon->count >= 3; ++f) {
    if (f == wall) continue;
    const double inside = planes[f].offset + (f == 0 ? margin : 0) - dot(planes[f].normal, centre);
    if (inside > radius) continue;
    if (inside < -radius) {
      buffer_[0].count = 0;
      return &buffer_[0];
    }
    Polygon* out = polygon == &buffer_[0] ? &buffer_[1] : &buffer_[0];
    polygon =
        detail::clip(polygon, planes[f].normal, -planes[f].offset - (f == 0 ? margin : 0), out);
  }
  return polygon;
}

void SurfaceFinder::cut_by_face(const Query& q, int i, int j) {
  const PressureCell& cell = q.M.cells[i];
  const SurfaceFace& face = q.N.faces[j];
  if (stamps_[j] != stamp_) {
    stamps_[j] = stamp_;
    normals_M_[j] = q.X_MN.R * face.normal;
    for (int v = face.vertex_begin; v < face.vertex_begin + face.num_vertices; ++v) {
      face_vertices_M_[v] = q.X_MN * q.N.face_vertices[v];
    }
  }
  const Vec3& nhat = normals_M_[j];
  const double g = dot(nhat, cell.gradient);
  if (!(g > kCosLimit * cell.steepness)) return;
  // A face that lies in the wall between two cells belongs to the one behind it: rounding must not
  // give it to both or to none.
  const Plane* planes = q.M.planes.data() + cell.plane_begin;
  const int wall = find_wall(cell, planes, nhat, face_vertices_M_[face.vertex_begin], q.M.size);
  if (wall >= 0 && dot(planes[wall].normal, nhat) > 0) return;
  Polygon& start = buffer_[0];
  start.count = 0;
  for (int v = face.vertex_begin; v < face.vertex_begin + face.num_vertices; ++v) {
    start.add(face_vertices_M_[v]);
  }
  const Polygon* polygon = clip_by_cell(cell, planes, cell.outer ? q.margin : 0, &start, wall);
  if (polygon->count < 3) return;
  SurfacePolygon out;
  out.nhat = nhat;
  out.cell_M = i;
  out.cell_N = j;
  out.gradient = g;
  out.steepness = cell.steepness;
  out.softness = cell.softness;
  emit(q, *polygon, &out);
}

// Touching and not yet touching parts of a polygon are different things: what presses is exact,
// what may press later is a guess.
void SurfaceFinder::emit(const Query& q, const Polygon& polygon, SurfacePolygon* out) {
  if (q.margin == 0) return add(q, polygon, *out);
  const PressureCell& cell = q.M.cells[out->cell_M];
  const Polygon* touching = detail::clip(&polygon, -cell.gradient, -cell.offset, &buffer_[2]);
  if (touching->count >= 3) add(q, *touching, *out);
  if (touching == &polygon) return;
  if (!(out->gradient * out->softness > kCosGap)) return;
  // Each solid reaches out by the margin; the gap between both must be within it.
  const double most = q.margin / out->softness;
  const Polygon* near = detail::clip(&polygon, -cell.gradient, -cell.offset - most, &buffer_[2]);
  const Polygon* gap = detail::clip(near, cell.gradient, cell.offset,
                                    &polygon == &buffer_[0] ? &buffer_[1] : &buffer_[0]);
  if (gap->count >= 3 && q.may_close(*gap, *out)) add(q, *gap, *out);
}

void SurfaceFinder::add(const Query& q, const Polygon& polygon, const SurfacePolygon& like) {
  if (!add(q, detail::calc_moments(polygon, like.nhat), like) || !keep_corners) return;
  corners.insert(corners.end(), polygon.p, polygon.p + polygon.count);
  corner_counts.push_back(polygon.count);
}

}  // namespace cenic

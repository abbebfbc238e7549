// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/hydroelastic/contact_surface.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace cenic {
namespace {

using detail::Clipped;
using detail::Polygon;

// A polygon counts while its normal and the pressure's gradient are less than 112.5° apart: beyond
// it is the back of a thin plate, or a wall between the side blocks of two boxes.
constexpr double kCosLimit = -0.3826834323650898;
// Across gaps, where nothing presses yet, it must look along the gradient.
constexpr double kCosGap = 0.75;
constexpr double kLeastArea = 1e-14;  // of a polygon, in squares of the smaller solid's size
constexpr double kParallel = 1e-12;   // gradients closer than this share of their size are equal
// The pressures of solids of the same shape may be equal in whole regions, at whose borders
// rounding would decide what counts: M's pressure is taken higher by this share of the moduli, more
// than rounding and less than matters.
constexpr double kTie = 1e-13;
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

struct SurfaceFinder::Query {
  const PressureField& M;
  const PressureField& N;
  const RigidTransform& X_MN;
  double margin;
  double least_area;
  std::vector<SurfacePolygon>* polygons;
  const SurfaceMotion* motion;

  bool may_close(int corners, int of) const { return corners > motion->part * of; }
  // Does the gap close at enough corners, or is it narrow there?
  bool may_close(const Polygon& polygon, const SurfacePolygon& like) const {
    if (motion == nullptr) return true;
    const PressureCell& cell = M.cells[like.cell_M];
    int corners = 0;
    for (int i = 0; i < polygon.count; ++i) {
      const Vec3& x = polygon.p[i];
      const double gap = -like.softness * (dot(cell.gradient, x) + cell.offset);
      const Vec3 moved = motion->travel + cross(motion->turn, x - motion->center);
      corners += gap < std::max(dot(like.nhat, moved), motion->nearby) ? 1 : 0;
    }
    return may_close(corners, polygon.count);
  }
  bool may_close(const detail::LanePolygon& polygon, const V8& p,
                 const SurfacePolygon& like) const {
    if (motion == nullptr) return true;
    const Vec3 lever = cross(like.nhat, motion->turn);
    const double rest = dot(like.nhat, motion->travel) - dot(lever, motion->center);
    const V8 closing = detail::evaluate(lever, rest, polygon.x, polygon.y, polygon.z);
    const V8 nearby = V8{} + motion->nearby;
    const unsigned closes = to_bits(-like.softness * p < max8(closing, nearby));
    return may_close(std::popcount(closes & ((1U << polygon.count) - 1)), polygon.count);
  }
};

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
  const std::span<const IndexPair> pairs =
      pair_finder_.find({M, N, X_MN, margin}, candidates, &counters);
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

// N's cell in M's frame, once for each query.
void SurfaceFinder::place_cell(const Query& q, int j) {
  if (stamps_[j] == stamp_) return;
  stamps_[j] = stamp_;
  const PressureCell& B = q.N.cells[j];
  gradients_M_[j] = q.X_MN.R * B.gradient;
  offsets_M_[j] = B.offset - dot(gradients_M_[j], q.X_MN.p);
  if (lanes_ && q.N.blocks.packed[j].cut >= 0) {
    detail::pose(q.N.blocks.packed[j], q.X_MN, B.outer ? q.margin : 0, &packed_N_[j]);
  } else {
    place_planes(q, B);
  }
}

void SurfaceFinder::place_planes(const Query& q, const PressureCell& B) {
  for (int f = B.plane_begin; f < B.plane_begin + B.num_planes; ++f) {
    planes_M_[f].normal = q.X_MN.R * q.N.planes[f].normal;
    planes_M_[f].offset = q.N.planes[f].offset + dot(planes_M_[f].normal, q.X_MN.p);
  }
}

// M's cell, its outer face moved by the margin.
const PackedCell& SurfaceFinder::place_own_cell(const Query& q, int i) {
  const PackedCell& cell = q.M.blocks.packed[i];
  if (q.margin == 0 || !q.M.cells[i].outer) return cell;
  if (stamps_M_[i] != stamp_) {
    stamps_M_[i] = stamp_;
    detail::pose(cell, {}, q.margin, &packed_M_[i]);
  }
  return packed_M_[i];
}

SurfaceFinder::EqualPressures SurfaceFinder::find_equal_pressures(const Query& q, int i,
                                                                  int j) const {
  const PressureCell& A = q.M.cells[i];
  return {A.gradient - gradients_M_[j],
          A.offset - offsets_M_[j] + kTie * (q.M.modulus + q.N.modulus)};
}

// Fills in what the two cells say of their polygon; false when it does not count.
[[gnu::always_inline]] inline bool SurfaceFinder::face_each_other(const Query& q, const Vec3& slope,
                                                                  SurfacePolygon* out) const {
  const PressureCell& A = q.M.cells[out->cell_M];
  const PressureCell& B = q.N.cells[out->cell_N];
  const double length = norm(slope);
  out->nhat = (1 / length) * slope;
  const double gM = dot(out->nhat, A.gradient), gN = -dot(out->nhat, gradients_M_[out->cell_N]);
  out->gradient = gM * gN / length;
  out->steepness = std::min(A.steepness, B.steepness);
  out->softness = A.softness + B.softness;
  return (length > kParallel * (A.steepness + B.steepness)) & (gM > kCosLimit * A.steepness) &
         (gN > kCosLimit * B.steepness);
}

void SurfaceFinder::cut_by_cells(const Query& q, std::span<const IndexPair> pairs) {
  // Corners for drawing come from polygons in general.
  lanes_ = !q.M.blocks.packed.empty() && !q.N.blocks.packed.empty() && !keep_corners;
  if (!lanes_) {
    for (const IndexPair& pair : pairs) {
      cut_in_general(q, pair.a, pair.b);
    }
    return;
  }
  stamps_M_.resize(std::max(stamps_M_.size(), q.M.cells.size()), 0);
  packed_M_.resize(std::max(packed_M_.size(), q.M.cells.size()));
  packed_N_.resize(std::max(packed_N_.size(), q.N.cells.size()));
  cuts_.resize(kBatch);
  open_.resize(kBatch);
  while (!pairs.empty()) {
    const std::size_t count = std::min<std::size_t>(pairs.size(), kBatch);
    cut_in_lanes(q, pairs.first(count));
    pairs = pairs.subspan(count);
  }
}

// One stage after the other for all pairs: within a stage they do not wait for each other.
void SurfaceFinder::cut_in_lanes(const Query& q, std::span<const IndexPair> pairs) {
  int count = 0;
  for (const auto& [i, j] : pairs) {
    place_cell(q, j);
    LaneCut& cut = cuts_[count];
    cut.like.cell_M = i;
    cut.like.cell_N = j;
    cut.equal = find_equal_pressures(q, i, j);
    cut.fits = q.M.blocks.packed[i].cut >= 0 && q.N.blocks.packed[j].cut >= 0;
    count += !cut.fits || slice_both(place_own_cell(q, i), q.M.blocks.cuts, packed_N_[j],
                                     cut.equal.slope, cut.equal.offset, &cut.polygon)
                 ? 1
                 : 0;
  }
  int open = 0;
  for (int k = 0; k < count; ++k) {
    LaneCut& cut = cuts_[k];
    const bool counts = face_each_other(q, cut.equal.slope, &cut.like);
    const bool meets = find_cutting_planes(packed_N_[cut.like.cell_N], cut.polygon, &cut.planes);
    open_[open] = &cut;
    open += (counts & meets) | !cut.fits ? 1 : 0;
  }
  parts_.clear();
  for (int k = 0; k < open; ++k) {
    LaneCut& cut = *open_[k];
    const Clipped clipped =
        cut.fits ? clip(packed_N_[cut.like.cell_N], cut.planes, &cut.polygon) : Clipped::kFailed;
    if (clipped == Clipped::kFailed) parts_.push_back({nullptr, &cut.like});
    if (clipped == Clipped::kWhole || clipped == Clipped::kPart) split(q, &cut);
  }
  for (const LanePart& part : parts_) {
    if (part.polygon != nullptr) {
      add(q, calc_moments(*part.polygon, part.like->nhat), *part.like);
    } else {
      cut_in_general(q, part.like->cell_M, part.like->cell_N);
    }
  }
}

void SurfaceFinder::cut_in_general(const Query& q, int i, int j) {
  const PressureCell& A = q.M.cells[i];
  const PressureCell& B = q.N.cells[j];
  place_cell(q, j);
  if (lanes_) place_planes(q, B);
  const auto [slope, offset] = find_equal_pressures(q, i, j);
  const double margin_A = A.outer ? q.margin : 0, margin_B = B.outer ? q.margin : 0;
  // N's cell must lie on both sides as well.
  if (B.num_vertices > 0) {
    const Vec3 slope_N = transpose_times(q.X_MN.R, slope);
    const double offset_N = offset + dot(slope, q.X_MN.p);
    const CellVertex* v = q.N.vertices.data() + B.vertex_begin;
    int positive = 0;
    for (int k = 0; k < B.num_vertices; ++k) {
      positive +=
          dot(slope_N, v[k].p) + margin_B * dot(slope_N, v[k].spread) + offset_N > 0 ? 1 : 0;
    }
    if (positive == 0 || positive == B.num_vertices) return;
  }
  SurfacePolygon out;
  out.cell_M = i;
  out.cell_N = j;
  if (!face_each_other(q, slope, &out)) return;
  slice_cell(q.M, A, margin_A, slope, offset, &buffer_[0]);
  if (buffer_[0].count < 3) return;
  const Polygon* polygon =
      clip_by_cell(B, planes_M_.data() + B.plane_begin, margin_B, &buffer_[0], -1);
  if (polygon->count >= 3) emit(q, *polygon, &out);
}

// As emit() does, in lanes.
void SurfaceFinder::split(const Query& q, LaneCut* cut) {
  if (q.margin == 0) return parts_.push_back({&cut->polygon, &cut->like});
  const PressureCell& cell = q.M.cells[cut->like.cell_M];
  const auto pressure = [&](const detail::LanePolygon& x) {
    return detail::evaluate(cell.gradient, cell.offset, x.x, x.y, x.z);
  };
  const V8 p = pressure(cut->polygon);
  cut->gap = cut->polygon;
  const Clipped touches = clip(-p, &cut->polygon);
  Clipped near = Clipped::kEmpty;
  if (touches != Clipped::kWhole && cut->like.gradient * cut->like.softness > kCosGap) {
    near = clip(-p - q.margin / cut->like.softness, &cut->gap);
    if (near == Clipped::kWhole || near == Clipped::kPart)
      near = clip(pressure(cut->gap), &cut->gap);
  }
  if (touches == Clipped::kFailed || near == Clipped::kFailed)
    return parts_.push_back({nullptr, &cut->like});
  if (touches != Clipped::kEmpty) parts_.push_back({&cut->polygon, &cut->like});
  if (near != Clipped::kEmpty && q.may_close(cut->gap, pressure(cut->gap), cut->like))
    parts_.push_back({&cut->gap, &cut->like});
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

bool SurfaceFinder::add(const Query& q, const detail::PolygonMoments& moments,
                        const SurfacePolygon& like) {
  if (!(moments.area > q.least_area)) return false;
  SurfacePolygon& out = q.polygons->emplace_back(like);
  const PressureCell& cell = q.M.cells[out.cell_M];
  out.moments = moments;
  out.pressure = dot(cell.gradient, moments.centroid) + cell.offset;
  out.px = dot(cell.gradient, moments.t1);
  out.py = dot(cell.gradient, moments.t2);
  return true;
}

}  // namespace cenic

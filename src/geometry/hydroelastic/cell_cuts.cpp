// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Surfaces between two compliant solids: where the pressures of two cells are equal, within both.
#include <algorithm>
#include <span>

#include "geometry/hydroelastic/surface_query.h"

namespace cenic {
namespace {

using detail::Clipped;
using detail::kCosGap;
using detail::kCosLimit;
using detail::Polygon;

constexpr double kParallel = 1e-12;  // gradients closer than this share of their size are equal
// The pressures of solids of the same shape may be equal in whole regions, at whose borders
// rounding would decide what counts: M's pressure is taken higher by this share of the moduli, more
// than rounding and less than matters.
constexpr double kTie = 1e-13;

}  // namespace

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
void SurfaceFinder::place_own_cell(const Query& q, int i) {
  if (q.margin == 0 || stamps_M_[i] == stamp_) return;
  stamps_M_[i] = stamp_;
  detail::pose(q.M.blocks.packed[i], {}, q.M.cells[i].outer ? q.margin : 0, &packed_M_[i]);
}

[[gnu::always_inline]] inline const PackedCell& SurfaceFinder::own_cell(const Query& q,
                                                                        int i) const {
  return q.margin == 0 ? q.M.blocks.packed[i] : packed_M_[i];
}

// Inline, as in surface_query.h.
[[gnu::always_inline]] inline SurfaceFinder::EqualPressures SurfaceFinder::find_equal_pressures(
    const Query& q, int i, int j) const {
  const PressureCell& A = q.M.cells[i];
  return {A.gradient - gradients_M_[j],
          A.offset - offsets_M_[j] + kTie * (q.M.modulus + q.N.modulus)};
}

// Fills in what the two cells say of their polygon; false when it does not count.
[[gnu::always_inline]] inline bool SurfaceFinder::face_each_other(const Query& q, const Vec3& slope,
                                                                  SurfacePolygon* out) const {
  const PressureCell& A = q.M.cells[out->cell_M];
  const PressureCell& B = q.N.cells[out->cell_N];
  const double length = norm(slope), inverse = 1 / length;
  out->nhat = inverse * slope;
  const double gM = dot(out->nhat, A.gradient), gN = -dot(out->nhat, gradients_M_[out->cell_N]);
  out->gradient = gM * gN * inverse;
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
  for (const auto& [i, j] : pairs) {
    place_cell(q, j);
    place_own_cell(q, i);
  }
  int count = 0;
  for (const auto& [i, j] : pairs) {
    LaneCut& cut = cuts_[count];
    cut.like.cell_M = i;
    cut.like.cell_N = j;
    cut.equal = find_equal_pressures(q, i, j);
    cut.fits = q.M.blocks.packed[i].cut >= 0 && q.N.blocks.packed[j].cut >= 0;
    count += !cut.fits || slice_both(own_cell(q, i), q.M.blocks.cuts, packed_N_[j], cut.equal.slope,
                                     cut.equal.offset, &cut.polygon)
                 ? 1
                 : 0;
  }
  int open = 0;
  for (int k = 0; k < count; ++k) {
    LaneCut& cut = cuts_[k];
    const bool counts = face_each_other(q, cut.equal.slope, &cut.like);
    const bool meets = find_cutting_planes(packed_N_[cut.like.cell_N], cut.polygon, &cut.planes);
    open_[open] = &cut;
    open += ((counts & meets) | !cut.fits) ? 1 : 0;
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
    if (near == Clipped::kWhole || near == Clipped::kPart) {
      near = clip(pressure(cut->gap), &cut->gap);
    }
  }
  if (touches == Clipped::kFailed || near == Clipped::kFailed) {
    return parts_.push_back({nullptr, &cut->like});
  }
  if (touches != Clipped::kEmpty) parts_.push_back({&cut->polygon, &cut->like});
  if (near != Clipped::kEmpty && q.may_close(cut->gap, pressure(cut->gap), cut->like)) {
    parts_.push_back({&cut->gap, &cut->like});
  }
}

}  // namespace cenic

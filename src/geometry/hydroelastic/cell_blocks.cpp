// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/hydroelastic/cell_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "geometry/hydroelastic/pressure_field.h"

namespace cenic {
namespace {

// Packed cells take more memory than meshes should.
constexpr std::size_t kMostPacked = 256;

std::span<const CellEdge> get_edges(const PressureField& field, const PressureCell& cell) {
  return {field.edges.data() + cell.edge_begin, static_cast<std::size_t>(cell.num_edges)};
}

bool is_like(const PressureField& field, const PressureCell& a, const PressureCell& b) {
  return a.num_vertices == b.num_vertices &&
         std::ranges::equal(
             get_edges(field, a), get_edges(field, b), [](const CellEdge& x, const CellEdge& y) {
               return x.a == y.a && x.b == y.b && x.left == y.left && x.right == y.right;
             });
}

// The cut runs from edge to edge over the faces between them, as in slice_cell(). A plane crosses
// no face twice: patterns with more corners than faces do not occur and stay empty.
CellCut::Pattern find_pattern(std::span<const CellEdge> edges, unsigned above) {
  CellCut::Pattern pattern;
  const auto is_above = [&](int vertex) {
    return (above >> vertex & 1U) != 0;
  };
  std::array<int, 256> entered{};  // over which edge a face is entered
  int crossings = 0, e = -1;
  for (int i = 0; i < static_cast<int>(edges.size()); ++i) {
    if (is_above(edges[i].a) == is_above(edges[i].b)) continue;
    entered[is_above(edges[i].a) ? edges[i].right : edges[i].left] = i;
    ++crossings;
    e = i;
  }
  if (crossings > static_cast<int>(pattern.a.size())) return pattern;
  pattern.count = static_cast<std::uint8_t>(crossings);
  for (int i = 0; i < crossings; ++i) {
    pattern.a[i] = edges[e].a;
    pattern.b[i] = edges[e].b;
    e = entered[is_above(edges[e].a) ? edges[e].left : edges[e].right];
  }
  for (std::size_t i = crossings; i < pattern.a.size(); ++i) {
    pattern.a[i] = pattern.a[0];
    pattern.b[i] = pattern.b[0];
  }
  return pattern;
}

bool make_cut(const PressureField& field, const PressureCell& cell, CellCut* cut) {
  if (cell.num_vertices > CellCut::kMaxVertices || cell.num_planes > kLanes) return false;
  cut->num_vertices = cell.num_vertices;
  cut->patterns.resize(1U << cell.num_vertices);
  for (unsigned above = 0; above < cut->patterns.size(); ++above) {
    cut->patterns[above] = find_pattern(get_edges(field, cell), above);
  }
  return true;
}

void add_block(const PressureField& field, int cut, std::span<const int> cells, CellBlocks* out) {
  CellBlock block;
  block.cut = cut;
  block.count = static_cast<int>(cells.size());
  block.row_begin = static_cast<int>(out->rows.size());
  const int num_vertices = out->cuts[cut].num_vertices;
  out->rows.resize(out->rows.size() + 3 * num_vertices + 5);
  for (int lane = 0; lane < kLanes; ++lane) {
    block.cells[lane] = lane < block.count ? cells[lane] : cells[0];
    const PressureCell& cell = field.cells[block.cells[lane]];
    LaneRow* row = out->rows.data() + block.row_begin;
    const auto put = [&](double x) {
      (row++)->lane[lane] = x;
    };
    for (int v = 0; v < num_vertices; ++v) {
      const Vec3& p = field.vertices[cell.vertex_begin + v].p;
      put(p.x), put(p.y), put(p.z);
    }
    put(cell.gradient.x), put(cell.gradient.y), put(cell.gradient.z);
    put(cell.offset), put(cell.steepness);
  }
  out->blocks.push_back(block);
}

void widen(const Vec3& x, bool* first, Aabb* box) {
  *box = *first ? Aabb{x, x} : Aabb{cwise_min(box->lower, x), cwise_max(box->upper, x)};
  *first = false;
}

PackedCell pack(const PressureField& field, const PressureCell& cell, int cut) {
  PackedCell out;
  out.cut = cut;
  out.num_planes = cell.num_planes;
  for (int lane = 0; lane < kLanes; ++lane) {
    const CellVertex& v = field.vertices[cell.vertex_begin + (lane < cell.num_vertices ? lane : 0)];
    out.x.lane[lane] = v.p.x, out.y.lane[lane] = v.p.y, out.z.lane[lane] = v.p.z;
    out.spread_x.lane[lane] = v.spread.x, out.spread_y.lane[lane] = v.spread.y;
    out.spread_z.lane[lane] = v.spread.z;
    const Plane plane = lane < cell.num_planes ? field.planes[cell.plane_begin + lane]
                                               : Plane{{}, std::numeric_limits<double>::max()};
    out.normal_x.lane[lane] = plane.normal.x, out.normal_y.lane[lane] = plane.normal.y;
    out.normal_z.lane[lane] = plane.normal.z, out.plane_offset.lane[lane] = plane.offset;
  }
  return out;
}

// Between vertices on the surface and others of full pressure the part of a cell up to a share of
// the modulus lies between the face on the surface and the whole cell, by that share.
CellBoxes make_cell_boxes(const PressureField& field) {
  CellBoxes out;
  if (field.cells.size() > kLanes) return out;
  out.count = static_cast<int>(field.cells.size());
  for (int i = 0; i < out.count; ++i) {
    const PressureCell& cell = field.cells[i];
    Aabb whole, face;
    bool straight = cell.outer, first = true, first_of_face = true;
    for (int v = cell.vertex_begin; v < cell.vertex_begin + cell.num_vertices; ++v) {
      const Vec3& x = field.vertices[v].p;
      const double share = (dot(cell.gradient, x) + cell.offset) / field.modulus;
      const bool on_surface = std::fabs(share) < 1e-9;
      straight = straight && (on_surface || share > 1 - 1e-9);
      widen(x, &first, &whole);
      if (on_surface) widen(x, &first_of_face, &face);
    }
    if (!straight || first_of_face) face = whole;
    for (int k = 0; k < 3; ++k) {
      const double center = 0.5 * (face.lower[k] + face.upper[k]);
      const double half = 0.5 * (face.upper[k] - face.lower[k]);
      out.center[k].lane[i] = center;
      out.half[k].lane[i] = half;
      out.center_slope[k].lane[i] = 0.5 * (whole.lower[k] + whole.upper[k]) - center;
      out.half_slope[k].lane[i] = 0.5 * (whole.upper[k] - whole.lower[k]) - half;
    }
  }
  return out;
}

}  // namespace

CellBlocks make_cell_blocks(const PressureField& field) {
  CellBlocks out;
  out.boxes = make_cell_boxes(field);
  // Cells by their cut. Solids have few kinds of cells.
  std::vector<std::vector<int>> members;
  for (int i = 0; i < static_cast<int>(field.cells.size()); ++i) {
    const auto like = std::ranges::find_if(members, [&](const std::vector<int>& cells) {
      return is_like(field, field.cells[cells[0]], field.cells[i]);
    });
    if (like != members.end()) {
      like->push_back(i);
    } else if (CellCut cut; make_cut(field, field.cells[i], &cut)) {
      out.cuts.push_back(std::move(cut));
      members.push_back({i});
    } else {
      out.others.push_back(i);
    }
  }
  for (std::size_t cut = 0; cut < members.size(); ++cut) {
    std::span<const int> rest = members[cut];
    while (!rest.empty()) {
      const std::size_t count = std::min<std::size_t>(rest.size(), kLanes);
      add_block(field, static_cast<int>(cut), rest.first(count), &out);
      rest = rest.subspan(count);
    }
  }
  if (field.cells.size() > kMostPacked) return out;
  out.packed.resize(field.cells.size());
  for (std::size_t cut = 0; cut < members.size(); ++cut) {
    for (const int i : members[cut]) {
      out.packed[i] = pack(field, field.cells[i], static_cast<int>(cut));
    }
  }
  return out;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/hydroelastic/field_builder.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace cenic::detail {
namespace {

// Edges flatter to the surface than this (sine) do not go on outwards: they would go too far.
constexpr double kLeastRise = 0.1;

// The plane of a convex face. The two cells on its sides get the same numbers but for the sign, so
// that whatever is decided by them is decided alike on both sides: the corners are taken from the
// least one on, in an order that does not depend on the side.
Plane calc_plane(std::span<const Vec3> vertices, const FaceLoop& loop) {
  const auto before = [&](int a, int b) {
    const Vec3 &x = vertices[a], &y = vertices[b];
    return x.x != y.x ? x.x < y.x : x.y != y.y ? x.y < y.y : x.z < y.z;
  };
  FaceLoop corners = loop;
  std::ranges::rotate(corners, std::ranges::min_element(corners, before));
  const bool reversed = before(corners.back(), corners[1]);
  if (reversed) std::reverse(corners.begin() + 1, corners.end());
  Vec3 area, middle;
  const Vec3& origin = vertices[corners[0]];
  for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
    area += cross(vertices[corners[i]] - origin, vertices[corners[i + 1]] - origin);
  }
  for (const int i : corners) {
    middle += vertices[i] / static_cast<double>(corners.size());
  }
  const Vec3 nhat = normalized(area);
  const double offset = dot(nhat, middle);
  return reversed ? Plane{-nhat, -offset} : Plane{nhat, offset};
}

double calc_extent(std::span<const Vec3> vertices) {
  Vec3 lower = vertices[0], upper = vertices[0];
  for (const Vec3& v : vertices) {
    lower = cwise_min(lower, v);
    upper = cwise_max(upper, v);
  }
  return norm(upper - lower);
}

// The gradient of the linear function through the values at the vertices, in the sense of least
// squares: exact when there is one.
Vec3 fit_gradient(std::span<const Vec3> vertices, std::span<const double> values) {
  Vec3 centre;
  double mean = 0;
  const double w = 1.0 / static_cast<double>(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    centre += w * vertices[i];
    mean += w * values[i];
  }
  Mat3 A{};
  Vec3 b;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vec3 d = vertices[i] - centre;
    A = A + outer(d, d);
    b += (values[i] - mean) * d;
  }
  return inverse(A) * b;
}

struct Polyhedron {
  std::vector<Vec3> vertices{};
  std::vector<double> values{};
  std::vector<FaceLoop> loops{};
};

// Vertices that coincide become one: blocks of a box taper to edges and points.
Polyhedron merge_vertices(std::span<const Vec3> vertices, std::span<const double> values,
                          std::span<const FaceLoop> loops) {
  const double tolerance = 1e-9 * calc_extent(vertices);
  Polyhedron out;
  std::vector<int> renamed(vertices.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const auto same = std::ranges::find_if(out.vertices, [&](const Vec3& v) {
      return norm(v - vertices[i]) <= tolerance;
    });
    renamed[i] = static_cast<int>(same - out.vertices.begin());
    if (same != out.vertices.end()) continue;
    out.vertices.push_back(vertices[i]);
    out.values.push_back(values[i]);
  }
  for (const FaceLoop& loop : loops) {
    FaceLoop kept;
    for (const int i : loop) {
      if (kept.empty() || kept.back() != renamed[i]) kept.push_back(renamed[i]);
    }
    while (kept.size() > 1 && kept.front() == kept.back()) {
      kept.pop_back();
    }
    if (kept.size() >= 3) out.loops.push_back(kept);
  }
  return out;
}

bool has_edge(const FaceLoop& loop, int from, int to) {
  for (std::size_t i = 0; i < loop.size(); ++i) {
    if (loop[i] == from && loop[(i + 1) % loop.size()] == to) return true;
  }
  return false;
}

// An edge belongs to two loops, in opposite directions.
std::vector<CellEdge> list_edges(std::span<const FaceLoop> loops) {
  std::vector<CellEdge> edges;
  for (std::size_t f = 0; f < loops.size(); ++f) {
    for (std::size_t i = 0; i < loops[f].size(); ++i) {
      const int a = loops[f][i], b = loops[f][(i + 1) % loops[f].size()];
      for (std::size_t g = 0; a < b && g < loops.size(); ++g) {
        if (!has_edge(loops[g], b, a)) continue;
        edges.push_back({static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b),
                         static_cast<std::uint8_t>(f), static_cast<std::uint8_t>(g)});
      }
    }
  }
  return edges;
}

void set_steepness(PressureCell* cell) {
  cell->steepness = norm(cell->gradient);
  cell->softness = cell->steepness > 0 ? 1 / cell->steepness : 0;
}

}  // namespace

FieldBuilder::FieldBuilder(double modulus) {
  field_.compliance = Compliance::kCompliant;
  field_.modulus = modulus;
}

void FieldBuilder::add_cell(std::span<const Vec3> given, std::span<const double> pressures,
                            std::span<const FaceLoop> given_loops, bool outer) {
  const auto [vertices, values, loops] = merge_vertices(given, pressures, given_loops);
  CENIC_CHECK(vertices.size() <= kMaxVertices && loops.size() <= kMaxVertices);
  if (loops.size() < 4) return;

  PressureCell cell;
  cell.gradient = fit_gradient(vertices, values);
  cell.offset = values[0] - dot(cell.gradient, vertices[0]);
  set_steepness(&cell);
  cell.outer = outer;
  cell.vertex_begin = static_cast<int>(field_.vertices.size());
  cell.num_vertices = static_cast<int>(vertices.size());
  cell.plane_begin = static_cast<int>(field_.planes.size());
  cell.num_planes = static_cast<int>(loops.size());
  cell.edge_begin = static_cast<int>(field_.edges.size());
  for (const FaceLoop& loop : loops) {
    field_.planes.push_back(calc_plane(vertices, loop));
  }
  for (const Vec3& v : vertices) {
    field_.vertices.push_back({v, {}});
  }
  const std::vector<CellEdge> edges = list_edges(loops);
  field_.edges.insert(field_.edges.end(), edges.begin(), edges.end());
  cell.num_edges = static_cast<int>(edges.size());
  if (outer) spread_vertices(cell, loops[0], edges);
  field_.cells.push_back(cell);
}

// An edge that leads from the inside to the surface goes on outwards.
void FieldBuilder::spread_vertices(const PressureCell& cell, const FaceLoop& surface,
                                   std::span<const CellEdge> edges) {
  const auto is_on_surface = [&](int v) {
    return std::ranges::find(surface, v) != surface.end();
  };
  CellVertex* vertices = field_.vertices.data() + cell.vertex_begin;
  for (const CellEdge& edge : edges) {
    if (is_on_surface(edge.a) == is_on_surface(edge.b)) continue;
    const int inner = is_on_surface(edge.a) ? edge.b : edge.a, end = edge.a + edge.b - inner;
    const Vec3 along = vertices[end].p - vertices[inner].p;
    const double rise = dot(along, field_.planes[cell.plane_begin].normal);
    if (rise > kLeastRise * norm(along)) vertices[end].spread = (1 / rise) * along;
  }
}

void FieldBuilder::add_pyramid(const Vec3& apex, double pressure, std::span<const Vec3> base) {
  const int n = static_cast<int>(base.size());
  std::vector<Vec3> vertices(base.begin(), base.end());
  vertices.push_back(apex);
  std::vector<double> pressures(n, 0.0);
  pressures.push_back(pressure);
  std::vector<FaceLoop> loops(1);
  for (int i = 0; i < n; ++i) {
    loops[0].push_back(i);
    loops.push_back({(i + 1) % n, i, n});
  }
  add_cell(vertices, pressures, loops, true);
}

int FieldBuilder::find_tetrahedron_edges() {
  if (tetrahedron_edges_ >= 0) return tetrahedron_edges_;
  tetrahedron_edges_ = static_cast<int>(field_.edges.size());
  // Faces 0 to 3: (0 1 2), (1 0 3), (2 1 3), (0 2 3).
  for (const CellEdge& edge : {CellEdge{0, 1, 0, 1}, CellEdge{1, 2, 0, 2}, CellEdge{2, 0, 0, 3},
                               CellEdge{0, 3, 1, 3}, CellEdge{1, 3, 2, 1}, CellEdge{2, 3, 3, 2}}) {
    field_.edges.push_back(edge);
  }
  return tetrahedron_edges_;
}

void FieldBuilder::add_tetrahedron(std::array<Vec3, 4> x, std::array<double, 4> pressures,
                                   bool outer) {
  // Vertex 3 lies behind the face (0 1 2).
  if (dot(cross(x[1] - x[0], x[2] - x[0]), x[3] - x[0]) > 0) {
    std::swap(x[1], x[2]);
    std::swap(pressures[1], pressures[2]);
  }
  PressureCell cell;
  cell.outer = outer;
  cell.vertex_begin = static_cast<int>(field_.vertices.size());
  cell.num_vertices = 4;
  cell.plane_begin = static_cast<int>(field_.planes.size());
  cell.num_planes = 4;
  cell.edge_begin = find_tetrahedron_edges();
  cell.num_edges = 6;
  for (const FaceLoop& loop : {FaceLoop{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}}) {
    field_.planes.push_back(calc_plane(x, loop));
  }
  const Mat3 E{{x[1] - x[0], x[2] - x[0], x[3] - x[0]}};
  cell.gradient = inverse(E) * Vec3{pressures[1] - pressures[0], pressures[2] - pressures[0],
                                    pressures[3] - pressures[0]};
  cell.offset = pressures[0] - dot(cell.gradient, x[0]);
  set_steepness(&cell);
  const Vec3& nhat = field_.planes[cell.plane_begin].normal;
  for (int i = 0; i < 4; ++i) {
    const Vec3 along = x[i] - x[3];
    const double rise = dot(along, nhat);
    const bool spreads = outer && i < 3 && rise > kLeastRise * norm(along);
    field_.vertices.push_back({x[i], spreads ? (1 / rise) * along : Vec3{}});
  }
  field_.cells.push_back(cell);
}

void set_bounds(std::span<const Aabb> boxes, PressureField* field) {
  field->tree.build(boxes);
  const Aabb bounds = field->tree.bounds();
  const Vec3 size = bounds.upper - bounds.lower;
  field->size = std::max({size.x, size.y, size.z});
  field->center = 0.5 * (bounds.lower + bounds.upper);
  field->radius = 0.5 * norm(size);
}

namespace {

void add_to_box(const Vec3& x, bool first, Aabb* box) {
  *box = first ? Aabb{x, x} : Aabb{cwise_min(box->lower, x), cwise_max(box->upper, x)};
}

// Widens the box by the part of a cell with sign · (p − limit) ≤ 0; false when there is none.
bool add_part(const PressureField& field, const PressureCell& cell, double limit, double sign,
              bool empty, Aabb* box) {
  const bool was_empty = empty;
  const auto add = [&](const Vec3& x) {
    add_to_box(x, empty, box);
    empty = false;
  };
  bool any = false;
  const auto excess = [&](int v) {
    return sign *
           (dot(cell.gradient, field.vertices[cell.vertex_begin + v].p) + cell.offset - limit);
  };
  for (int v = 0; v < cell.num_vertices; ++v) {
    if (excess(v) > 0) continue;
    add(field.vertices[cell.vertex_begin + v].p);
    any = true;
  }
  for (int e = cell.edge_begin; any && e < cell.edge_begin + cell.num_edges; ++e) {
    const int a = field.edges[e].a, b = field.edges[e].b;
    const double fa = excess(a), fb = excess(b);
    if ((fa <= 0) == (fb <= 0)) continue;
    const Vec3 &xa = field.vertices[cell.vertex_begin + a].p,
               &xb = field.vertices[cell.vertex_begin + b].p;
    add(xa + fa / (fa - fb) * (xb - xa));
  }
  return any || !was_empty;
}

}  // namespace

PressureField FieldBuilder::finish() {
  PressureField& f = field_;
  std::vector<Aabb> boxes, shells;
  for (const PressureCell& cell : f.cells) {
    Aabb box{f.vertices[cell.vertex_begin].p, f.vertices[cell.vertex_begin].p};
    for (int v = cell.vertex_begin; v < cell.vertex_begin + cell.num_vertices; ++v) {
      box.lower = cwise_min(box.lower, f.vertices[v].p);
      box.upper = cwise_max(box.upper, f.vertices[v].p);
      f.max_spread = std::max(f.max_spread, norm(f.vertices[v].spread));
    }
    boxes.push_back(box);
    const double limit = PressureField::kShell * f.modulus;
    f.has_core = add_part(f, cell, limit, -1, !f.has_core, &f.core);
    Aabb shell;
    if (add_part(f, cell, limit, 1, true, &shell)) {
      f.shell_cells.push_back(static_cast<int>(boxes.size()) - 1);
      shells.push_back(shell);
    }
    // Depth at which the pressure would be E, at the steepest.
    if (cell.steepness > 0) {
      const double depth = f.modulus / cell.steepness;
      f.foundation = f.foundation > 0 ? std::min(f.foundation, depth) : depth;
    }
  }
  set_bounds(boxes, &f);
  f.shell_tree.build(shells);
  f.blocks = make_cell_blocks(f);
  return std::move(field_);
}

FaceLoop collect_face(const PressureField& field, const PressureCell& cell, int face) {
  std::vector<int> next(cell.num_vertices, -1);
  int start = -1;
  for (int e = cell.edge_begin; e < cell.edge_begin + cell.num_edges; ++e) {
    const CellEdge& edge = field.edges[e];
    if (edge.left == face) next[start = edge.a] = edge.b;
    if (edge.right == face) next[start = edge.b] = edge.a;
  }
  FaceLoop loop;
  for (int v = start; loop.empty() || (v != start && v >= 0); v = next[v]) {
    loop.push_back(v);
  }
  return loop;
}

PressureField make_rigid(const PressureField& field) {
  PressureField rigid;
  rigid.compliance = Compliance::kRigid;
  rigid.half_space = field.half_space;
  rigid.foundation = field.foundation;
  rigid.size = field.size;
  rigid.sphere_radius = field.sphere_radius;
  if (field.half_space) return rigid;
  std::vector<Aabb> boxes;
  for (const PressureCell& cell : field.cells) {
    if (!cell.outer) continue;
    SurfaceFace face;
    face.normal = field.planes[cell.plane_begin].normal;
    face.vertex_begin = static_cast<int>(rigid.face_vertices.size());
    Aabb box;
    for (const int v : collect_face(field, cell, 0)) {
      const Vec3& p = field.vertices[cell.vertex_begin + v].p;
      add_to_box(p, static_cast<int>(rigid.face_vertices.size()) == face.vertex_begin, &box);
      rigid.face_vertices.push_back(p);
    }
    face.num_vertices = static_cast<int>(rigid.face_vertices.size()) - face.vertex_begin;
    rigid.faces.push_back(face);
    boxes.push_back(box);
  }
  set_bounds(boxes, &rigid);
  return rigid;
}

}  // namespace cenic::detail

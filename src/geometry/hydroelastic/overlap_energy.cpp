// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// All regions are convex solids: cells of one field cut by planes. A linear function's integral
// over one is a sum over tetrahedra between a vertex and its faces: each has its volume times the
// mean at its corners, and all volumes have one sign, so nothing cancels.
#include "geometry/hydroelastic/overlap_energy.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace cenic {
namespace {

using Tetrahedron = std::array<Vec3, 4>;

// f(x) = slope·x + offset
struct Linear {
  Vec3 slope;
  double offset = 0;
  double operator()(const Vec3& x) const { return dot(slope, x) + offset; }
};
Linear operator-(const Linear& f, const Linear& g) {
  return {f.slope - g.slope, f.offset - g.offset};
}

// A convex solid, made anew many times: memory is kept.
class Solid {
 public:
  bool empty() const { return edges_.empty(); }
  void load(const PressureField& field, const PressureCell& cell);
  void load(const Tetrahedron& x);  // 1, 2, 3 counter-clockwise seen from 0's other side

  // Keeps the part with f ≤ 0.
  void clip(const Linear& f);
  double integrate(const Linear& f);

 private:
  // From vertex a to b, with the faces left and right of it seen from outside, as CellEdge.
  struct Edge {
    int a, b, left, right;
  };
  enum Crossing { kExit, kEntry };
  void evaluate(const Linear& f);
  int add_cut(int inside, int outside);
  void cross(int face, Crossing kind, int vertex);

  std::vector<Vec3> vertices_;
  std::vector<Edge> edges_;
  int num_faces_ = 0;
  // Of a cut:
  std::vector<double> values_;  // of f at the vertices
  std::vector<Vec3> old_vertices_;
  std::vector<Edge> old_edges_;
  std::vector<int> numbers_;  // of old vertices among the new ones
  // Vertices where the plane leaves or enters a face and which have no partner yet: the last one of
  // each face, and the one before each vertex. Where round-off bends a face they may be many.
  std::vector<std::array<int, 2>> waiting_, before_;
  std::vector<int> fans_;  // one vertex of each face
};

void Solid::load(const PressureField& field, const PressureCell& cell) {
  vertices_.clear();
  edges_.clear();
  for (int i = cell.vertex_begin; i < cell.vertex_begin + cell.num_vertices; ++i) {
    vertices_.push_back(field.vertices[i].p);
  }
  for (int i = cell.edge_begin; i < cell.edge_begin + cell.num_edges; ++i) {
    const auto [a, b, left, right] = field.edges[i];
    edges_.push_back({a, b, left, right});
  }
  num_faces_ = cell.num_planes;
}

void Solid::load(const Tetrahedron& x) {
  vertices_.assign(x.begin(), x.end());
  edges_ = {{1, 2, 0, 3}, {2, 3, 0, 1}, {3, 1, 0, 2}, {0, 3, 1, 2}, {0, 2, 3, 1}, {0, 1, 2, 3}};
  num_faces_ = 4;
}

void Solid::evaluate(const Linear& f) {
  values_.clear();
  for (const Vec3& x : vertices_) {
    values_.push_back(f(x));
  }
}

void Solid::clip(const Linear& f) {
  if (empty()) return;
  evaluate(f);
  const auto [least, most] = std::ranges::minmax(values_);
  if (most <= 0) return;
  if (least > 0) return edges_.clear();
  vertices_.swap(old_vertices_);
  edges_.swap(old_edges_);
  vertices_.clear();
  edges_.clear();
  before_.clear();
  numbers_.clear();
  for (std::size_t i = 0; i < old_vertices_.size(); ++i) {
    numbers_.push_back(static_cast<int>(vertices_.size()));
    if (values_[i] <= 0) vertices_.push_back(old_vertices_[i]);
  }
  before_.resize(vertices_.size());
  waiting_.assign(num_faces_, {-1, -1});
  for (const auto& [a, b, left, right] : old_edges_) {
    const bool has_a = values_[a] <= 0, has_b = values_[b] <= 0;
    if (has_a && has_b) {
      edges_.push_back({numbers_[a], numbers_[b], left, right});
    } else if (has_a) {
      const int cut = add_cut(a, b);
      edges_.push_back({numbers_[a], cut, left, right});
      cross(left, kExit, cut);
      cross(right, kEntry, cut);
    } else if (has_b) {
      const int cut = add_cut(b, a);
      edges_.push_back({cut, numbers_[b], left, right});
      cross(left, kEntry, cut);
      cross(right, kExit, cut);
    }
  }
  ++num_faces_;
}

int Solid::add_cut(int inside, int outside) {
  const double share = values_[inside] / (values_[inside] - values_[outside]);
  const Vec3& x = old_vertices_[inside];
  vertices_.push_back(x + share * (old_vertices_[outside] - x));
  before_.push_back({-1, -1});
  return static_cast<int>(vertices_.size()) - 1;
}

// The new face borders each face that is cut from where the plane leaves it to where it enters.
void Solid::cross(int face, Crossing kind, int vertex) {
  const Crossing other = kind == kExit ? kEntry : kExit;
  int& partner = waiting_[face][other];
  if (partner < 0) {
    before_[vertex][kind] = std::exchange(waiting_[face][kind], vertex);
    return;
  }
  const int exit = kind == kExit ? vertex : partner, entry = kind == kExit ? partner : vertex;
  edges_.push_back({exit, entry, face, num_faces_});
  partner = before_[partner][other];
}

double Solid::integrate(const Linear& f) {
  if (empty()) return 0;
  evaluate(f);
  fans_.assign(num_faces_, -1);
  const Vec3 apex = vertices_[0];
  double sum = 0;
  const auto add = [&](int face, int a, int b) {
    const int r = fans_[face];
    if (r < 0) fans_[face] = a;
    if (r < 0 || r == a || r == b) return;
    const double product =
        dot(vertices_[r] - apex, cenic::cross(vertices_[a] - apex, vertices_[b] - apex));
    sum += product * (values_[0] + values_[r] + values_[a] + values_[b]);
  };
  for (const auto& [a, b, left, right] : edges_) {
    add(left, a, b);
    add(right, b, a);
  }
  return sum / 24;
}

// Its memory grows once a thread.
Solid& get_scratch() {
  thread_local Solid solid;
  return solid;
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
void clip_by_cell(const PressureField& field, const PressureCell& cell, const RigidTransform& X_MG,
                  Solid* solid) {
  for (int i = 0; i < cell.num_planes && !solid->empty(); ++i) {
    solid->clip(make_outside(field.planes[cell.plane_begin + i], X_MG));
  }
}

// ∫ min(p, q) = ∫ q + ∫ (p − q) where p < q.
double integrate_lesser(const Linear& p, const Linear& q, Solid* solid) {
  const double all = solid->integrate(q);
  solid->clip(p - q);
  return all + solid->integrate(p - q);
}

// M is bounded, N a half space.
double calc_on_half_space(const PressureField& M, const PressureField& N,
                          const RigidTransform& X_MN) {
  const Vec3 nhat = X_MN.R.column(2);
  const double offset = dot(nhat, X_MN.p);
  Solid& solid = get_scratch();
  double energy = 0;
  M.tree.for_each_below(nhat, offset, 0, [&](int i) {
    const PressureCell& cell = M.cells[i];
    solid.load(M, cell);
    solid.clip({nhat, -offset});
    const Linear p = make_pressure(cell, {});
    energy += N.compliance == Compliance::kRigid
                  ? solid.integrate(p)
                  : integrate_lesser(p, make_pressure(N.cells[0], X_MN), &solid);
  });
  return energy;
}

// The inside of a closed surface is the sum of the tetrahedra between a point and the triangles of
// the surface, negative where these are seen from their back.
double calc_with_rigid(const PressureField& M, const PressureField& N, const RigidTransform& X_MN) {
  Solid& solid = get_scratch();
  double energy = 0;
  const Vec3 centre = X_MN * N.center;
  for (const SurfaceFace& face : N.faces) {
    const auto vertex = [&](int i) {
      return X_MN * N.face_vertices[face.vertex_begin + i];
    };
    for (int k = 1; k + 1 < face.num_vertices; ++k) {
      Tetrahedron x{centre, vertex(0), vertex(k), vertex(k + 1)};
      const double side = dot(x[1] - x[0], cross(x[2] - x[0], x[3] - x[0])) > 0 ? 1 : -1;
      if (side < 0) std::swap(x[2], x[3]);
      const auto add_cell = [&](int i) {
        const PressureCell& cell = M.cells[i];
        solid.load(x);
        clip_by_cell(M, cell, {}, &solid);
        energy += side * solid.integrate(make_pressure(cell, {}));
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
  Solid& solid = get_scratch();
  double energy = 0;
  M.tree.for_each_pair(N.tree, X_MN, 0, [&](int i, int j) {
    const PressureCell &A = M.cells[i], &B = N.cells[j];
    solid.load(M, A);
    clip_by_cell(N, B, X_MN, &solid);
    if (!solid.empty()) {
      energy += integrate_lesser(make_pressure(A, {}), make_pressure(B, X_MN), &solid);
    }
  });
  return energy;
}

}  // namespace cenic

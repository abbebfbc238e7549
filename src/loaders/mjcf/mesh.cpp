// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mjcf/mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "loaders/mesh/read_mesh.h"
#include "math/symmetric_eigen.h"

namespace cenic::detail {
namespace {

double signed_volume(const Vec3& a, const Vec3& b, const Vec3& c) {
  return dot(a, cross(b, c)) / 6;
}

// Mean of the triangles' centres, weighted by their areas.
Vec3 calc_surface_center(const TriangleMesh& mesh) {
  Vec3 sum;
  double area = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const double twice = norm(cross(b - a, c - a));
    sum += twice / 3 * (a + b + c);
    area += twice;
  }
  return area > 0 ? sum / area : Vec3{};
}

// Points alone stand for their hull.
void add_hull_triangles(const ConvexHull& hull, TriangleMesh* mesh) {
  mesh->vertices = hull.vertices;
  for (std::size_t f = 0; f + 1 < hull.face_start.size(); ++f) {
    for (int k = hull.face_start[f] + 1; k + 1 < hull.face_start[f + 1]; ++k) {
      mesh->triangles.push_back({hull.face_vertices[hull.face_start[f]], hull.face_vertices[k],
                                 hull.face_vertices[k + 1]});
    }
  }
}

}  // namespace

// Pyramids from a centre to each triangle. With vertices D, E, F relative to the centre and volume
// V, ∫ x xᵀ = V/20 (s sᵀ + D Dᵀ + E Eᵀ + F Fᵀ), s = D + E + F.
SpatialInertia calc_mesh_inertia(const TriangleMesh& mesh, bool exact) {
  const auto volume = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    const double v = signed_volume(a, b, c);
    return exact ? v : std::fabs(v);
  };
  const Vec3 center = calc_surface_center(mesh);
  Vec3 moment;
  double total = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[0]] - center, b = mesh.vertices[t[1]] - center,
               c = mesh.vertices[t[2]] - center;
    const double v = volume(a, b, c);
    total += v;
    moment += v / 4 * (a + b + c);
  }
  if (!(total > 0)) throw Error("the mesh encloses no volume, or its triangles face inwards");
  // About the centre of mass once more, the volume with it: positive volumes depend on the centre.
  const Vec3 com = center + moment / total;
  Mat3 products;
  total = 0;
  for (const auto& t : mesh.triangles) {
    const Vec3 a = mesh.vertices[t[0]] - com, b = mesh.vertices[t[1]] - com,
               c = mesh.vertices[t[2]] - com;
    const Vec3 s = a + b + c;
    const double v = volume(a, b, c);
    total += v;
    products = products + v / 20 * (outer(s, s) + outer(a, a) + outer(b, b) + outer(c, c));
  }
  return SpatialInertia::from_com(total, com, trace(products) * Mat3::identity() - products);
}

std::shared_ptr<const TriangleMesh> MjcfMesh::surface() {
  if (surface_) return surface_;
  if (!problem.empty()) throw Error(problem);
  TriangleMesh mesh;
  if (!path.empty()) {
    mesh = read_mesh(path);
  } else {
    mesh.vertices = vertices;
    for (std::size_t i = 0; i + 2 < faces.size(); i += 3) {
      mesh.triangles.push_back({faces[i], faces[i + 1], faces[i + 2]});
      if (!uv.empty()) mesh.uv.push_back({uv[faces[i]], uv[faces[i + 1]], uv[faces[i + 2]]});
    }
  }
  const Mat3 R = to_matrix(conjugate(refquat));
  for (Vec3& p : mesh.vertices) {
    const Vec3 turned = R * (p - refpos);
    p = {scale.x * turned.x, scale.y * turned.y, scale.z * turned.z};
  }
  // A mirrored mesh is turned inside out.
  if (scale.x * scale.y * scale.z < 0) turn_inside_out(&mesh);
  if (mesh.triangles.empty()) add_hull_triangles(make_convex_hull(mesh.vertices), &mesh);
  surface_ = std::make_shared<const TriangleMesh>(std::move(mesh));
  return surface_;
}

std::shared_ptr<const ConvexHull> MjcfMesh::hull() {
  if (!hull_) hull_ = std::make_shared<const ConvexHull>(make_convex_hull(surface()->vertices));
  return hull_;
}

const SpatialInertia& MjcfMesh::unit_inertia() {
  if (unit_inertia_) return *unit_inertia_;
  unit_inertia_ = inertia == MeshInertia::kConvex
                      ? calc_unit_density_inertia(make_convex(hull()))
                      : calc_mesh_inertia(triangles(), inertia == MeshInertia::kExact);
  return *unit_inertia_;
}

bool MjcfMesh::is_convex() {
  constexpr double kTolerance = 1e-3;  // of the volume: scanned and rounded meshes are forgiven
  double volume = 0;
  for (const auto& t : triangles().triangles) {
    const auto& v = triangles().vertices;
    volume += signed_volume(v[t[0]], v[t[1]], v[t[2]]);
  }
  const double hull_volume = calc_unit_density_inertia(make_convex(hull())).mass;
  return std::fabs(volume) > (1 - kTolerance) * hull_volume;
}

FittedBox fit_box(MjcfMesh* mesh, bool aabb) {
  const SpatialInertia& M = mesh->unit_inertia();
  const Mat3 I = M.I_com();
  std::array<double, 9> A{}, V{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      A[3 * i + j] = 0.5 * (I(i, j) + I(j, i));
    }
  }
  diagonalize_symmetric(3, A.data(), V.data());
  // The largest moment first: that of the shortest side.
  std::array<int, 3> order{0, 1, 2};
  std::ranges::sort(order, [&](int i, int j) {
    return A[4 * i] > A[4 * j];
  });
  const auto axis = [&](int k) {
    const double* v = &V[3 * order[k]];
    return Vec3{v[0], v[1], v[2]};
  };
  FittedBox box;
  const Vec3 x = axis(0), y = axis(1);
  box.X_MB = {Mat3::from_columns(x, y, cross(x, y)), M.com()};
  if (aabb) {
    Vec3 lower, upper;
    bool first = true;
    for (const Vec3& p : mesh->triangles().vertices) {
      const Vec3 p_B = inverse_times(box.X_MB, p);
      lower = first ? p_B : cwise_min(lower, p_B);
      upper = first ? p_B : cwise_max(upper, p_B);
      first = false;
    }
    box.half_sizes = 0.5 * (upper - lower);
    box.X_MB.p = box.X_MB * (0.5 * (lower + upper));
    return box;
  }
  // I_x = m/3 (b_y² + b_z²) with half sizes b.
  for (int k = 0; k < 3; ++k) {
    const double moment = A[4 * order[k]];
    const double others = A[4 * order[(k + 1) % 3]] + A[4 * order[(k + 2) % 3]];
    box.half_sizes[k] = std::sqrt(std::max(0.0, 1.5 * (others - moment) / M.mass));
  }
  return box;
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/scenario/shape_choice.h"

#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/convex_hull.h"
#include "geometry/height_field.h"
#include "geometry/solid_mesh.h"

namespace cenic::detail {
namespace {

using Resolve = std::function<std::string(const std::string&)>;
using Note = std::function<void(const std::string&)>;

// Of the ways to say a mesh exactly one.
void check_source(const std::string& file, const Vec3& scale, bool inline_numbers,
                  const char* what) {
  if (file.empty() != inline_numbers) {
    throw Error(fmt::format("{}: give a file, or its numbers, and not both", what));
  }
  if (inline_numbers && !(scale == Vec3{1, 1, 1})) {
    throw Error(fmt::format("{}: a scale is for files; scale the numbers", what));
  }
  if (scale.x == 0 || scale.y == 0 || scale.z == 0) {
    throw Error(fmt::format("{}: a scale is zero", what));
  }
}

Shape make_hull(const HullFields& hull, const Resolve& resolve, MeshLibrary* meshes) {
  check_source(hull.file, hull.scale, !hull.vertices.empty(), "convex");
  if (!hull.file.empty()) return meshes->shape(resolve(hull.file), hull.scale, true).shape;
  return make_convex(std::make_shared<const ConvexHull>(make_convex_hull(hull.vertices)));
}

Shape make_solid(const MeshFields& mesh, const Resolve& resolve, MeshLibrary* meshes,
                 const Note& note) {
  check_source(mesh.file, mesh.scale, !mesh.vertices.empty(), "mesh");
  MeshNotes notes;
  Shape shape;
  if (!mesh.file.empty()) {
    const MeshLibrary::Result& result = meshes->shape(resolve(mesh.file), mesh.scale, false);
    shape = result.shape;
    notes = result.notes;
  } else if (mesh.triangles.empty() == mesh.tetrahedra.empty()) {
    throw Error("mesh: give triangles or tetrahedra");
  } else if (mesh.triangles.empty()) {
    shape = make_mesh(make_solid_mesh(TetMesh{mesh.vertices, mesh.tetrahedra}, &notes));
  } else {
    shape = make_mesh(make_solid_mesh(TriangleMesh{mesh.vertices, mesh.triangles}, &notes));
  }
  for (const std::string& text : notes.repairs) {
    note("mesh: " + text);
  }
  return shape;
}

TriangleMesh make_triangles(const SurfaceFields& surface) {
  TriangleMesh mesh{surface.vertices, surface.triangles};
  const std::vector<float>& uv = surface.uv;
  if (uv.empty()) return mesh;
  if (uv.size() != 6 * mesh.triangles.size()) {
    throw Error(fmt::format("surface: uv has {} numbers; give six for each of {} triangles",
                            uv.size(), mesh.triangles.size()));
  }
  for (std::size_t i = 0; i < uv.size(); i += 6) {
    mesh.uv.push_back({{{uv[i], uv[i + 1]}, {uv[i + 2], uv[i + 3]}, {uv[i + 4], uv[i + 5]}}});
  }
  return mesh;
}

}  // namespace

Shape make_shape(const ShapeChoice& c, const Resolve& resolve, MeshLibrary* meshes,
                 const Note& note) {
  std::vector<std::function<Shape()>> given;
  const auto add = [&](const auto& part, auto make) {
    if (part) given.emplace_back(make);
  };
  add(c.sphere, [&] {
    return make_sphere(c.sphere->radius);
  });
  add(c.box, [&] {
    return make_box(c.box->half_extents);
  });
  add(c.cylinder, [&] {
    return make_cylinder(c.cylinder->radius, c.cylinder->half_length);
  });
  add(c.capsule, [&] {
    return make_capsule(c.capsule->radius, c.capsule->half_length);
  });
  add(c.ellipsoid, [&] {
    return make_ellipsoid(c.ellipsoid->semi_axes);
  });
  add(c.half_space, [&] {
    return make_half_space();
  });
  add(c.convex, [&] {
    return make_hull(*c.convex, resolve, meshes);
  });
  add(c.mesh, [&] {
    return make_solid(*c.mesh, resolve, meshes, note);
  });
  add(c.height_field, [&] {
    const HeightFieldFields& f = *c.height_field;
    return make_height_field(
        make_height_field_data({f.rows, f.columns, f.half_x, f.half_y, f.base, f.heights}));
  });
  std::shared_ptr<const TriangleMesh> surface;
  if (c.surface) {
    surface = std::make_shared<const TriangleMesh>(make_triangles(*c.surface));
  }
  if (surface && given.empty()) return make_surface(surface);
  if (given.size() != 1 || (surface && !c.convex)) {
    throw Error(
        fmt::format("the geometry has {} shapes; give one of sphere, box, cylinder, capsule, "
                    "ellipsoid, half_space, convex (with the surface that is drawn, or without), "
                    "mesh, height_field, surface",
                    given.size() + (surface ? 1 : 0)));
  }
  Shape shape = given.front()();
  if (surface) shape.surface = make_surface(surface).surface;
  return shape;
}

ShapeChoice make_choice(const Shape& shape) {
  ShapeChoice c;
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case ShapeKind::kSphere:
      c.sphere = {s.x};
      break;
    case ShapeKind::kBox:
      c.box = {s};
      break;
    case ShapeKind::kCylinder:
      c.cylinder = {s.x, s.z};
      break;
    case ShapeKind::kCapsule:
      c.capsule = {s.x, s.z};
      break;
    case ShapeKind::kEllipsoid:
      c.ellipsoid = {s};
      break;
    case ShapeKind::kHalfSpace:
      c.half_space.emplace();
      break;
    case ShapeKind::kConvex:
      if (shape.mesh == nullptr) {
        c.convex = {.vertices = shape.hull->vertices};
      } else if (shape.mesh->tets) {
        c.mesh = {.vertices = shape.mesh->tets->vertices, .tetrahedra = shape.mesh->tets->tets};
      } else {
        c.mesh = {.vertices = shape.mesh->surface.vertices,
                  .triangles = shape.mesh->surface.triangles};
      }
      break;
    case ShapeKind::kHeightField: {
      const HeightField& f = *shape.height_field;
      c.height_field = {f.rows, f.columns, f.half_x, f.half_y, f.base, f.heights};
      break;
    }
    case ShapeKind::kSurface:
      break;
  }
  if (shape.surface != nullptr) {
    c.surface = {.vertices = shape.surface->vertices, .triangles = shape.surface->triangles};
    for (const auto& corners : shape.surface->uv) {
      for (const auto& [u, v] : corners) {
        c.surface->uv.insert(c.surface->uv.end(), {u, v});
      }
    }
  }
  return c;
}

Mat3 to_rotation(const Quat& q) {
  // What is of unit length up to rounding stays to the bit.
  return to_matrix(std::fabs(norm(q) - 1) < 1e-12 ? q : normalized(q));
}

PoseFields make_pose_fields(const RigidTransform& X) {
  PoseFields pose{.position = X.p};
  if (X.R == Mat3::identity()) return pose;
  const Quat q = to_quaternion(X.R);
  if (to_rotation(q) == X.R) {
    pose.quaternion_wxyz = {q.w, q.x, q.y, q.z};
  } else {
    const Mat3& R = X.R;
    pose.rotation_matrix = {R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1),
                            R(1, 2), R(2, 0), R(2, 1), R(2, 2)};
  }
  return pose;
}

}  // namespace cenic::detail

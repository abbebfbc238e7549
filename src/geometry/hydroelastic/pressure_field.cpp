// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/hydroelastic/pressure_field.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "geometry/hydroelastic/field_builder.h"
#include "geometry/solid_mesh.h"

namespace cenic {
namespace {

constexpr double kPi = std::numbers::pi;

// Facets around a circle, for a resolution of which zero means "choose".
int count_sides(double radius, double resolution) {
  constexpr int kDefault = 32;
  if (!(resolution > 0)) return kDefault;
  return static_cast<int>(std::clamp(std::ceil(2 * kPi * radius / resolution), 8.0, 64.0));
}

// Subdivisions of an octahedron after which no edge of the equator is longer than the resolution.
int count_levels(double radius, double resolution) {
  constexpr int kDefault = 4, kMost = 6;  // 2048 and 32768 tetrahedra
  if (!(resolution > 0)) return kDefault;
  const double angle = std::asin(std::min(resolution, 2 * radius) / (2 * radius));
  return std::clamp(static_cast<int>(std::ceil(std::log2(kPi / angle))) - 2, 1, kMost);
}

PressureField make_compliant(const Shape& shape, const HydroelasticProperties& properties,
                             double thickness) {
  const double E = properties.modulus, h = properties.resolution;
  const Vec3& size = shape.size;
  switch (shape.kind) {
    case ShapeKind::kBox:
      return detail::make_box_field(size, E);
    case ShapeKind::kCylinder:
      return detail::make_cylinder_field(size.x, size.z, count_sides(size.x, h), E);
    case ShapeKind::kCapsule:
      return detail::make_capsule_field(size.x, size.z, count_sides(size.x, h), E);
    case ShapeKind::kSphere:
      return detail::make_ellipsoid_field({size.x, size.x, size.x}, count_levels(size.x, h), E);
    case ShapeKind::kEllipsoid:
      return detail::make_ellipsoid_field(size, count_levels(std::max({size.x, size.y, size.z}), h),
                                          E);
    case ShapeKind::kHalfSpace:
      return detail::make_half_space_field(E, thickness);
    case ShapeKind::kConvex:
      break;
    case ShapeKind::kHeightField:
    case ShapeKind::kSurface:
      throw Error(std::string("a ") + to_string(shape.kind) + " has no pressure field");
  }
  return detail::make_hull_field(*shape.hull, E);
}

// Thickness of the shell under a closed surface, as a share of the solid's size: far deeper than
// contacts go.
constexpr double kShellShare = 0.1;

double calc_size(const SolidMesh& mesh) {
  Vec3 lower = mesh.surface.vertices[0], upper = lower;
  for (const Vec3& v : mesh.surface.vertices) {
    lower = cwise_min(lower, v);
    upper = cwise_max(upper, v);
  }
  const Vec3 size = upper - lower;
  return std::max({size.x, size.y, size.z});
}

PressureField make_of_mesh(const SolidMesh& mesh, const HydroelasticProperties& properties,
                           std::vector<std::string>* notes) {
  if (properties.compliance == Compliance::kRigid) return detail::make_rigid_surface(mesh.surface);
  if (!mesh.tets && !mesh.closed) {
    throw Error(
        "a compliant mesh must be closed, and this one has open edges; close it, make it rigid, or "
        "give a .vtk file of tetrahedra");
  }
  const VolumeField volume = mesh.tets
                                 ? make_volume_field(*mesh.tets)
                                 : make_shell_field(mesh.surface, kShellShare * calc_size(mesh));
  if (notes != nullptr) {
    notes->insert(notes->end(), volume.notes.repairs.begin(), volume.notes.repairs.end());
  }
  return detail::make_volume_pressure_field(volume, properties.modulus);
}

}  // namespace

const char* to_string(Compliance compliance) {
  switch (compliance) {
    case Compliance::kNone:
      return "point";
    case Compliance::kRigid:
      return "rigid";
    case Compliance::kCompliant:
      return "compliant";
  }
  return "?";
}

std::shared_ptr<const PressureField> make_pressure_field(const Shape& shape,
                                                         const HydroelasticProperties& properties,
                                                         std::vector<std::string>* notes) {
  if (shape.mesh != nullptr) {
    return std::make_shared<const PressureField>(make_of_mesh(*shape.mesh, properties, notes));
  }
  const bool rigid = properties.compliance == Compliance::kRigid;
  if (shape.kind == ShapeKind::kHalfSpace && !rigid && !(properties.slab_thickness > 0)) {
    throw Error(
        "a compliant half space needs a slab_thickness: the depth, in metres, at which its "
        "pressure reaches the modulus");
  }
  PressureField field = make_compliant(shape, properties, rigid ? 1 : properties.slab_thickness);
  if (rigid) field = detail::make_rigid(field);
  return std::make_shared<const PressureField>(std::move(field));
}

PressureField split_into_tetrahedra(const PressureField& field) {
  detail::FieldBuilder builder(field.modulus);
  for (const PressureCell& cell : field.cells) {
    const auto pressure = [&](const Vec3& x) {
      return dot(cell.gradient, x) + cell.offset;
    };
    const auto vertex = [&](int v) {
      return field.vertices[cell.vertex_begin + v].p;
    };
    std::vector<detail::FaceLoop> loops;
    loops.reserve(cell.num_planes);
    for (int f = 0; f < cell.num_planes; ++f) {
      loops.push_back(detail::collect_face(field, cell, f));
    }
    Vec3 middle;
    for (const int v : loops[0]) {
      middle += vertex(v) / static_cast<double>(loops[0].size());
    }
    for (std::size_t f = 1; f < loops.size(); ++f) {
      const std::vector<int>& loop = loops[f];
      const bool beside = std::ranges::any_of(loop, [&](int v) {
        return std::ranges::find(loops[0], v) != loops[0].end();
      });
      for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
        const std::array<int, 3> corner{loop[0], loop[i], loop[i + 1]};
        // Two corners on the outer face: these and its middle are a piece of the surface.
        std::array<Vec3, 4> x{middle};
        std::array<double, 4> p{pressure(middle)};
        int at = 1, on_surface = 0;
        for (const bool surface : {true, false}) {
          for (const int v : corner) {
            if ((std::ranges::find(loops[0], v) != loops[0].end()) != surface) continue;
            x[at] = vertex(v);
            p[at++] = pressure(vertex(v));
            on_surface += surface ? 1 : 0;
          }
        }
        builder.add_tetrahedron(x, p, cell.outer && beside && on_surface == 2);
      }
    }
  }
  return builder.finish();
}

}  // namespace cenic

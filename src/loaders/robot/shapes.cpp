// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/robot/shapes.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/volume_field.h"
#include "loaders/robot/robot.h"
#include "loaders/xml/values.h"

namespace cenic::detail {
namespace {

void scale_mesh(const Vec3& scale, TriangleMesh* mesh) {
  for (Vec3& v : mesh->vertices) {
    v = {scale.x * v.x, scale.y * v.y, scale.z * v.z};
  }
  if (scale.x * scale.y * scale.z < 0) turn_inside_out(mesh);
}

void scale_mesh(const Vec3& scale, TetMesh* mesh) {
  for (Vec3& v : mesh->vertices) {
    v = {scale.x * v.x, scale.y * v.y, scale.z * v.z};
  }
  if (scale.x * scale.y * scale.z > 0) return;
  for (auto& t : mesh->tets) {
    std::swap(t[2], t[3]);
  }
}

bool has_ending(const std::string& path, std::string_view ending) {
  return path.size() > ending.size() &&
         std::equal(ending.rbegin(), ending.rend(), path.rbegin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

std::string make_key(const char* kind, const Vec3& scale, const std::string& path) {
  return fmt::format("{}:{}:{}:{}:{}", kind, scale.x, scale.y, scale.z, path);
}

template <typename M>
Shape make_hull(const M& mesh) {
  return make_convex(std::make_shared<const ConvexHull>(make_convex_hull(mesh.vertices)));
}

// The solid, as its hull when that is the same.
template <typename M>
MeshLibrary::Result make_solid(const M& mesh) {
  MeshLibrary::Result result;
  const auto solid = make_solid_mesh(mesh, &result.notes);
  result.shape = make_mesh(solid);
  if (!solid->closed || solid->tets) return result;
  const double hull = calc_unit_density_inertia(make_hull(mesh)).mass;
  result.convex = std::fabs(hull - calc_volume(solid->surface)) <= 1e-6 * hull;
  if (result.convex) result.shape = make_hull(mesh);
  return result;
}

}  // namespace

const MeshLibrary::Mesh& MeshLibrary::read(const std::string& path) {
  const auto found = files_.find(path);
  if (found != files_.end()) return found->second;
  Mesh mesh;
  if (has_ending(path, ".vtk")) {
    mesh = read_vtk(path);
  } else if (has_ending(path, ".gltf") || has_ending(path, ".glb")) {
    mesh = read_gltf(path);
  } else if (has_ending(path, ".dae")) {
    mesh = read_dae(path);
  } else {
    mesh = MeshParts{{{read_mesh(path), std::nullopt}}, {}};
  }
  return files_.emplace(path, std::move(mesh)).first->second;
}

const MeshLibrary::Result& MeshLibrary::shape(const std::string& path, const Vec3& scale,
                                              bool hull) {
  const std::string key = make_key(hull ? "hull" : "solid", scale, path);
  if (const auto found = shapes_.find(key); found != shapes_.end()) return found->second;
  const auto make = [&](auto mesh) -> Result {
    scale_mesh(scale, &mesh);
    if (hull) return {make_hull(mesh), true, {}};
    try {
      return make_solid(mesh);
    } catch (const Error& e) {
      Result result{make_hull(mesh), false, {}};
      result.notes.repairs.push_back(
          fmt::format("the mesh is no solid, its convex hull is taken: {}", e.what()));
      return result;
    }
  };
  const Mesh& mesh = read(path);
  const auto* parts = std::get_if<MeshParts>(&mesh);
  Result result = parts != nullptr ? make(join(*parts)) : make(std::get<TetMesh>(mesh));
  return shapes_.emplace(key, std::move(result)).first->second;
}

const MeshLibrary::Visual& MeshLibrary::visual(const std::string& path, const Vec3& scale) {
  const std::string key = make_key("visual", scale, path);
  if (const auto found = visuals_.find(key); found != visuals_.end()) return found->second;
  Visual visual;
  const auto add = [&](MeshPart part) {
    scale_mesh(scale, &part.mesh);
    visual.parts.push_back(
        {make_surface(std::make_shared<const TriangleMesh>(std::move(part.mesh))), part.color,
         part.picture});
  };
  // What collides is one mesh, whatever its materials.
  const Mesh mesh = has_ending(path, ".obj") ? Mesh(read_obj_parts(path)) : read(path);
  if (const auto* parts = std::get_if<MeshParts>(&mesh)) {
    visual.notes = parts->notes;
    for (const MeshPart& part : parts->parts) {
      if (!part.mesh.triangles.empty()) add(part);
    }
    if (visual.parts.empty()) throw Error("the mesh has no triangles");
  } else {
    add({extract_boundary(prepare_tets(std::get<TetMesh>(mesh), nullptr)), std::nullopt});
  }
  return visuals_.emplace(key, std::move(visual)).first->second;
}

namespace {

// The look that a file of links gives goes before that of the mesh.
bool has_own_look(const GeometrySpec& geometry) {
  return geometry.color != GeometrySpec{}.color || geometry.texture.image != nullptr;
}

void set_part(const MeshLibrary::Visual::Part& part, GeometrySpec* geometry) {
  geometry->shape = part.shape;
  geometry->color = part.color.value_or(GeometrySpec{}.color);
  geometry->texture.image = part.picture;
}

void set_visual(const XmlElement& element, const std::string& uri, const std::string& path,
                const Vec3& scale, GeometrySpec* geometry, RobotContext* context) {
  const MeshLibrary::Visual& visual = context->meshes.visual(path, scale);
  for (const std::string& note : visual.notes) {
    context->reporter->report_once(element, Severity::kIgnored,
                                   fmt::format("mesh '{}': {}", uri, note));
  }
  std::vector<MeshLibrary::Visual::Part> parts = visual.parts;
  if (has_own_look(*geometry)) {
    // One look for all: one part would do, but the parts are what is shared.
    for (auto& part : parts) {
      part.color = geometry->color;
      part.picture = geometry->texture.image;
    }
  }
  set_part(parts.front(), geometry);
  context->more_parts.assign(parts.begin() + 1, parts.end());
}

}  // namespace

void push_geometry(GeometrySpec geometry, RobotContext* context, std::vector<GeometrySpec>* into) {
  for (const auto& part : context->more_parts) {
    GeometrySpec more = geometry;
    more.name.clear();
    set_part(part, &more);
    into->push_back(std::move(more));
  }
  context->more_parts.clear();
  into->push_back(std::move(geometry));
}

bool set_mesh_shape(const XmlElement& element, const std::string& uri, const Vec3& scale, bool hull,
                    GeometrySpec* geometry, RobotContext* context) {
  const auto found = context->resources->find(uri, *element.file);
  try {
    if (found.path.empty()) throw Error(found.problem);
    if (scale.x == 0 || scale.y == 0 || scale.z == 0) throw Error("a scale is zero");
    if (!geometry->collides) {
      set_visual(element, uri, found.path, scale, geometry, context);
      return true;
    }
    const MeshLibrary::Result& result = context->meshes.shape(found.path, scale, hull);
    geometry->shape = result.shape;
    const bool hydroelastic = geometry->hydroelastic.compliance != Compliance::kNone;
    for (const std::string& note : result.notes.repairs) {
      if (!hydroelastic) break;  // the hull collides, and is as it was
      context->reporter->report(element, Severity::kWarning,
                                fmt::format("mesh '{}': {}", uri, note));
    }
    if (!result.convex && !hydroelastic) {
      context->reporter->report(
          element, Severity::kApproximated,
          fmt::format("mesh '{}' is not convex: its convex hull collides", uri));
    }
    return true;
  } catch (const Error& e) {
    // Without the path of the file on this machine: the element names it.
    std::string what = e.what();
    constexpr std::string_view kError = "error: ";
    const std::size_t at = what.find(kError);
    if (at != std::string::npos) what.erase(0, at + kError.size());
    what = fmt::format("mesh '{}': {}", uri, what);
    if (geometry->collides) {
      context->reporter->error(element, what);
    } else {
      context->reporter->report(element, Severity::kIgnored, "the visual is left out: " + what);
    }
    return false;
  }
}

void set_friction(const XmlElement& element, double mu_static, double mu_dynamic,
                  GeometrySpec* geometry, RobotContext* context) {
  if (!(mu_static >= 0) || !(mu_dynamic >= 0)) {
    context->reporter->error(element, "coefficients of friction are not negative");
    return;
  }
  if (mu_static < mu_dynamic) {
    context->reporter->report(element, Severity::kApproximated,
                              "static friction is below dynamic friction: the dynamic one holds "
                              "for both");
    mu_static = mu_dynamic;
  }
  geometry->material.static_friction = mu_static;
  geometry->material.dynamic_friction = mu_dynamic;
}

bool set_sphere_shape(const XmlElement& element, double radius, GeometrySpec* geometry,
                      RobotContext* context) {
  constexpr double kPoint = 1e-4;  // m
  if (radius != 0) {
    geometry->shape = make_sphere(radius);
    return true;
  }
  if (!geometry->collides) {
    context->reporter->report_once(element, Severity::kIgnored,
                                   "the visual is left out: a sphere of radius zero");
    return false;
  }
  geometry->shape = make_sphere(kPoint);
  context->reporter->report_once(element, Severity::kApproximated,
                                 "a sphere of radius zero has a radius of 0.1 mm");
  return true;
}

void read_proximity(const XmlElement& element, GeometrySpec* geometry, RobotContext* context) {
  element.read = true;
  Diagnostics* diagnostics = context->diagnostics();
  HydroelasticProperties& h = geometry->hydroelastic;
  for (const char* name : {"drake:compliant_hydroelastic", "drake:soft_hydroelastic"}) {
    if (element.child(name) != nullptr) h.compliance = Compliance::kCompliant;
  }
  if (element.child("drake:rigid_hydroelastic") != nullptr) {
    if (h.compliance != Compliance::kNone) {
      context->reporter->error(element, "rigid and compliant at once; keep one of both");
    }
    h.compliance = Compliance::kRigid;
  }
  const auto positive = [&](const char* name, double* value) {
    const XmlElement* child = element.child(name);
    if (child == nullptr) return;
    if (const auto infinity = parse_infinity(value_text(*child))) {
      context->reporter->error(*child, fmt::format("<{}> is infinite; give a number", name));
      return;
    }
    const double number = value_number(*child, diagnostics).value_or(*value);
    if (number > 0) {
      *value = number;
    } else {
      context->reporter->error(*child,
                               fmt::format("<{}> is {}; give a positive number", name, number));
    }
  };
  positive("drake:hydroelastic_modulus", &h.modulus);
  positive("drake:mesh_resolution_hint", &h.resolution);
  positive("drake:point_contact_stiffness", &geometry->material.stiffness);
  if (const XmlElement* child = element.child("drake:hunt_crossley_dissipation")) {
    const double d = value_number(*child, diagnostics).value_or(0);
    if (d < 0) context->reporter->error(*child, "dissipation is not negative");
    geometry->material.dissipation = std::max(d, 0.0);
  }
  if (const XmlElement* child = element.child("drake:relaxation_time")) {
    context->reporter->ignore(*child,
                              "<drake:relaxation_time>: contacts dissipate by Hunt and Crossley");
  }
  const XmlElement* mu_s = element.child("drake:mu_static");
  const XmlElement* mu_d = element.child("drake:mu_dynamic");
  if (mu_s == nullptr && mu_d == nullptr) return;
  const Material& m = geometry->material;
  const double s = mu_s != nullptr ? value_number(*mu_s, diagnostics).value_or(m.static_friction)
                                   : value_number(*mu_d, diagnostics).value_or(m.static_friction);
  const double d = mu_d != nullptr ? value_number(*mu_d, diagnostics).value_or(s) : s;
  set_friction(mu_s != nullptr ? *mu_s : *mu_d, s, d, geometry, context);
}

void finish_proximity(const XmlElement& element, GeometrySpec* geometry, RobotContext* context) {
  if (geometry->shape.kind != ShapeKind::kHalfSpace) return;
  HydroelasticProperties& h = geometry->hydroelastic;
  if (h.compliance != Compliance::kCompliant || h.slab_thickness > 0) return;
  constexpr double kSlab = 10;  // m, as in Drake
  h.slab_thickness = kSlab;
  context->reporter->report(element, Severity::kWarning,
                            "a compliant half space has its full pressure at a depth of 10 m");
}

}  // namespace cenic::detail

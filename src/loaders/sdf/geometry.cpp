// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <collision> and <visual>: shapes, surfaces and colours.
#include <algorithm>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/height_field.h"
#include "loaders/mesh/image.h"
#include "loaders/mesh/read_png.h"
#include "loaders/sdf/sdf.h"
#include "loaders/xml/attributes.h"
#include "loaders/xml/values.h"

namespace cenic::detail {
namespace {

bool read_mesh(const XmlElement& shape, GeometrySpec* geometry, SdfReader* reader) {
  const bool convex = shape.child("drake:declare_convex") != nullptr;
  if (shape.child("uri") == nullptr) throw Error("<mesh> names no file; write <uri>");
  if (const XmlElement* part = shape.child("submesh")) {
    reader->reporter().report(*part, Severity::kApproximated, "<submesh>: the whole mesh is taken");
    mark_read(*part);
  }
  const Vec3 scale = child_vector(shape, "scale", reader->diagnostics()).value_or(Vec3{1, 1, 1});
  return set_mesh_shape(shape, child_text(shape, "uri"), scale, convex, geometry, &reader->context);
}

void make_plane(const XmlElement& shape, GeometrySpec* geometry, SdfReader* reader) {
  const Vec3 normal = child_vector(shape, "normal", reader->diagnostics()).value_or(Vec3{0, 0, 1});
  if (!(norm(normal) > 0)) throw Error("the normal of the plane is zero; give a direction");
  geometry->shape = make_half_space();
  geometry->X_BG = geometry->X_BG * RigidTransform{frame_with_z(normal), {}};
  if (const XmlElement* size = shape.child("size")) {
    mark_read(*size);
    if (geometry->collides) {
      reader->reporter().report(*size, Severity::kApproximated,
                                "<size>: the plane is a half space without end");
    }
  }
}

// Grey values of an image, white being as high as <size> says.
void make_heightmap(const XmlElement& shape, GeometrySpec* geometry, SdfReader* reader) {
  if (shape.child("uri") == nullptr) throw Error("<heightmap> names no image; write <uri>");
  const std::string uri = child_text(shape, "uri");
  const auto found = reader->context.resources->find(uri, *shape.file);
  if (found.path.empty()) throw Error(found.problem);
  const Vec3 size = child_vector(shape, "size", reader->diagnostics()).value_or(Vec3{1, 1, 1});
  const Vec3 pos = child_vector(shape, "pos", reader->diagnostics()).value_or(Vec3{});
  GreyImage image = read_grey_png(found.path);
  HeightField field{.rows = image.height,
                    .columns = image.width,
                    .half_x = 0.5 * size.x,
                    .half_y = 0.5 * size.y,
                    .base = std::max(1.0, size.z),
                    .heights = std::move(image.values)};
  for (double& h : field.heights) {
    h *= size.z;
  }
  geometry->shape = make_height_field(make_height_field_data(std::move(field)));
  geometry->X_BG = geometry->X_BG * RigidTransform::translation(pos);
  for (const auto& child : shape.children) {
    if (!child->read) {
      reader->reporter().ignore_once(*child, fmt::format("<{}>: one colour is drawn", child->name));
    }
  }
}

// What is only looked at may be missing.
bool read_heightmap(const XmlElement& shape, GeometrySpec* geometry, SdfReader* reader) {
  try {
    make_heightmap(shape, geometry, reader);
    return true;
  } catch (const Error& e) {
    if (geometry->collides) throw;
    reader->reporter().ignore(shape, fmt::format("the visual is left out: {}", e.what()));
    return false;
  }
}

bool make_shape(const XmlElement& shape, GeometrySpec* geometry, SdfReader* reader) {
  shape.read = true;
  const auto number = [&](const char* name) {
    const std::string with_prefix = std::string("drake:") + name;
    const XmlElement* child = shape.child(name);
    if (child == nullptr) child = shape.child(with_prefix);
    return child == nullptr ? -1 : value_number(*child, reader->diagnostics()).value_or(-1);
  };
  const std::string kind = shape.name.starts_with("drake:") ? shape.name.substr(6) : shape.name;
  if (kind == "box") {
    geometry->shape =
        make_box(0.5 * child_vector(shape, "size", reader->diagnostics()).value_or(Vec3{}));
  } else if (kind == "sphere") {
    return set_sphere_shape(shape, number("radius"), geometry, &reader->context);
  } else if (kind == "cylinder") {
    geometry->shape = make_cylinder(number("radius"), 0.5 * number("length"));
  } else if (kind == "capsule") {
    geometry->shape = make_capsule(number("radius"), 0.5 * number("length"));
  } else if (kind == "ellipsoid") {
    const auto radii = child_vector(shape, "radii", reader->diagnostics());
    geometry->shape = make_ellipsoid(radii ? *radii : Vec3{number("a"), number("b"), number("c")});
  } else if (kind == "plane" || kind == "half_space") {
    make_plane(shape, geometry, reader);
  } else if (kind == "mesh") {
    return read_mesh(shape, geometry, reader);
  } else if (kind == "heightmap") {
    return read_heightmap(shape, geometry, reader);
  } else if (kind == "empty") {
    return false;
  } else if (geometry->collides) {
    throw Error(
        fmt::format("geometry <{}> is not known; use <box>, <sphere>, <cylinder>, "
                    "<capsule>, <ellipsoid>, <plane>, <heightmap> or <mesh>",
                    shape.name));
  } else {
    reader->reporter().ignore(
        shape, fmt::format("the visual is left out: geometry <{}> is not known", shape.name));
    return false;
  }
  return true;
}

bool read_geometry(const XmlElement& element, GeometrySpec* geometry, SdfReader* reader) {
  const XmlElement* holder = element.child("geometry");
  if (holder == nullptr || holder->children.empty()) {
    reader->reporter().report(
        holder != nullptr ? *holder : element,
        geometry->collides ? Severity::kError : Severity::kIgnored,
        fmt::format("<{}> has no geometry; write <box>, <mesh> or the like", element.name));
    return false;
  }
  const XmlElement& shape = *holder->children.front();
  try {
    return make_shape(shape, geometry, reader);
  } catch (const Error& e) {
    reader->reporter().error(shape, e.what());
    return false;
  }
}

// Stiffnesses of both sides are in series in ODE as here; those that stand for "rigid" are not
// taken over.
void read_contact(const XmlElement& ode, GeometrySpec* geometry, SdfReader* reader) {
  constexpr double kRigid = 1e9;  // N/m
  const XmlElement* kp = ode.child("kp");
  if (kp == nullptr) return;
  const double stiffness = value_number(*kp, reader->diagnostics()).value_or(0);
  if (stiffness > 0 && stiffness < kRigid) {
    geometry->material.stiffness = stiffness;
    return;
  }
  reader->reporter().report_once(
      *kp, Severity::kApproximated,
      fmt::format("kp: stands for rigid, {:g} N/m here", geometry->material.stiffness));
}

void read_friction(const XmlElement& ode, GeometrySpec* geometry, SdfReader* reader) {
  if (const XmlElement* mu = ode.child("mu")) {
    double value = value_number(*mu, reader->diagnostics()).value_or(1);
    if (value < 0) {  // ODE's infinity
      constexpr double kLarge = 100;
      value = kLarge;
      reader->reporter().report_once(*mu, Severity::kApproximated,
                                     "mu: below zero means no slip, 100 here");
    }
    set_friction(*mu, value, value, geometry, &reader->context);
  }
  const XmlElement* mu2 = ode.child("mu2");
  if (mu2 == nullptr) return;
  const double across = value_number(*mu2, reader->diagnostics()).value_or(-1);
  if (across >= 0 && across != geometry->material.dynamic_friction) {
    reader->reporter().report(*mu2, Severity::kApproximated,
                              "mu2: friction is the same in all directions, mu");
  }
}

// A patch of radius a that presses as Hertz has it resists turning by 3 π/16 μ a for each newton.
void read_torsional(const XmlElement& torsional, GeometrySpec* geometry, SdfReader* reader) {
  const auto number = [&](const char* name, double fallback) {
    return child_number(torsional, name, fallback, reader->diagnostics());
  };
  const double mu = number("coefficient", 1), patch = number("patch_radius", 0);
  if (!child_flag(torsional, "use_patch_radius", true, reader->diagnostics())) {
    reader->reporter().report(torsional, Severity::kApproximated,
                              "torsional friction by surface_radius: left out; give patch_radius");
  } else if (mu < 0 || patch < 0) {
    reader->reporter().report(torsional, Severity::kError,
                              "coefficient and patch_radius are not negative");
  } else {
    geometry->material.torsional_friction = 3 * std::numbers::pi / 16 * mu * patch;
  }
  torsional.child("surface_radius");  // which the patch radius goes before
}

// <surface> of ODE; what else is in it nobody reads, and is reported as such.
void read_surface(const XmlElement& surface, GeometrySpec* geometry, SdfReader* reader) {
  const auto ode_of = [&](const char* name) {
    const XmlElement* part = surface.child(name);
    return part == nullptr ? nullptr : part->child("ode");
  };
  if (const XmlElement* ode = ode_of("friction")) read_friction(*ode, geometry, reader);
  if (const XmlElement* ode = ode_of("contact")) read_contact(*ode, geometry, reader);
  const XmlElement* friction = surface.child("friction");
  const XmlElement* torsional = friction == nullptr ? nullptr : friction->child("torsional");
  if (torsional != nullptr) read_torsional(*torsional, geometry, reader);
}

// <pbr> has a <metal> or a <specular> workflow, each with a picture.
const XmlElement* find_albedo(const XmlElement& material) {
  const XmlElement* pbr = material.child("pbr");
  for (const char* workflow : {"metal", "specular"}) {
    const XmlElement* part = pbr == nullptr ? nullptr : pbr->child(workflow);
    if (part != nullptr && part->child("albedo_map") != nullptr) return part->child("albedo_map");
  }
  return nullptr;
}

// On meshes that say where their corners are in it, else once on each of six sides.
void read_texture(const XmlElement& map, GeometrySpec* geometry, SdfReader* reader) {
  const auto found = reader->context.resources->find(value_text(map), *map.file);
  try {
    if (found.path.empty()) throw Error(found.problem);
    geometry->texture = {.image = read_picture(found.path), .cube = true};
  } catch (const Error& e) {
    reader->reporter().ignore_once(map, fmt::format("the texture is not drawn: {}", e.what()));
  }
}

void read_color(const XmlElement& element, GeometrySpec* geometry, SdfReader* reader) {
  const XmlElement* material = element.child("material");
  if (material == nullptr) return;
  const XmlElement* color = material->child("diffuse");
  if (color == nullptr) color = material->child("ambient");
  if (color != nullptr) {
    const std::vector<double> rgba = value_numbers(*color, 3, 4, reader->diagnostics());
    for (std::size_t i = 0; i < rgba.size(); ++i) {
      geometry->color[i] = static_cast<float>(rgba[i]);
    }
  }
  if (const XmlElement* map = find_albedo(*material)) {
    if (color == nullptr) geometry->color = {1, 1, 1, 1};  // which the picture multiplies
    read_texture(*map, geometry, reader);
  }
  for (const auto& child : material->children) {
    if (child->read) continue;
    reader->reporter().ignore_once(
        *child, fmt::format("<{}> of <material>: a colour, or a picture, is drawn", child->name));
  }
}

// Names of geometries are unique in a model here, and only in a link there.
std::string geometry_name(const std::string& name, const std::string& link, SdfReader* reader) {
  if (name.empty() || reader->geometry_names.insert(name).second) return name;
  const std::string full = link + "/" + name;
  return reader->geometry_names.insert(full).second ? full : "";
}

}  // namespace

void read_sdf_geometry_part(const XmlElement& element, bool collides, const SdfPart& link,
                            RobotLink* into, SdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  GeometrySpec geometry;
  geometry.name = geometry_name(a.text("name"), into->body.name, reader);
  geometry.collides = collides;
  geometry.visible = !collides;
  geometry.density = 0;
  geometry.X_BG = read_pose_in_link(element, link, reader);
  if (collides) {
    geometry.material.static_friction = geometry.material.dynamic_friction = 1;  // SDFormat's own
    if (const XmlElement* surface = element.child("surface")) {
      read_surface(*surface, &geometry, reader);
    }
    if (const XmlElement* proximity = element.child("drake:proximity_properties")) {
      read_proximity(*proximity, &geometry, &reader->context);
    }
  }
  read_color(element, &geometry, reader);
  if (const XmlElement* transparency = element.child("transparency")) {
    const double t = value_number(*transparency, reader->diagnostics()).value_or(0);
    geometry.color[3] *= static_cast<float>(1 - t);
  }
  for (const char* name : {"cast_shadows", "laser_retro", "meta", "drake:perception_properties",
                           "drake:illustration_properties", "visibility_flags"}) {
    const XmlElement* child = element.child(name);
    if (child == nullptr) continue;
    reader->reporter().ignore_once(*child, fmt::format("<{}>: has no meaning here", name));
  }
  if (!read_geometry(element, &geometry, reader)) return;
  if (collides) finish_proximity(element, &geometry, &reader->context);
  push_geometry(std::move(geometry), &reader->context, &into->body.geometries);
}

}  // namespace cenic::detail

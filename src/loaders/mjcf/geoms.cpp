// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mjcf/body_parts.h"

namespace cenic::detail {
namespace {

// A shape in a frame G of the geom's own, and its mass for unit density there.
struct GeomShape {
  Shape shape{};
  RigidTransform X{};
  SpatialInertia unit_inertia{};
  bool massless = false;  // it should have mass, and its mesh encloses none
};

double size_at(const GeomData& g, std::size_t i) {
  if (i < g.size.size()) return g.size[i];
  throw Error(
      fmt::format("size has {} numbers, and this type of geom needs {}", g.size.size(), i + 1));
}

// A primitive between two points: along its z-axis.
void place_between(GeomData* g) {
  if (g->fromto.empty()) return;
  const Vec3 from{g->fromto[0], g->fromto[1], g->fromto[2]};
  const Vec3 to{g->fromto[3], g->fromto[4], g->fromto[5]};
  const double half = 0.5 * norm(from - to);
  if (!(half > 0)) throw Error("fromto: both points are the same");
  g->X = {z_to_direction(from - to), 0.5 * (from + to)};
  const double radius = size_at(*g, 0);
  if (g->type == GeomType::kCapsule || g->type == GeomType::kCylinder) {
    g->size = {radius, half};
  } else if (g->type == GeomType::kBox || g->type == GeomType::kEllipsoid) {
    g->size = {radius, radius, half};
  } else {
    throw Error("fromto is for capsules, cylinders, boxes and ellipsoids");
  }
}

Shape make_primitive(const GeomData& g) {
  switch (g.type) {
    case GeomType::kPlane:
      return make_half_space();
    case GeomType::kCapsule:
      return make_capsule(size_at(g, 0), size_at(g, 1));
    case GeomType::kCylinder:
      return make_cylinder(size_at(g, 0), size_at(g, 1));
    case GeomType::kEllipsoid:
      return make_ellipsoid({size_at(g, 0), size_at(g, 1), size_at(g, 2)});
    case GeomType::kBox:
      return make_box({size_at(g, 0), size_at(g, 1), size_at(g, 2)});
    default:
      return make_sphere(size_at(g, 0));
  }
}

// A primitive of the size of a mesh.
void fit(const MjcfCompiler& compiler, MjcfMesh* mesh, GeomData* g) {
  const FittedBox box = fit_box(mesh, compiler.fitaabb);
  const Vec3 b = g->fitscale * box.half_sizes;
  g->X = g->X * box.X_MB;
  const bool aabb = compiler.fitaabb;
  const double across = aabb ? std::max(b.x, b.y) : 0.5 * (b.x + b.y);
  switch (g->type) {
    case GeomType::kSphere:
      g->size = {aabb ? std::max({b.x, b.y, b.z}) : (b.x + b.y + b.z) / 3};
      break;
    case GeomType::kCapsule:
      g->size = {across, std::max(aabb ? b.z - across : b.z - across / 2, 1e-9)};
      break;
    case GeomType::kCylinder:
      g->size = {across, b.z};
      break;
    case GeomType::kBox:
    case GeomType::kEllipsoid:
      g->size = {b.x, b.y, b.z};
      break;
    default:
      throw Error("this type of geom cannot be fitted to a mesh");
  }
}

constexpr int kLastShownGroup = 2;  // in MuJoCo's viewer at first

bool is_visual(const GeomData& g) { return g.contype == 0 && g.conaffinity == 0; }

// A mesh that is only looked at, without its hull. Its mass counts when it has some.
GeomShape make_visual_mesh(const GeomData& g, MjcfMesh* mesh) {
  GeomShape result{make_surface(mesh->surface()), g.X, {}};
  if (g.mass.value_or(g.density) == 0) return result;
  try {
    result.unit_inertia = mesh->unit_inertia();
  } catch (const Error&) {
    result.massless = true;
  }
  return result;
}

// The hull collides, and the mesh is drawn.
GeomShape make_colliding_mesh(const XmlElement& element, const GeomData& g, MjcfMesh* mesh,
                              MjcfWorld* world) {
  GeomShape result{make_convex(mesh->hull()), g.X, mesh->unit_inertia()};
  if (mesh->is_convex()) return result;
  result.shape.surface = mesh->surface();
  world->report(
      element, Severity::kApproximated,
      fmt::format("mesh '{}' is not convex: its convex hull collides, as in MuJoCo", g.mesh));
  return result;
}

Shape make_ground(const GeomData& g, const MjcfDocument& document) {
  const auto found = document.hfields.find(g.hfield);
  if (g.hfield.empty()) throw Error("a geom of type hfield names none; write hfield=\"...\"");
  if (found == document.hfields.end()) {
    throw Error(fmt::format("there is no height field '{}' among the assets", g.hfield));
  }
  if (found->second.field == nullptr) {
    throw Error(fmt::format("height field '{}': {}", g.hfield, found->second.problem));
  }
  return make_height_field(found->second.field);
}

GeomShape make_shape(const XmlElement& element, GeomData* g, bool visual, MjcfDocument* document,
                     MjcfWorld* world) {
  GeomShape result;
  MjcfMesh* mesh = nullptr;
  if (!g->mesh.empty()) {
    const auto found = document->meshes.find(g->mesh);
    if (found == document->meshes.end()) {
      throw Error(fmt::format("there is no mesh '{}' among the assets", g->mesh));
    }
    mesh = &found->second;
  }
  if (g->type == GeomType::kMesh) {
    if (mesh == nullptr) throw Error("a geom of type mesh names no mesh; write mesh=\"...\"");
    return visual ? make_visual_mesh(*g, mesh) : make_colliding_mesh(element, *g, mesh, world);
  }
  if (g->type == GeomType::kHfield) return {make_ground(*g, *document), g->X, {}};
  place_between(g);
  if (mesh != nullptr) fit(document->compiler, mesh, g);
  result.shape = make_primitive(*g);
  result.unit_inertia = calc_unit_density_inertia(result.shape);
  result.X = g->X;
  return result;
}

SpatialInertia scaled(const SpatialInertia& M, double s) { return {s * M.mass, s * M.mc, s * M.I}; }

void report_contact(const Attributes& a, const GeomData& g) {
  if (is_visual(g)) return;
  a.approximate({"solref", "solimp"}, "translated to stiffness and dissipation");
  a.ignore({"solmix"}, "the softer side of a contact counts more");
}

// Pictures that are counted over a plane are counted by the metre here, where planes have no end.
TextureSpec texture_of(const GeomData& g, TextureSpec texture) {
  if (g.type != GeomType::kPlane || texture.per_metre) return texture;
  for (std::size_t k = 0; k < 2; ++k) {
    const double half = k < g.size.size() ? g.size[k] : 0;
    if (half > 0) texture.repeat[k] /= 2 * half;
  }
  texture.per_metre = true;
  return texture;
}

void set_look(const GeomData& g, const MjcfDocument& document, const Attributes& a,
              GeometrySpec* geometry) {
  geometry->color = {0.5F, 0.5F, 0.5F, 1.0F};
  if (!g.material.empty()) {
    const auto found = document.materials.find(g.material);
    if (found != document.materials.end()) {
      geometry->color = found->second.color;
      geometry->texture = texture_of(g, found->second.texture);
    } else {
      a.report(Severity::kWarning, "material",
               fmt::format("there is no material '{}' among the assets", g.material));
    }
  }
  for (std::size_t i = 0; i < g.rgba.size(); ++i) {
    geometry->color[i] = static_cast<float>(g.rgba[i]);
  }
}

void set_surface_velocity(const Attributes& a, const GeomData& g, GeometrySpec* geometry) {
  if (g.surface_velocity.empty()) return;
  const Vec3 v{g.surface_velocity[0], g.surface_velocity[1], g.surface_velocity[2]};
  const bool turns =
      std::any_of(g.surface_velocity.begin() + 3, g.surface_velocity.end(), [](double x) {
        return x != 0;
      });
  if (turns) {
    a.report(Severity::kIgnored, "surfacevel", "surfacevel: surfaces move, but do not turn");
  }
  if (v == Vec3{}) return;
  geometry->surface_velocity = BeltVelocity{.mean = v};
}

// The geometry for the world, registered by its name.
void add_geometry(const Attributes& a, const GeomData& g, GeometrySpec geometry,
                  const BodyContext& in, MjcfWorld* world) {
  const int body = in.body->index;
  auto& list = body < 0 ? world->spec().world_geometries : world->spec().bodies[body].geometries;
  MjcfSurface surface{.body = body,
                      .index = static_cast<int>(list.size()),
                      .contype = g.contype,
                      .conaffinity = g.conaffinity,
                      .contact = g.contact};
  in.body->groups.push_back(g.group);
  const int number = static_cast<int>(world->surfaces.size());
  if (!geometry.name.empty() && !world->geom_index.try_emplace(geometry.name, number).second) {
    a.error("name", fmt::format("another geom is named '{}'; names are unique", geometry.name));
    geometry.name.clear();
  }
  world->surfaces.push_back(surface);
  list.push_back(std::move(geometry));
}

// The mass it brings to its body.
void add_mass(const MjcfCompiler& compiler, const Attributes& a, const GeomData& g,
              const GeomShape& shape, const RigidTransform& X_BG, OpenBody* body) {
  if (g.group < compiler.group_first || g.group > compiler.group_last) return;
  if (g.mass.value_or(0) < 0 || g.density < 0) {
    a.error(g.mass.value_or(0) < 0 ? "mass" : "density", "mass and density are not negative");
    return;
  }
  const double volume = shape.unit_inertia.mass;
  if (!(volume > 0)) return;
  const SpatialInertia M = scaled(shape.unit_inertia, g.mass ? *g.mass / volume : g.density);
  body->from_geoms += shift_inertia(rotate(X_BG.R, M), X_BG.p);
}

}  // namespace

void read_geom(const XmlElement& element, const BodyContext& in, MjcfWorld* world) {
  MjcfDocument* document = in.instance->document;
  const Attributes a = document->attributes(element, in.childclass, world->diagnostics);
  GeomData g = read_geom_data(a, document->compiler, world->diagnostics);
  for (const auto& child : element.children) {
    world->ignore(*child, fmt::format("<{}>: plugins are not known", child->name));
  }
  if (g.type == GeomType::kSdf) {
    a.report(Severity::kIgnored, "type", "the geom is left out: distance fields are not known");
    return;
  }
  const std::string name = make_name(*in.instance, g.name, in.suffix);
  const bool visual = is_visual(g) && !document->paired_geoms.contains(g.name) &&
                      !world->instances.front()->document->paired_geoms.contains(name);
  GeomShape shape;
  try {
    shape = make_shape(element, &g, visual, document, world);
  } catch (const Error& e) {
    // What is only looked at may be missing, unless the mass comes from it.
    if (visual && document->meshes.contains(g.mesh)) {
      if (g.mass.value_or(g.density) != 0) in.body->missing_mass = &element;
      world->report(element, Severity::kIgnored,
                    fmt::format("the geom is left out, it does not collide: {}", e.what()));
    } else {
      const bool ground = g.type == GeomType::kHfield;
      a.error(ground ? "hfield" : (g.mesh.empty() ? "size" : "mesh"), e.what());
    }
    return;
  }
  if (shape.massless) in.body->missing_mass = &element;
  GeometrySpec geometry;
  geometry.name = name;
  geometry.shape = shape.shape;
  geometry.X_BG = in.X_BF * shape.X;
  geometry.collides = !is_visual(g) && world->options.contacts;
  geometry.visible = g.group <= kLastShownGroup;
  geometry.group = g.contype;
  geometry.mask = g.conaffinity;
  set_look(g, *document, a, &geometry);
  if (geometry.texture.image != nullptr && g.type == GeomType::kMesh) {
    // The hull does not know where it is in the picture.
    geometry.shape.surface = document->meshes.at(g.mesh).surface();
  }
  set_surface_velocity(a, g, &geometry);
  report_contact(a, g);
  add_mass(document->compiler, a, g, shape, geometry.X_BG, in.body);
  add_geometry(a, g, std::move(geometry), in, world);
}

void hide_contact_shapes(const std::vector<int>& groups, std::vector<GeometrySpec>* geometries) {
  const auto touches = [](const GeometrySpec& g) {
    return g.group != 0 || g.mask != 0;
  };
  std::set<int> for_the_eye;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!touches((*geometries)[i])) for_the_eye.insert(groups[i]);
  }
  if (for_the_eye.empty()) return;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    GeometrySpec& g = (*geometries)[i];
    if (touches(g) && !for_the_eye.contains(groups[i])) g.visible = false;
  }
}

}  // namespace cenic::detail

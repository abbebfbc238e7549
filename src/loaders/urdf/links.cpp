// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <link>: inertia, collision and visual geometry.
#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mesh/image.h"
#include "loaders/urdf/urdf.h"
#include "loaders/xml/values.h"

namespace cenic::detail {
namespace {

void read_inertial(const XmlElement& element, RobotLink* link, UrdfReader* reader) {
  const RigidTransform X = read_urdf_origin(element, reader);
  InertiaSpec inertia;
  inertia.com = X.p;
  const XmlElement* mass = element.child("mass");
  if (mass != nullptr) {
    const Attributes a(*mass, reader->diagnostics());
    if (!a.has("value")) a.error("value", "<mass> has no value; write value=\"...\"");
    inertia.mass = a.number("value", 0);
  }
  Mat3 I;
  if (const XmlElement* moments = element.child("inertia")) {
    const Attributes a(*moments, reader->diagnostics());
    const double xy = a.number("ixy", 0), xz = a.number("ixz", 0), yz = a.number("iyz", 0);
    I = {
        {{a.number("ixx", 0), xy, xz}, {xy, a.number("iyy", 0), yz}, {xz, yz, a.number("izz", 0)}}};
  }
  inertia.I_com = X.R * I * transpose(X.R);
  link->body.inertia = inertia;
}

double positive_half(const Attributes& a, const char* name) { return 0.5 * a.number(name, 0); }

// The shape of <geometry>; false when there is none to be had.
bool read_geometry(const XmlElement& element, GeometrySpec* geometry, UrdfReader* reader) {
  if (element.children.empty()) {
    reader->reporter().error(element, "<geometry> is empty; write <box>, <mesh> or the like");
    return false;
  }
  const XmlElement& shape = *element.children.front();
  const Attributes a(shape, reader->diagnostics());
  std::string kind = shape.name;
  if (kind.starts_with("drake:")) kind = kind.substr(6);
  try {
    if (kind == "box") {
      geometry->shape = make_box(0.5 * a.vector("size", {}));
    } else if (kind == "sphere") {
      return set_sphere_shape(shape, a.number("radius", -1), geometry, &reader->context);
    } else if (kind == "cylinder") {
      geometry->shape = make_cylinder(a.number("radius", 0), positive_half(a, "length"));
    } else if (kind == "capsule") {
      geometry->shape = make_capsule(a.number("radius", 0), positive_half(a, "length"));
    } else if (kind == "ellipsoid") {
      geometry->shape = make_ellipsoid({a.number("a", 0), a.number("b", 0), a.number("c", 0)});
    } else if (kind == "half_space" || kind == "plane") {
      geometry->shape = make_half_space();
    } else if (kind == "mesh") {
      if (!a.has("filename")) throw Error("<mesh> names no file; write filename=\"...\"");
      const bool convex = shape.child("drake:declare_convex") != nullptr;
      std::vector<double> scale = a.numbers("scale", 1, 3);
      if (scale.size() == 2) a.error("scale", "scale has 2 numbers; give one or three");
      if (scale.size() < 3) scale.assign(3, scale.empty() ? 1 : scale[0]);
      return set_mesh_shape(shape, a.text("filename"), {scale[0], scale[1], scale[2]}, convex,
                            geometry, &reader->context);
    } else {
      throw Error(
          fmt::format("geometry <{}> is not known; use <box>, <sphere>, <cylinder>, "
                      "<capsule> or <mesh>",
                      shape.name));
    }
  } catch (const Error& e) {
    reader->reporter().error(shape, e.what());
    return false;
  }
  return true;
}

std::array<float, 4> to_color(const std::vector<double>& rgba) {
  return {static_cast<float>(rgba[0]), static_cast<float>(rgba[1]), static_cast<float>(rgba[2]),
          static_cast<float>(rgba.size() > 3 ? rgba[3] : 1)};
}

// A picture; a texture without an image, and a report, when there is none to be drawn.
TextureSpec read_texture(const XmlElement& element, UrdfReader* reader) {
  TextureSpec texture{.cube = true};
  const std::string uri = Attributes(element, reader->diagnostics()).text("filename");
  const auto found = reader->context.resources->find(uri, *element.file);
  try {
    if (found.path.empty()) throw Error(found.problem);
    texture.image = read_picture(found.path);
  } catch (const Error& e) {
    reader->reporter().ignore_once(element, fmt::format("the texture is not drawn: {}", e.what()));
  }
  return texture;
}

// Names of geometries are unique in a model, in URDF only in a link; most have none.
std::string geometry_name(const Attributes& a, const std::string& link, UrdfReader* reader) {
  std::string name = a.text("name");
  if (name.empty()) return name;
  if (!reader->geometry_names.insert(name).second) {
    name = link + "/" + name;
    if (!reader->geometry_names.insert(name).second) return "";
  }
  return name;
}

// A collision or a visual.
void read_part(const XmlElement& element, bool collides, RobotLink* link, UrdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  GeometrySpec geometry;
  geometry.name = geometry_name(a, link->body.name, reader);
  geometry.collides = collides;
  geometry.visible = !collides;
  geometry.density = 0;
  geometry.X_BG = read_urdf_origin(element, reader);
  const XmlElement* proximity = element.child("drake:proximity_properties");
  if (proximity != nullptr && collides) read_proximity(*proximity, &geometry, &reader->context);
  if (const XmlElement* material = element.child("material")) {
    read_urdf_material(*material, reader);
    const auto found = reader->materials.find(
        material->find("name") != nullptr ? material->find("name")->value : std::string());
    if (found != reader->materials.end()) {
      geometry.color = found->second.color.value_or(geometry.color);
      geometry.texture = found->second.texture;
    }
  }
  const XmlElement* shape = element.child("geometry");
  if (shape == nullptr) {
    const std::string what = fmt::format("<{}> has no <geometry>", element.name);
    reader->reporter().report(element, collides ? Severity::kError : Severity::kIgnored, what);
    return;
  }
  if (!read_geometry(*shape, &geometry, reader)) return;
  if (collides) finish_proximity(element, &geometry, &reader->context);
  push_geometry(std::move(geometry), &reader->context, &link->body.geometries);
}

}  // namespace

RigidTransform read_urdf_origin(const XmlElement& element, UrdfReader* reader) {
  const XmlElement* origin = element.child("origin");
  if (origin == nullptr) return {};
  const Attributes a(*origin, reader->diagnostics());
  return {from_roll_pitch_yaw(a.vector("rpy", {})), a.vector("xyz", {})};
}

// A material without a colour of its own means the one defined elsewhere.
void read_urdf_material(const XmlElement& element, UrdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  const std::string name = a.text("name");
  if (const XmlElement* texture = element.child("texture")) {
    reader->materials[name].texture = read_texture(*texture, reader);
  }
  const XmlElement* color = element.child("color");
  if (color == nullptr) return;
  const std::vector<double> rgba = Attributes(*color, reader->diagnostics()).numbers("rgba", 3, 4);
  if (!rgba.empty()) reader->materials[name].color = to_color(rgba);
}

void read_urdf_link(const XmlElement& element, UrdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  RobotLink link;
  link.element = &element;
  link.body.name = a.text("name");
  a.accept({"type"});
  const XmlElement* inertial = element.child("inertial");
  if (inertial != nullptr && link.body.name == kWorldName) {
    mark_read(*inertial);  // it does not move
  } else if (inertial != nullptr) {
    read_inertial(*inertial, &link, reader);
  }
  for (const auto& child : element.children) {
    if (child->name == "collision" || child->name == "visual") {
      read_part(*child, child->name == "collision", &link, reader);
    } else if (child->name == "self_collision_checking") {
      reader->reporter().ignore_once(
          *child, "<self_collision_checking>: links touch unless they are neighbours or filtered");
    }
  }
  if (reader->mujoco && link.body.name != kWorldName) set_mujoco_inertia(&link, reader);
  link.inertia_missing = !link.body.inertia;
  if (link.body.inertia) {
    link.body.inertia = check_inertia(inertial != nullptr ? *inertial : element, link.body.name,
                                      *link.body.inertia, &reader->reporter());
  }
  reader->robot.links.push_back(std::move(link));
}

}  // namespace cenic::detail

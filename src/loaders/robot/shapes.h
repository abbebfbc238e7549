// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Shapes of links from mesh files, and Drake's properties of contact.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "geometry/solid_mesh.h"
#include "loaders/mesh/read_mesh.h"
#include "loaders/xml/reporter.h"
#include "model/model_spec.h"

namespace cenic::detail {

// Mesh files, each read once.
class MeshLibrary {
 public:
  struct Result {
    Shape shape{};
    bool convex = false;  // the shape is its own hull
    MeshNotes notes{};
  };
  // .obj, .stl, .dae, .gltf, .glb or .vtk, each axis scaled. `hull`: its convex hull is meant.
  // Throws Error.
  const Result& shape(const std::string& path, const Vec3& scale, bool hull);

  // To be looked at: surfaces as they are, no hulls.
  struct Visual {
    struct Part {
      Shape shape{};
      std::optional<std::array<float, 4>> color{};
      std::shared_ptr<const std::string> picture{};
    };
    std::vector<Part> parts{};
    std::vector<std::string> notes{};
  };
  const Visual& visual(const std::string& path, const Vec3& scale);

 private:
  using Mesh = std::variant<MeshParts, TetMesh>;
  const Mesh& read(const std::string& path);

  std::map<std::string, Mesh> files_;
  std::map<std::string, Result> shapes_;
  std::map<std::string, Visual> visuals_;
};

struct RobotContext;

// A mesh that the file names: fills in the shape. False when there is none, which is an error for
// what collides and reported for what is only looked at.
bool set_mesh_shape(const XmlElement& element, const std::string& uri, const Vec3& scale, bool hull,
                    GeometrySpec* geometry, RobotContext* context);
// The geometry goes to its link; the further parts of a visual mesh of several colours with it.
void push_geometry(GeometrySpec geometry, RobotContext* context, std::vector<GeometrySpec>* into);
// A sphere, of which some files have a radius of zero to mean a point. False: not to be drawn.
// Throws Error when the radius is no good.
bool set_sphere_shape(const XmlElement& element, double radius, GeometrySpec* geometry,
                      RobotContext* context);

// <drake:proximity_properties>, with numbers as attributes or as text.
void read_proximity(const XmlElement& element, GeometrySpec* geometry, RobotContext* context);
// A compliant half space needs a depth: Drake's, when the file has none.
void finish_proximity(const XmlElement& element, GeometrySpec* geometry, RobotContext* context);
// Friction that does not contradict itself.
void set_friction(const XmlElement& element, double mu_static, double mu_dynamic,
                  GeometrySpec* geometry, RobotContext* context);

}  // namespace cenic::detail

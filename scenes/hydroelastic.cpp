// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Scenes of hydroelastic contact: the cylinder and the static gripper of the CENIC paper, section
// VII, and a mesh with hollows.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/solid_mesh.h"
#include "loaders/mesh/read_mesh.h"
#include "scenes/scene_definition.h"

namespace cenic::detail {
namespace {

constexpr double kPi = std::numbers::pi;

HydroelasticProperties make_compliant(const SceneArguments& arguments) {
  return {.compliance = Compliance::kCompliant, .modulus = arguments.positive("modulus")};
}

Material make_surface(const SceneArguments& arguments) {
  const double mu = arguments.non_negative("mu");
  Material material;
  material.dissipation = arguments.non_negative("dissipation");
  material.static_friction = material.dynamic_friction = mu;
  return material;
}

GeometrySpec make_rigid_floor(const Material& material) {
  GeometrySpec floor = make_floor(material);
  floor.hydroelastic.compliance = Compliance::kRigid;
  return floor;
}

std::vector<SceneParameter> add_common(std::vector<SceneParameter> parameters, double dissipation) {
  parameters.push_back({"modulus", 1e7, "hydroelastic modulus of what moves, Pa"});
  parameters.push_back({"dissipation", dissipation, "Hunt & Crossley, s/m"});
  parameters.push_back({"mu", 0.5, "friction coefficient, static and dynamic"});
  return parameters;
}

ModelSpec make_cylinder_scene(const SceneArguments& arguments) {
  const double radius = 0.1, half_length = 0.1, mass = 6.3;
  const double tilt = degrees_to_radians(arguments.between("tilt", 0, 90));
  const Material material = make_surface(arguments);
  ModelSpec spec;
  spec.world_geometries = {make_rigid_floor(material)};
  // Height of the lowest point of the rim below the centre.
  const double reach = radius * std::sin(tilt) + half_length * std::cos(tilt);
  RigidTransform X_WB = RigidTransform::rotation({tilt, 0, 0});
  X_WB.p.z = reach + arguments.non_negative("height");
  const double density = mass / (2 * kPi * radius * radius * half_length);
  GeometrySpec geometry =
      make_geometry({make_cylinder(radius, half_length), density, palette_color(1)}, {}, material);
  geometry.hydroelastic = make_compliant(arguments);
  spec.bodies = {make_free_body("cylinder", X_WB, geometry)};
  return spec;
}

// A post with two fingers that reach out along x, and a peg upright between their ends.
ModelSpec make_static_gripper(const SceneArguments& arguments) {
  const double density = 1000, thin = 0.005, length = 0.04;  // half sizes of the bars, m
  const Vec3 post{0.02, 0.02, 0.1};
  const double squeeze = arguments.number("squeeze");
  const Material material = make_surface(arguments);
  const auto make_part = [&](const std::string& name, const Vec3& half, const Vec3& p, int color) {
    GeometrySpec part = make_geometry({make_box(half), density, palette_color(color)},
                                      RigidTransform::translation(p), material);
    part.name = name;
    part.hydroelastic = make_compliant(arguments);
    return part;
  };
  ModelSpec spec;
  spec.stiction_velocity = arguments.positive("v_s");
  spec.world_geometries = {make_rigid_floor(material)};
  const double height = post.z + arguments.non_negative("height"), level = 0.05;
  BodySpec gripper;
  gripper.name = "gripper";
  gripper.X_PB = RigidTransform::translation({0, 0, height});
  JointSpec slide;
  slide.name = "slide";
  slide.kind = JointKind::kPrismatic;
  slide.axis = {0, 0, 1};
  gripper.joints = {slide};
  const double side = 2 * thin - 0.5 * squeeze, out = post.x + length;
  gripper.geometries = {make_part("post", post, {}, 5),
                        make_part("left_finger", {length, thin, thin}, {out, side, level}, 3),
                        make_part("right_finger", {length, thin, thin}, {out, -side, level}, 3)};
  spec.bodies = {gripper};
  const double at = post.x + 2 * length - 2 * thin;
  spec.bodies.push_back(make_free_body("peg", RigidTransform::translation({at, 0, height + level}),
                                       make_part("peg", {thin, thin, length}, {}, 0)));
  return spec;
}

// A ring with three humps: neither convex nor flat anywhere.
TriangleMesh make_ring() {
  constexpr int kAround = 48, kAcross = 16;
  constexpr double kRing = 0.06, kTube = 0.022;
  TriangleMesh mesh;
  for (int i = 0; i < kAround; ++i) {
    const double u = 2 * kPi * i / kAround, tube = kTube * (1 + 0.25 * std::cos(3 * u));
    for (int j = 0; j < kAcross; ++j) {
      const double v = 2 * kPi * j / kAcross, rho = kRing + tube * std::cos(v);
      mesh.vertices.push_back({rho * std::cos(u), rho * std::sin(u), tube * std::sin(v)});
      const int i1 = (i + 1) % kAround, j1 = (j + 1) % kAcross;
      const int a = kAcross * i + j, b = kAcross * i1 + j, c = kAcross * i1 + j1,
                d = kAcross * i + j1;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
  }
  return mesh;
}

std::shared_ptr<const SolidMesh> load_solid(const std::string& path, MeshNotes* notes) {
  try {
    if (path.ends_with(".vtk")) return make_solid_mesh(read_vtk(path), notes);
    return make_solid_mesh(prepare_closed_surface(read_mesh(path), notes), notes);
  } catch (const FileError&) {
    throw;
  } catch (const Error& e) {
    throw FileError(path, 0, e.what());
  }
}

ModelSpec make_hydro_mesh(const SceneArguments& arguments) {
  const std::string& path = arguments.file("mesh");
  const Material material = make_surface(arguments);
  MeshNotes notes;
  const std::shared_ptr<const SolidMesh> solid =
      path.empty() ? make_solid_mesh(make_ring(), &notes) : load_solid(path, &notes);
  ModelSpec spec;
  spec.notes = notes.repairs;
  spec.world_geometries = {make_rigid_floor(material)};
  GeometrySpec geometry = make_geometry({make_mesh(solid), 1000, palette_color(2)}, {}, material);
  geometry.hydroelastic = make_compliant(arguments);
  const RigidTransform X_WB =
      RigidTransform::rotation({degrees_to_radians(arguments.between("tilt", -180, 180)), 0, 0});
  double lowest = INFINITY;
  for (const Vec3& v : solid->surface.vertices) {
    lowest = std::min(lowest, (X_WB * v).z);
  }
  spec.bodies = {make_free_body("mesh", {X_WB.R, {0, 0, arguments.non_negative("height") - lowest}},
                                geometry)};
  return spec;
}

}  // namespace

SceneDefinition define_cylinder() {
  return {{"cylinder", "A cylinder of 6.3 kg falls on a table, on its rim, and comes to rest.", 5,
           add_common({{"tilt", 25, "of the axis against the vertical, degrees, 0 to 90"},
                       {"height", 0.1, "of the lowest point above the table, m"}},
                      20)},
          make_cylinder_scene};
}

SceneDefinition define_static_gripper() {
  return {{"static_gripper",
           "A peg wedged between two fingers stays there when the gripper hits the ground.", 10,
           add_common({{"height", 0.01, "of the gripper above the ground, m"},
                       {"squeeze", 1e-5, "by which the peg is wider than the gap, m"},
                       {"v_s", 1e-5, "stiction velocity, m/s"}},
                      20)},
          make_static_gripper};
}

SceneDefinition define_hydro_mesh() {
  return {{"hydro_mesh",
           "A ring with humps, or any closed mesh, falls on a floor: contact in its true shape.",
           3,
           add_common({{"tilt", 30, "of the mesh about x at the start, degrees"},
                       {"height", 0.05, "of the lowest point above the floor, m"}},
                      20),
           {{"mesh", "closed surface (.obj, .stl) or tetrahedra (.vtk); none: the ring"}}},
          make_hydro_mesh};
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How a scene is written: a description and a function from checked parameters to a ModelSpec.
// Private to scenes/; to add a scene, declare it at the end of this file and list it in scenes.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "scenes/scenes.h"

namespace cenic::detail {

// The values of a scene's parameters, checked as they are read: each accessor throws Error with the
// parameter's name.
class SceneArguments {
 public:
  SceneArguments(std::string scene, SceneParameters values, SceneFiles files, std::uint64_t seed);

  double number(const std::string& parameter) const;                         // any finite number
  double positive(const std::string& parameter) const;                       // > 0
  double non_negative(const std::string& parameter) const;                   // >= 0
  double between(const std::string& parameter, double lo, double hi) const;  // lo <= value <= hi
  int count(const std::string& parameter) const;  // whole, 1 to a million
  const std::string& file(const std::string& name) const {
    return files_.at(name);
  }  // may be empty
  std::uint64_t seed() const { return seed_; }

 private:
  [[noreturn]] void fail(const std::string& parameter, const std::string& requirement) const;

  std::string scene_;
  SceneParameters values_;
  SceneFiles files_;
  std::uint64_t seed_;
};

struct SceneDefinition {
  SceneInfo info;
  ModelSpec (*make)(const SceneArguments& arguments) = nullptr;
};

using Color = std::array<float, 4>;
Color palette_color(int i);  // a small pleasant palette, repeated

struct PairMaterial {
  double stiffness;    // of the contact between two such sides, N/m
  double dissipation;  // s/m
  double mu_static, mu_dynamic;
};
// The material of each side that makes a pair behave as asked: two springs in series need twice the
// stiffness each, everything else is the same.
Material make_material(const PairMaterial& pair);

struct Solid {
  Shape shape;
  double density = 1000;  // kg/m³
  Color color{};
};
// A geometry at X_BG; its name is for the caller to give.
GeometrySpec make_geometry(const Solid& solid, const RigidTransform& X_BG = {},
                           const Material& material = {});
// A horizontal floor at z = 0 named "floor".
GeometrySpec make_floor(const Material& material);
// A body free to move, at X_WB, with one geometry at its origin that carries the body's name.
BodySpec make_free_body(const std::string& name, const RigidTransform& X_WB, GeometrySpec geometry);
double degrees_to_radians(double degrees);

SceneDefinition define_double_pendulum();
SceneDefinition define_bouncing_ball();
SceneDefinition define_soft_clutter();
SceneDefinition define_hard_clutter();
SceneDefinition define_clutter();
SceneDefinition define_sliding_block();
SceneDefinition define_box_stack();
SceneDefinition define_newton_cradle();
SceneDefinition define_spinning_top();
SceneDefinition define_chain();
SceneDefinition define_conveyor();
SceneDefinition define_four_bar();
SceneDefinition define_closed_chain();
SceneDefinition define_pid_pendulum();
SceneDefinition define_cart_pole();
SceneDefinition define_franka();
SceneDefinition define_suction_gripper();
SceneDefinition define_quadruped();
SceneDefinition define_cylinder();
SceneDefinition define_static_gripper();
SceneDefinition define_hydro_mesh();
SceneDefinition define_terrain();

}  // namespace cenic::detail

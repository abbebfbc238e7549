// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "scenes/scene_definition.h"

#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic::detail {

SceneArguments::SceneArguments(std::string scene, SceneParameters values, SceneFiles files,
                               std::uint64_t seed)
    : scene_(std::move(scene)), values_(std::move(values)), files_(std::move(files)), seed_(seed) {}

void SceneArguments::fail(const std::string& parameter, const std::string& requirement) const {
  throw Error(fmt::format("scene '{}': parameter '{}' is {}; it must be {}", scene_, parameter,
                          values_.at(parameter), requirement));
}

double SceneArguments::number(const std::string& parameter) const {
  const double value = values_.at(parameter);
  if (!std::isfinite(value)) fail(parameter, "finite");
  return value;
}

double SceneArguments::positive(const std::string& parameter) const {
  const double value = number(parameter);
  if (value <= 0) fail(parameter, "positive");
  return value;
}

double SceneArguments::non_negative(const std::string& parameter) const {
  const double value = number(parameter);
  if (value < 0) fail(parameter, "zero or positive");
  return value;
}

double SceneArguments::between(const std::string& parameter, double lo, double hi) const {
  const double value = number(parameter);
  if (value < lo || value > hi) fail(parameter, fmt::format("between {} and {}", lo, hi));
  return value;
}

int SceneArguments::count(const std::string& parameter) const {
  const double value = number(parameter);
  if (value < 1 || value > 1e6 || value != std::floor(value)) {
    fail(parameter, "a whole number from 1 to 1000000");
  }
  return static_cast<int>(value);
}

Color palette_color(int i) {
  static constexpr Color kPalette[] = {
      {0.91F, 0.44F, 0.32F, 1}, {0.96F, 0.64F, 0.38F, 1}, {0.91F, 0.77F, 0.42F, 1},
      {0.54F, 0.69F, 0.49F, 1}, {0.16F, 0.62F, 0.56F, 1}, {0.27F, 0.48F, 0.62F, 1},
      {0.45F, 0.40F, 0.62F, 1},
  };
  return kPalette[static_cast<std::size_t>(i) % std::size(kPalette)];
}

Material make_material(const PairMaterial& pair) {
  return {.stiffness = 2 * pair.stiffness,
          .dissipation = pair.dissipation,
          .static_friction = pair.mu_static,
          .dynamic_friction = pair.mu_dynamic};
}

GeometrySpec make_geometry(const Solid& solid, const RigidTransform& X_BG,
                           const Material& material) {
  GeometrySpec geometry;
  geometry.shape = solid.shape;
  geometry.density = solid.density;
  geometry.color = solid.color;
  geometry.X_BG = X_BG;
  geometry.material = material;
  return geometry;
}

GeometrySpec make_floor(const Material& material) {
  GeometrySpec floor;
  floor.name = "floor";
  floor.shape = make_half_space();
  floor.material = material;
  floor.color = {0.82F, 0.83F, 0.85F, 1};
  return floor;
}

BodySpec make_free_body(const std::string& name, const RigidTransform& X_WB,
                        GeometrySpec geometry) {
  BodySpec body;
  body.name = name;
  body.X_PB = X_WB;
  body.joints.resize(1);
  body.joints[0].name = name + "_free";
  body.joints[0].kind = JointKind::kFree;
  geometry.name = name;
  body.geometries = {std::move(geometry)};
  return body;
}

double degrees_to_radians(double degrees) { return degrees * (std::numbers::pi / 180); }

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Objects dropped into a bin: the clutter experiments of the CENIC paper, and the same at any size.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "scenes/random.h"
#include "scenes/scene_definition.h"

namespace cenic::detail {
namespace {

constexpr double kRadius = 0.05;  // of the spheres; half the edge of the cubes, m
constexpr double kCell = 0.2;     // distance between neighbours at the start, m
constexpr double kJitter =
    0.01;  // with a cube's half diagonal (0.0866) still inside half a cell, m
constexpr double kLowestCentre = 0.15;  // height of the first layer, m

// Side of the bin: 0.5 m for 20 objects, the same floor area an object for any other count; room
// for 2 × 2 cells.
double calc_bin_side(int count) { return std::max(2 * kCell, 0.5 * std::sqrt(count / 20.0)); }

// The floor and four walls that look inwards.
std::vector<GeometrySpec> make_bin(double side, const Material& material) {
  std::vector<GeometrySpec> bin = {make_floor(material)};
  const Vec3 normals[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  for (int i = 0; i < 4; ++i) {
    const Vec3 up{0, 0, 1};
    GeometrySpec wall = make_floor(material);
    wall.name = fmt::format("wall_{}", i);
    wall.X_BG = {Mat3::from_columns(cross(up, normals[i]), up, normals[i]),
                 -0.5 * side * normals[i]};
    wall.color[3] = 0.15F;
    bin.push_back(wall);
  }
  return bin;
}

// Centres of cells: full layers from the bottom up, a random part of the last one, all in random
// order.
std::vector<Vec3> make_cells(int count, double side, Random* random) {
  const int n = std::max(2, static_cast<int>(std::floor(side / kCell + 1e-9)));
  std::vector<Vec3> cells;
  for (int layer = 0; static_cast<int>(cells.size()) < count; ++layer) {
    std::vector<Vec3> level;
    level.reserve(static_cast<std::size_t>(n) * n);
    for (int row = 0; row < n; ++row) {
      for (int column = 0; column < n; ++column) {
        level.push_back({kCell * (column - 0.5 * (n - 1)), kCell * (row - 0.5 * (n - 1)),
                         kLowestCentre + kCell * layer});
      }
    }
    random->shuffle(&level);
    const int room = count - static_cast<int>(cells.size());
    cells.insert(cells.end(), level.begin(), level.begin() + std::min(n * n, room));
  }
  random->shuffle(&cells);
  return cells;
}

// A share of the objects, spread evenly over them, are cubes.
ModelSpec make_clutter(const SceneArguments& arguments, double cubes) {
  const int count = arguments.count("count");
  const double mu = arguments.non_negative("mu");
  const double density = arguments.positive("density");
  const Material material = make_material({.stiffness = arguments.positive("stiffness"),
                                           .dissipation = arguments.non_negative("dissipation"),
                                           .mu_static = mu,
                                           .mu_dynamic = mu});
  const double side = calc_bin_side(count);
  Random random(arguments.seed());
  ModelSpec spec;
  spec.stiction_velocity = arguments.positive("v_s");
  spec.world_geometries = make_bin(side, material);
  const std::vector<Vec3> cells = make_cells(count, side, &random);
  spec.bodies.reserve(cells.size());
  for (int i = 0; i < count; ++i) {
    Vec3 p = cells[i];
    for (int axis = 0; axis < 3; ++axis) {
      p[axis] += random.uniform(-kJitter, kJitter);
    }
    const RigidTransform X_WB{to_matrix(random.orientation()), p};
    const bool cube = std::floor(cubes * (i + 1)) > std::floor(cubes * i);
    const Shape shape = cube ? make_box({kRadius, kRadius, kRadius}) : make_sphere(kRadius);
    spec.bodies.push_back(
        make_free_body(fmt::format("object_{:03}", i), X_WB,
                       make_geometry({shape, density, palette_color(i)}, {}, material)));
  }
  return spec;
}

ModelSpec make_spheres(const SceneArguments& arguments) { return make_clutter(arguments, 0); }
ModelSpec make_mixed(const SceneArguments& arguments) {
  return make_clutter(arguments, arguments.between("cubes", 0, 1));
}

std::vector<SceneParameter> clutter_parameters(int count, double stiffness, double v_s) {
  return {{"count", static_cast<double>(count), "number of objects"},
          {"stiffness", stiffness, "of a contact point between any two things, N/m"},
          {"dissipation", 10, "Hunt & Crossley, s/m"},
          {"mu", 0.5, "friction coefficient, static and dynamic"},
          {"v_s", v_s, "stiction velocity, m/s"},
          {"density", 1000, "of the objects, kg/m³"}};
}

std::vector<SceneParameter> mixed_parameters(int count) {
  std::vector<SceneParameter> parameters = clutter_parameters(count, 1e5, 1e-4);
  parameters.push_back({"cubes", 0.5, "share of the objects that are cubes, 0 to 1"});
  return parameters;
}

}  // namespace

SceneDefinition define_soft_clutter() {
  return {{"soft_clutter", "Twenty soft spheres fall into a bin and settle.", 10,
           clutter_parameters(20, 1e3, 1e-2)},
          make_spheres};
}

SceneDefinition define_hard_clutter() {
  return {{"hard_clutter", "Twenty stiff spheres and cubes fall into a bin and settle.", 10,
           mixed_parameters(20)},
          make_mixed};
}

SceneDefinition define_clutter() {
  return {{"clutter", "Hard clutter at any size: a hundred spheres and cubes by default.", 10,
           mixed_parameters(100)},
          make_mixed};
}

}  // namespace cenic::detail

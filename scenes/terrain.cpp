// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Rough ground: things of all shapes and a small cart tumble down a hill of a height field.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "geometry/convex_hull.h"
#include "geometry/height_field.h"
#include "scenes/random.h"
#include "scenes/scene_definition.h"

namespace cenic::detail {
namespace {

constexpr double kHalf = 4;        // half side of the ground, m
constexpr double kRim = 0.8;       // share of the half side from which the ground rises
constexpr double kCoarsest = 1.6;  // distance of the points of the coarsest noise, m
constexpr double kSize = 0.12;     // of the things, m
constexpr double kDrop = 0.35;     // above the ground at the start, m

// Noise of values at the points of a grid, smooth in between: no sine, whose last digit differs
// between platforms.
class Noise {
 public:
  Noise(double spacing, Random* random)
      : spacing_(spacing), side_(static_cast<int>(2 * kHalf / spacing) + 3) {
    for (int i = 0; i < side_ * side_; ++i) {
      values_.push_back(random->uniform(-1, 1));
    }
  }

  double at(double x, double y) const {
    const double u = (x + kHalf) / spacing_, v = (y + kHalf) / spacing_;
    const int i = static_cast<int>(u), j = static_cast<int>(v);
    const auto smooth = [](double t) {
      return t * t * (3 - 2 * t);
    };
    const double s = smooth(u - i), t = smooth(v - j);
    const auto value = [&](int a, int b) {
      return values_[static_cast<std::size_t>(b) * side_ + a];
    };
    return (1 - t) * ((1 - s) * value(i, j) + s * value(i + 1, j)) +
           t * ((1 - s) * value(i, j + 1) + s * value(i + 1, j + 1));
  }

 private:
  double spacing_;
  int side_;
  std::vector<double> values_;
};

// A slope down along x with three octaves of noise, and a rim that keeps things on it.
std::shared_ptr<const HeightField> make_hill(int cells, double roughness, double slope,
                                             Random* random) {
  const Noise noise[] = {{kCoarsest, random}, {kCoarsest / 2, random}, {kCoarsest / 4, random}};
  HeightField field;
  field.rows = field.columns = cells + 1;
  field.half_x = field.half_y = kHalf;
  field.base = 1;
  const auto rim = [](double x) {
    const double beyond = std::max(0.0, std::fabs(x) / kHalf - kRim) / (1 - kRim);
    return beyond * beyond;
  };
  for (int r = 0; r <= cells; ++r) {
    for (int c = 0; c <= cells; ++c) {
      const double x = kHalf * (2.0 * c / cells - 1), y = kHalf * (2.0 * r / cells - 1);
      field.heights.push_back(
          slope * (kHalf - x) + rim(x) + rim(y) +
          roughness * (noise[0].at(x, y) + 0.5 * noise[1].at(x, y) + 0.25 * noise[2].at(x, y)));
    }
  }
  const double lowest = std::ranges::min(field.heights);
  for (double& h : field.heights) {
    h -= lowest;
  }
  return make_height_field_data(std::move(field));
}

double height_at(const HeightField& field, double x, double y) {
  Facet facet;
  find_facet(field, x, y, &facet);
  return facet.v.z + facet.gx * (x - facet.v.x) + facet.gy * (y - facet.v.y);
}

Shape make_thing(int i, Random* random) {
  const double s = kSize;
  switch (i % 6) {
    case 0:
      return make_sphere(s);
    case 1:
      return make_box({s, 0.8 * s, 0.6 * s});
    case 2:
      return make_capsule(0.5 * s, 0.8 * s);
    case 3:
      return make_cylinder(0.8 * s, 0.6 * s);
    case 4:
      return make_ellipsoid({1.2 * s, 0.8 * s, 0.6 * s});
    default: {  // a stone
      std::vector<Vec3> points;
      for (int k = 0; k < 20; ++k) {
        points.push_back(s * (to_matrix(random->orientation()) * Vec3{1, 0, 0}));
      }
      return make_convex(std::make_shared<const ConvexHull>(make_convex_hull(points)));
    }
  }
}

// A plate on four free wheels.
void add_cart(const Vec3& p, const Material& material, ModelSpec* spec) {
  const Color blue = palette_color(1), grey{0.25F, 0.25F, 0.25F, 1};
  BodySpec cart =
      make_free_body("cart", RigidTransform::translation(p),
                     make_geometry({make_box({0.22, 0.11, 0.04}), 400, blue}, {}, material));
  spec->bodies.push_back(std::move(cart));
  for (int k = 0; k < 4; ++k) {
    BodySpec wheel;
    wheel.name = fmt::format("wheel_{}", k);
    wheel.parent = "cart";
    wheel.X_PB.p = {k < 2 ? 0.16 : -0.16, k % 2 == 0 ? 0.16 : -0.16, -0.04};
    JointSpec axle;
    axle.name = fmt::format("axle_{}", k);
    axle.axis = {0, 1, 0};
    axle.damping = 0.002;
    wheel.joints = {axle};
    const RigidTransform across = RigidTransform::rotation({std::acos(0.0), 0, 0});
    GeometrySpec tyre = make_geometry({make_cylinder(0.09, 0.03), 500, grey}, across, material);
    tyre.name = wheel.name;
    wheel.geometries = {tyre};
    spec->bodies.push_back(std::move(wheel));
  }
}

ModelSpec make_terrain(const SceneArguments& arguments) {
  const int count = arguments.count("count");
  const double mu = arguments.non_negative("mu");
  const Material material = make_material({.stiffness = arguments.positive("stiffness"),
                                           .dissipation = arguments.non_negative("dissipation"),
                                           .mu_static = mu,
                                           .mu_dynamic = mu});
  Random random(arguments.seed());
  const auto hill =
      make_hill(static_cast<int>(arguments.between("cells", 4, 2000)),
                arguments.non_negative("roughness"), arguments.non_negative("slope"), &random);
  ModelSpec spec;
  GeometrySpec ground =
      make_geometry({make_height_field(hill), 0, {0.45F, 0.52F, 0.36F, 1}}, {}, material);
  ground.name = "ground";
  spec.world_geometries = {ground};
  // In rows across the upper end, a cart ahead of them.
  constexpr int kInRow = 8;
  for (int i = 0; i < count; ++i) {
    const double x = -0.6 * kHalf + 0.4 * (i / kInRow % 6),
                 y = 0.5 * (i % kInRow - 0.5 * (kInRow - 1));
    const double layer = 0.4 * (i / (6 * kInRow));
    const RigidTransform X_WB{to_matrix(random.orientation()),
                              {x, y, height_at(*hill, x, y) + kDrop + layer}};
    spec.bodies.push_back(make_free_body(
        fmt::format("thing_{:03}", i), X_WB,
        make_geometry({make_thing(i, &random), 1000, palette_color(i)}, {}, material)));
  }
  const double x = -0.75 * kHalf;
  add_cart({x, 0.1, height_at(*hill, x, 0.1) + kDrop}, material, &spec);
  return spec;
}

}  // namespace

SceneDefinition define_terrain() {
  return {{"terrain",
           "Things of all shapes and a cart tumble down a rough hill.",
           5,
           {{"count", 24, "number of things besides the cart"},
            {"cells", 80, "of the ground along each side, which is 8 m"},
            {"roughness", 0.12, "of the ground, m"},
            {"slope", 0.35, "of the hill, rise over run"},
            {"stiffness", 1e5, "of a contact point between any two things, N/m"},
            {"dissipation", 10, "Hunt & Crossley, s/m"},
            {"mu", 0.5, "friction coefficient, static and dynamic"}}},
          make_terrain};
}

}  // namespace cenic::detail

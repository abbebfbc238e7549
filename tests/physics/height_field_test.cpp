// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Things that roll, slide and tumble over height fields.
#include "geometry/height_field.h"

#include <cmath>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

template <typename Height>
Shape make_ground(int cells, double half, const Height& height) {
  HeightField field;
  field.rows = field.columns = cells + 1;
  field.half_x = field.half_y = half, field.base = 20;
  for (int r = 0; r <= cells; ++r) {
    for (int c = 0; c <= cells; ++c) {
      field.heights.push_back(height(half * (2.0 * c / cells - 1), half * (2.0 * r / cells - 1)));
    }
  }
  return make_height_field(make_height_field_data(std::move(field)));
}

double height_at(const HeightField& field, double x, double y) {
  Facet f;
  if (!find_facet(field, x, y, &f)) return -INFINITY;
  return f.v.z + f.gx * (x - f.v.x) + f.gy * (y - f.v.y);
}

Vec3 position(const Simulator& sim) {
  const auto& q = sim.state().q;
  return {q[4], q[5], q[6]};
}

TEST(HeightFieldRun, AFastBallNeverFallsThrough) {
  const auto waves = [](double x, double y) {
    return 0.25 * std::sin(2.5 * x) * std::cos(2 * y);
  };
  for (const double accuracy : {1e-1, 1e-3}) {
    for (const double angle : {0.0, 0.4, 1.1}) {
      ModelSpec spec;
      const Shape ground = make_ground(200, 10, waves);
      spec.world_geometries = {make_test_geometry("ground", ground)};
      spec.bodies = {make_free_body("ball", make_test_geometry("ball", make_sphere(0.1)),
                                    {0, 0, 0.6},
                                    {0, 0, 0, 8 * std::cos(angle), 8 * std::sin(angle), -4})};
      Simulator sim = make_simulator(spec, accuracy);
      double deepest = -INFINITY;
      for (int k = 1; k <= 40; ++k) {
        sim.advance_to(0.03 * k);
        const Vec3 p = position(sim);
        const double h = height_at(*ground.height_field, p.x, p.y);
        if (std::isfinite(h)) deepest = std::max(deepest, h - p.z);
      }
      // The centre stays above the ground.
      EXPECT_LT(deepest, -0.03) << "accuracy " << accuracy << " angle " << angle;
    }
  }
}

TEST(HeightFieldRun, ABoxSlidesOnFlatGroundAsOnAHalfSpace) {
  std::vector<State> ends;
  for (const Shape& ground : {make_half_space(), make_ground(40, 5, [](double, double) {
                                return 0.0;
                              })}) {
    ModelSpec spec;
    spec.world_geometries = {make_test_geometry("ground", ground)};
    spec.bodies = {make_free_body("box", make_test_geometry("box", make_box({0.2, 0.15, 0.1})),
                                  {-1, 0.1, 0.1}, {0, 0, 2, 2, 0.3, 0})};
    Simulator sim = make_simulator(spec, 1e-3);
    sim.advance_to(1);
    ends.push_back(sim.state());
  }
  for (std::size_t i = 0; i < ends[0].q.size(); ++i) {
    EXPECT_NEAR(ends[0].q[i], ends[1].q[i], 1e-9) << i;
  }
}

TEST(HeightFieldRun, AFrictionlessBallKeepsItsEnergyOnSmoothGround) {
  ModelSpec spec;
  GeometrySpec ground = make_test_geometry("ground", make_ground(240, 3, [](double x, double y) {
                                             return 0.15 * (x * x + y * y);
                                           }));
  GeometrySpec ball = make_test_geometry("ball", make_sphere(0.1));
  for (GeometrySpec* g : {&ground, &ball}) {
    g->material.dissipation = 0;
    g->material.static_friction = g->material.dynamic_friction = 0;
  }
  spec.world_geometries = {ground};
  spec.bodies = {make_free_body("ball", ball, {1, 0, 0.15 + 0.105}, {0, 0, 0, 0, 1, 0})};
  Simulator sim = make_simulator(spec, 1e-5);
  const double before = sim.calc_energy();
  sim.advance_to(3);
  const double kinetic_scale = 0.5 * 4.19 * 1 + 4.19 * 9.81 * 0.15;
  EXPECT_NEAR(sim.calc_energy(), before, 0.01 * kinetic_scale);
}

TEST(HeightFieldRun, NothingFallsThroughRoughGround) {
  for (const double accuracy : {1e-1, 1e-2}) {
    const ModelSpec spec = make_scene("terrain");
    const HeightField& field = *spec.world_geometries[0].shape.height_field;
    Simulator sim = make_simulator(spec, accuracy);
    sim.advance_to(2.5);
    for (std::size_t b = 0; 7 * b + 6 < 7 * 25; ++b) {  // things and the cart are free bodies
      const double* q = &sim.state().q[7 * b];
      const double h = height_at(field, q[4], q[5]);
      EXPECT_GT(q[6], h) << "thing " << b << " accuracy " << accuracy;
    }
    // Whether an impact is on at that moment is chance; over seeds they press up to 0.02 m deep.
    EXPECT_LT(sim.calc_penetration(), 0.03);
  }
}

}  // namespace
}  // namespace cenic

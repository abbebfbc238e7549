// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A ball falls on the floor and comes to rest: a world in code, an accuracy instead of a time step.
#include <cmath>
#include <cstdio>

#include <cenic/cenic.h>

int main() {
  cenic::ModelSpec spec;
  spec.world_geometries = {{.name = "floor", .shape = cenic::make_half_space()}};
  spec.bodies = {{.name = "ball",
                  .X_PB = cenic::RigidTransform::translation({0, 0, 0.5}),
                  .joints = {{.name = "ball_free", .kind = cenic::JointKind::kFree}},
                  .geometries = {{.name = "ball", .shape = cenic::make_sphere(0.1)}}}};

  cenic::Simulator sim(cenic::compile(spec), {.accuracy = 1e-3});
  sim.advance_to(2.0);
  const double height = sim.state().q[6];  // quaternion, then position
  std::printf("after %.1f s and %ld steps the ball is at %.6f m\n", sim.state().t,
              sim.statistics().steps, height);

  // At rest the two sides of the contact, in series, carry the weight: k φ = m g.
  const double stiffness = 0.5 * cenic::Material{}.stiffness;
  const double expected = 0.1 - sim.model().total_mass * 9.81 / stiffness;
  return std::abs(height - expected) < 1e-5 ? 0 : 1;
}

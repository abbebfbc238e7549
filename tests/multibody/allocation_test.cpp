// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// After resize() the algorithms take no memory from the heap.
#include <gtest/gtest.h>

#include "allocation_counter.h"
#include "multibody/constraints.h"
#include "multibody/random_model.h"

namespace cenic::test {
namespace {

TEST(Allocation, NoneAfterResize) {
  Random random(11);
  ModelSpec spec = make_random_tree({.num_bodies = 12}, &random).spec;
  spec.constraints = {{.kind = ConstraintKind::kWeld, .a = "b0", .b = "world"},
                      {.kind = ConstraintKind::kDistance, .a = "b0", .b = "world", .length = 1},
                      {.kind = ConstraintKind::kTendon, .a = "heavy", .b = "around"}};
  const PathBranch path{.points = {{"world", {1, 2, 3}}, {"b0", {0.1, 0, 0}}}};
  PathBranch around = path;
  around.obstacles = {{.body = "b0", .obstacle = {.radius = 0.05}}};
  spec.tendons = {{.name = "heavy", .branches = {path}, .armature = 1},
                  {.name = "around", .branches = {around}}};
  spec.bodies.push_back({.name = "limited",
                         .joints = {{.kind = JointKind::kBall, .upper = {1}}},
                         .inertia = InertiaSpec{1, {}, Mat3::identity()}});
  Bench bench(spec);
  const Model& model = *bench.model;
  std::vector<double> q = make_random_positions(model, &random);
  const std::vector<double> v = random.array(model.nv);
  std::vector<double> tau(model.nv), dv(model.nv), q2(model.nq), M(model.nv * model.nv);
  std::vector<double> J(kMaxConstraintRows * model.nv), g(kMaxConstraintRows);
  const Vec3 dirs[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

  const long before = num_allocations;
  update_positions(model, q, &bench.kin);
  update_velocities(model, v, &bench.kin);
  for (int t = 0; t < static_cast<int>(model.trees.size()); ++t) {
    calc_inverse_dynamics(model, bench.kin, t, v, v, &bench.scratch, tau);
    calc_mass_matrix(model, bench.kin, t, &bench.scratch, model.nv, M.data());
  }
  const int last = static_cast<int>(model.links.size()) - 1;
  add_point_jacobian(model, bench.kin, last, {1, 2, 3}, dirs, 1, model.nv, J.data());
  Vec3 p_WC;
  double gap_lower = 0, gap_upper = 0;
  for (int c = 0; c < 3; ++c) {
    calc_constraint_error(model, bench.kin, q, c, g.data());
    add_constraint_rows(model, bench.kin, q, c, model.constraints[c].trees[0], model.nv, J.data());
    calc_constraint_force(model, bench.kin, q, c, g.data(), &p_WC);
  }
  calc_limit_errors(model, q, 0, &gap_lower, &gap_upper);
  calc_ball_limit_axis(model, q, 0);
  const Energy energy = calc_energy(model, bench.kin, q, v);
  calc_momentum(model, bench.kin);
  integrate_positions(model, q, v, 0.1, RotationUpdate::kExponential, q2);
  calc_position_difference(model, q, q2, dv);
  calc_spring_displacement(model, q, dv);
  EXPECT_EQ(num_allocations, before);

  EXPECT_GT(energy.kinetic, 0);
  EXPECT_GT(before, 0);  // the counter counts
}

}  // namespace
}  // namespace cenic::test

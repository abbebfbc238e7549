// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Controllers in joint space and in space against potentials: what a spring or gravity exerts is
// the slope of its energy.
#include <cmath>
#include <functional>
#include <limits>

#include "systems/library_worlds.h"

namespace cenic {
namespace {

const std::vector<std::string> kArm{"shoulder", "elbow"};
const std::vector<double> kQ{0.4, -0.7}, kV{0.5, -0.3};

// −∂U/∂q of the arm's two coordinates.
std::vector<double> calc_force(const Model& model, const std::function<double(const State&)>& U) {
  std::vector<double> tau;
  for (int i = 0; i < 2; ++i) {
    const double delta = 1e-5;
    State state = make_state(model, kQ, kV);
    state.q[i] += delta;
    const double after = U(state);
    state.q[i] -= 2 * delta;
    tau.push_back(-(after - U(state)) / (2 * delta));
  }
  return tau;
}

double calc_potential(const Model& model, const State& state) {
  return calc_energy(model, calc_kinematics(model, state), state.q, state.v).potential;
}

TEST(GravityCompensation, IsTheSlopeOfThePotential) {
  ModelSpec spec = make_arm_and_ball();
  spec.systems = {make_system<GravityCompensation>("control", kArm)};
  Evaluation e(spec);
  e.state = make_state(*e.model, kQ, kV);
  const std::vector<double> gravity = calc_force(*e.model, [&](const State& s) {
    return calc_potential(*e.model, s);
  });
  ASSERT_GT(std::abs(gravity[1]), 0.1);
  EXPECT_NEAR(e.forces()[0], -gravity[0], 1e-8);
  EXPECT_NEAR(e.forces()[1], -gravity[1], 1e-8);
}

TEST(GravityCompensation, HoldsTheArmWhereItIs) {
  ModelSpec spec = make_arm_and_ball();
  spec.systems = {make_system<GravityCompensation>("control", kArm)};
  Simulator sim = make_simulator(spec, 1e-6);
  sim.set_state(make_state(sim.model(), kQ, {0, 0}));
  sim.advance_to(1);
  EXPECT_NEAR(sim.state().q[0], kQ[0], 1e-9);
  EXPECT_NEAR(sim.state().q[1], kQ[1], 1e-9);
}

TEST(JointImpedance, FeelsLikeSpringsAndDampers) {
  ModelSpec spec = make_arm_and_ball();
  const JointTargets targets{.joints = kArm, .reference = {0.1, 0.2}};
  spec.systems = {make_system<JointImpedance>("control", targets, std::vector{30.0, 40.0},
                                              std::vector{5.0, 6.0})};
  Evaluation e(spec);
  e.state = make_state(*e.model, kQ, kV);
  const std::vector<double> gravity = calc_force(*e.model, [&](const State& s) {
    return calc_potential(*e.model, s);
  });
  EXPECT_NEAR(e.forces()[0] + gravity[0], -30 * (0.4 - 0.1) - 5 * 0.5, 1e-8);
  EXPECT_NEAR(e.forces()[1] + gravity[1], -40 * (-0.7 - 0.2) + 6 * 0.3, 1e-8);
}

// Against gravity it comes to rest on its reference, where PD control sags.
TEST(JointImpedance, RestsOnItsReference) {
  const JointTargets targets{.joints = kArm, .reference = kQ};
  const auto settle = [&](const SystemSpec& control) {
    ModelSpec spec = make_arm_and_ball();
    spec.systems = {control};
    Simulator sim = make_simulator(spec, 1e-4);
    sim.advance_to(20);
    return std::abs(sim.state().q[0] - kQ[0]) + std::abs(sim.state().q[1] - kQ[1]);
  };
  EXPECT_LT(
      settle(make_system<JointImpedance>("control", targets, std::vector{30.0}, std::vector{10.0})),
      1e-6);
  EXPECT_GT(settle(make_system<PidControl>("control", targets, PidGains{.kp = {30}, .kd = {10}})),
            0.1);
}

// ---- TaskSpaceControl ----

const RigidTransform kX_BP{to_matrix(exp_map({0.3, -0.2, 0.5})), {0.4, 0.05, -0.1}};
const RigidTransform kTarget{to_matrix(exp_map({0.2, 0.9, -0.3})), {0.6, 0.1, 1.2}};

TaskSpaceParameters make_task() {
  return {.body = "lower", .X_BP = kX_BP, .joints = kArm, .target = kTarget};
}

RigidTransform calc_frame(const Model& model, const State& state) {
  return calc_kinematics(model, state).X_WB[model.bodies[1].link] * kX_BP;
}

TEST(TaskSpaceControl, IsTheSlopeOfASpringInSpace) {
  TaskSpaceParameters task = make_task();
  task.kp = {20, 20, 20, 300, 400, 500};
  ModelSpec spec = make_arm_and_ball();
  spec.systems = {make_system<TaskSpaceControl>("control", task)};
  Evaluation e(spec);
  e.state = make_state(*e.model, kQ, kV);
  // ½ k |angle between the frames|² + ½ Σ k_i d_i²
  const std::vector<double> wanted = calc_force(*e.model, [&](const State& s) {
    const RigidTransform X = calc_frame(*e.model, s);
    const double angle = std::acos((trace(kTarget.R * transpose(X.R)) - 1) / 2);
    const Vec3 d = kTarget.p - X.p;
    return 10 * angle * angle + 150 * d.x * d.x + 200 * d.y * d.y + 250 * d.z * d.z;
  });
  EXPECT_NEAR(e.forces()[0], wanted[0], 1e-6);
  EXPECT_NEAR(e.forces()[1], wanted[1], 1e-6);
}

// Power of the damper: −½ Σ d_i V_i², twice; V by differences of the frame's pose.
TEST(TaskSpaceControl, DampsTheFrame) {
  TaskSpaceParameters task = make_task();
  task.kd = {1, 2, 3, 40, 50, 60};
  ModelSpec spec = make_arm_and_ball();
  spec.systems = {make_system<TaskSpaceControl>("control", task)};
  Evaluation e(spec);
  e.state = make_state(*e.model, kQ, kV);
  const double h = 1e-5;
  const RigidTransform X0 =
      calc_frame(*e.model, make_state(*e.model, {kQ[0] - h * kV[0], kQ[1] - h * kV[1]}, kV));
  const RigidTransform X1 =
      calc_frame(*e.model, make_state(*e.model, {kQ[0] + h * kV[0], kQ[1] + h * kV[1]}, kV));
  const Vec3 w = log_map(to_quaternion(X1.R * transpose(X0.R))) / (2 * h);
  const Vec3 v = (X1.p - X0.p) / (2 * h);
  const std::vector<double> tau = e.forces();
  EXPECT_NEAR(tau[0] * kV[0] + tau[1] * kV[1],
              -(w.x * w.x + 2 * w.y * w.y + 3 * w.z * w.z + 40 * v.x * v.x + 50 * v.y * v.y +
                60 * v.z * v.z),
              1e-7);
}

// The same target as parameters and as signals; a velocity of the target equal to the frame's own
// leaves no damping.
TEST(TaskSpaceControl, TakesItsTargetFromSignals) {
  TaskSpaceParameters task = make_task();
  task.kp = {20, 20, 20, 300, 400, 500};
  ModelSpec spec = make_arm_and_ball();
  spec.systems = {make_system<TaskSpaceControl>("control", task)};
  Evaluation fixed(spec);
  fixed.state = make_state(*fixed.model, kQ, kV);
  const Kinematics kin = calc_kinematics(*fixed.model, fixed.state);
  const int link = fixed.model->bodies[1].link;
  const Spatial V = shift_motion(kin.V_WB[link], kin.X_WB[link].R * kX_BP.p);
  task.target = {};
  task.target_input = task.target_velocity = true;
  task.kd = {1, 2, 3, 40, 50, 60};
  const Quat e = to_quaternion(kTarget.R);
  const Vec3 p = kTarget.p;
  spec.systems = {
      make_system<TaskSpaceControl>("control", task),
      make_system<ConstantSignal>(
          "pose", std::vector{-3 * e.w, -3 * e.x, -3 * e.y, -3 * e.z, p.x, p.y, p.z}),
      make_system<ConstantSignal>("twist", std::vector{V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z})};
  spec.wires = {{"pose", "control.target"}, {"twist", "control.target_velocity"}};
  Evaluation wired(spec);
  wired.state = make_state(*wired.model, kQ, kV);
  EXPECT_NEAR(wired.forces()[0], fixed.forces()[0], 1e-9);
  EXPECT_NEAR(wired.forces()[1], fixed.forces()[1], 1e-9);
}

// The tip of the arm against gravity to where it is at the joint angles (−0.5, 0.8).
struct Reach {
  double distance = 0;            // at the end
  double largest_effort[2] = {};  // of each joint
};
Reach reach(const std::vector<double>& effort_limits) {
  TaskSpaceParameters task{.body = "lower",
                           .X_BP = RigidTransform::translation({0.5, 0, 0}),
                           .joints = kArm,
                           .effort_limits = effort_limits,
                           .kp = make_task_gains(0, 800),
                           .kd = make_task_gains(0, 80),
                           .compensate_gravity = true};
  ModelSpec spec = make_arm_and_ball();
  const auto model = compile(spec);
  const auto calc_tip = [&](const State& state) {
    return calc_kinematics(*model, state).X_WB[model->bodies[1].link] * task.X_BP.p;
  };
  task.target.p = calc_tip(make_state(*model, {-0.5, 0.8}, {}));
  spec.systems = {make_system<TaskSpaceControl>("control", task)};
  Simulator sim = make_simulator(spec, 1e-4);
  Reach result;
  sim.set_monitor([&](const StepEvent&) {
    for (int i = 0; i < 2; ++i) {
      result.largest_effort[i] = std::max(result.largest_effort[i], std::abs(sim.efforts()[i]));
    }
  });
  sim.advance_to(10);
  result.distance = norm(calc_tip(sim.state()) - task.target.p);
  return result;
}

TEST(TaskSpaceControl, ReachesItsTarget) {
  const Reach free = reach({std::numeric_limits<double>::infinity()});
  EXPECT_LT(free.distance, 1e-7);
  EXPECT_GT(free.largest_effort[1], 10);
}

// Limited efforts are implicit in their own joint alone, so the arm comes to rest within the
// accuracy (1e-4), not better.
TEST(TaskSpaceControl, ReachesWithinItsEffortLimits) {
  const Reach limited = reach({16, 6});
  EXPECT_LT(limited.distance, 1e-4);
  EXPECT_LE(limited.largest_effort[0], 16 + 1e-9);
  EXPECT_LE(limited.largest_effort[1], 6 + 1e-9);
  EXPECT_GT(limited.largest_effort[1], 6 - 1e-9);  // it was held back
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the systems of the library say when their parameters make no sense.
#include "model/mistakes.h"

#include <cmath>
#include <limits>

#include "systems/library_worlds.h"

namespace cenic {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename Law, typename... Args>
std::function<void(ModelSpec&)> add(Args... args) {
  return [=](ModelSpec& spec) {
    spec.systems.push_back(make_system<Law>("bad", args...));
  };
}

template <typename Law, typename... Args>
std::function<void(ModelSpec&)> add_sampled(Args... args) {
  return [=](ModelSpec& spec) {
    spec.systems.push_back(make_system<Law>("bad", args...));
    spec.systems.back().period = 0.1;
  };
}

using Names = std::vector<std::string>;
using Numbers = std::vector<double>;
const JointTargets kArm{.joints = {"shoulder", "elbow"}};
const TaskSpaceParameters kTask{.body = "lower", .joints = {"elbow"}};

ActuatorParameters make_actuator(const std::function<void(ActuatorParameters&)>& change) {
  ActuatorParameters p = make_motor("elbow");
  change(p);
  return p;
}
TaskSpaceParameters make_task(const std::function<void(TaskSpaceParameters&)>& change) {
  TaskSpaceParameters p = kTask;
  change(p);
  return p;
}

std::vector<Mistake> make_mistakes() {
  return {
      {"no_joint", add<PidControl>(JointTargets{}, PidGains{}), {"drives no joint", "name"}},
      {"initial_states_too_many",
       [](ModelSpec& spec) {
         spec.systems.push_back(make_system<HeldInput>("bad", Numbers{1, 2}));
         spec.systems.back().initial = {1, 2, 3};
       },
       {"initial has 3 numbers", "2 states"}},
      {"ball_sensor_of_a_hinge", add<BallSensor>(std::string("elbow")), {"no ball joint", "name"}},
      {"relative_acceleration",
       add<FrameSensor>(FrameSensorParameters{
           .quantity = FrameQuantity::kLinearAcceleration, .body = "lower", .reference = "upper"}),
       {"not relative", "reference empty"}},
      {"clamp_upside_down",
       add<Clamp>(ClampParameters{.lower = 2, .upper = 1}),
       {"lower is 2, above upper, 1", "swap"}},
      {"adhesion_of_nothing",
       add<Adhesion>(AdhesionParameters{.body = "upper", .gap = -1}),
       {"gap is -1"}},
      {"rod_without_length",
       add<LengthSensor>(Transmission{.crank = {{.crank = "lower", .slider = "world"}}}),
       {"rod is 0"}},
      {"unknown_joint", add<GravityCompensation>(Names{"knee"}), {"no joint 'knee'", "check"}},
      {"gains_of_other_size",
       add<PidControl>(kArm, PidGains{.kp = {1, 2, 3}}),
       {"kp has 3 numbers for 2 joints", "one for all"}},
      {"gain_not_finite",
       add<JointImpedance>(kArm, Numbers{kNan}, Numbers{1}),
       {"stiffness holds nan", "finite"}},
      {"rotation_in_space",
       add<JointImpedance>(JointTargets{.joints = {"ball_free"}}, Numbers{1}, Numbers{1}),
       {"'ball_free' has rotations", "one coordinate"}},
      {"negative_effort_limit",
       add<GravityCompensation>(Names{"elbow"}, Numbers{-1}),
       {"effort limit is negative", "positive"}},
      {"task_on_the_world",
       add<TaskSpaceControl>(make_task([](auto& p) {
         p.body = "world";
       })),
       {"world does not move", "name a body"}},
      {"task_gain",
       add<TaskSpaceControl>(make_task([](auto& p) {
         p.kp[3] = kNan;
       })),
       {"kp holds nan", "finite"}},
      {"task_target",
       add<TaskSpaceControl>(make_task([](auto& p) {
         p.target.p.x = kNan;
       })),
       {"target holds nan", "finite"}},
      {"task_velocity_alone",
       add<TaskSpaceControl>(make_task([](auto& p) {
         p.target_velocity = true;
       })),
       {"target_velocity", "set target_input"}},
      {"gear",
       add<ActuatorModel>(make_actuator([](auto& p) {
         p.gear = 0;
       })),
       {"gear is 0", "another number"}},
      {"ctrl_range",
       add<ActuatorModel>(make_actuator([](auto& p) {
         p.ctrl_min = 1, p.ctrl_max = 0;
       })),
       {"ctrl_min is 1 and ctrl_max 0", "range"}},
      {"force_limit",
       add<ActuatorModel>(make_actuator([](auto& p) {
         p.force_limit = -2;
       })),
       {"force_limit is -2", "positive"}},
      {"actuator_on_many",
       add<ActuatorModel>(make_motor("ball_free")),
       {"'ball_free' has 6 velocities", "with one"}},
      {"time_constant",
       add<ActuatorModel>(make_actuator([](auto& p) {
         p.dynamics = ActuatorDynamics::kFilter;
       })),
       {"time_constant is 0", "greater than zero"}},
      {"empty_constant", add<ConstantSignal>(Numbers{}), {"values is empty", "at least one"}},
      {"no_script", add<Script>(1, Script::Function{}), {"no function", "give one"}},
      {"held_not_finite", add<HeldInput>(Numbers{kNan}), {"initial holds nan", "finite"}},
      {"linear_no_input",
       add<LinearBlock>(LinearParameters{.input_sizes = {}}),
       {"no input", "at least one"}},
      {"linear_size",
       add<LinearBlock>(LinearParameters{.input_sizes = {2}, .A = {1, 2, 3}, .b = {0, 0}}),
       {"A has 3 numbers", "2 rows of 2"}},
      {"sum_of_nothing", add<LinearBlock>(make_sum({1, -1}, 0)), {"size of an input is 0", "one"}},
      {"filter_size", add<FirstOrderFilter>(0, 1.0), {"size of the signal is 0", "at least one"}},
      {"filter_constant", add<FirstOrderFilter>(1, -1.0), {"time_constant is -1", "greater"}},
      {"filter_initial",
       add<FirstOrderFilter>(2, 1.0, Numbers{1}),
       {"initial has 1 numbers and the signal 2", "equal"}},
      {"delay_continuous", add<Delay>(1, 2), {"sample to sample", "period"}},
      {"delay_of_none", add_sampled<Delay>(1, 0), {"number of samples is 0", "at least one"}},
      {"noise_continuous", add<Noise>(NoiseParameters{}), {"sample to sample", "period"}},
      {"noise_negative",
       add_sampled<Noise>(NoiseParameters{.standard_deviation = -1}),
       {"standard_deviation is -1", "positive"}},
      {"spring_on_itself",
       add<SpringDamper>(SpringDamperParameters{.a = "world"}),
       {"same body", "name two"}},
      {"spring_negative",
       add<SpringDamper>(SpringDamperParameters{.a = "ball", .stiffness = -1}),
       {"stiffness is -1", "positive"}},
      {"spring_unknown_body",
       add<SpringDamper>(SpringDamperParameters{.a = "balloon"}),
       {"no body 'balloon'", "check"}},
      {"force_not_finite",
       add<BodyForce>(BodyForceParameters{.body = "ball", .F = {{}, {kNan, 0, 0}}}),
       {"the force holds nan", "finite"}},
      {"sensor_of_no_joint", add<JointSensor>(Names{}), {"reads no joint", "name"}},
      {"sensor_pose",
       add<BodySensor>("ball", RigidTransform::translation({kNan, 0, 0})),
       {"X_BP holds nan", "finite"}},
      {"imu_pose",
       add<Imu>("ball", RigidTransform::translation({kNan, 0, 0})),
       {"X_BS holds nan", "finite"}},
      {"contact_of_both",
       add<ContactForceSensor>(ContactForceParameters{.geometry = "ball", .body = "ball"}),
       {"geometry or a body", "one of the two"}},
      {"contact_unknown",
       add<ContactForceSensor>(ContactForceParameters{.geometry = "floor"}),
       {"no geometry 'floor'", "check"}},
      {"contact_without_geometry",
       add<ContactForceSensor>(ContactForceParameters{.body = "upper"}),
       {"'upper' has no geometry", "another body"}},
      {"constraint_unknown", add<ConstraintForceSensor>("rope"), {"no constraint 'rope'", "check"}},
      {"constraint_coupler",
       [](ModelSpec& spec) {
         spec.constraints.push_back(
             {.name = "belt", .kind = ConstraintKind::kCoupler, .a = "shoulder", .b = "elbow"});
         spec.systems.push_back(make_system<ConstraintForceSensor>("bad", "belt"));
       },
       {"'belt' is a coupler", "between bodies"}},
  };
}

class LibraryMistake : public testing::TestWithParam<Mistake> {};

TEST_P(LibraryMistake, IsNamed) {
  Mistake mistake = GetParam();
  mistake.words.emplace_back("system 'bad'");
  expect_named(make_arm_and_ball(), mistake);
}

INSTANTIATE_TEST_SUITE_P(Systems, LibraryMistake, testing::ValuesIn(make_mistakes()),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

}  // namespace
}  // namespace cenic

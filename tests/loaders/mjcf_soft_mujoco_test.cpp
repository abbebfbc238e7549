// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Soft limits and equality constraints give way as far as they do in MuJoCo; muscles find the
// lengths and forces that MuJoCo finds.
#include <algorithm>
#include <cmath>
#include <string>

#include <cenic/cenic.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "loaders/mjcf_text.h"
#include "multibody/mujoco_model.h"
#include "multibody/multibody.h"

namespace cenic::test {
namespace {

constexpr const char* kArms = R"(<mujoco><compiler angle="radian" autolimits="true"/>
  <worldbody>
    <body name="a"><joint name="a" axis="0 1 0" damping="1" LIMIT/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.03"/>
      <site name="tip" pos="0.4 0 0"/>
      <body name="a2" pos="0.4 0 0"><joint name="a2" axis="0 1 0" damping="1" stiffness="5"/>
        <geom type="box" size="0.1 0.02 0.03" pos="0.1 0 0"/><site name="end" pos="0.2 0 0"/></body></body>
    <body name="b" pos="0.7 0 0.02"><joint name="b" type="slide" axis="0 0 1" damping="20" stiffness="30"/>
      <geom size="0.04"/><site name="ball"/></body>
    <site name="hook" pos="0.6 0 0.3"/>
  </worldbody>
  TAIL
</mujoco>)";

// Where the arm hangs in the end.
struct Case {
  const char *name, *limit, *tail;
};

const Case kCases[] = {
    {"limit", R"(range="-1 0.1" solreflimit="0.1 1" solimplimit="0.8 0.8 0.001")", ""},
    {"stiffness", R"(range="-1 0.1" solreflimit="-400 -60" solimplimit="0.9 0.9 0.001")", ""},
    {"connect", "",
     R"(<equality><connect body1="a2" body2="world" anchor="0.2 0 0" solref="0.2 1.2" solimp="0.7 0.7 0.001"/></equality>)"},
    {"connect_bodies", "",
     R"(<equality><connect body1="a2" body2="b" anchor="0.2 0 0" solref="-150 -30" solimp="0.7 0.7 0.001"/></equality>)"},
    {"weld", "",
     R"(<equality><weld body1="b" body2="world" solref="0.15 1" solimp="0.6 0.6 0.001"/></equality>)"},
    {"joint", "",
     R"(<equality><joint joint1="a" joint2="b" polycoef="0.05 0.5 0 0 0" solref="0.1 1" solimp="0.8 0.8 0.001"/></equality>)"},
    {"held", "",
     R"(<equality><joint joint1="a" polycoef="0.05 0 0 0 0" solref="0.15 1" solimp="0.8 0.8 0.001"/></equality>)"},
    {"line", "",
     R"(<tendon><spatial name="t"><site site="hook"/><site site="tip"/></spatial></tendon>
        <equality><tendon tendon1="t" solref="0.2 1" solimp="0.8 0.8 0.001"/></equality>)"},
    {"fixed", "",
     R"(<tendon><fixed name="t"><joint joint="a" coef="2"/><joint joint="b" coef="-0.5"/></fixed></tendon>
        <equality><tendon tendon1="t" solref="0.1 1" solimp="0.8 0.8 0.001"/></equality>)"},
    {"tendon_limit", "",
     R"(<tendon><spatial name="t" range="0 0.37" solreflimit="0.2 1" solimplimit="0.8 0.8 0.001">
        <site site="hook"/><site site="tip"/></spatial></tendon>)"},
    {"tendon_margin", "",
     R"(<tendon><spatial name="t" range="0 0.4" margin="0.03" solreflimit="0.2 1" solimplimit="0.8 0.8 0.001">
        <site site="hook"/><site site="tip"/></spatial></tendon>)"},
    {"joint_margin",
     R"(range="-1 0.2" margin="0.05" solreflimit="0.1 1" solimplimit="0.8 0.8 0.001")", ""},
    {"fixed_limit", "",
     R"(<tendon><fixed name="t" range="-0.1 1" solreflimit="0.1 1" solimplimit="0.8 0.8 0.001">
        <joint joint="a" coef="-0.5"/><joint joint="a2" coef="1"/><joint joint="b" coef="1"/></fixed></tendon>)"},
    {"path", "",
     R"(<tendon><spatial name="t"><site site="hook"/><site site="ball"/><site site="end"/><pulley divisor="2"/>
        <site site="end"/><site site="tip"/></spatial></tendon>
        <equality><tendon tendon1="t" polycoef="-0.02 0 0 0 0" solref="0.2 1" solimp="0.8 0.8 0.001"/></equality>)"},
    {"two_tendons", "",
     R"(<tendon><spatial name="t"><site site="hook"/><site site="tip"/></spatial>
        <fixed name="u"><joint joint="a2" coef="0.5"/><joint joint="b" coef="-1"/></fixed></tendon>
        <equality><tendon tendon1="t" tendon2="u" polycoef="0.01 0.5 2 0 0" solref="0.2 1" solimp="0.8 0.8 0.001"/></equality>)"},
};

class SoftConstraints : public testing::TestWithParam<Case> {};

TEST_P(SoftConstraints, RestWhereMujocoRests) {
  std::string text = kArms;
  text.replace(text.find("LIMIT"), 5, GetParam().limit);
  text.replace(text.find("TAIL"), 4, GetParam().tail);
  const MujocoModel m = load_mujoco(text);
  ASSERT_NE(m, nullptr);
  const MujocoData d(mj_makeData(m.get()));
  m->opt.timestep = 1e-3;
  for (int i = 0; i < 20000; ++i) {
    mj_step(m.get(), d.get());
  }
  Simulator sim(compile(load_text_model(text).spec), {.accuracy = 1e-4});
  sim.advance_to(20);
  for (int i = 0; i < m->nq; ++i) {
    EXPECT_NEAR(sim.state().q[i], d->qpos[i], 2e-4) << "coordinate " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, SoftConstraints, testing::ValuesIn(kCases), [](const auto& test) {
  return std::string(test.param.name);
});

// A mass on the limit alone: what the file says in numbers, and that it is not rigid by accident.
TEST(MjcfSoft, LimitHasTheStiffnessOfTheFile) {
  const auto load = [](const std::string& solref) {
    return load_text_model(fmt::format(
        R"(<mujoco><worldbody><body name="b"><joint name="j" type="slide" axis="0 0 1" limited="true"
        range="0 1" {}/><geom size="0.1" mass="2"/></body></worldbody></mujoco>)",
        solref));
  };
  const auto joint_of = [](const LoadedModel& loaded) {
    return loaded.spec.bodies[0].joints[0];
  };
  // d/(1 − d) k m with k = 400/d at d = 0.9.
  const LoadedModel direct = load(R"(solreflimit="-400 -30" solimplimit="0.9 0.9 0.001")");
  EXPECT_NEAR(joint_of(direct).limit_stiffness, 400 / 0.1 * 2, 1e-6);
  EXPECT_NEAR(joint_of(direct).limit_damping, 30 / 0.1 * 2, 1e-6);
  // What is no softer than the default stays rigid.
  for (const char* stiff : {"", R"(solreflimit="0.005 1")", R"(solreflimit="0.02 1")"}) {
    EXPECT_TRUE(std::isinf(joint_of(load(stiff)).limit_stiffness)) << stiff;
  }
  EXPECT_TRUE(std::isfinite(joint_of(load(R"(solreflimit="0.03 1")")).limit_stiffness));
}

// A weld's rotations: the error is half an angle, and so is its rate. (MuJoCo 2.2 had other errors
// of rotation; newer versions are like this.)
TEST(MjcfSoft, WeldHasTheStiffnessOfTheFile) {
  const LoadedModel loaded = load_text_model(
      R"(<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1" mass="2"/></body></worldbody>
      <equality><weld body1="b" solref="0.1 1" solimp="0.9 0.9 0.001" torquescale="3"/></equality></mujoco>)");
  const ConstraintSpec& weld = loaded.spec.constraints.at(0);
  const double by_mass = 1 / (0.1 * 0.1 * 0.1), inertia = 0.4 * 2 * 0.1 * 0.1;
  EXPECT_NEAR(weld.stiffness, 2 * by_mass, 1e-6);
  EXPECT_NEAR(weld.damping, 2 * 2 / (0.1 * 0.1), 1e-6);
  EXPECT_NEAR(weld.rotational_stiffness, 9 * 0.25 * inertia * by_mass, 1e-6);
}

// The spring of a free joint draws it to its initial pose, position and rotation alike.
TEST(MjcfSoft, FreeJointsHaveSprings) {
  const std::string text = R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="b" pos="0.3 0.1 1" euler="0.2 -0.4 0.7"><joint type="free" stiffness="30"/>
      <geom type="box" size="0.1 0.2 0.3"/></body></worldbody></mujoco>)";
  const MujocoModel m = load_mujoco(text);
  ASSERT_NE(m, nullptr);
  const MujocoData d(mj_makeData(m.get()));
  const auto model = compile(load_text_model(text).spec);
  const Quat e = normalized(Quat{0.9, 0.3, -0.2, 0.4});
  const Vec3 p{0.5, -0.2, 1.3};
  const double qpos[7] = {p.x, p.y, p.z, e.w, e.x, e.y, e.z};
  mju_copy(d->qpos, qpos, 7);
  mj_forward(m.get(), d.get());
  std::vector<double> dq(6);
  calc_spring_displacement(*model, std::vector{e.w, e.x, e.y, e.z, p.x, p.y, p.z}, dq);
  const Vec3 torque = to_matrix(e) * Vec3{d->qfrc_passive[3], d->qfrc_passive[4],
                                          d->qfrc_passive[5]};  // MuJoCo's is in the body's axes
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(-model->stiffness[i] * dq[i], torque[i], 1e-9);
    EXPECT_NEAR(-model->stiffness[3 + i] * dq[3 + i], d->qfrc_passive[i], 1e-9);
  }
  EXPECT_EQ(model->stiffness[0], 30);
}

constexpr const char* kMuscleArm = R"(<mujoco><compiler angle="degree" autolimits="true"/>
  <worldbody>
    <site name="base" pos="-0.15 0 0"/>
    <body name="upper"><joint name="shoulder" axis="0 0 1" range="0 100" damping="0.1"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0.5 0 0"/>
      <site name="up" pos="0.15 0.06 0"/><site name="high" pos="0.3 0.08 0"/>
      <body name="fore" pos="0.5 0 0"><joint name="elbow" axis="0 0 1" range="0 110" damping="0.1"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.4 0 0"/><site name="low" pos="0.12 0.05 0"/></body></body>
  </worldbody>
  <tendon>
    <spatial name="one"><site site="base"/><site site="up"/></spatial>
    <spatial name="two"><site site="base"/><site site="up"/><site site="low"/></spatial>
    <fixed name="sum"><joint joint="shoulder" coef="0.04"/><joint joint="elbow" coef="-0.03"/></fixed>
  </tendon>
  <actuator>
    <muscle name="m0" tendon="one" ctrlrange="0 1"/>
    <muscle name="m1" tendon="two" ctrlrange="0 1"/>
    <muscle name="m2" tendon="sum" ctrlrange="0 1"/>
    <muscle name="m3" joint="elbow" gear="-0.05" ctrlrange="0 1"/>
  </actuator></mujoco>)";

TEST(MjcfMuscles, FindTheirLengthsAsMujocoDoes) {
  const MujocoModel m = load_mujoco(kMuscleArm);
  ASSERT_NE(m, nullptr);
  const LoadedModel loaded = load_text_model(kMuscleArm);
  ASSERT_EQ(loaded.controls.size(), 4U);
  for (int i = 0; i < m->nu; ++i) {
    const auto system =
        std::ranges::find(loaded.spec.systems, fmt::format("m{}:force", i), &SystemSpec::name);
    ASSERT_NE(system, loaded.spec.systems.end());
    const auto* actuator = dynamic_cast<const TransmissionActuator*>(system->system.get());
    ASSERT_NE(actuator, nullptr);
    const MuscleParameters& muscle = *std::get<0>(actuator->parameters()).muscle;
    const auto& range = muscle.length_range;
    // MuJoCo pushes against its soft limits, so it comes out a little wider.
    const double* theirs = m->actuator_lengthrange + 2 * i;
    const double width = theirs[1] - theirs[0];
    EXPECT_NEAR(range[0], theirs[0], 0.03 * width) << i;
    EXPECT_NEAR(range[1], theirs[1], 0.03 * width) << i;
    EXPECT_NEAR(muscle.force, 200 / m->actuator_acc0[i], 1e-8 * 200 / m->actuator_acc0[i]) << i;
  }
}

}  // namespace
}  // namespace cenic::test

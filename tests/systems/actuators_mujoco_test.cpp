// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Random general actuators against MuJoCo: force on the joint and rate of the activation.
#include <array>

#include <fmt/format.h>

#include "multibody/mujoco_model.h"
#include "multibody/random_model.h"
#include "systems/library_worlds.h"

namespace cenic {
namespace {

class GeneralActuator : public testing::TestWithParam<int> {};

TEST_P(GeneralActuator, MatchesMujoco) {
  test::Random random(GetParam());
  const char* names[] = {"none", "integrator", "filter"};
  const auto dynamics = static_cast<ActuatorDynamics>(random.integer(0, 2));
  const auto three = [&] {
    return std::array{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
  };
  const ActuatorParameters actuator{.joint = "rail",
                                    .gear = random.uniform(-3, 3),
                                    .gain = three(),
                                    .bias = three(),
                                    .dynamics = dynamics,
                                    .time_constant = random.uniform(0.1, 1),
                                    .activation = random.uniform(-1, 1),
                                    .ctrl_min = -0.5,
                                    .ctrl_max = 0.5,
                                    .force_limit = 1.5};
  const double ctrl = random.uniform(-1, 1), q = random.uniform(-1, 1), v = random.uniform(-1, 1);

  const test::MujocoModel m = test::load_mujoco(fmt::format(
      "<mujoco><worldbody><body><joint name='rail' type='slide' axis='1 0 0'/>"
      "<geom size='0.1'/></body></worldbody><actuator><general joint='rail' gear='{:.17g}' "
      "gaintype='affine' biastype='affine' dyntype='{}' gainprm='{:.17g} {:.17g} {:.17g}' "
      "biasprm='{:.17g} {:.17g} {:.17g}' dynprm='{:.17g}' ctrllimited='true' ctrlrange='-0.5 0.5' "
      "forcelimited='true' forcerange='-1.5 1.5'/></actuator></mujoco>",
      actuator.gear, names[static_cast<int>(dynamics)], actuator.gain[0], actuator.gain[1],
      actuator.gain[2], actuator.bias[0], actuator.bias[1], actuator.bias[2],
      actuator.time_constant));
  const test::MujocoData d(mj_makeData(m.get()));
  d->qpos[0] = q;
  d->qvel[0] = v;
  d->ctrl[0] = ctrl;
  if (m->na > 0) d->act[0] = actuator.activation;
  mj_forward(m.get(), d.get());

  ModelSpec spec = make_slider(1, {.axis = {1, 0, 0}});
  spec.systems = {make_system<ActuatorModel>("actuator", actuator),
                  make_system<ConstantSignal>("ctrl", std::vector{ctrl})};
  spec.wires = {{"ctrl", "actuator"}};
  Evaluation e(spec);
  e.state.q[0] = q;
  e.state.v[0] = v;
  EXPECT_NEAR(e.forces()[0], d->qfrc_actuator[0], 1e-12);
  if (m->na > 0) {
    EXPECT_NEAR(e.evaluator.zdot()[0], d->act_dot[0], 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GeneralActuator, testing::Range(1, 40));

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Sensors of a file give what MuJoCo's give, at random states, accelerations and controls.
#include <map>
#include <string>

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "loaders/load.h"
#include "loaders/mjcf_coordinates.h"
#include "multibody/mujoco_model.h"
#include "multibody/random_model.h"
#include "systems/evaluator.h"

namespace cenic::test {
namespace {

const char* const kFile = CENIC_TEST_DATA "/loaders/data/sensors.xml";

// Where the signal is among the outputs of all systems.
struct Output {
  int start = 0, size = 0;
};
Output find_output(const Model& model, const std::string& signal) {
  const std::size_t dot = signal.find('.');
  const System& system = model.systems[model.find_system(signal.substr(0, dot))];
  for (const System::Signal& out : system.outputs) {
    if (out.name == signal.substr(dot + 1)) return {system.y_start + out.start, out.size};
  }
  throw std::logic_error("no signal " + signal);
}

TEST(MjcfSensors, AgreeWithMujoco) {
  char error[1000] = "";
  const MujocoModel m(mj_loadXML(kFile, nullptr, error, sizeof(error)));
  ASSERT_NE(m, nullptr) << error;
  const MujocoData d(mj_makeData(m.get()));
  const LoadedModel loaded = load_model(kFile);
  ASSERT_EQ(static_cast<int>(loaded.sensors.size()), m->nsensor);
  const auto model = compile(loaded.spec);
  Random random(11);
  for (int k = 0; k < 20; ++k) {
    State state = make_initial_state(*model);
    state.t = d->time = random.uniform(0, 3);
    state.q = make_random_positions(*model, &random);
    state.v = random.array(model->nv, 2);
    Eigen::SparseMatrix<double> T;
    map_coordinates(loaded.spec, *model, state.q, *m, d.get(), &T);
    Eigen::Map<Eigen::VectorXd>(d->qvel, m->nv) =
        T.transpose() * Eigen::Map<Eigen::VectorXd>(state.v.data(), model->nv);
    for (int i = 0; i < m->nu; ++i) {
      d->ctrl[i] = random.uniform(-1, 1);
      state.z[model->systems[model->find_system(loaded.controls[i])].z_start] = d->ctrl[i];
    }
    mj_forward(m.get(), d.get());
    // T turns with the bodies, but not what it makes of their own velocities: v̇ = T v̇_mujoco.
    Measurements measurements;
    measurements.resize(*model);
    Eigen::Map<Eigen::VectorXd>(measurements.vdot.data(), model->nv) =
        T * Eigen::Map<Eigen::VectorXd>(d->qacc, m->nv);
    SystemEvaluator evaluator(*model);
    evaluator.set_measurements(&measurements);
    evaluator.set_state(state);
    ASSERT_TRUE(evaluator.evaluate(state.t, true));
    for (const SensorOutput& sensor : loaded.sensors) {
      const int id = mj_name2id(m.get(), mjOBJ_SENSOR, sensor.name.c_str());
      ASSERT_GE(id, 0) << sensor.name;
      const Output ours = find_output(*model, sensor.signal);
      ASSERT_EQ(ours.size, m->sensor_dim[id]) << sensor.name;
      const double* theirs = d->sensordata + m->sensor_adr[id];
      const double* y = evaluator.y().data() + ours.start;
      // A rotation is two quaternions.
      double sign = 1;
      if (ours.size == 4) {
        sign =
            y[0] * theirs[0] + y[1] * theirs[1] + y[2] * theirs[2] + y[3] * theirs[3] < 0 ? -1 : 1;
      }
      for (int i = 0; i < ours.size; ++i) {
        EXPECT_NEAR(sign * y[i], theirs[i], 1e-9 * std::max(1.0, std::abs(theirs[i])))
            << sensor.name << "[" << i << "] in state " << k;
      }
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace cenic::test

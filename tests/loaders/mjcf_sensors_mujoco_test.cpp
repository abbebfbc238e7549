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
#include "loaders/robot_text.h"
#include "multibody/mujoco_model.h"
#include "multibody/random_model.h"
#include "sim/simulator.h"
#include "systems/evaluator.h"

namespace cenic::test {
namespace {

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

// Relative, or to 1.
void expect_same_sensors(const std::string& file, double tolerance) {
  char error[1000] = "";
  const MujocoModel m(mj_loadXML(file.c_str(), nullptr, error, sizeof(error)));
  ASSERT_NE(m, nullptr) << error;
  const MujocoData d(mj_makeData(m.get()));
  const LoadedModel loaded = load_model(file);
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
        EXPECT_NEAR(sign * y[i], theirs[i], tolerance * std::max(1.0, std::abs(theirs[i])))
            << sensor.name << "[" << i << "] in state " << k;
      }
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(MjcfSensors, AgreeWithMujoco) {
  expect_same_sensors(CENIC_TEST_DATA "/loaders/data/sensors.xml", 1e-9);
}

// Among all kinds of shapes. MuJoCo keeps meshes in single precision.
TEST(MjcfSensors, RangesAndCutoffsAgreeWithMujoco) {
  expect_same_sensors(CENIC_TEST_DATA "/loaders/data/ranges.xml", 1e-6);
}

constexpr const char* kNoisy = R"(<mujoco>%s<worldbody><body name='b'><joint name='j'/>
  <geom size='0.1'/><site name='s'/></body></worldbody>
  <sensor><jointpos name='p' joint='j' noise='0.5'/><gyro name='g' site='s' noise='2' cutoff='1'/>
  <framequat name='f' objtype='site' objname='s' noise='0.1'/></sensor></mujoco>)";

std::string noisy(const std::string& option) {
  std::string text = kNoisy;
  return text.replace(text.find("%s"), 2, option);
}

TEST(MjcfSensors, NoiseIsOffUnlessTheFlagIsSet) {
  const LoadedModel quiet = load_text_model(noisy(""));
  EXPECT_EQ(quiet.sensors.at(0).signal, "p.position");
  EXPECT_TRUE(is_reported(quiet, Severity::kIgnored, "noise: ")) << list_reports(quiet);
  const LoadedModel loud =
      load_text_model(noisy("<option timestep='0.01'><flag sensornoise='enable'/></option>"));
  EXPECT_EQ(loud.sensors.at(0).signal, "p:noise.out");
  EXPECT_EQ(loud.sensors.at(1).signal, "g:noise.out");
  EXPECT_EQ(loud.sensors.at(2).signal, "f.value");
  EXPECT_TRUE(is_reported(loud, Severity::kIgnored, "directions have no noise"));
}

// Mean and spread of many samples; the same seed gives the same ones, another gives others.
TEST(MjcfSensors, NoiseHasItsDeviationAndFollowsTheSeed) {
  const std::string text =
      noisy("<option timestep='0.01' gravity='0 0 0'><flag sensornoise='enable'/></option>");
  const auto sample = [&](std::uint64_t seed) {
    LoadOptions options;
    options.seed = seed;
    const LoadedModel loaded = load_text_model(text, options);
    Simulator simulator(compile(loaded.spec));
    std::vector<double> values;
    for (int k = 1; k <= 2000; ++k) {
      simulator.advance_to(0.01 * k);
      values.push_back(simulator.output("p:noise.out")[0]);
    }
    return values;
  };
  const std::vector<double> first = sample(1);
  EXPECT_EQ(first, sample(1));
  EXPECT_NE(first, sample(2));
  const Eigen::Map<const Eigen::VectorXd> y(first.data(), static_cast<Eigen::Index>(first.size()));
  EXPECT_NEAR(y.mean(), 0, 4 * 0.5 / std::sqrt(2000.0));
  EXPECT_NEAR(std::sqrt((y.array() - y.mean()).square().mean()), 0.5, 0.04);
}

}  // namespace
}  // namespace cenic::test

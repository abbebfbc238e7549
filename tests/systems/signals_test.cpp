// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Signals: filters, delays, noise, and inputs that are set from outside.
#include <cmath>
#include <numeric>

#include "systems/library_worlds.h"

namespace cenic {
namespace {

// Nothing moves here: systems alone, on a slider at rest.
ModelSpec make_quiet_world() { return make_slider(1, {.axis = {1, 0, 0}}); }

SystemSpec sampled(SystemSpec spec, double period, double offset = 0) {
  spec.period = period;
  spec.offset = offset;
  return spec;
}

SystemSpec make_ramp() {
  return make_system<Script>("ramp", 1, [](double t, std::span<double> y) {
    y[0] = 10 * t;
  });
}

TEST(Signals, ClampKeepsWithinItsBounds) {
  ModelSpec spec = make_quiet_world();
  spec.systems = {make_system<ConstantSignal>("u", std::vector{-3.0, 0.5, 7.0}),
                  make_system<Clamp>("both", ClampParameters{.size = 3, .lower = -1, .upper = 2}),
                  make_system<Clamp>("above", ClampParameters{.size = 3, .upper = 2})};
  spec.wires = {{"u", "both"}, {"u", "above"}};
  Evaluation e(spec);
  EXPECT_EQ(e.output("both", 0), (std::vector<double>{-1, 0.5, 2}));
  EXPECT_EQ(e.output("above", 0), (std::vector<double>{-3, 0.5, 2}));
}

TEST(Signals, LinearBlocksAddAndScale) {
  ModelSpec spec = make_quiet_world();
  spec.systems = {make_system<ConstantSignal>("a", std::vector{1.0, 2.0}),
                  make_system<ConstantSignal>("b", std::vector{10.0, 30.0}),
                  make_system<LinearBlock>("difference", make_sum({1, -1}, 2)),
                  make_system<LinearBlock>("double", make_gain(2, 2)),
                  make_system<LinearBlock>("affine", LinearParameters{.input_sizes = {2},
                                                                      .A = {1, 2, 3, 4, 5, 6},
                                                                      .b = {0.5, 0.25, 0.125}})};
  spec.wires = {
      {"a", "difference.in0"}, {"b", "difference.in1"}, {"difference", "double"}, {"a", "affine"}};
  Evaluation e(spec);
  EXPECT_EQ(e.output("difference", 0), (std::vector<double>{-9, -28}));
  EXPECT_EQ(e.output("double", 0), (std::vector<double>{-18, -56}));
  EXPECT_EQ(e.output("affine", 0), (std::vector<double>{5.5, 11.25, 17.125}));
}

TEST(Signals, FilterFollowsAStep) {
  ModelSpec spec = make_quiet_world();
  spec.systems = {make_system<ConstantSignal>("one", std::vector{1.0, -2.0}),
                  make_system<FirstOrderFilter>("filter", 2, 0.3, std::vector{0.0, 1.0})};
  spec.wires = {{"one", "filter"}};
  Simulator sim = make_simulator(spec, 1e-8);
  sim.advance_to(0.5);
  const double fade = std::exp(-0.5 / 0.3);
  EXPECT_NEAR(sim.output("filter")[0], 1 - fade, 1e-5);
  EXPECT_NEAR(sim.output("filter")[1], -2 + 3 * fade, 1e-5);
}

TEST(Signals, SampledFilterIsExactAtSamples) {
  ModelSpec spec = make_quiet_world();
  spec.systems = {make_system<ConstantSignal>("one", std::vector{1.0}),
                  sampled(make_system<FirstOrderFilter>("filter", 1, 0.03), 0.1)};
  spec.wires = {{"one", "filter"}};
  Simulator sim = make_simulator(spec, 1e-3);
  sim.advance_to(0.35);  // the output of the sample at 0.3
  EXPECT_NEAR(sim.output("filter")[0], 1 - std::exp(-0.3 / 0.03), 1e-12);
}

TEST(Signals, DelayIsWholeSamples) {
  for (const int samples : {1, 3}) {
    ModelSpec spec = make_quiet_world();
    spec.systems = {sampled(make_system<Delay>("delay", 1, samples), 0.1), make_ramp()};
    spec.wires = {{"ramp", "delay"}};
    Simulator sim = make_simulator(spec, 1e-3);
    for (int k = 0; k < 6; ++k) {
      sim.advance_to(0.1 * k + 0.05);
      EXPECT_NEAR(sim.output("delay")[0], std::max(0, k - samples), 1e-12) << samples << " " << k;
    }
  }
}

// Without the delay this is a cycle.
TEST(Signals, DelayClosesALoop) {
  ModelSpec spec = make_quiet_world();
  spec.systems = {make_system<LinearBlock>("next", LinearParameters{.A = {1}, .b = {1}}),
                  sampled(make_system<Delay>("count", 1, 1), 0.1)};
  spec.wires = {{"next", "count"}, {"count", "next"}};
  Simulator sim = make_simulator(spec, 1e-3);
  sim.advance_to(0.45);
  EXPECT_EQ(sim.output("count")[0], 4);
}

std::vector<double> draw(NoiseParameters noise, int samples, double offset = 0) {
  ModelSpec spec = make_quiet_world();
  spec.systems = {sampled(make_system<Noise>("noise", noise), 0.01, offset)};
  if (noise.has_input) {
    spec.systems.push_back(make_ramp());
    spec.wires = {{"ramp", "noise"}};
  }
  Simulator sim = make_simulator(spec, 1e-3);
  std::vector<double> values;
  for (int k = 0; k < samples; ++k) {
    sim.advance_to(0.01 * k + offset + 0.003);
    for (const double x : sim.output("noise")) {
      values.push_back(x);
    }
  }
  return values;
}

// Mean and mean square of x, and the mean product with the value `lag` places on.
struct Moments {
  double mean = 0, square = 0, product = 0;
};
Moments calc_moments(const std::vector<double>& x, std::size_t lag) {
  Moments m;
  const double n = static_cast<double>(x.size() - lag);
  for (std::size_t i = 0; i + lag < x.size(); ++i) {
    m.mean += x[i] / n;
    m.square += x[i] * x[i] / n;
    m.product += x[i] * x[i + lag] / n;
  }
  return m;
}

TEST(Signals, NoiseIsNormalAndIndependent) {
  const std::vector<double> x =
      draw({.size = 4, .standard_deviation = 2, .seed = 7}, 2000);  // 8000 numbers
  for (const std::size_t lag : {1, 4}) {  // along the signal, and from sample to sample
    const Moments m = calc_moments(x, lag);
    // Four standard errors.
    EXPECT_NEAR(m.mean, 0, 4 * 2 / std::sqrt(8000));
    EXPECT_NEAR(m.square, 4, 4 * 4 * std::sqrt(2.0 / 8000));
    EXPECT_NEAR(m.product, 0, 4 * 4 / std::sqrt(8000));
  }
  const auto beyond = std::ranges::count_if(x, [](double e) {
    return std::abs(e) > 2 * 1.96;
  });
  EXPECT_NEAR(static_cast<double>(beyond) / 8000, 0.05, 4 * std::sqrt(0.05 / 8000));
}

TEST(Signals, NoiseDependsOnSeedAndSampleAlone) {
  const NoiseParameters noise{.seed = 3};
  const std::vector<double> x = draw(noise, 20);
  EXPECT_EQ(draw(noise, 20), x);
  EXPECT_EQ(draw(noise, 20, 0.005), x);  // half a period later
  EXPECT_NE(draw({.seed = 4}, 20), x);
  std::vector<double> sum = draw({.seed = 3, .has_input = true}, 20);
  for (int k = 0; k < 20; ++k) {
    EXPECT_NEAR(sum[k], x[k] + 10 * 0.01 * k, 1e-12);
  }
}

// ---- inputs from outside ----

ModelSpec make_pushed_slider() {
  ModelSpec spec = make_quiet_world();
  spec.systems = {make_system<HeldInput>("push", std::vector{1.0}),
                  make_system<ActuatorModel>("motor", make_motor("rail"))};
  spec.wires = {{"push", "motor"}};
  return spec;
}

TEST(HeldInput, ActsFromTheNextStepOn) {
  Simulator sim = make_simulator(make_pushed_slider(), 1e-6);
  sim.advance_to(1);
  EXPECT_NEAR(sim.state().v[0], 1, 1e-12);
  sim.set_input("push", std::vector{-3.0});
  EXPECT_EQ(sim.output("push")[0], -3);
  sim.advance_to(2);
  EXPECT_NEAR(sim.state().v[0], 1 - 3, 1e-12);
}

TEST(HeldInput, KeepsTheStepSize) {
  Simulator sim = make_simulator(make_pushed_slider(), 1e-6);
  run_past(&sim, 1);
  const double h = sim.step(1e9).h;
  sim.set_input("push", std::vector{1.001});
  EXPECT_GE(sim.step(1e9).h, 0.9 * h);
}

TEST(HeldInput, RefusesWhatDoesNotFit) {
  Simulator sim = make_simulator(make_pushed_slider(), 1e-6);
  const auto message = [&](const std::string& name, const std::vector<double>& values) {
    try {
      sim.set_input(name, values);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("pull", {1}).find("no system is named 'pull'"), std::string::npos);
  EXPECT_NE(message("motor", {1}).find("'motor' is no HeldInput"), std::string::npos);
  EXPECT_NE(message("push", {1, 2}).find("takes 1 numbers, not 2"), std::string::npos);
  EXPECT_NE(message("push", {std::nan("")}).find("finite"), std::string::npos);
  EXPECT_EQ(sim.output("push")[0], 1);
}

}  // namespace
}  // namespace cenic

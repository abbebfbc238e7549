// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Systems that make and pass on signals and touch no body. Outputs are called `out`, inputs `in`.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "model/external_system.h"

namespace cenic {

struct ModelSpec;

// y = the numbers given.
class ConstantSignal : public ExternalSystem {
 public:
  explicit ConstantSignal(std::vector<double> values) : values_(std::move(values)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(values_); }

 private:
  std::vector<double> values_;
};

// y = t.
class TimeSignal : public ExternalSystem {
 public:
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  std::tuple<> parameters() const { return {}; }
};

// y = f(t), n numbers. The function must depend on t alone.
class Script : public ExternalSystem {
 public:
  using Function = std::function<void(double t, std::span<double> values)>;
  Script(int n, Function function) : n_(n), function_(std::move(function)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;

 private:
  int n_;
  Function function_;
};

// y = the numbers last set by Simulator::set_input(): they are its state, ż = 0, so that they are
// saved and restored with it.
class HeldInput : public ExternalSystem {
 public:
  explicit HeldInput(std::vector<double> initial) : initial_(std::move(initial)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(initial_); }

 private:
  std::vector<double> initial_;
};

// y = A u + b, where u is all inputs one after another. One input is called `in`, more are `in0`,
// `in1` …
struct LinearParameters {
  std::vector<int> input_sizes{1};
  std::vector<double> A{};  // row by row
  std::vector<double> b{};  // its size is that of the output
};
// y = k u, n numbers.
LinearParameters make_gain(double k, int n = 1);
// y = Σ signs[i] u_i, inputs of n numbers each.
LinearParameters make_sum(const std::vector<double>& signs, int n = 1);

class LinearBlock : public ExternalSystem {
 public:
  explicit LinearBlock(LinearParameters parameters) : p_(std::move(parameters)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  LinearParameters p_;
};

// y = u within [lower, upper], number by number.
struct ClampParameters {
  int size = 1;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

class Clamp : public ExternalSystem {
 public:
  explicit Clamp(ClampParameters parameters) : p_(parameters) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  ClampParameters p_;
};

// ż = (u − z)/time_constant, y = z. Sampled it takes the exact step of a held input.
class FirstOrderFilter : public ExternalSystem {
 public:
  // Starts at `initial`, or at zero when that is empty. Its states enter the error control times
  // `error_weight`, metres per unit of the signal.
  FirstOrderFilter(int n, double time_constant, std::vector<double> initial = {},
                   double error_weight = 1)
      : n_(n),
        time_constant_(time_constant),
        initial_(std::move(initial)),
        error_weight_(error_weight) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  void update(const SystemInput& in, const SystemOutput& out, std::span<double> z) const override;
  auto parameters() const { return std::tie(n_, time_constant_, initial_, error_weight_); }

 private:
  int n_;
  double time_constant_;
  std::vector<double> initial_;
  double error_weight_;
};

// Sampled: y_k = u_{k − samples}, zero before. z is a shift register, the newest first.
class Delay : public ExternalSystem {
 public:
  Delay(int n, int samples) : n_(n), samples_(samples) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  void update(const SystemInput& in, const SystemOutput& out, std::span<double> z) const override;
  auto parameters() const { return std::tie(n_, samples_); }

 private:
  int n_, samples_;
};

// Sampled: y_k = u_k + σ ξ_k, ξ of the standard normal distribution, independent, and a function of
// the seed, of k and of the place in the signal alone.
struct NoiseParameters {
  int size = 1;
  double standard_deviation = 1;
  std::uint64_t seed = 0;
  bool has_input = false;  // false: u = 0
};

class Noise : public ExternalSystem {
 public:
  explicit Noise(NoiseParameters parameters) : p_(parameters) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  NoiseParameters p_;
};

// The noise of a model is another for another seed: it is added to that of each Noise.
void add_noise_seed(std::uint64_t seed, ModelSpec* spec);

}  // namespace cenic

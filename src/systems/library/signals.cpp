// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/signals.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "core/error.h"
#include "core/hash.h"
#include "model/model_spec.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

void check_values(const char* what, const std::vector<double>& values) {
  if (values.empty()) throw Error(fmt::format("{} is empty; give at least one number", what));
  detail::check_finite(what, values);
}

void check_sampled(const Ports& ports) {
  if (ports.period() == 0) throw Error("works from sample to sample; give its system a period");
}

// Of the standard normal distribution, by Box and Muller from two hashes.
double draw_normal(std::uint64_t key) {
  const auto uniform = [](std::uint64_t bits) {  // in (0, 1)
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
  };
  const std::uint64_t first = mix(key), second = mix(first);
  return std::sqrt(-2 * std::log(uniform(first))) *
         std::cos(2 * std::numbers::pi * uniform(second));
}

}  // namespace

void ConstantSignal::declare(Ports* ports) const {
  check_values("values", values_);
  ports->add_output("out", static_cast<int>(values_.size()));
  ports->depends_on_time = false;
}

void ConstantSignal::evaluate(const SystemInput& /*in*/, SystemOutput* out) const {
  std::ranges::copy(values_, out->y.begin());
}

bool ConstantSignal::differentiate(const SystemInput& /*in*/, SystemJacobian* /*J*/) const {
  return true;
}

void TimeSignal::declare(Ports* ports) const { ports->add_output("out"); }

void TimeSignal::evaluate(const SystemInput& in, SystemOutput* out) const { out->y[0] = in.t; }

void Script::declare(Ports* ports) const {
  detail::check_size("the size of the signal", n_);
  if (!function_) throw Error("has no function; give one");
  ports->add_output("out", n_);
}

void Script::evaluate(const SystemInput& in, SystemOutput* out) const { function_(in.t, out->y); }

bool Script::differentiate(const SystemInput& /*in*/, SystemJacobian* /*J*/) const { return true; }

void HeldInput::declare(Ports* ports) const {
  check_values("initial", initial_);
  for (std::size_t i = 0; i < initial_.size(); ++i) {
    ports->add_state(fmt::format("value{}", i), initial_[i], 0);
  }
  ports->add_output("out", static_cast<int>(initial_.size()));
  ports->depends_on_time = false;
}

void HeldInput::evaluate(const SystemInput& in, SystemOutput* out) const {
  std::ranges::copy(in.z, out->y.begin());
}

bool HeldInput::differentiate(const SystemInput& in, SystemJacobian* J) const {
  for (int i = 0; i < static_cast<int>(in.z.size()); ++i) {
    (*J)(J->y(i), J->z(i)) = 1;
  }
  return true;
}

LinearParameters make_gain(double k, int n) { return make_sum({k}, n); }

LinearParameters make_sum(const std::vector<double>& signs, int n) {
  const std::size_t m = signs.size(), rows = n < 0 ? 0 : n;
  LinearParameters p{.input_sizes = std::vector<int>(m, n),
                     .A = std::vector<double>(rows * rows * m, 0.0),
                     .b = std::vector<double>(rows, 0.0)};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < m; ++i) {
      p.A[rows * m * row + rows * i + row] = signs[i];
    }
  }
  return p;
}

void LinearBlock::declare(Ports* ports) const {
  const std::size_t m = p_.input_sizes.size();
  if (m == 0) throw Error("has no input; give at least one size");
  for (std::size_t i = 0; i < m; ++i) {
    detail::check_size("the size of an input", p_.input_sizes[i]);
    ports->add_input(m == 1 ? "in" : fmt::format("in{}", i), p_.input_sizes[i]);
  }
  check_values("b", p_.b);
  detail::check_finite("A", p_.A);
  const std::size_t columns = std::accumulate(p_.input_sizes.begin(), p_.input_sizes.end(), 0);
  if (p_.A.size() != p_.b.size() * columns) {
    throw Error(
        fmt::format("A has {} numbers; give {} rows of {}", p_.A.size(), p_.b.size(), columns));
  }
  ports->add_output("out", static_cast<int>(p_.b.size()));
  ports->depends_on_time = false;
}

void LinearBlock::evaluate(const SystemInput& in, SystemOutput* out) const {
  for (std::size_t i = 0; i < p_.b.size(); ++i) {
    out->y[i] =
        std::inner_product(in.u.begin(), in.u.end(), p_.A.begin() + in.u.size() * i, p_.b[i]);
  }
}

bool LinearBlock::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const int n = static_cast<int>(in.u.size());
  for (int i = 0; i < static_cast<int>(p_.b.size()); ++i) {
    for (int j = 0; j < n; ++j) {
      (*J)(J->y(i), J->u(j)) = p_.A[n * i + j];
    }
  }
  return true;
}

void Clamp::declare(Ports* ports) const {
  detail::check_size("the size of the signal", p_.size);
  if (!(p_.lower <= p_.upper)) {
    throw Error(fmt::format("lower is {}, above upper, {}; swap them", p_.lower, p_.upper));
  }
  ports->add_input("in", p_.size);
  ports->add_output("out", p_.size);
  ports->depends_on_time = false;
}

void Clamp::evaluate(const SystemInput& in, SystemOutput* out) const {
  for (int i = 0; i < p_.size; ++i) {
    out->y[i] = std::clamp(in.u[i], p_.lower, p_.upper);
  }
}

bool Clamp::differentiate(const SystemInput& in, SystemJacobian* jacobian) const {
  for (int i = 0; i < p_.size; ++i) {
    const bool within = in.u[i] >= p_.lower && in.u[i] <= p_.upper;
    (*jacobian)(jacobian->y(i), jacobian->u(i)) = within ? 1 : 0;
  }
  return true;
}

void FirstOrderFilter::declare(Ports* ports) const {
  detail::check_size("the size of the signal", n_);
  detail::check_positive("time_constant", time_constant_);
  if (!initial_.empty() && static_cast<int>(initial_.size()) != n_) {
    throw Error(fmt::format("initial has {} numbers and the signal {}; make them equal",
                            initial_.size(), n_));
  }
  for (int i = 0; i < n_; ++i) {
    ports->add_state(fmt::format("value{}", i), initial_.empty() ? 0 : initial_[i], error_weight_);
  }
  ports->add_input("in", n_);
  ports->add_output("out", n_);
  ports->depends_on_time = false;
  ports->feedthrough = false;
}

void FirstOrderFilter::evaluate(const SystemInput& in, SystemOutput* out) const {
  for (int i = 0; i < n_; ++i) {
    out->y[i] = in.z[i];
    out->zdot[i] = (in.u[i] - in.z[i]) / time_constant_;
  }
}

bool FirstOrderFilter::differentiate(const SystemInput& /*in*/, SystemJacobian* J) const {
  for (int i = 0; i < n_; ++i) {
    (*J)(J->y(i), J->z(i)) = 1;
    (*J)(J->zdot(i), J->z(i)) = -1 / time_constant_;
    (*J)(J->zdot(i), J->u(i)) = 1 / time_constant_;
  }
  return true;
}

void FirstOrderFilter::update(const SystemInput& in, const SystemOutput& /*out*/,
                              std::span<double> z) const {
  const double share = -std::expm1(-in.period() / time_constant_);
  for (int i = 0; i < n_; ++i) {
    z[i] = in.z[i] + share * (in.u[i] - in.z[i]);
  }
}

void Delay::declare(Ports* ports) const {
  check_sampled(*ports);
  detail::check_size("the size of the signal", n_);
  detail::check_size("the number of samples", samples_);
  for (int i = 0; i < n_ * samples_; ++i) {
    ports->add_state(fmt::format("value{}", i));
  }
  ports->add_input("in", n_);
  ports->add_output("out", n_);
  ports->feedthrough = false;
}

void Delay::evaluate(const SystemInput& in, SystemOutput* out) const {
  std::ranges::copy(in.z.last(n_), out->y.begin());
}

void Delay::update(const SystemInput& in, const SystemOutput& /*out*/, std::span<double> z) const {
  std::ranges::copy_backward(z.first(z.size() - n_), z.end());
  std::ranges::copy(in.u, z.begin());
}

void Noise::declare(Ports* ports) const {
  check_sampled(*ports);
  detail::check_size("the size of the signal", p_.size);
  detail::check_not_negative("standard_deviation", p_.standard_deviation);
  if (p_.has_input) ports->add_input("in", p_.size);
  ports->add_output("out", p_.size);
}

void Noise::evaluate(const SystemInput& in, SystemOutput* out) const {
  const auto sample = std::llround((in.t - in.system().offset) / in.period());
  const std::uint64_t key = mix(mix(p_.seed) + static_cast<std::uint64_t>(sample));
  for (int i = 0; i < p_.size; ++i) {
    out->y[i] = (p_.has_input ? in.u[i] : 0) + p_.standard_deviation * draw_normal(mix(key + i));
  }
}

void add_noise_seed(std::uint64_t seed, ModelSpec* spec) {
  for (SystemSpec& system : spec->systems) {
    const auto* noise = dynamic_cast<const Noise*>(system.system.get());
    if (noise == nullptr) continue;
    NoiseParameters parameters = std::get<0>(noise->parameters());
    parameters.seed += seed;
    system.system = std::make_shared<Noise>(parameters);
  }
}

}  // namespace cenic

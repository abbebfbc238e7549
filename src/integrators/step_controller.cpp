// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/step_controller.h"

#include <algorithm>
#include <cmath>

namespace cenic {
namespace {

constexpr double kSafety = 0.9;
constexpr double kMaxGrow = 5;
constexpr double kMinShrink = 0.1;
constexpr double kDeadBand = 1.2;      // growth below this is not worth a change
constexpr double kProportional = 0.7;  // Gustafsson's exponents, times the order of the error
constexpr double kIntegral = 0.4;
constexpr double kMinShrinkAccepted = 0.5;

}  // namespace

double StepController::root(double x) const {
  return options_.order == 2 ? std::sqrt(x) : std::pow(x, 1.0 / options_.order);
}

StepDecision StepController::decide(double h, double error, bool learn) {
  if (!std::isfinite(error)) return {false, kMinShrink * h};
  return options_.proportional_integral ? decide_proportional_integral(h, error, learn)
                                        : decide_standard(h, error);
}

// The paper's rule as its reference runs it: an accepted step never shrinks.
StepDecision StepController::decide_standard(double h, double error) const {
  const double accuracy = options_.accuracy;
  double next = error == 0 ? kMaxGrow * h : kSafety * h * root(accuracy / error);
  if (next > h && next < kDeadBand * h) next = h;
  if (next < h) next = error <= accuracy ? h : std::min(next, kSafety * h);
  next = std::clamp(next, kMinShrink * h, kMaxGrow * h);
  // A step stretched to land on an output time may exceed the largest: judge before the cap.
  return {next >= h, std::min(next, options_.max_step)};
}

// h' = h (ε/e)^(0.7/p) (e_prev/ε)^(0.4/p) for an error of order p: the second factor damps growth
// while the error rises.
StepDecision StepController::decide_proportional_integral(double h, double error, bool learn) {
  const double e = error / options_.accuracy;
  if (e > 1) return {false, h * std::clamp(kSafety / root(e), kMinShrink, kSafety)};
  double factor = kMaxGrow;
  if (e > 0) {
    factor = kSafety * std::pow(e, -kProportional / options_.order);
    if (previous_error_ > 0) factor *= std::pow(previous_error_, kIntegral / options_.order);
  }
  if (learn) previous_error_ = std::max(e, 1e-4);
  return {true, std::min(h * std::clamp(factor, kMinShrinkAccepted, kMaxGrow), options_.max_step)};
}

}  // namespace cenic

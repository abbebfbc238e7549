// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Stiff controllers (paper, section VII-D.1): steps that the Franka arm takes in 10 s at accuracy
// 0.01 against the gains of its controller, for each treatment of external systems.
//   bench_gains [--svg FILE]
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "benchmarks/runs.h"

namespace cenic {
namespace {

constexpr double kDuration = 10, kAccuracy = 0.01;
constexpr long kMostSteps = 500000;  // then it is given up
constexpr ExternalTreatment kTreatments[] = {
    ExternalTreatment::kImplicit, ExternalTreatment::kDiagonal, ExternalTreatment::kExplicit};
constexpr const char* kColors[] = {"#1a7f5a", "#b8860b", "#b03a3a"};

// Steps in the whole run; more than kMostSteps when given up, 0 when it fails.
long count_steps(double gain, ExternalTreatment treatment, double* seconds) {
  IntegratorOptions options{.accuracy = kAccuracy};
  options.external = treatment;
  Simulator sim(compile(make_scene("franka", {{"gain", gain}})), options);
  while (sim.state().t < kDuration) {
    if (sim.step(kDuration).status != StepStatus::kAccepted) return 0;
    if (sim.statistics().steps > kMostSteps) {
      return static_cast<long>(static_cast<double>(sim.statistics().steps) * kDuration /
                               sim.state().t);
    }
  }
  *seconds = sim.statistics().wall_seconds;
  return sim.statistics().steps;
}

struct Curve {
  std::vector<double> gains, steps;
};

// Both axes logarithmic: gains 1e1 … 1e6, steps 1e1 … 1e7.
void write_svg(const std::string& path, const std::vector<Curve>& curves) {
  const auto x = [](double gain) {
    return 70 + 84 * (std::log10(gain) - 1);
  };
  const auto y = [](double steps) {
    return 300 - 45 * (std::log10(steps) - 1);
  };
  std::ofstream svg(path);
  fmt::print(
      svg,
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 620 360' font-family='sans-serif' "
      "font-size='13'><rect width='620' height='360' fill='white'/>\n");
  for (int e = 1; e <= 7; ++e) {
    fmt::print(svg,
               "<path d='M70 {0:.0f}H490' stroke='#ddd'/><text x='62' y='{1:.0f}' "
               "text-anchor='end'>1e{2}</text>\n",
               y(std::pow(10, e)), y(std::pow(10, e)) + 4, e);
  }
  for (int e = 1; e <= 6; ++e) {
    fmt::print(svg, "<text x='{:.0f}' y='322' text-anchor='middle'>1e{}</text>\n",
               x(std::pow(10, e)), e);
  }
  fmt::print(svg,
             "<text x='280' y='346' text-anchor='middle'>gains K_p = K_d of the controller</text>"
             "<text x='70' y='18'>steps in 10 s (franka, accuracy 0.01)</text>\n");
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Curve& curve = curves[c];
    std::string points;
    for (std::size_t i = 0; i < curve.gains.size(); ++i) {
      points += fmt::format("{:.1f},{:.1f} ", x(curve.gains[i]), y(curve.steps[i]));
    }
    fmt::print(svg,
               "<polyline points='{}' fill='none' stroke='{}' stroke-width='2.5'/>"
               "<text x='498' y='{:.0f}' fill='{}'>{}</text>\n",
               points, kColors[c], y(curve.steps.back()) + 4, kColors[c],
               to_string(kTreatments[c]));
  }
  fmt::print(svg, "</svg>\n");
}

}  // namespace
}  // namespace cenic

int main(int argc, char** argv) {
  using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library
  const std::string svg = argc > 2 && std::string(argv[1]) == "--svg" ? argv[2] : "";
  std::vector<Curve> curves(std::size(kTreatments));
  fmt::print(
      "franka, {} s at accuracy {}: steps (ms)\n\n| gain | implicit | diagonal | explicit |\n"
      "|---|---|---|---|\n",
      kDuration, kAccuracy);
  for (int e = 1; e <= 6; ++e) {
    fmt::print("| 1e{} |", e);
    for (std::size_t c = 0; c < curves.size(); ++c) {
      double seconds = 0;
      const long steps = count_steps(std::pow(10, e), kTreatments[c], &seconds);
      if (steps == 0) {
        fmt::print(" fails |");
        continue;
      }
      curves[c].gains.push_back(std::pow(10, e));
      curves[c].steps.push_back(static_cast<double>(steps));
      if (seconds > 0) {
        fmt::print(" {} ({:.1f}) |", steps, 1e3 * seconds);
      } else {
        fmt::print(" about {:.1e} (given up) |", static_cast<double>(steps));
      }
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
  if (!svg.empty()) write_svg(svg, curves);
  return 0;
}

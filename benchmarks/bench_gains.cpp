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

#include "benchmarks/runs.h"
#include "plots/chart.h"

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

struct Sweep {
  std::vector<double> gains, steps;
};

// Both axes logarithmic.
void write_svg(const std::string& path, const std::vector<Sweep>& sweeps) {
  Panel panel{.title = "steps", .log_x = true, .log_y = true, .height = 260};
  panel.x_label = "gains K_p = K_d of the controller";
  for (std::size_t s = 0; s < sweeps.size(); ++s) {
    panel.curves.push_back({.name = to_string(kTreatments[s]),
                            .color = kColors[s],
                            .x = sweeps[s].gains,
                            .y = sweeps[s].steps});
  }
  std::ofstream(path) << make_svg("steps in 10 s (franka, accuracy 0.01)", {panel});
}

}  // namespace
}  // namespace cenic

int main(int argc, char** argv) {
  using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library
  const std::string svg = argc > 2 && std::string(argv[1]) == "--svg" ? argv[2] : "";
  std::vector<Sweep> curves(std::size(kTreatments));
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

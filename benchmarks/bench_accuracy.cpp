// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What an accuracy buys: the achieved global error of every scene, for docs/accuracy.md.
//   bench_accuracy
#include <fmt/core.h>

#include "benchmarks/runs.h"

int main() {
  using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library
  struct Case {
    const char* scene;
    SceneParameters parameters;
    double time, reference;
  };
  const Case cases[] = {
      {"double_pendulum", {}, 1, 1e-11}, {"chain", {}, 0.5, 1e-9},
      {"four_bar", {}, 0.5, 1e-10},      {"spinning_top", {}, 1, 1e-10},
      {"bouncing_ball", {}, 2, 1e-11},   {"sliding_block", {{"angle", 40}}, 0.5, 1e-9},
      {"conveyor", {}, 0.6, 1e-9},       {"newton_cradle", {}, 0.5, 1e-9},
      {"soft_clutter", {}, 0.3, 1e-9},   {"hard_clutter", {}, 0.3, 1e-9},
  };
  for (const char* integrator : {"cenic", "cenic-paper"}) {
    fmt::print("\n{}: largest displacement error, m (steps)\n  {:24}", integrator, "scene, time");
    for (int digits = 1; digits <= 6; ++digits) {
      fmt::print(" {:>17}", fmt::format("1e-{}", digits));
    }
    fmt::print("\n");
    for (const Case& c : cases) {
      const auto model = compile(make_scene(c.scene, c.parameters, 1));
      const State reference = calc_reference(model, c.time, c.reference);
      fmt::print("  {:24}", fmt::format("{}, {} s", c.scene, c.time));
      for (int digits = 1; digits <= 6; ++digits) {
        IntegratorOptions options = make_integrator_options(integrator);
        options.accuracy = std::pow(10.0, -digits);
        const TimedRun run = run_best_of(model, options, c.time, 1);
        fmt::print(" {:>9.1e} ({:>5})", calc_distance(*model, run.end, reference),
                   run.statistics.steps);
      }
      fmt::print("\n");
    }
  }
  return 0;
}

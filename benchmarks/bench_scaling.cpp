// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How the cost grows with the number of objects: clutter, the busy first two seconds, accuracy
// 1e-3.
//   bench_scaling [repeats [duration, s]]
#include <cstdlib>

#include <fmt/core.h>

#include "benchmarks/runs.h"

int main(int argc, char** argv) {
  using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 4;
  const double duration = argc > 2 ? std::atof(argv[2]) : 2;
  std::vector<double> counts, walls;
  fmt::print(
      "clutter, accuracy 1e-3, first {} s\n  {:>7} {:>6} {:>22} {:>7} {:>11} {:>9}   phases\n",
      duration, "objects", "seeds", "wall s per simulated s", "steps", "iterations", "contacts");
  for (const int count : {20, 100, 500, 2000}) {
    // Small scenes vary from seed to seed: mean over more of them.
    const int seeds = count >= 2000 ? 1 : 2000 / count > 8 ? 8 : 2000 / count;
    double wall = 0, steps = 0, iterations = 0, contacts = 0;
    PhaseTicks phases;
    for (int seed = 1; seed <= seeds; ++seed) {
      const auto model = compile(make_scene("clutter", {{"count", count}}, seed));
      const Statistics s = run_best_of(model, {}, duration, repeats).statistics;
      wall += s.wall_seconds / seeds;
      steps += static_cast<double>(s.steps) / seeds;
      iterations += static_cast<double>(s.solver_iterations) / seeds;
      contacts += s.contacts_mean() / seeds;
      phases += s.phases;
    }
    fmt::print("  {:7} {:6} {:22.4f} {:7.0f} {:11.0f} {:9.0f}  ", count, seeds, wall / duration,
               steps, iterations, contacts);
    for (int i = 0; i < kNumPhases; ++i) {
      fmt::print(" {} {:.0f}%", to_string(static_cast<Phase>(i)),
                 100 * ticks_to_seconds(phases.ticks[i]) / (seeds * wall));
    }
    fmt::print("\n");
    if (count >= 100) {
      counts.push_back(std::log(count));
      walls.push_back(std::log(wall));
    }
  }
  fmt::print("  exponent from 100 to 2000: {:.2f}\n",
             (walls.back() - walls.front()) / (counts.back() - counts.front()));
  return 0;
}

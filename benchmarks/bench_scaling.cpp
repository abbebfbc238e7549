// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How the cost grows with the number of objects: clutter, the busy first two seconds, accuracy
// 1e-3.
//   bench_scaling [repeats]
#include <cstdlib>

#include <fmt/core.h>

#include "benchmarks/runs.h"

int main(int argc, char** argv) {
  using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 1;
  const double duration = 2;
  std::vector<double> counts, walls;
  fmt::print("clutter, accuracy 1e-3, first {} s\n  {:>7} {:>22} {:>7} {:>11} {:>9}   phases\n",
             duration, "objects", "wall s per simulated s", "steps", "iterations", "contacts");
  for (const int count : {20, 100, 500, 2000}) {
    const auto model = compile(make_scene("clutter", {{"count", count}}, 1));
    const TimedRun run = run_best_of(model, {}, duration, count > 100 ? repeats : 3 * repeats);
    const Statistics& s = run.statistics;
    fmt::print("  {:7} {:22.4f} {:7} {:11} {:9.0f}  ", count, s.wall_seconds / duration, s.steps,
               s.solver_iterations, s.contacts_mean());
    for (int i = 0; i < kNumPhases; ++i) {
      fmt::print(" {} {:.0f}%", to_string(static_cast<Phase>(i)),
                 100 * ticks_to_seconds(s.phases.ticks[i]) / s.wall_seconds);
    }
    fmt::print("\n");
    if (count >= 100) {
      counts.push_back(std::log(count));
      walls.push_back(std::log(s.wall_seconds));
    }
  }
  fmt::print("  exponent from 100 to 2000: {:.2f}\n",
             (walls.back() - walls.front()) / (counts.back() - counts.front()));
  return 0;
}

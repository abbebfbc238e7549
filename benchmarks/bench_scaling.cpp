// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How the cost grows with the number of objects: clutter, the busy first two seconds, accuracy
// 1e-3; with one step for all, and with steps of their own for islands that need shorter ones.
//   bench_scaling [repeats [duration, s]]
#include <cstdlib>

#include <fmt/core.h>

#include "benchmarks/runs.h"

namespace {

using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library

// Means over the seeds.
struct Cost {
  double wall = 0, steps = 0, local_steps = 0, iterations = 0, contacts = 0, depth = 0;
  PhaseTicks phases;  // sums
};

Cost measure(int count, int seeds, bool local_steps, double duration, int repeats) {
  IntegratorOptions options;
  options.local_steps = local_steps;
  Cost cost;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto model = compile(make_scene("clutter", {{"count", count}}, seed));
    const Statistics s = run_best_of(model, options, duration, repeats).statistics;
    cost.wall += s.wall_seconds / seeds;
    cost.steps += static_cast<double>(s.steps) / seeds;
    cost.local_steps += static_cast<double>(s.local_steps) / seeds;
    cost.iterations += static_cast<double>(s.solver_iterations) / seeds;
    cost.contacts += s.contacts_mean() / seeds;
    cost.depth += s.max_penetration / seeds;
    cost.phases += s.phases;
  }
  return cost;
}

void print_scaling(bool local_steps, double duration, int repeats) {
  std::vector<double> counts, walls;
  fmt::print("clutter, accuracy 1e-3, first {} s, {}\n", duration,
             local_steps ? "islands with steps of their own" : "one step for all");
  fmt::print("  {:>7} {:>6} {:>22} {:>7} {:>7} {:>11} {:>9} {:>9}   phases\n", "objects", "seeds",
             "wall s per simulated s", "steps", "local", "iterations", "contacts", "depth mm");
  for (const int count : {20, 100, 500, 2000}) {
    // Small scenes vary from seed to seed: mean over more of them.
    const int seeds = std::clamp(2000 / count, 1, 8);
    const Cost c = measure(count, seeds, local_steps, duration, repeats);
    fmt::print("  {:7} {:6} {:22.4f} {:7.0f} {:7.0f} {:11.0f} {:9.0f} {:9.1f}  ", count, seeds,
               c.wall / duration, c.steps, c.local_steps, c.iterations, c.contacts, 1e3 * c.depth);
    for (int i = 0; i < kNumPhases; ++i) {
      fmt::print(" {} {:.0f}%", to_string(static_cast<Phase>(i)),
                 100 * ticks_to_seconds(c.phases.ticks[i]) / (seeds * c.wall));
    }
    fmt::print("\n");
    if (count >= 100) {
      counts.push_back(std::log(count));
      walls.push_back(std::log(c.wall));
    }
  }
  fmt::print("  exponent from 100 to 2000: {:.2f}\n",
             (walls.back() - walls.front()) / (counts.back() - counts.front()));
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 4;
  const double duration = argc > 2 ? std::atof(argv[2]) : 2;
  for (const bool local_steps : {false, true}) {
    print_scaling(local_steps, duration, repeats);
  }
  return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How the cost grows with the number of objects: clutter, the busy first two seconds, accuracy
// 1e-3; with one step for all, and with steps of their own for islands that need shorter ones.
//   bench_scaling [repeats [duration, s]]
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <vector>

#include <fmt/core.h>

#include "benchmarks/runs.h"

namespace {

using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library

constexpr int kFirst = 100;  // objects from which the exponent is taken

struct Case {
  int count = 0;
  std::vector<std::shared_ptr<const Model>> models;  // one for each seed
  std::vector<Statistics> best;                      // of each, the fastest run so far
};

Case make_case(int count) {
  Case c;
  c.count = count;
  // Small scenes vary from seed to seed: mean over more of them.
  const int seeds = std::clamp(2000 / count, 1, 8);
  for (int seed = 1; seed <= seeds; ++seed) {
    c.models.push_back(compile(make_scene("clutter", {{"count", count}}, seed)));
  }
  c.best.resize(c.models.size());
  return c;
}

// Returns the mean wall time.
double print_case(const Case& c, double duration) {
  double wall = 0, steps = 0, local_steps = 0, iterations = 0, contacts = 0, depth = 0;
  const auto seeds = static_cast<double>(c.best.size());
  PhaseTicks phases;
  for (const Statistics& s : c.best) {
    wall += s.wall_seconds / seeds;
    steps += static_cast<double>(s.steps) / seeds;
    local_steps += static_cast<double>(s.local_steps) / seeds;
    iterations += static_cast<double>(s.solver_iterations) / seeds;
    contacts += s.contacts_mean() / seeds;
    depth += s.max_penetration / seeds;
    phases += s.phases;
  }
  fmt::print("  {:7} {:6} {:22.4f} {:7.0f} {:7.0f} {:11.0f} {:9.0f} {:9.1f}  ", c.count, seeds,
             wall / duration, steps, local_steps, iterations, contacts, 1e3 * depth);
  for (int i = 0; i < kNumPhases; ++i) {
    fmt::print(" {} {:.0f}%", to_string(static_cast<Phase>(i)),
               100 * ticks_to_seconds(phases.ticks[i]) / (seeds * wall));
  }
  fmt::print("\n");
  return wall;
}

void print_scaling(std::span<Case> cases, bool local_steps, double duration, int repeats) {
  IntegratorOptions options;
  options.local_steps = local_steps;
  // All sizes in turns: what else the machine does at times shall not meet one of them alone.
  for (int r = 0; r < repeats; ++r) {
    for (Case& c : cases) {
      for (std::size_t i = 0; i < c.models.size(); ++i) {
        const Statistics s = run_best_of(c.models[i], options, duration, 1).statistics;
        if (r == 0 || s.wall_seconds < c.best[i].wall_seconds) c.best[i] = s;
      }
    }
  }
  fmt::print("clutter, accuracy 1e-3, first {} s, means over the seeds, {}\n", duration,
             local_steps ? "islands with steps of their own" : "one step for all");
  fmt::print("  {:>7} {:>6} {:>22} {:>7} {:>7} {:>11} {:>9} {:>9}   phases\n", "objects", "seeds",
             "wall s per simulated s", "steps", "local", "iterations", "contacts", "depth mm");
  double start = 0, end = 0;
  for (const Case& c : cases) {
    end = print_case(c, duration);
    if (c.count == kFirst) start = end;
  }
  fmt::print("  exponent from {} to {}: {:.2f}\n", kFirst, cases.back().count,
             std::log(end / start) / std::log(cases.back().count / double{kFirst}));
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 3;
  const double duration = argc > 2 ? std::atof(argv[2]) : 2;
  std::vector<Case> cases;
  for (const int count : {20, kFirst, 500, 2000}) {
    cases.push_back(make_case(count));
  }
  for (const bool local_steps : {false, true}) {
    print_scaling(cases, local_steps, duration, repeats);
  }
  return 0;
}

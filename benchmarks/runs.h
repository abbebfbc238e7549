// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the benchmarks share: a timed run, the best of several, and how far two states are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <cenic/cenic.h>

#include "scenes/scenes.h"

namespace cenic {

struct TimedRun {
  Statistics statistics;  // of the fastest repeat; counts are the same in all
  State end;
};

inline TimedRun run_best_of(const std::shared_ptr<const Model>& model,
                            const IntegratorOptions& options, double duration, int repeats) {
  TimedRun best;
  for (int i = 0; i < repeats; ++i) {
    Simulator sim(model, options);
    sim.advance_to(duration);
    const Statistics s = sim.statistics();
    if (i == 0 || s.wall_seconds < best.statistics.wall_seconds) best = {s, sim.state()};
  }
  return best;
}

// Largest displacement, in metres, between two configurations: translations as they are, rotations
// times their reach.
inline double calc_distance(const Model& model, const State& a, const State& b) {
  IntegratorOptions options;
  options.accuracy = 1e-12;  // no cap on rotations
  return ErrorMeasure(model, options).calc(a.q, b.q, a.v, b.v).value;
}

// A solution far more accurate than what it is compared with.
inline State calc_reference(const std::shared_ptr<const Model>& model, double duration,
                            double accuracy) {
  IntegratorOptions options;
  options.accuracy = accuracy;
  Simulator sim(model, options);
  sim.advance_to(duration);
  return sim.state();
}

}  // namespace cenic

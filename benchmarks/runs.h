// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the benchmarks share: a timed run, the best of several, how far two states are apart, and
// the work at equal error.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <optional>
#include <span>
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

// What a run is timed by. On a busy machine the time of the processor says more; with one thread
// and nothing else running the two are the same.
enum class Timer { kWall, kProcessor };

inline double read_processor_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// A run that is given up when it takes longer than `limit`, s.
enum class RunStatus { kDone, kTimedOut, kFailed };
struct LimitedRun {
  RunStatus status = RunStatus::kDone;
  double seconds = 0;
  State end;
};

inline LimitedRun run_limited(const std::shared_ptr<const Model>& model,
                              const IntegratorOptions& options, double duration, double limit,
                              Timer timer = Timer::kWall) {
  using Clock = std::chrono::steady_clock;
  Simulator sim(model, options);
  LimitedRun run;
  const auto start = Clock::now();
  const double processor_start = read_processor_time();
  const auto is_late = [&] {  // asks the slow clock only when it may be
    return std::chrono::duration<double>(Clock::now() - start).count() > limit &&
           (timer == Timer::kWall || read_processor_time() - processor_start > limit);
  };
  while (sim.state().t < duration && run.status == RunStatus::kDone) {
    if (sim.step(duration).status != StepStatus::kAccepted) {
      run.status = RunStatus::kFailed;
    } else if (is_late()) {
      run.status = RunStatus::kTimedOut;
    }
  }
  run.seconds = timer == Timer::kWall ? sim.statistics().wall_seconds
                                      : read_processor_time() - processor_start;
  run.end = sim.state();
  return run;
}

// Largest displacement, in metres, between two configurations: translations as they are, rotations
// times their reach.
inline double calc_distance(const Model& model, const State& a, const State& b) {
  IntegratorOptions options;
  options.accuracy = 1e-12;  // no cap on rotations
  return ErrorMeasure(model, options).calc(a, b).value;
}

// A solution far more accurate than what it is compared with. Plain and face-biased manifolds are
// different contact models with a solution each.
inline State calc_reference(const std::shared_ptr<const Model>& model, double duration,
                            double accuracy, bool face_bias = true) {
  IntegratorOptions options;
  options.accuracy = accuracy;
  options.face_bias = face_bias;
  Simulator sim(model, options);
  sim.advance_to(duration);
  return sim.state();
}

// What a run cost and what it was worth: wall time in s and achieved error in m.
struct WorkPoint {
  double wall = 0, error = 0;
};

// The line through two points, logarithms of both, at the given error.
inline double calc_wall_between(const WorkPoint& a, const WorkPoint& b, double error) {
  return a.wall *
         std::pow(b.wall / a.wall, std::log(error / a.error) / std::log(b.error / a.error));
}

// Wall time for a given error from runs at ever tighter accuracy, up to the first that is as
// accurate: its own when it is the loosest of all. Nothing when none is.
inline std::optional<double> interpolate_wall(std::span<const WorkPoint> runs, double error) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!(runs[i].error <= error)) continue;
    return i == 0 ? runs[0].wall : calc_wall_between(runs[i - 1], runs[i], error);
  }
  return std::nullopt;
}

// The same beyond the last run, by the line through the last two; nothing when the last did not
// gain on the one before.
inline std::optional<double> extrapolate_wall(std::span<const WorkPoint> runs, double error) {
  if (runs.size() < 2) return std::nullopt;
  const WorkPoint &a = runs[runs.size() - 2], &b = runs.back();
  if (!(b.error < a.error) || !(b.wall > a.wall)) return std::nullopt;
  return calc_wall_between(a, b, error);
}

}  // namespace cenic

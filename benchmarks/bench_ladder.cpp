// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// From the published scheme to cenic, one part at a time, on hard clutter; then both at equal
// achieved error.
//   bench_ladder [seeds] [repeats]
#include <cstdlib>

#include <fmt/core.h>

#include "benchmarks/runs.h"

namespace {

using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library

constexpr double kDuration = 10, kErrorTime = 0.3, kReferenceAccuracy = 1e-9;

struct Rung {
  const char* name;
  IntegratorOptions options;
};

std::vector<Rung> make_ladder() {
  std::vector<Rung> rungs;
  IntegratorOptions o = make_integrator_options("cenic-paper");
  o.affine_line_search = false;
  rungs.push_back({"paper, plain line search", o});
  const auto add = [&](const char* name, bool IntegratorOptions::*part) {
    o.*part = true;
    rungs.push_back({name, o});
  };
  add("+ affine line search = cenic-paper", &IntegratorOptions::affine_line_search);
  add("+ face-biased manifolds", &IntegratorOptions::face_bias);
  add("+ line search to 0.1", &IntegratorOptions::wolfe_line_search);
  add("+ islands", &IntegratorOptions::islands);
  add("+ tolerance in error units", &IntegratorOptions::error_unit_tolerance);
  add("+ exponential map", &IntegratorOptions::exponential_map);
  add("+ size-weighted norm", &IntegratorOptions::size_weighted_norm);
  add("+ speculative contacts", &IntegratorOptions::speculative_contacts);
  add("+ PI controller", &IntegratorOptions::pi_controller);
  o.friction_regularization = IntegratorOptions{}.friction_regularization;
  rungs.push_back({"+ tighter friction", o});
  add("+ implicit gyroscopic torques", &IntegratorOptions::implicit_gyroscopics);
  add("+ extrapolation = cenic", &IntegratorOptions::extrapolate);
  o.reuse_hessian = true;
  rungs.push_back({"cenic with Hessian reuse", o});
  return rungs;
}

// The scene of each seed and its solution at kErrorTime, computed once; plain and face-biased
// manifolds are different contact models, so each has its own solution.
struct World {
  std::shared_ptr<const Model> model;
  State reference[2];  // plain, face-biased
};

std::vector<World> make_worlds(int seeds) {
  std::vector<World> worlds;
  for (int seed = 1; seed <= seeds; ++seed) {
    const auto model = compile(make_scene("hard_clutter", {}, seed));
    World world{model, {}};
    for (const bool face_bias : {false, true}) {
      IntegratorOptions options;
      options.accuracy = kReferenceAccuracy;
      options.face_bias = face_bias;
      world.reference[face_bias ? 1 : 0] = run_best_of(model, options, kErrorTime, 1).end;
    }
    worlds.push_back(world);
  }
  return worlds;
}

struct Result {
  double wall = 0, steps = 0, rejected = 0, iterations = 0, error = 0, depth = 0;
};

Result measure(const IntegratorOptions& options, const std::vector<World>& worlds, int repeats) {
  Result r;
  const auto seeds = static_cast<double>(worlds.size());
  for (const World& world : worlds) {
    const TimedRun run = run_best_of(world.model, options, kDuration, repeats);
    const TimedRun start = run_best_of(world.model, options, kErrorTime, 1);
    r.wall += run.statistics.wall_seconds / seeds;
    r.steps += static_cast<double>(run.statistics.steps) / seeds;
    r.rejected += static_cast<double>(run.statistics.rejected_steps) / seeds;
    r.iterations += static_cast<double>(run.statistics.solver_iterations) / seeds;
    r.error +=
        calc_distance(*world.model, start.end, world.reference[options.face_bias ? 1 : 0]) / seeds;
    r.depth = std::max(r.depth, run.statistics.max_penetration);
  }
  return r;
}

void print_ladder(const std::vector<World>& worlds, int repeats) {
  for (const double accuracy : {1e-3, 1e-4}) {
    fmt::print("\nhard_clutter, {} s, accuracy {:g}, mean over {} seeds, best of {}\n", kDuration,
               accuracy, worlds.size(), repeats);
    fmt::print("  {:36} {:>9} {:>8} {:>7} {:>9} {:>11} {:>8} {:>13}\n", "", "wall, s", "speed-up",
               "steps", "rejected", "iterations", "depth mm", "error 0.3s, m");
    double base = 0;
    for (Rung& rung : make_ladder()) {
      rung.options.accuracy = accuracy;
      const Result r = measure(rung.options, worlds, repeats);
      if (base == 0) base = r.wall;
      fmt::print("  {:36} {:9.4f} {:7.1f}x {:7.0f} {:9.0f} {:11.0f} {:8.1f} {:13.2e}\n", rung.name,
                 r.wall, base / r.wall, r.steps, r.rejected, r.iterations, 1e3 * r.depth, r.error);
    }
  }
}

// Wall time of the paper's scheme at a given achieved error, by linear interpolation of the
// logarithms; zero when none of its runs was that accurate.
double interpolate_wall(const std::vector<Result>& paper, double error) {
  for (std::size_t i = 1; i < paper.size(); ++i) {
    if (paper[i].error > error) continue;
    const double s =
        std::log(error / paper[i - 1].error) / std::log(paper[i].error / paper[i - 1].error);
    return paper[i - 1].wall * std::pow(paper[i].wall / paper[i - 1].wall, std::clamp(s, 0.0, 1.0));
  }
  return 0;
}

void print_equal_error(const std::vector<World>& worlds, int repeats) {
  std::vector<Result> results[2];
  const double accuracies[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
  for (int i = 0; i < 2; ++i) {
    for (const double accuracy : accuracies) {
      IntegratorOptions options = make_integrator_options(i == 0 ? "cenic" : "cenic-paper");
      options.accuracy = accuracy;
      results[i].push_back(measure(options, worlds, accuracy < 1e-4 ? 1 : repeats));
    }
  }
  fmt::print("\nequal achieved error (largest displacement at {} s), hard_clutter, {} s\n",
             kErrorTime, kDuration);
  fmt::print("  {:>8} {:>12} {:>12} {:>14} {:>14} {:>25}\n", "accuracy", "cenic, s", "error, m",
             "cenic-paper, s", "error, m", "speed-up at cenic's error");
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const Result &c = results[0][i], &p = results[1][i];
    const double wall = interpolate_wall(results[1], c.error);
    fmt::print("  {:8g} {:12.4f} {:12.2e} {:14.4f} {:14.2e} {:>25}\n", accuracies[i], c.wall,
               c.error, p.wall, p.error,
               wall > 0 ? fmt::format("{:.1f}x", wall / c.wall)
                        : fmt::format("over {:.0f}x", results[1].back().wall / c.wall));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 6;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::vector<World> worlds = make_worlds(seeds);
  print_ladder(worlds, repeats);
  print_equal_error(worlds, repeats);
  return 0;
}

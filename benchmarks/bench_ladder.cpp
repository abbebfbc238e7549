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
  o.affine_line_search = o.simd_assembly = false;
  rungs.push_back({"paper, plain kernels and line search", o});
  const auto add = [&](const char* name, bool IntegratorOptions::*part) {
    o.*part = true;
    rungs.push_back({name, o});
  };
  add("+ vector assembly", &IntegratorOptions::simd_assembly);
  add("+ affine line search = cenic-paper", &IntegratorOptions::affine_line_search);
  add("+ face-biased manifolds", &IntegratorOptions::face_bias);
  add("+ line search to 0.1", &IntegratorOptions::wolfe_line_search);
  add("+ majorant of friction", &IntegratorOptions::friction_majorant);
  add("+ islands", &IntegratorOptions::islands);
  add("+ tolerance in error units", &IntegratorOptions::error_unit_tolerance);
  add("+ exponential map", &IntegratorOptions::exponential_map);
  add("+ size-weighted norm", &IntegratorOptions::size_weighted_norm);
  add("+ speculative contacts", &IntegratorOptions::speculative_contacts);
  add("+ PI controller", &IntegratorOptions::pi_controller);
  o.friction_regularization = IntegratorOptions{}.friction_regularization;
  rungs.push_back({"+ tighter friction", o});
  add("+ implicit gyroscopic torques", &IntegratorOptions::implicit_gyroscopics);
  add("+ extrapolation", &IntegratorOptions::extrapolate);
  // Local steps are for larger scenes: bench_scaling measures them.
  o.local_steps = true;
  add("+ third order = cenic", &IntegratorOptions::third_order);
  o.reuse_hessian = true;
  rungs.push_back({"cenic with Hessian reuse", o});
  return rungs;
}

// The scene of each seed and its solutions at kErrorTime, computed once.
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
      world.reference[face_bias ? 1 : 0] =
          calc_reference(model, kErrorTime, kReferenceAccuracy, face_bias);
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
    fmt::print(
        "\nhard_clutter, {} s, accuracy {:g}, means over {} seeds (depth: deepest of all), best of "
        "{}\n",
        kDuration, accuracy, worlds.size(), repeats);
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
  std::vector<WorkPoint> paper;
  for (const Result& r : results[1]) {
    paper.push_back({r.wall, r.error});
  }
  fmt::print("\nequal achieved error (largest displacement at {} s), hard_clutter, {} s\n",
             kErrorTime, kDuration);
  fmt::print("  {:>8} {:>12} {:>12} {:>14} {:>14} {:>25}\n", "accuracy", "cenic, s", "error, m",
             "cenic-paper, s", "error, m", "speed-up at cenic's error");
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    const Result &c = results[0][i], &p = results[1][i];
    const std::optional<double> wall = interpolate_wall(paper, c.error);
    fmt::print("  {:8g} {:12.4f} {:12.2e} {:14.4f} {:14.2e} {:>25}\n", accuracies[i], c.wall,
               c.error, p.wall, p.error,
               wall ? fmt::format("{:.1f}x", *wall / c.wall)
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

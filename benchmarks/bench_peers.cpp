// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Hard and soft clutter against MuJoCo in the same process: wall time, best of several runs, mean
// over several seeds, and the deepest penetration of all.
//   bench_peers [duration] [seeds] [repeats]
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <cenic/cenic.h>
#include <fmt/core.h>

#include "benchmarks/peers/mujoco_peer.h"
#include "scenes/scenes.h"

namespace {

using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library

PeerRun run_cenic(const ModelSpec& spec, double accuracy, double duration) {
  IntegratorOptions options;
  options.accuracy = accuracy;
  Simulator sim(compile(spec), options);
  sim.advance_to(duration);
  const Statistics s = sim.statistics();
  return {s.wall_seconds, std::max(s.max_penetration, sim.calc_penetration()), 0};
}

}  // namespace

int main(int argc, char** argv) {
  const double duration = argc > 1 ? std::atof(argv[1]) : 10;
  const int seeds = argc > 2 ? std::atoi(argv[2]) : 6;
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 5;
  struct Contender {
    const char* name;
    std::function<PeerRun(const ModelSpec&)> run;
    double wall = 0, depth = 0, worst_ratio = 1e9;
  };
  for (const char* name : {"hard_clutter", "soft_clutter"}) {
    const std::string scene = name;
    std::vector<Contender> contenders{
        {"cenic, accuracy 1e-3",
         [&](const ModelSpec& s) {
           return run_cenic(s, 1e-3, duration);
         }},
        {"cenic, accuracy 1e-2",
         [&](const ModelSpec& s) {
           return run_cenic(s, 1e-2, duration);
         }},
        {"cenic, accuracy 1e-4",
         [&](const ModelSpec& s) {
           return run_cenic(s, 1e-4, duration);
         }},
        {"MuJoCo, step 10 ms",
         [&](const ModelSpec& s) {
           return run_mujoco(s, 0.01, duration);
         }},
        {"MuJoCo, step 1 ms",
         [&](const ModelSpec& s) {
           return run_mujoco(s, 0.001, duration);
         }},
    };
    if (scene == "hard_clutter") {  // soft things sink in as deep with MuJoCo's default
      contenders.push_back({"MuJoCo, step 1 ms, stiff", [&](const ModelSpec& s) {
                              return run_mujoco(s, 0.001, duration, 0.002);
                            }});
    }
    for (int seed = 1; seed <= seeds; ++seed) {
      const ModelSpec spec = make_scene(scene, {}, seed);
      double base = 0;
      for (Contender& c : contenders) {
        PeerRun best{1e9, 0, 0};
        for (int i = 0; i < repeats; ++i) {
          const PeerRun run = c.run(spec);
          best.wall_seconds = std::min(best.wall_seconds, run.wall_seconds);
          best.max_penetration = run.max_penetration;
        }
        if (base == 0) base = best.wall_seconds;
        c.wall += best.wall_seconds / seeds;
        c.depth = std::max(c.depth, best.max_penetration);
        c.worst_ratio = std::min(c.worst_ratio, best.wall_seconds / base);
      }
    }
    fmt::print("{}, {} s simulated, times: mean over {} seeds, best of {}; deepest of all seeds\n",
               scene, duration, seeds, repeats);
    fmt::print("  {:24} {:>10} {:>14} {:>12} {:>16}\n", "", "wall, s", "real-time rate", "vs cenic",
               "deepest, mm");
    for (const Contender& c : contenders) {
      fmt::print("  {:24} {:10.4f} {:14.0f} {:11.1f}x {:16.1f}   (least over the seeds {:.1f}x)\n",
                 c.name, c.wall, duration / c.wall, c.wall / contenders[0].wall, 1e3 * c.depth,
                 c.worst_ratio);
    }
  }
  return 0;
}

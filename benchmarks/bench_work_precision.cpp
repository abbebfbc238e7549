// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Work and precision: wall time and achieved error of every integrator against the accuracy, in
// both error norms, and what follows from it.
//   bench_work_precision [scene ...] [--seeds N] [--limit S] [--cpu]
// Scenes: double_pendulum, soft_clutter, hard_clutter, cylinder, static_gripper, franka (default:
// all); the last three with hydroelastic contact, the last without joint limits and the coupling of
// its fingers, which the general methods do not know.
// --seeds: worlds of clutter (default 1), geometric means over them.
// --limit: wall time that a simulated second may take, s (default 100, the paper's rule).
// --cpu: time of the processor in place of wall time, for a busy machine.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "benchmarks/runs.h"

namespace {

using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library

constexpr double kReferenceAccuracy = 1e-9, kCheckAccuracy = 1e-8;
// Runs shorter than kLong are repeated, at least kRepeats times and for kWarm altogether.
constexpr double kLong = 0.5, kWarm = 0.1;  // s
constexpr int kWholeSeeds = 6;
constexpr int kRepeats = 3;
constexpr int kAccuracies = 6;  // 1e-1 … 1e-6
// After a time-out at 1e-3 or below, tighter accuracies are not tried. Above it is no guide: on
// hard clutter implicit methods take longer at 1e-1 than at 1e-3.
constexpr int kNoFaster = 3;

// Simulated for as long as errors still tell integrators apart: later, clutter is chaos.
struct Scene {
  const char* name;
  double duration;  // s
  bool random;
};
constexpr Scene kScenes[] = {{"double_pendulum", 1, false},  {"soft_clutter", 0.3, true},
                             {"hard_clutter", 0.3, true},    {"cylinder", 0.5, false},
                             {"static_gripper", 0.2, false}, {"franka", 0.5, false}};

struct Norm {
  const char* name;
  ErrorNorm norm;
};
constexpr Norm kNorms[] = {{"position", ErrorNorm::kPosition}, {"state", ErrorNorm::kState}};

struct Settings {
  std::vector<Scene> scenes;
  int seeds = 1;
  double limit = 100;  // s per simulated s
  Timer timer = Timer::kWall;
};

struct World {
  std::shared_ptr<const Model> model;
  State reference[2];  // with plain and with face-biased manifolds
};

constexpr std::string_view kTimedOut = "timed out", kFailed = "failed", kNotTried = "not tried";
struct Cell {
  WorkPoint point;
  std::string_view reason{};  // why there is none; empty: there is one
};

// The runs of one integrator at accuracies 1e-1 …, and those of all in one scene and norm.
struct Curve {
  std::string integrator;
  std::array<Cell, kAccuracies> cells;

  const Cell& at(int digits) const { return cells[digits - 1]; }
  std::vector<WorkPoint> points() const {
    std::vector<WorkPoint> list;
    for (const Cell& cell : cells) {
      if (cell.reason.empty()) list.push_back(cell.point);
    }
    return list;
  }
  // Why it ends before the tightest accuracy; empty when it does not.
  std::string end() const {
    int next = kAccuracies;
    while (next > 0 && !cells[next - 1].reason.empty()) {
      --next;
    }
    if (next == kAccuracies) return "";
    return fmt::format("{} at 1e-{}", cells[next].reason, next + 1);
  }
};
struct Table {
  const Scene& scene;
  const Norm& norm;
  std::vector<Curve> curves;
};

// Without what only the convex integrators know.
ModelSpec make_comparable_scene(const char* name, int seed) {
  ModelSpec spec = make_scene(name, {}, seed);
  spec.constraints.clear();
  for (BodySpec& body : spec.bodies) {
    for (JointSpec& joint : body.joints) {
      joint.lower.clear();
      joint.upper.clear();
    }
  }
  return spec;
}

std::vector<World> make_worlds(const Scene& scene, int seeds) {
  std::vector<World> worlds;
  double off[2] = {0, 0};
  for (int seed = 1; seed <= (scene.random ? seeds : 1); ++seed) {
    World world{compile(make_comparable_scene(scene.name, seed)), {}};
    for (const bool face_bias : {false, true}) {
      const int i = face_bias ? 1 : 0;
      const State check = calc_reference(world.model, scene.duration, kCheckAccuracy, face_bias);
      world.reference[i] =
          calc_reference(world.model, scene.duration, kReferenceAccuracy, face_bias);
      off[i] = std::max(off[i], calc_distance(*world.model, check, world.reference[i]));
    }
    worlds.push_back(std::move(world));
  }
  fmt::print(
      "\n## {}, {} s\n\nReference: cenic at {:g}. At {:g} it ends {:.1e} m from there ({:.1e} m "
      "with the plain manifolds of cenic-paper, which has a reference of its own).\n",
      scene.name, scene.duration, kReferenceAccuracy, kCheckAccuracy, off[1], off[0]);
  return worlds;
}

LimitedRun run_repeatedly(const World& world, const IntegratorOptions& options, double duration,
                          const Settings& settings) {
  const double limit = settings.limit * duration;
  LimitedRun best = run_limited(world.model, options, duration, limit, settings.timer);
  if (best.status != RunStatus::kDone || best.seconds > kLong) return best;
  double sum = best.seconds;
  for (int i = 1; i < kRepeats || sum < kWarm; ++i) {
    const LimitedRun run = run_limited(world.model, options, duration, limit, settings.timer);
    best.seconds = std::min(best.seconds, run.seconds);
    sum += run.seconds;
  }
  return best;
}

// Geometric means over the worlds.
Cell measure(const std::vector<World>& worlds, const IntegratorOptions& options, double duration,
             const Settings& settings) {
  double wall = 0, error = 0;
  for (const World& world : worlds) {
    const LimitedRun run = run_repeatedly(world, options, duration, settings);
    if (run.status != RunStatus::kDone) {
      return {{}, run.status == RunStatus::kFailed ? kFailed : kTimedOut};
    }
    wall += std::log(run.seconds);
    error +=
        std::log(calc_distance(*world.model, run.end, world.reference[options.face_bias ? 1 : 0]));
  }
  const auto n = static_cast<double>(worlds.size());
  return {{std::exp(wall / n), std::exp(error / n)}};
}

Curve measure_curve(const std::string& integrator, const Table& table,
                    const std::vector<World>& worlds, const Settings& settings) {
  Curve curve{integrator, {}};
  bool give_up = false;
  for (int digits = 1; digits <= kAccuracies; ++digits) {
    Cell& cell = curve.cells[digits - 1];
    if (give_up) {
      cell.reason = kNotTried;
      continue;
    }
    IntegratorOptions options = make_integrator_options(integrator);
    options.accuracy = std::pow(10.0, -digits);
    options.error_norm = table.norm.norm;
    cell = measure(worlds, options, table.scene.duration, settings);
    give_up = cell.reason == kTimedOut && digits >= kNoFaster;
  }
  return curve;
}

std::string describe(const Cell& cell) {
  if (!cell.reason.empty()) return fmt::format("– {}", cell.reason);
  const double ms = 1e3 * cell.point.wall;
  return fmt::format("{} / {:.1e}",
                     ms < 100 ? fmt::format("{:.3g}", ms) : fmt::format("{:.0f}", ms),
                     cell.point.error);
}

Table measure_table(const Scene& scene, const Norm& norm, const std::vector<World>& worlds,
                    const Settings& settings) {
  Table table{scene, norm, {}};
  fmt::print("\n{}, {} norm: {} time, ms / error, m\n\n| |", scene.name, norm.name,
             settings.timer == Timer::kWall ? "wall" : "processor");
  for (int digits = 1; digits <= kAccuracies; ++digits) {
    fmt::print(" 1e-{} |", digits);
  }
  fmt::print("\n|---|---|---|---|---|---|---|\n");
  for (const std::string& integrator : list_integrators()) {
    const Curve& curve =
        table.curves.emplace_back(measure_curve(integrator, table, worlds, settings));
    fmt::print("| {} |", integrator);
    for (const Cell& cell : curve.cells) {
      fmt::print(" {} |", describe(cell));
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
  return table;
}

const Table* find_table(const std::vector<Table>& tables, const std::string& scene,
                        ErrorNorm norm) {
  const auto found = std::ranges::find_if(tables, [&](const Table& table) {
    return table.scene.name == scene && table.norm.norm == norm;
  });
  return found == tables.end() ? nullptr : &*found;
}

const Curve& find_curve(const Table& table, const char* integrator) {
  return *std::ranges::find(table.curves, integrator, &Curve::integrator);
}

// Time of `curve` for the goal's error, as a multiple of the goal's time.
std::string describe_time_for(const Curve& curve, const WorkPoint& goal, bool extrapolate) {
  const std::vector<WorkPoint> points = curve.points();
  const std::string end = curve.end();
  if (points.empty()) return fmt::format("not reached ({})", end);
  if (const auto wall = interpolate_wall(points, goal.error)) {
    const bool loosest = points.front().error <= goal.error;
    return fmt::format("{:.1f}x{}", *wall / goal.wall,
                       loosest ? " (its loosest run that ends is as accurate)" : "");
  }
  const std::string last =
      fmt::format("its last run {:.1f}x with {:.1e} m{}", points.back().wall / goal.wall,
                  points.back().error, end.empty() ? "" : ", " + end);
  const auto wall = extrapolate ? extrapolate_wall(points, goal.error) : std::nullopt;
  if (!wall) return fmt::format("not reached ({})", last);
  return fmt::format("about {:.2g}x by its last two runs, extrapolated ({})", *wall / goal.wall,
                     last);
}

// All against cenic at 1e-3, and what bounding velocities costs.
void print_hard_clutter(const std::vector<Table>& tables) {
  const Table* position = find_table(tables, "hard_clutter", ErrorNorm::kPosition);
  const Table* state = find_table(tables, "hard_clutter", ErrorNorm::kState);
  if (position == nullptr || state == nullptr) return;
  const Cell& cenic = find_curve(*position, "cenic").at(3);
  if (!cenic.reason.empty()) return;
  fmt::print(
      "\nhard_clutter, cenic at 1e-3 in the position norm: {} (ms / m). Time of the others as "
      "a multiple of it:\n\n",
      describe(cenic));
  for (const Table* table : {position, state}) {
    for (const Curve& curve : table->curves) {
      if (curve.integrator == "cenic") continue;
      const Cell& cell = curve.at(3);
      fmt::print(
          "- {}, {} norm: at 1e-3 {}; for cenic's error {}\n", curve.integrator, table->norm.name,
          cell.reason.empty() ? fmt::format("{:.1f}x with {:.1e} m",
                                            cell.point.wall / cenic.point.wall, cell.point.error)
                              : std::string(cell.reason),
          describe_time_for(curve, cenic.point, false));
    }
  }
  const Cell& full = find_curve(*state, "cenic").at(3);
  if (!full.reason.empty()) return;
  fmt::print(
      "\nhard_clutter, cenic at 1e-3: the state norm takes {:.1f}x the time of the position "
      "norm (errors {:.1e} m and {:.1e} m)\n",
      full.point.wall / cenic.point.wall, full.point.error, cenic.point.error);
}

void print_double_pendulum(const std::vector<Table>& tables) {
  const Table* table = find_table(tables, "double_pendulum", ErrorNorm::kPosition);
  if (table == nullptr) return;
  const Cell& cenic = find_curve(*table, "cenic").at(6);
  if (!cenic.reason.empty()) return;
  fmt::print(
      "\ndouble_pendulum, cenic at 1e-6: {} (ms / m). Time of the others for that error, as a "
      "multiple:\n\n",
      describe(cenic));
  for (const Curve& curve : table->curves) {
    if (curve.integrator == "cenic") continue;
    fmt::print("- {}: {}\n", curve.integrator, describe_time_for(curve, cenic.point, true));
  }
}

// At each accuracy: times of both there, and at cenic's error (the paper's curve interpolated; an
// upper bound where it does not get there).
void print_against_paper(const Table& table) {
  const Curve &cenic = find_curve(table, "cenic"), &paper = find_curve(table, "cenic-paper");
  const std::vector<WorkPoint> points = paper.points();
  std::vector<std::string> same, equal;
  for (int i = 0; i < kAccuracies; ++i) {
    const Cell &c = cenic.cells[i], &p = paper.cells[i];
    const bool both = c.reason.empty() && p.reason.empty();
    same.push_back(both ? fmt::format("{:.2f}", c.point.wall / p.point.wall) : "–");
    if (!c.reason.empty() || points.empty()) {
      equal.emplace_back("–");
    } else if (const auto wall = interpolate_wall(points, c.point.error)) {
      equal.push_back(fmt::format("{:.2f}", c.point.wall / *wall));
    } else {
      equal.push_back(fmt::format("<{:.2f}", c.point.wall / points.back().wall));
    }
  }
  fmt::print("- {}, {} norm: {}; at equal error {}\n", table.scene.name, table.norm.name,
             fmt::join(same, ", "), fmt::join(equal, ", "));
}

void print_claims(const std::vector<Table>& tables) {
  fmt::print("\n## What follows\n");
  print_hard_clutter(tables);
  print_double_pendulum(tables);
  const bool clutter = std::ranges::any_of(tables, [](const Table& table) {
    return table.scene.random;
  });
  if (!clutter) return;
  fmt::print("\nTime of cenic over that of cenic-paper, at 1e-1 … 1e-6:\n\n");
  for (const Table& table : tables) {
    if (table.scene.random) print_against_paper(table);
  }
}

// The whole scene, beyond the time to which errors can be compared: what it costs until it rests.
void print_whole_scenes(const Settings& settings) {
  constexpr double kDuration = 10;
  fmt::print("\nWhole scenes, {:g} s simulated, position norm, mean ms over {} seeds:\n\n",
             kDuration, kWholeSeeds);
  fmt::print("| scene | integrator | 1e-1 | 1e-2 | 1e-3 | 1e-4 |\n|---|---|---|---|---|---|\n");
  for (const Scene& scene : settings.scenes) {
    if (!scene.random) continue;
    for (const char* name : {"cenic", "cenic-paper", "cenic-trapezoid", "rk3"}) {
      fmt::print("| {} | {} |", scene.name, name);
      for (const double accuracy : {1e-1, 1e-2, 1e-3, 1e-4}) {
        IntegratorOptions options = make_integrator_options(name);
        options.accuracy = accuracy;
        double sum = 0;
        for (int seed = 1; seed <= kWholeSeeds; ++seed) {
          const auto model = compile(make_scene(scene.name, {}, seed));
          double best = INFINITY;
          for (int i = 0; i < kRepeats; ++i) {
            const LimitedRun run =
                run_limited(model, options, kDuration, settings.limit * kDuration, settings.timer);
            best = run.status == RunStatus::kDone ? std::min(best, run.seconds) : best;
          }
          sum += best;
        }
        fmt::print(" {:.1f} |", 1e3 * sum / kWholeSeeds);
      }
      fmt::print("\n");
    }
  }
}

Settings read_arguments(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool has_value = i + 1 < argc;
    if (word == "--seeds" && has_value) {
      settings.seeds = std::max(1, std::atoi(argv[++i]));
    } else if (word == "--limit" && has_value) {
      settings.limit = std::atof(argv[++i]);
    } else if (word == "--cpu") {
      settings.timer = Timer::kProcessor;
    } else {
      const Scene* scene = std::ranges::find(kScenes, word, &Scene::name);
      if (scene == std::end(kScenes)) {
        throw Error(
            fmt::format("'{}' is no scene of this benchmark and no option; see the top of "
                        "bench_work_precision.cpp",
                        word));
      }
      settings.scenes.push_back(*scene);
    }
  }
  if (!(settings.limit > 0)) throw Error("give --limit a positive number of seconds");
  if (settings.scenes.empty()) settings.scenes.assign(std::begin(kScenes), std::end(kScenes));
  return settings;
}

void run(const Settings& settings) {
  fmt::print(
      "Given up: a run that takes over {:g} s for a simulated second (timed out; from 1e-3 on, "
      "tighter accuracies are then not tried), or finds no step that works (failed). Errors are "
      "displacements of anything in the scene at the end. {} in clutter; best of {} or more when a "
      "run takes less than {} s.\n",
      settings.limit,
      settings.seeds > 1 ? fmt::format("Geometric means over {} seeds", settings.seeds)
                         : "One seed",
      kRepeats, kLong);
  std::vector<Table> tables;
  for (const Scene& scene : settings.scenes) {
    const std::vector<World> worlds = make_worlds(scene, settings.seeds);
    for (const Norm& norm : kNorms) {
      tables.push_back(measure_table(scene, norm, worlds, settings));
    }
  }
  print_claims(tables);
  print_whole_scenes(settings);
  fmt::print(
      "\nIn the position norm the baselines count velocities by the step size: otherwise they miss "
      "contacts that begin late in a step. cvode bounds velocities in both norms.\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(read_arguments(argc, argv));
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return 3;
  }
  return 0;
}

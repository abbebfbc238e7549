// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Models of others, as the tables of docs/models.md:
//
//   bench_robots FOLDER files    every model file below FOLDER: size, loading time, approximations
//   bench_robots FOLDER runs     known robots, 5 s at accuracy 1e-3, with and without actuators
//   bench_robots FOLDER large    100 humanoids: loading, and 0.1 s
//
// FOLDER is a collection that holds mujoco_menagerie/ and mujoco/.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <cenic/cenic.h>
#include <fmt/format.h>

#include "benchmarks/runs.h"

namespace {

namespace fs = std::filesystem;
using namespace cenic;  // NOLINT(google-build-using-namespace)

struct Loaded {
  LoadedModel file{};
  std::shared_ptr<const Model> model{};
  double seconds = 0;  // of the processor, for reading and compiling
};

Loaded load(const fs::path& path, const fs::path& folder) {
  const double start = read_processor_time();
  Loaded loaded;
  loaded.file = load_model(path.string(), {.allowed_folders = {folder.string()}});
  loaded.model = compile(loaded.file.spec);
  loaded.seconds = read_processor_time() - start;
  return loaded;
}

// The first line, without the paths of this machine.
std::string shorten(std::string text, const fs::path& folder) {
  text = text.substr(0, text.find('\n'));
  for (std::size_t at = text.find(folder.string()); at != std::string::npos;
       at = text.find(folder.string())) {
    text.erase(at, folder.string().size() + 1);
  }
  std::ranges::replace(text, '|', '/');
  return text;
}

void print_files(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string ending = entry.path().extension().string();
    if (entry.path().filename() == "package.xml") continue;  // of ROS, no model
    if (ending == ".xml" || ending == ".urdf" || ending == ".sdf") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  fmt::print(
      "| file | dofs | load (ms) | approximated | ignored | warnings "
      "|\n|---|---:|---:|---:|---:|---:|\n");
  double slowest = 0;
  int num_loaded = 0;
  std::vector<std::string> refused;
  for (const fs::path& path : paths) {
    const std::string name = fs::relative(path, folder).string();
    try {
      const Loaded m = load(path, folder);
      const Diagnostics& d = m.file.diagnostics;
      fmt::print("| {} | {} | {:.0f} | {} | {} | {} |\n", name, m.model->nv, 1e3 * m.seconds,
                 d.count(Severity::kApproximated), d.count(Severity::kIgnored),
                 d.count(Severity::kWarning));
      slowest = std::max(slowest, m.seconds);
      ++num_loaded;
    } catch (const Error& e) {
      const std::string what = shorten(e.what(), folder);
      refused.push_back(what.starts_with(name) ? what : fmt::format("{}: {}", name, what));
    }
  }
  fmt::print("\n{} files load, the slowest in {:.0f} ms. Refused:\n\n", num_loaded, 1e3 * slowest);
  for (const std::string& line : refused) {
    fmt::print("- {}\n", line);
  }
}

struct Robot {
  const char *name, *file;
};
constexpr Robot kRobots[] = {
    {"Spot", "mujoco_menagerie/boston_dynamics_spot/scene.xml"},
    {"Panda", "mujoco_menagerie/franka_emika_panda/scene.xml"},
    {"Go1", "mujoco_menagerie/unitree_go1/scene.xml"},
    {"UR5e", "mujoco_menagerie/universal_robots_ur5e/scene.xml"},
    {"2F-85", "mujoco_menagerie/robotiq_2f85/scene.xml"},
    {"Allegro", "mujoco_menagerie/wonik_allegro/scene_right.xml"},
    {"LEAP", "mujoco_menagerie/leap_hand/scene_right.xml"},
    {"H1", "mujoco_menagerie/unitree_h1/scene.xml"},
    {"G1", "mujoco_menagerie/unitree_g1/scene_mjx.xml"},
    {"humanoid", "mujoco/model/humanoid/humanoid.xml"},
};

// Tendons and the medium stay.
void remove_actuators(LoadedModel* loaded) {
  std::set<std::string> names;
  for (const std::string& control : loaded->controls) {
    names.insert({control, control + ":force", control + ":offset"});
  }
  std::erase_if(loaded->spec.systems, [&](const SystemSpec& s) {
    return names.contains(s.name);
  });
  std::erase_if(loaded->spec.wires, [&](const WireSpec& w) {
    return names.contains(w.from) || names.contains(w.to);
  });
}

void run(const Robot& robot, LoadedModel loaded, bool actuated, double duration) {
  std::string start = "as drawn";
  if (!loaded.keyframes.empty()) {
    const Keyframe key = loaded.keyframes.front();
    apply_keyframe(key, loaded, &loaded.spec);  // the state and the controls
    start = key.name.empty() ? "first keyframe" : key.name;
  }
  if (!actuated) remove_actuators(&loaded);
  fmt::print("| {} | {} | {} | ", robot.name, actuated ? "holding" : "limp", start);
  Simulator sim(compile(loaded.spec), {.accuracy = 1e-3});
  const double before = sim.calc_penetration();
  std::string failure;
  try {
    sim.advance_to(duration);
  } catch (const AccuracyError& e) {
    failure = e.what();
  }
  const Statistics s = sim.statistics();
  const State& state = sim.state();
  const auto finite = [](double x) {
    return std::isfinite(x);
  };
  const bool good = std::ranges::all_of(state.q, finite) && std::ranges::all_of(state.v, finite);
  const double after = std::max(s.max_penetration, sim.calc_penetration());
  fmt::print("{} | {:.1f} | {} | {} | {:.2f} | {:.2f} | {} |\n", sim.model().nv,
             state.t / s.wall_seconds, s.steps, s.rejected_steps, 1e3 * before, 1e3 * after,
             !good ? "not finite"
                   : (failure.empty() ? "finite"
                                      : fmt::format("stopped at {:.3g} s: {}", state.t, failure)));
  std::fflush(stdout);
}

void print_runs(const fs::path& folder) {
  constexpr double kDuration = 5;  // s
  fmt::print(
      "| robot | actuators | start | dofs | real-time rate | steps | rejected | overlap at the "
      "start (mm) | "
      "deepest after (mm) | state |\n|---|---|---|---:|---:|---:|---:|---:|---:|---|\n");
  for (const Robot& robot : kRobots) {
    for (const bool actuated : {false, true}) {
      try {
        run(robot, load(folder / robot.file, folder).file, actuated, kDuration);
      } catch (const Error& e) {
        fmt::print("| {} | | | | | | | | | {} |\n", robot.name, shorten(e.what(), folder));
      }
    }
  }
}

void print_large(const fs::path& folder) {
  const Loaded m = load(folder / "mujoco/model/humanoid/100_humanoids.xml", folder);
  Simulator sim(m.model, {.accuracy = 1e-3});
  sim.advance_to(0.1);
  const Statistics s = sim.statistics();
  fmt::print(
      "100 humanoids: {} dofs, loaded in {:.2f} s; 0.1 s took {:.1f} s, {} steps, {} rejected, "
      "{:.0f} contacts\n",
      m.model->nv, m.seconds, s.wall_seconds, s.steps, s.rejected_steps, s.contacts_mean());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[2] : "";
  if (what != "files" && what != "runs" && what != "large") {
    // `make bench` runs all benchmarks without arguments: this one needs models of others.
    fmt::print("bench_robots FOLDER files|runs|large: tables of models, see docs/models.md\n");
    return argc == 1 ? 0 : 2;
  }
  try {
    const fs::path folder = fs::canonical(argv[1]);
    (what == "files" ? print_files : (what == "runs" ? print_runs : print_large))(folder);
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return 3;
  }
  return 0;
}

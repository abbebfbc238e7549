// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What recording costs: the same runs without and with a recording at 60 frames a second, in turns,
// the best of several and the median. Everything counts, from before the file is created to after
// it is closed: time on the clock, and of the processor for all threads (the best). Beside it what
// any recorder would cost that leaves the work to a thread: a file, a thread, and nothing else.
// Last, how far apart two cores are: what steps hand over goes from one to the other.
//   bench_recording [REPEATS [SCENE [FORMAT]]]      e.g. 15 hard_clutter .h5
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <cenic/cenic.h>
#include <fmt/core.h>
#include <time.h>

#include "recording/recorder.h"
#include "scenes/scenes.h"

namespace cenic {
namespace {

double read_clock(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Times {
  double wall = 0, all = 0;
};

Times read_clocks() { return {read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID)}; }

struct Case {
  const char* scene;
  SceneParameters parameters;
  double duration;
  double accuracy = 1e-3;

  std::string name() const {
    return fmt::format("{}{} {:g} s{}", scene, parameters.empty() ? "" : " of 400", duration,
                       accuracy == 1e-3 ? "" : fmt::format(" at {:g}", accuracy));
  }
};

// A run; `record` is called before it with the simulator, and gives back what completes the file.
template <typename Record>
Times run(const std::shared_ptr<const Model>& model, const Case& c, const Record& record) {
  Simulator sim(model, {.accuracy = c.accuracy});
  const Times start = read_clocks();
  const auto finish = record(&sim);
  sim.advance_to(c.duration);
  finish();
  const Times end = read_clocks();
  return {end.wall - start.wall, end.all - start.all};
}

Times run_alone(const std::shared_ptr<const Model>& model, const Case& c) {
  return run(model, c, [](Simulator*) {
    return [] {};
  });
}

Times run_recorded(const std::shared_ptr<const Model>& model, const Case& c,
                   const std::string& path) {
  std::filesystem::remove(path);  // of the run before
  const RecordingInfo info{.scene = model->name, .fps = 60, .duration = c.duration};
  std::unique_ptr<Recorder> recorder;
  return run(model, c, [&](Simulator* sim) {
    recorder = std::make_unique<Recorder>(*sim, info);
    recorder->add_file(path);
    sim->set_monitor([&](const StepEvent& event) {
      recorder->on_step(event);
    });
    return [&] {
      recorder->finish("");
    };
  });
}

// A thread that writes as many bytes as soon as it can, and closes the file when the run is over.
Times run_beside_thread(const std::shared_ptr<const Model>& model, const Case& c,
                        const std::string& path, std::size_t size) {
  std::filesystem::remove(path);
  std::atomic<bool> over = false, closed = false;
  std::thread thread;
  const Times times = run(model, c, [&](Simulator*) {
    thread = std::thread([&, file = std::ofstream(path)]() mutable {
      file.write(std::string(size, 'x').data(), static_cast<std::streamsize>(size));
      while (!over) {
        std::this_thread::yield();
      }
      file.close();
      closed = true;
    });
    return [&] {
      over = true;
      while (!closed) {
        std::this_thread::yield();
      }
    };
  });
  thread.join();
  return times;
}

// Nanoseconds from a write on one core to a read on another, the median of several.
double measure_distance() {
  constexpr int kTurns = 20000, kRounds = 9;
  std::array<double, kRounds> distance{};
  for (double& d : distance) {
    std::atomic<int> turn = 0;  // even: ours
    std::thread other([&turn] {
      for (int i = 0; i < kTurns; ++i) {
        while (turn.load() != 2 * i + 1) {
        }
        turn = 2 * i + 2;
      }
    });
    turn = 1;
    while (turn.load() != 2) {  // the other one runs
    }
    const double start = read_clock(CLOCK_MONOTONIC);
    for (int i = 1; i < kTurns; ++i) {
      turn = 2 * i + 1;
      while (turn.load() != 2 * i + 2) {
      }
    }
    d = 1e9 * (read_clock(CLOCK_MONOTONIC) - start) / (2 * (kTurns - 1));
    other.join();
  }
  std::ranges::sort(distance);
  return distance[kRounds / 2];
}

// Of several runs: the best is what others leave of the machine.
class Sample {
 public:
  void add(const Times& times) {
    wall_.push_back(times.wall);
    all_.push_back(times.all);
  }
  Times find_best() const { return {std::ranges::min(wall_), std::ranges::min(all_)}; }
  double find_median() const {  // on the clock
    std::vector<double> sorted = wall_;
    std::ranges::sort(sorted);
    return sorted[sorted.size() / 2];
  }

 private:
  std::vector<double> wall_, all_;
};

}  // namespace
}  // namespace cenic

int main(int argc, char** argv) {
  using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  const std::string only_scene = argc > 2 ? argv[2] : "", only_format = argc > 3 ? argv[3] : "";
  const std::string folder = std::filesystem::temp_directory_path().string();
  fmt::print(
      "| run | format | without, ms | with, ms | wall time | its median | file and thread alone | "
      "all threads | file, kB |\n|---|---|---|---|---|---|---|---|---|\n");
  const Case cases[] = {{"hard_clutter", {}, 10},
                        {"hard_clutter", {}, 10, 1e-4},
                        {"hard_clutter", {}, 100},
                        {"franka", {}, 10},
                        {"franka", {}, 100},
                        {"static_gripper", {}, 10},
                        {"quadruped", {}, 5},
                        {"quadruped", {}, 100},
                        {"clutter", {}, 2},
                        {"clutter", {{"count", 400}}, 1}};
  for (const Case& c : cases) {
    if (!only_scene.empty() && only_scene != c.scene) continue;
    const auto model = compile(make_scene(c.scene, c.parameters));
    for (const char* format : {".h5", ".npz", ".mcap"}) {
      if (!only_format.empty() && only_format != format) continue;
      const std::string path = folder + "/bench_recording" + format;
      Sample without, with, bare;
      for (int i = 0; i < repeats; ++i) {
        without.add(run_alone(model, c));
        with.add(run_recorded(model, c, path));
        const std::size_t size = std::filesystem::file_size(path);
        bare.add(run_beside_thread(model, c, path, size));
      }
      const auto percent = [](double a, double b) {
        return 100 * (b / a - 1);
      };
      const Times a = without.find_best(), b = with.find_best();
      fmt::print(
          "| {} | {} | {:.1f} | {:.1f} | {:+.1f} % | {:+.1f} % | {:+.1f} % | {:+.1f} % | "
          "{} "
          "|\n",
          c.name(), format, 1e3 * a.wall, 1e3 * b.wall, percent(a.wall, b.wall),
          percent(without.find_median(), with.find_median()),
          percent(a.wall, bare.find_best().wall), percent(a.all, b.all),
          std::filesystem::file_size(path) / 1000);
      std::filesystem::remove(path);
    }
  }
  if (std::thread::hardware_concurrency() > 1) {
    fmt::print("\nfrom one core to another: {:.0f} ns\n", measure_distance());
  }
  return 0;
}

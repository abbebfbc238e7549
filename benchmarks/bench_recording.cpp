// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What recording costs: the same runs without and with a recording at 60 frames a second, in turns,
// medians. "steps" is the time the simulation spends per run with the recorder's monitor in it, as
// its own thread sees it; "whole" goes from the first step to the closed file.
//   bench_recording [REPEATS]
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include <cenic/cenic.h>
#include <fmt/core.h>

#include "recording/recorder.h"
#include "scenes/scenes.h"

namespace cenic {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Times {
  double steps = 0, whole = 0;
};

Times run(const std::shared_ptr<const Model>& model, double duration, const std::string& path) {
  Simulator sim(model);
  std::unique_ptr<Recorder> recorder;
  if (!path.empty()) {
    const RecordingInfo info{.scene = model->name, .fps = 60};
    recorder = std::make_unique<Recorder>(sim, info);
    recorder->add_sink(make_sink(path, info, recorder->scene()));
  }
  sim.set_monitor([&](const StepEvent& event) {
    if (recorder) recorder->on_step(event);
  });
  const auto start = Clock::now();
  sim.advance_to(duration);
  Times times{.steps = seconds_since(start)};
  if (recorder) recorder->finish("");
  times.whole = seconds_since(start);
  return times;
}

double median(std::vector<double> x) {
  std::ranges::nth_element(x, x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2));
  return x[x.size() / 2];
}

}  // namespace
}  // namespace cenic

int main(int argc, char** argv) {
  using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 15;
  const std::string folder = std::filesystem::temp_directory_path().string();
  fmt::print(
      "| run | format | plain, ms | steps | whole | file, kB |\n|---|---|---|---|---|---|\n");
  for (const auto& [scene, duration] :
       {std::pair{"hard_clutter", 10.0}, {"franka", 10.0}, {"clutter", 2.0}, {"quadruped", 5.0}}) {
    const auto model = compile(make_scene(scene));
    for (const char* format : {".h5", ".npz", ".mcap"}) {
      const std::string path = folder + "/bench_recording" + format;
      std::vector<double> plain, steps, whole;
      for (int i = 0; i < repeats; ++i) {
        plain.push_back(run(model, duration, "").whole);
        const Times times = run(model, duration, path);
        steps.push_back(times.steps);
        whole.push_back(times.whole);
      }
      const double base = median(plain);
      fmt::print("| {} {:g} s | {} | {:.1f} | {:+.1f} % | {:+.1f} % | {} |\n", scene, duration,
                 format, 1e3 * base, 100 * (median(steps) / base - 1),
                 100 * (median(whole) / base - 1), std::filesystem::file_size(path) / 1000);
      std::filesystem::remove(path);
    }
  }
  return 0;
}

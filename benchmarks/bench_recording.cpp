// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What recording costs: the same runs without and with a recording at 60 frames a second, in turns,
// medians. Times are of the processor, not of the clock on the wall: of the thread that simulates,
// which is what delays a run while another core is free, and of all threads, to the closed file.
//   bench_recording [REPEATS]
#include <algorithm>
#include <cstdlib>
#include <filesystem>
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
  double thread = 0, all = 0;
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
  const double thread = read_clock(CLOCK_THREAD_CPUTIME_ID),
               all = read_clock(CLOCK_PROCESS_CPUTIME_ID);
  sim.advance_to(duration);
  Times times{.thread = read_clock(CLOCK_THREAD_CPUTIME_ID) - thread};
  if (recorder) recorder->finish("");
  times.all = read_clock(CLOCK_PROCESS_CPUTIME_ID) - all;
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
      "| run | format | without, ms | its thread | all threads | file, kB "
      "|\n|---|---|---|---|---|---|\n");
  for (const auto& [scene, duration] :
       {std::pair{"hard_clutter", 10.0}, {"franka", 10.0}, {"clutter", 2.0}, {"quadruped", 5.0}}) {
    const auto model = compile(make_scene(scene));
    for (const char* format : {".h5", ".npz", ".mcap"}) {
      const std::string path = folder + "/bench_recording" + format;
      std::vector<double> plain, thread, all;
      for (int i = 0; i < repeats; ++i) {
        plain.push_back(run(model, duration, "").all);
        const Times times = run(model, duration, path);
        thread.push_back(times.thread);
        all.push_back(times.all);
      }
      const double base = median(plain);
      fmt::print("| {} {:g} s | {} | {:.1f} | {:+.1f} % | {:+.1f} % | {} |\n", scene, duration,
                 format, 1e3 * base, 100 * (median(thread) / base - 1),
                 100 * (median(all) / base - 1), std::filesystem::file_size(path) / 1000);
      std::filesystem::remove(path);
    }
  }
  return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic plot and cenic compare: recordings as charts and numbers.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include "cli/output_file.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "plots/run_plots.h"

extern char** environ;

namespace cenic::cli {
namespace {

struct PlotArguments {
  std::vector<std::string> files;
  std::string out;
  RunPlotOptions options;
  bool png = false;
};

Recording read_run(const std::string& path) {
  Recording run = read_recording(path);
  if (run.frames.empty()) {
    throw Error(fmt::format("{}: error: the recording has no frames", path));
  }
  if (!run.complete) {
    fmt::print(stderr, "{}: note: the run was killed or still goes on; this is what was flushed\n",
               path);
  }
  return run;
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  std::ofstream stream(file.path_to_write(), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw Error(fmt::format("{}: error: writing failed (disk full?)", path));
  file.commit();
}

// By librsvg's program: pictures of charts need fonts, which are no business of a simulator.
void write_png(const std::string& svg, const std::string& png) {
  const std::string words[] = {"rsvg-convert", "--output", png, svg};
  char* arguments[] = {const_cast<char*>(words[0].c_str()), const_cast<char*>(words[1].c_str()),
                       const_cast<char*>(words[2].c_str()), const_cast<char*>(words[3].c_str()),
                       nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments, environ) != 0) {
    throw Error(fmt::format(
        "{}: error: --png needs the program rsvg-convert (Debian package librsvg2-bin)", png));
  }
  int status = 0;
  if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error(fmt::format("{}: error: rsvg-convert failed", png));
  }
}

void write_chart(const PlotArguments& a, const std::string& title, const std::vector<Panel>& panels,
                 const std::string& default_name) {
  const std::string path = a.out.empty() ? default_name : a.out;
  write_file(path, make_svg(title, panels));
  fmt::print("{}\n", path);
  if (!a.png) return;
  const std::string png = std::filesystem::path(path).replace_extension(".png").string();
  write_png(path, png);
  fmt::print("{}\n", png);
}

std::string describe(const RecordingInfo& info) {
  return info.fixed_step > 0
             ? fmt::format("{}, {} with a fixed step of {:g} s", info.scene, info.integrator,
                           info.fixed_step)
             : fmt::format("{}, {} at accuracy {:g}", info.scene, info.integrator, info.accuracy);
}

std::string replace_extension(const std::string& path, const std::string& extension) {
  return std::filesystem::path(path).replace_extension(extension).string();
}

int plot(const PlotArguments& a) {
  const std::vector<Recording> runs{read_run(a.files.front())};
  write_chart(a, describe(runs[0].info), make_run_panels(runs, a.options),
              replace_extension(a.files.front(), ".svg"));
  return kDone;
}

long count_rejections(const Recording& run) {
  long count = 0;
  for (const RecordedStep& step : run.steps) {
    count += step.rejections;
  }
  return count;
}

void print_runs(const Recording& a, const Recording& b) {
  const auto row = [](const char* name, const std::string& x, const std::string& y) {
    fmt::print("{:<24}{:>24}{:>24}\n", name, x, y);
  };
  const auto number = [](double x) {
    return fmt::format("{:.6g}", x);
  };
  const auto file = [](const Recording& run) {
    return std::filesystem::path(run.path).filename().string();
  };
  const auto wall = [](const Recording& run) {
    return run.steps.empty() ? 0 : run.steps.back().wall_time;
  };
  row("", file(a), file(b));
  row("scene", a.info.scene, b.info.scene);
  row("integrator", a.info.integrator, b.info.integrator);
  row("accuracy", number(a.info.accuracy), number(b.info.accuracy));
  row("seed", fmt::format("{}", a.info.seed), fmt::format("{}", b.info.seed));
  row("end, s", number(a.frames.back().t), number(b.frames.back().t));
  row("steps", fmt::format("{}", a.steps.size()), fmt::format("{}", b.steps.size()));
  row("rejected tries", fmt::format("{}", count_rejections(a)),
      fmt::format("{}", count_rejections(b)));
  row("wall time, s", number(wall(a)), number(wall(b)));
  row("energy at the end, J", number(a.frames.back().energy), number(b.frames.back().energy));
}

int compare(const PlotArguments& arguments) {
  std::vector<Recording> runs;
  for (const std::string& path : arguments.files) {
    runs.push_back(read_run(path));
  }
  const RunDifference d = compare_runs(runs[0], runs[1]);
  print_runs(runs[0], runs[1]);
  if (d.num_times == 0) throw Error("the two runs have no time in common");
  fmt::print("\n{} times from {:g} to {:g} s\n", d.num_times, d.start, d.end);
  if (d.largest > 0) {
    fmt::print("largest |dq|    {:.6g} at '{}', t = {:g} s\n", d.largest, d.coordinate, d.time);
  } else {
    fmt::print("largest |dq|    0: the same\n");
  }
  fmt::print("mean |dq| (rms) {:.6g}\nlargest |dE|    {:.6g} J\n", d.root_mean_square, d.energy);
  if (arguments.out.empty() && !arguments.png) return kDone;
  std::vector<Panel> panels = make_run_panels(runs, arguments.options);
  panels.back().x_label = "";
  panels.push_back({.title = "largest difference of a coordinate, m or rad",
                    .x_label = "time, s",
                    .log_y = true,
                    .curves = {{.x = d.times, .y = d.over}},
                    .x_range = panels.back().x_range});
  write_chart(arguments, fmt::format("{} and {}", describe(runs[0].info), describe(runs[1].info)),
              panels, "compare.svg");
  return kDone;
}

void add_chart_options(CLI::App* app, PlotArguments* a) {
  app->add_option("--out", a->out, "SVG file to write")->type_name("FILE");
  app->add_flag("--png", a->png, "A PNG beside it, too (needs rsvg-convert)");
  app->add_option("--body", a->options.body, "Show the contact force on a body")->type_name("NAME");
  app->add_option("--columns", a->options.columns, "Show q:NAME, v:NAME, z:NAME or y:NAME")
      ->delimiter(',')
      ->type_name("LIST");
}

}  // namespace

Action add_plot(CLI::App* app) {
  auto a = std::make_shared<PlotArguments>();
  app->add_option("FILE", a->files, "A recording (.h5)")->required()->expected(1)->type_name("");
  add_chart_options(app, a.get());
  return [a] {
    return plot(*a);
  };
}

Action add_compare(CLI::App* app) {
  auto a = std::make_shared<PlotArguments>();
  app->add_option("FILES", a->files, "Two recordings (.h5)")
      ->required()
      ->expected(2)
      ->type_name("");
  add_chart_options(app, a.get());
  return [a] {
    return compare(*a);
  };
}

}  // namespace cenic::cli

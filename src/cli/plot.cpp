// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic plot and cenic compare: recordings as charts and numbers.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/column_list.h"
#include "cli/integrator_input.h"
#include "cli/output_file.h"
#include "cli/recording_input.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "plots/run_plots.h"

namespace cenic::cli {
namespace {

using Json = nlohmann::ordered_json;  // writes numbers that are not finite as null

struct PlotArguments {
  std::vector<std::string> files;
  std::string out;
  RunPlotOptions options;
  bool png = false, json = false;
};

Recording read_run(const std::string& path) {
  refuse_unreadable_recording(path, "read back");
  Recording run = read_recording(path);
  require_frames(run);
  if (!run.complete) {
    fmt::print(stderr, "{}: note: the run was killed or still goes on; this is what was flushed\n",
               path);
  }
  return run;
}

// By librsvg's program: pictures of charts need fonts, which are no business of a simulator.
void write_png(const std::string& svg, const std::string& png) {
  const auto name_file = [](const std::string& path) {
    return path.starts_with('-') ? "./" + path : path;  // no option
  };
  const std::string words[] = {"rsvg-convert", "--output", name_file(png), name_file(svg)};
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

std::string replace_extension(const std::string& path, const std::string& extension) {
  return std::filesystem::path(path).replace_extension(extension).string();
}

// A chart is no recording, and takes the place of none.
void refuse_inputs(const PlotArguments& a, const std::string& path) {
  std::error_code ignored;
  for (const std::string& input : a.files) {
    if (!std::filesystem::equivalent(path, input, ignored)) continue;
    throw UsageError(
        fmt::format("the chart would write over the recording '{}'; give another --out", path));
  }
}

// Where the chart goes: known to be good before there is one.
std::string choose_out(const PlotArguments& a, const std::string& default_name) {
  std::string path = a.out.empty() ? default_name : a.out;
  refuse_inputs(a, path);
  if (a.png) refuse_inputs(a, replace_extension(path, ".png"));
  const std::string ending =
      CLI::detail::to_lower(std::filesystem::path(path).extension().string());
  if (!ending.empty() && ending != ".svg") {
    throw UsageError(
        fmt::format("--out {}: charts are SVG; name it .svg (--png makes a PNG beside it)", path));
  }
  return path;
}

// Returns the names of the files.
std::vector<std::string> write_chart(const std::string& path, const std::string& svg, bool as_png) {
  OutputFile file(path);
  file.write(svg);
  file.commit();
  if (!as_png) return {path};
  const std::string png = replace_extension(path, ".png");
  write_png(path, png);
  return {path, png};
}

int plot(const PlotArguments& a) {
  const std::string out = choose_out(a, replace_extension(a.files.front(), ".svg"));
  const std::vector<Recording> runs{read_run(a.files.front())};
  std::vector<std::string> lines;
  if (!runs[0].failure.empty()) lines.push_back("failed: " + runs[0].failure);
  const std::string svg =
      make_svg(make_title(runs[0].info), make_run_panels(runs, a.options), lines);
  for (const std::string& name : write_chart(out, svg, a.png)) {
    fmt::print("{}\n", name);
  }
  return kDone;
}

// ---- compare ----

template <class T>
Json null_if_empty(const T& value) {
  return value == T() ? Json() : Json(value);
}

Json make_settings(const std::string& lines) {
  Json settings = Json::array();
  for (const std::string& line : CLI::detail::split(lines, '\n')) {
    if (!line.empty()) settings.push_back(line);
  }
  return settings;
}

Json describe_run(const Recording& run, const std::string& name) {
  const RecordingInfo& info = run.info;
  long rejected = 0;
  double wall = 0;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    rejected += run.steps[i].rejections;
    wall += find_wall_time(run, i).value_or(0);
  }
  return {{"file", name},
          {"scene", info.scene},
          {"integrator", info.integrator},
          {"accuracy", null_if_empty(info.accuracy)},
          {"fixed_step", null_if_empty(info.fixed_step)},
          {"seed", info.seed},
          {"contact", null_if_empty(info.contact)},
          {"settings", make_settings(info.settings)},
          {"model_hash", null_if_empty(info.model_hash)},
          {"version", info.version},
          {"git_commit", info.git_commit},
          {"time", std::max(run.frames.back().t, run.steps.empty() ? 0 : run.steps.back().t)},
          {"steps", run.steps.size()},
          {"rejected_steps", rejected},
          {"wall_seconds", wall},
          {"energy_final", run.frames.back().energy},
          {"failure", null_if_empty(run.failure)}};
}

Json describe_difference(const LargestDifference& d) {
  return {{"value", d.value},
          {"name", null_if_empty(d.name)},
          {"unit", null_if_empty(d.unit)},
          {"time", d.name.empty() ? Json() : Json(d.time)}};
}

std::string make_text(const Json& value) {
  if (value.is_null() || (value.is_array() && value.empty())) return "-";
  if (value.is_string()) return value;
  if (value.is_array()) {
    return fmt::format("{}", fmt::join(value.get<std::vector<std::string>>(), ", "));
  }
  return value.is_number_float() ? fmt::format("{:.6g}", value.get<double>()) : value.dump();
}

void print_runs(const Json& a, const Json& b) {
  struct Row {
    const char *title = "", *key = "";
    bool always = true;  // false: where they differ
  };
  constexpr Row kRows[] = {{"", "file"},
                           {"scene", "scene"},
                           {"integrator", "integrator"},
                           {"accuracy", "accuracy"},
                           {"step, s", "fixed_step"},
                           {"seed", "seed"},
                           {"contact model", "contact", false},
                           {"settings", "settings", false},
                           {"model (its hash)", "model_hash", false},
                           {"version", "version", false},
                           {"commit", "git_commit", false},
                           {"end, s", "time"},
                           {"steps", "steps"},
                           {"rejected tries", "rejected_steps"},
                           {"wall time, s", "wall_seconds"},
                           {"energy at the end, J", "energy_final"}};
  std::size_t width = 22;
  for (const Row& row : kRows) {
    width = std::max({width, make_text(a[row.key]).size(), make_text(b[row.key]).size()});
  }
  for (const Row& row : kRows) {
    const bool shown =
        row.always ? !a[row.key].is_null() || !b[row.key].is_null() : a[row.key] != b[row.key];
    if (!shown) continue;
    fmt::print("{:<24}  {:>{}}  {:>{}}\n", row.title, make_text(a[row.key]), width,
               make_text(b[row.key]), width);
  }
  for (const Json* run : {&a, &b}) {
    if ((*run)["failure"].is_null()) continue;
    fmt::print("{} failed: {}\n", make_text((*run)["file"]), make_text((*run)["failure"]));
  }
}

void print_largest(const char* title, const LargestDifference& d) {
  if (d.name.empty()) {
    fmt::print("{:<16}0: the same\n", title);
  } else {
    fmt::print("{:<16}{:.6g} {} at '{}', t = {:g} s\n", title, d.value, d.unit, d.name, d.time);
  }
}

void print_difference(const RunDifference& d) {
  fmt::print("\n{}{}\n",
             d.num_times == 1
                 ? fmt::format("1 time, at {:g} s", d.start)
                 : fmt::format("{} times from {:g} to {:g} s", d.num_times, d.start, d.end),
             d.between_frames ? "; the runs have frames at other times: the one with "
                                "more of them is interpolated, which differs by itself"
                              : "");
  print_largest("largest |dq|", d.q);
  fmt::print("mean |dq| (rms) {:.6g}\n", d.root_mean_square);
  print_largest("largest |dv|", d.v);
  fmt::print("largest |dE|    {:.6g} J\n", d.energy);
}

std::string draw_difference(const std::vector<Recording>& runs, const RunDifference& d,
                            const RunPlotOptions& options) {
  std::vector<Panel> panels = make_run_panels(runs, options);
  if (d.q.value > 0) {
    Panel panel = make_difference_panel(d);
    panel.x_range = panels.back().x_range;
    panels.back().x_label = "";
    panels.push_back(std::move(panel));
  }
  const std::vector<std::string> names = name_runs(runs);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    lines.push_back(fmt::format("{}: {}", names[i], make_title(runs[i].info)));
    if (!runs[i].failure.empty()) lines.back() += "; failed: " + runs[i].failure;
  }
  return make_svg(fmt::format("{} and {}", names[0], names[1]), panels, lines);
}

int compare(const PlotArguments& arguments) {
  const bool draws = !arguments.out.empty() || arguments.png;
  const std::string out = draws ? choose_out(arguments, "compare.svg") : "";
  std::vector<Recording> runs;
  for (const std::string& path : arguments.files) {
    runs.push_back(read_run(path));
  }
  const RunDifference d = compare_runs(runs[0], runs[1]);
  const std::vector<std::string> names = name_runs(runs);
  Json json{{"a", describe_run(runs[0], names[0])}, {"b", describe_run(runs[1], names[1])}};
  if (!arguments.json) print_runs(json["a"], json["b"]);
  if (d.num_times == 0) throw Error("the two runs have no time in common");
  if (!arguments.json) print_difference(d);
  std::vector<std::string> files;
  if (draws) files = write_chart(out, draw_difference(runs, d, arguments.options), arguments.png);
  if (arguments.json) {
    json["times"] = d.num_times;
    json["interpolated"] = d.between_frames;
    json["start"] = d.start;
    json["end"] = d.end;
    json["coordinate"] = describe_difference(d.q);
    json["coordinate_rms"] = d.root_mean_square;
    json["velocity"] = describe_difference(d.v);
    json["energy"] = d.energy;
    json["files"] = files;
    fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return kDone;
  }
  for (const std::string& name : files) {
    fmt::print("{}\n", name);
  }
  return kDone;
}

void add_chart_options(CLI::App* app, PlotArguments* a) {
  app->add_option("--out", a->out, "SVG file to write")->type_name("FILE");
  app->add_flag("--png", a->png, "A PNG beside it, too (needs rsvg-convert)");
  app->add_option("--body", a->options.body, "Show the contact force on a body")->type_name("NAME");
  add_columns_option(app, &a->options.columns,
                     "Show q:NAME, v:NAME, z:NAME or y:NAME; NAME is a joint, a system or a signal "
                     "for all it has, or one of them: joint[2]");
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
  app->add_flag("--json", a->json, "Print one JSON object instead of the table");
  return [a] {
    return compare(*a);
  };
}

}  // namespace cenic::cli

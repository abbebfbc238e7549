// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "plots/run_plots.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"
#include "math/vec3.h"

namespace cenic {
namespace {

constexpr int kRateWindows = 60;  // over which the real-time rate is a mean
constexpr const char* kTimeLabel = "time, s";

// Runs lie over each other: named by their files, each with its colour.
template <class Fill>
Panel make_panel(std::span<const Recording> runs, const std::string& title, bool log, Fill fill) {
  Panel panel{.title = title, .x_label = "", .log_y = log, .curves = {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Curve curve{.color = list_chart_colors()[i % list_chart_colors().size()]};
    if (runs.size() > 1) curve.name = std::filesystem::path(runs[i].path).filename().string();
    fill(runs[i], &curve);
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

void fill_steps(const Recording& run, double RecordedStep::*member, Curve* curve) {
  for (const RecordedStep& step : run.steps) {
    curve->x.push_back(step.t);
    curve->y.push_back(step.*member);
  }
}

Panel make_step_panel(std::span<const Recording> runs) {
  Panel panel = make_panel(runs, "step size, s", true, [](const Recording& run, Curve* curve) {
    fill_steps(run, &RecordedStep::h, curve);
  });
  panel.height = 150;
  Curve rejected{.name = "after rejected tries", .color = "#e07b00", .points = true};
  for (const Recording& run : runs) {
    for (const RecordedStep& step : run.steps) {
      if (step.rejections == 0) continue;
      rejected.x.push_back(step.t);
      rejected.y.push_back(step.h);
    }
  }
  if (!rejected.x.empty()) panel.curves.push_back(std::move(rejected));
  return panel;
}

void fill_rate(const Recording& run, Curve* curve) {
  if (run.steps.empty()) return;
  const double start = run.steps.front().t - run.steps.front().h, end = run.steps.back().t;
  const double window = (end - start) / kRateWindows;
  double t = start, wall = 0;
  for (const RecordedStep& step : run.steps) {
    if (step.t < t + window && &step != &run.steps.back()) continue;
    if (step.wall_time > wall) {
      curve->x.push_back(0.5 * (t + step.t));
      curve->y.push_back((step.t - t) / (step.wall_time - wall));
    }
    t = step.t;
    wall = step.wall_time;
  }
}

double calc_contact_force(const Recording& run, const Frame& frame, int body) {
  Vec3 sum;
  for (const RecordedContact& c : frame.contacts) {
    if (run.scene.geometries[c.geometry_b].body == body) sum += c.force_B_W;
    if (run.scene.geometries[c.geometry_a].body == body) sum -= c.force_B_W;
  }
  return norm(sum);
}

int find_name(const std::vector<std::string>& names, const std::string& name, const Recording& run,
              const char* what) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  std::string some;
  for (std::size_t i = 0; i < names.size() && i < 8; ++i) {
    some += (i > 0 ? ", " : "") + names[i];
  }
  throw Error(fmt::format("{}: error: there is no {} '{}'; there are {}{}", run.path, what, name,
                          names.empty() ? "none" : some, names.size() > 8 ? ", …" : ""));
}

Panel make_force_panel(std::span<const Recording> runs, const std::string& body) {
  return make_panel(runs, fmt::format("contact force on '{}', N", body), false,
                    [&](const Recording& run, Curve* curve) {
                      const int b = find_name(run.scene.bodies, body, run, "body");
                      for (const Frame& frame : run.frames) {
                        curve->x.push_back(frame.t);
                        curve->y.push_back(calc_contact_force(run, frame, b));
                      }
                    });
}

Panel make_column_panel(std::span<const Recording> runs, const std::string& column) {
  const std::string kind = column.substr(0, column.find(':'));
  struct Kind {
    const char* name;
    const char* what;
    std::vector<std::string> RecordedScene::*names;
    std::vector<double> Frame::*values;
  };
  constexpr Kind kKinds[] = {{"q", "coordinate", &RecordedScene::coordinates, &Frame::q},
                             {"v", "velocity", &RecordedScene::velocities, &Frame::v},
                             {"z", "state", &RecordedScene::states, &Frame::z},
                             {"y", "output", &RecordedScene::outputs, &Frame::outputs}};
  for (const Kind& k : kKinds) {
    if (kind != k.name || column.size() <= 2) continue;
    return make_panel(runs, column, false, [&](const Recording& run, Curve* curve) {
      const int i = find_name(run.scene.*k.names, column.substr(2), run, k.what);
      for (const Frame& frame : run.frames) {
        curve->x.push_back(frame.t);
        curve->y.push_back((frame.*k.values)[i]);
      }
    });
  }
  throw Error(
      fmt::format("there is no column '{}'; give q:NAME, v:NAME, z:NAME or y:NAME", column));
}

}  // namespace

std::vector<Panel> make_run_panels(std::span<const Recording> runs, const RunPlotOptions& options) {
  std::vector<Panel> panels{make_step_panel(runs)};
  const bool controlled = std::ranges::any_of(runs, [](const Recording& run) {
    return run.info.fixed_step == 0;
  });
  if (controlled) {
    panels.push_back(
        make_panel(runs, "estimated error of a step", true, [](const Recording& run, Curve* curve) {
          fill_steps(run, &RecordedStep::error, curve);
        }));
  }
  panels.push_back(make_panel(runs, "energy, J", false, [](const Recording& run, Curve* curve) {
    for (const Frame& frame : run.frames) {
      curve->x.push_back(frame.t);
      curve->y.push_back(frame.energy);
    }
  }));
  panels.push_back(make_panel(runs, "real-time rate", true, fill_rate));
  if (!options.body.empty()) panels.push_back(make_force_panel(runs, options.body));
  for (const std::string& column : options.columns) {
    panels.push_back(make_column_panel(runs, column));
  }
  // One axis of time for all.
  std::pair<double, double> times{INFINITY, -INFINITY};
  for (const Recording& run : runs) {
    if (run.frames.empty()) continue;
    times.first = std::min(times.first, run.frames.front().t);
    times.second = std::max(times.second, run.frames.back().t);
  }
  for (Panel& panel : panels) {
    if (times.first < times.second) panel.x_range = times;
  }
  panels.back().x_label = kTimeLabel;
  return panels;
}

RunDifference compare_runs(const Recording& a, const Recording& b) {
  if (a.scene.coordinates != b.scene.coordinates) {
    throw Error(fmt::format(
        "{} and {} are not of the same model: their coordinates have other names", a.path, b.path));
  }
  RunDifference d;
  double sum = 0;
  std::size_t count = 0;
  for (const Frame& fa : a.frames) {
    if (b.frames.empty() || fa.t < b.frames.front().t - 1e-9 || fa.t > b.frames.back().t + 1e-9) {
      continue;
    }
    const Frame fb = interpolate_frame(b, fa.t);
    if (d.num_times++ == 0) d.start = fa.t;
    d.end = fa.t;
    double worst = 0;
    for (std::size_t i = 0; i < fa.q.size(); i += a.scene.coordinate_width[i]) {
      const int width = a.scene.coordinate_width[i];
      double minus = 0, plus = 0;  // q and −q are the same rotation
      for (int k = 0; k < width; ++k) {
        minus += std::pow(fa.q[i + k] - fb.q[i + k], 2);
        plus += std::pow(fa.q[i + k] + fb.q[i + k], 2);
      }
      const double distance = width > 1 ? 2 * std::sqrt(std::min(minus, plus)) : std::sqrt(minus);
      sum += distance * distance;
      ++count;
      worst = std::max(worst, distance);
      if (distance <= d.largest) continue;
      d.largest = distance;
      d.coordinate = a.scene.coordinates[i];
      d.time = fa.t;
    }
    d.times.push_back(fa.t);
    d.over.push_back(worst);
    d.energy = std::max(d.energy, std::abs(fa.energy - fb.energy));
  }
  if (count > 0) d.root_mean_square = std::sqrt(sum / static_cast<double>(count));
  return d;
}

}  // namespace cenic

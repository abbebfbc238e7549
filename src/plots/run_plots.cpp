// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "plots/run_plots.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"
#include "math/vec3.h"
#include "plots/column_names.h"

namespace cenic {
namespace {

constexpr int kRateWindows = 60;  // over which the real-time rate is a mean
constexpr int kDecades = 6;       // of errors that are shown
constexpr const char* kTimeLabel = "time, s";
constexpr const char *kOrange = "#e07b00", *kGray = "#777";

std::string take_end(const std::filesystem::path& path, int count) {
  std::filesystem::path end;
  for (auto part = path.end(); count > 0 && part != path.begin(); --count) {
    --part;
    end = end.empty() ? *part : *part / end;
  }
  return end.string();
}

// Runs lie over each other, each with its name and colour; the legend has those that have a curve.
template <class Fill>
Panel make_panel(std::span<const Recording> runs, const std::string& title, bool log, Fill fill) {
  Panel panel{.title = title, .x_label = "", .log_y = log, .curves = {}};
  const std::vector<std::string> names = name_runs(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Curve curve{.color = list_chart_colors()[i % list_chart_colors().size()]};
    fill(runs[i], &curve);
    if (runs.size() > 1 && !curve.x.empty()) curve.name = names[i];
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
  // Marks of several runs have the colours of their runs.
  const bool single = runs.size() == 1;
  Curve legend{.name = "after rejected tries", .color = single ? kOrange : kGray, .points = true};
  std::vector<Curve> marks;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Curve rejected{.color = single ? kOrange : panel.curves[i].color, .points = true};
    for (const RecordedStep& step : runs[i].steps) {
      if (step.rejections == 0) continue;
      rejected.x.push_back(step.t);
      rejected.y.push_back(step.h);
    }
    if (!rejected.x.empty()) marks.push_back(std::move(rejected));
  }
  if (marks.empty()) return panel;
  panel.curves.push_back(std::move(legend));
  std::ranges::move(marks, std::back_inserter(panel.curves));
  return panel;
}

// Errors of the size of round-off would stretch the axis: what is far below the largest lies on the
// lower edge.
void limit_decades(Panel* panel) {
  double largest = 0;
  for (const Curve& curve : panel->curves) {
    for (const double y : curve.y) {
      if (std::isfinite(y)) largest = std::max(largest, y);
    }
  }
  if (largest == 0) return;
  const double edge = std::pow(10, std::ceil(std::log10(largest)) - kDecades);
  for (Curve& curve : panel->curves) {
    for (double& y : curve.y) {
      if (y < edge) y = edge;
    }
  }
}

Panel make_error_panel(std::span<const Recording> runs) {
  Panel panel =
      make_panel(runs, "estimated error of a step", true, [](const Recording& run, Curve* curve) {
        if (run.info.fixed_step > 0) return;
        fill_steps(run, &RecordedStep::error, curve);
      });
  // What was asked for, once where runs share it.
  std::vector<Curve> asked;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double accuracy = runs[i].info.accuracy;
    if (accuracy <= 0 || runs[i].frames.empty()) continue;
    const double start = runs[i].frames.front().t, end = runs[i].frames.back().t;
    const auto same = std::ranges::find(asked, std::vector{accuracy, accuracy}, &Curve::y);
    if (same == asked.end()) {
      asked.push_back({.name = fmt::format("accuracy {:g}", accuracy),
                       .color = panel.curves[i].color,
                       .x = {start, end},
                       .y = {accuracy, accuracy},
                       .dashed = true});
    } else {
      same->x = {std::min(same->x[0], start), std::max(same->x[1], end)};
      same->color = kGray;
    }
  }
  std::ranges::move(asked, std::back_inserter(panel.curves));
  limit_decades(&panel);
  return panel;
}

void fill_rate(const Recording& run, Curve* curve) {
  if (run.steps.empty()) return;
  const double start = run.steps.front().t - run.steps.front().h, end = run.steps.back().t;
  const double window = (end - start) / kRateWindows;
  double t = start, wall = 0;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const RecordedStep& step = run.steps[i];
    const std::optional<double> spent = find_wall_time(run, i);
    if (!spent) {
      t = step.t;
      wall = 0;
      continue;
    }
    wall += *spent;
    if (step.t < t + window && i + 1 < run.steps.size()) continue;
    if (wall > 0) {
      curve->x.push_back(0.5 * (t + step.t));
      curve->y.push_back((step.t - t) / wall);
    }
    t = step.t;
    wall = 0;
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
  if (found == names.end()) {
    throw Error(fmt::format("{}: error: {}", run.path, describe_unknown_name(what, name, names)));
  }
  return static_cast<int>(found - names.begin());
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

// Older recordings do not say it.
std::string find_unit(const std::vector<std::string>& units, std::size_t i,
                      const char* if_unknown) {
  return i < units.size() && !units[i].empty() ? units[i] : if_unknown;
}

// What a column may be about.
struct ColumnKind {
  const char* what;
  std::vector<std::string> RecordedScene::*names;
  std::vector<double> Frame::*values;
  char letter;
  // Of coordinates and velocities; names of the others are SYSTEM.SIGNAL, and have none.
  std::vector<std::string> RecordedScene::*units;
  std::vector<int> RecordedScene::*bodies;
};

constexpr ColumnKind kColumnKinds[] = {
    {"coordinate", &RecordedScene::coordinates, &Frame::q, 'q', &RecordedScene::coordinate_units,
     &RecordedScene::coordinate_bodies},
    {"velocity", &RecordedScene::velocities, &Frame::v, 'v', &RecordedScene::velocity_units,
     &RecordedScene::velocity_bodies},
    {"state", &RecordedScene::states, &Frame::z, 'z', nullptr, nullptr},
    {"output", &RecordedScene::outputs, &Frame::outputs, 'y', nullptr, nullptr}};

const ColumnKind& find_kind(const std::string& column) {
  for (const ColumnKind& kind : kColumnKinds) {
    if (column.size() > 2 && column[0] == kind.letter && column[1] == ':') return kind;
  }
  throw Error(
      fmt::format("there is no column '{}'; give q:NAME, v:NAME, z:NAME or y:NAME", column));
}

// A joint goes by its body's name, too. Empty: older recordings do not say whose it is.
std::string find_alias(const RecordedScene& scene, const ColumnKind& kind, std::size_t at) {
  const std::vector<int>& bodies = scene.*kind.bodies;
  const int body = at < bodies.size() ? bodies[at] : -1;
  if (body < 0) return "";
  const std::string& name = (scene.*kind.names)[at];
  return scene.bodies[body] + (name.ends_with(']') ? name.substr(name.rfind('[')) : "");
}

// A panel for each number.
void add_column_panels(std::span<const Recording> runs, const std::string& column,
                       std::vector<Panel>* panels) {
  const ColumnKind& kind = find_kind(column);
  const std::string asked = column.substr(2);
  const std::vector<std::string>& names = runs.front().scene.*kind.names;
  const std::size_t before = panels->size();
  std::vector<std::string> aliases;
  for (std::size_t at = 0; at < names.size(); ++at) {
    const std::string& name = names[at];
    bool meant = kind.units == nullptr ? means_signal(asked, name) : means_coordinate(asked, name);
    const std::string alias =
        kind.bodies == nullptr ? "" : find_alias(runs.front().scene, kind, at);
    if (!alias.empty()) {
      meant = meant || means_coordinate(asked, alias);
      aliases.push_back(alias);
    }
    if (!meant) continue;
    const std::string unit =
        kind.units == nullptr ? "" : find_unit(runs.front().scene.*kind.units, at, "");
    const std::string title =
        fmt::format("{}:{}{}{}", kind.letter, name, unit.empty() ? "" : ", ", unit);
    panels->push_back(make_panel(runs, title, false, [&](const Recording& run, Curve* curve) {
      const int i = find_name(run.scene.*kind.names, name, run, kind.what);
      for (const Frame& frame : run.frames) {
        curve->x.push_back(frame.t);
        curve->y.push_back((frame.*kind.values)[i]);
      }
    }));
  }
  if (panels->size() > before) return;
  throw Error(fmt::format("{}: error: {}", runs.front().path,
                          describe_unknown_name(kind.what, asked, names, aliases)));
}

// ---- differences ----

struct Largest {
  double value = 0, time = 0;
  std::size_t index = 0;

  // What is no number is larger than all that are.
  void add(double x, double t, std::size_t i) {
    if (x > value || (std::isnan(x) && !std::isnan(value))) *this = {x, t, i};
  }
};

// From q[i] on, `width` numbers: that of a rotation is the angle.
double calc_distance(const Frame& a, const Frame& b, std::size_t i, int width) {
  double minus = 0, plus = 0;  // q and −q are the same rotation
  for (int k = 0; k < width; ++k) {
    minus += std::pow(a.q[i + k] - b.q[i + k], 2);
    plus += std::pow(a.q[i + k] + b.q[i + k], 2);
  }
  return width > 1 ? 4 * std::asin(std::min(0.5 * std::sqrt(std::min(minus, plus)), 1.0))
                   : std::sqrt(minus);
}

bool has_frame_at(const Recording& run, double t) {
  return !run.frames.empty() && std::abs(run.frames[find_frame(run, t)].t - t) <= kTimeSlack;
}

// The frames of a run during the other one.
std::span<const Frame> find_common_frames(const Recording& run, const Recording& other) {
  if (other.frames.empty()) return {};
  const auto first =
      std::ranges::lower_bound(run.frames, other.frames.front().t - kTimeSlack, {}, &Frame::t);
  const auto last =
      std::ranges::upper_bound(run.frames, other.frames.back().t + kTimeSlack, {}, &Frame::t);
  return {first, std::max(first, last)};
}

// Whether the frames that both have tell as much as all frames of the run with fewer of them: only
// its first and last, where a run may start and end between the others, may be its own.
bool share_frames(std::span<const Frame> frames, const Recording& other) {
  long shared = 0, own = 0;
  for (const Frame& frame : frames) {
    if (has_frame_at(other, frame.t)) {
      ++shared;
      continue;
    }
    ++own;
    if (&frame != &frames.front() && &frame != &frames.back()) return false;
  }
  return shared > own;
}

LargestDifference describe_coordinate(const RecordedScene& scene, const Largest& largest) {
  if (largest.value == 0) return {};
  const std::string& name = scene.coordinates[largest.index];
  if (scene.coordinate_width[largest.index] == 4) {
    return {largest.value, name.substr(0, name.rfind('[')) + " rotation", "rad", largest.time};
  }
  return {largest.value, name, find_unit(scene.coordinate_units, largest.index, "m or rad"),
          largest.time};
}

LargestDifference describe_velocity(const RecordedScene& scene, const Largest& largest) {
  if (largest.value == 0) return {};
  return {largest.value, scene.velocities[largest.index],
          find_unit(scene.velocity_units, largest.index, "m/s or rad/s"), largest.time};
}

}  // namespace

std::vector<std::string> name_runs(std::span<const Recording> runs) {
  std::vector<std::filesystem::path> paths;
  for (const Recording& run : runs) {
    paths.push_back(std::filesystem::path(run.path).lexically_normal());
  }
  const std::size_t distinct = std::set(paths.begin(), paths.end()).size();
  std::vector<std::string> names(runs.size());
  for (int count = 1; std::set(names.begin(), names.end()).size() < distinct || count == 1;
       ++count) {
    std::ranges::transform(paths, names.begin(), [&](const auto& path) {
      return take_end(path, count);
    });
  }
  return names;
}

std::vector<Panel> make_run_panels(std::span<const Recording> runs, const RunPlotOptions& options) {
  std::vector<Panel> panels{make_step_panel(runs)};
  const bool controlled = std::ranges::any_of(runs, [](const Recording& run) {
    return run.info.fixed_step == 0;
  });
  if (controlled) panels.push_back(make_error_panel(runs));
  panels.push_back(make_panel(runs, "energy, J", false, [](const Recording& run, Curve* curve) {
    for (const Frame& frame : run.frames) {
      curve->x.push_back(frame.t);
      curve->y.push_back(frame.energy);
    }
  }));
  panels.push_back(make_panel(runs, "real-time rate", true, fill_rate));
  if (!options.body.empty()) panels.push_back(make_force_panel(runs, options.body));
  for (const std::string& column : options.columns) {
    add_column_panels(runs, column, &panels);
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
  Largest q, v;
  double sum = 0;
  std::size_t count = 0;
  const auto of_a = find_common_frames(a, b), of_b = find_common_frames(b, a);
  // Between frames that are near each other there is less to go wrong. A run that lies between two
  // frames of the other has all of them.
  const bool swapped = !of_b.empty() && (of_a.empty() || of_b.size() < of_a.size());
  const std::span<const Frame> fewer = swapped ? of_b : of_a;
  const Recording& other = swapped ? a : b;
  d.between_frames = !fewer.empty() && !share_frames(fewer, other);
  for (const Frame& fa : fewer) {
    if (!d.between_frames && !has_frame_at(other, fa.t)) continue;
    const Frame fb = interpolate_frame(other, fa.t);
    if (d.num_times++ == 0) d.start = fa.t;
    d.end = fa.t;
    double worst = 0;
    for (std::size_t i = 0; i < fa.q.size(); i += a.scene.coordinate_width[i]) {
      const double distance = calc_distance(fa, fb, i, a.scene.coordinate_width[i]);
      sum += distance * distance;
      ++count;
      worst = std::max(worst, distance);
      q.add(distance, fa.t, i);
    }
    for (std::size_t i = 0; i < fa.v.size(); ++i) {
      v.add(std::abs(fa.v[i] - fb.v[i]), fa.t, i);
    }
    d.times.push_back(fa.t);
    d.over.push_back(worst);
    d.energy = std::max(d.energy, std::abs(fa.energy - fb.energy));
  }
  d.q = describe_coordinate(a.scene, q);
  d.v = describe_velocity(a.scene, v);
  if (count > 0) d.root_mean_square = std::sqrt(sum / static_cast<double>(count));
  return d;
}

Panel make_difference_panel(const RunDifference& difference) {
  Panel panel{.title = "largest difference of a coordinate, m or rad",
              .x_label = kTimeLabel,
              .log_y = true,
              .curves = {{.x = difference.times, .y = difference.over}}};
  limit_decades(&panel);
  return panel;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/run_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "core/version.h"

namespace cenic::cli {
namespace {

using Json = nlohmann::ordered_json;  // writes numbers that are not finite as null

const char* to_string(ErrorNorm norm) {
  return norm == ErrorNorm::kPosition ? "position" : "state";
}

Json make_phases(const RunReport& report) {
  Json phases;
  for (int i = 0; i < kNumPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    phases[cenic::to_string(phase)] = report.phase_seconds(phase);
  }
  phases["other"] = report.other_seconds();
  return phases;
}

Json make_limits(const RunReport& report) {
  Json limits = Json::array();
  for (const LimitingCoordinate& limit : report.limited_by) {
    limits.push_back({{"name", limit.name}, {"count", limit.count}});
  }
  return limits;
}

void print_row(const std::string& name, const std::string& text) {
  fmt::print("  {:<18} {}\n", name, text);
}

std::string describe_phases(const RunReport& report) {
  std::string text;
  const double wall = report.statistics.wall_seconds;
  const auto add = [&](const char* name, double seconds) {
    const double percent = wall > 0 ? 100 * seconds / wall : 0;
    if (percent >= 0.5) {
      text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", name, percent);
    }
  };
  for (int i = 0; i < kNumPhases; ++i) {
    add(cenic::to_string(static_cast<Phase>(i)), report.phase_seconds(static_cast<Phase>(i)));
  }
  add("other", report.other_seconds());
  return text.empty() ? "-" : text;
}

std::string describe_limits(const RunReport& report) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, report.limited_by.size()); ++i) {
    const LimitingCoordinate& limit = report.limited_by[i];
    const double percent = 100.0 * limit.count / std::max(1L, report.statistics.steps);
    text += fmt::format("{}{} {:.0f}%", text.empty() ? "" : ", ", limit.name, percent);
  }
  return text;
}

}  // namespace

double RunReport::real_time_rate() const {
  return statistics.wall_seconds > 0 ? state.t / statistics.wall_seconds
                                     : std::numeric_limits<double>::quiet_NaN();
}

double RunReport::phase_seconds(Phase phase) const {
  return ticks_to_seconds(statistics.phases[phase]);
}

// Threads may spend more time in the phases than passed on the wall.
double RunReport::other_seconds() const {
  double sum = 0;
  for (int i = 0; i < kNumPhases; ++i) {
    sum += phase_seconds(static_cast<Phase>(i));
  }
  return std::max(0.0, statistics.wall_seconds - sum);
}

std::vector<LimitingCoordinate> rank_limits(const Model& model, const Statistics& statistics,
                                            std::size_t most) {
  std::map<std::string, long> counts;
  for (int v = 0; v < model.nv; ++v) {
    if (statistics.limited_by[v] > 0) {
      counts[model.describe_velocity(v)] += statistics.limited_by[v];
    }
  }
  for (int z = 0; z < model.nz; ++z) {
    if (statistics.limited_by_state[z] > 0) {
      counts[model.describe_state(z)] += statistics.limited_by_state[z];
    }
  }
  std::vector<LimitingCoordinate> limits;
  limits.reserve(counts.size());
  for (const auto& [name, count] : counts) {
    limits.push_back({name, count});
  }
  std::stable_sort(limits.begin(), limits.end(), [](const auto& a, const auto& b) {
    return a.count > b.count;
  });
  if (limits.size() > most) limits.resize(most);
  return limits;
}

void print_json(const RunReport& r) {
  const Statistics& s = r.statistics;
  const bool fixed = r.options.fixed_step > 0;
  Json json;
  json["version"] = version();
  json["scene"] = r.scene;
  json["seed"] = r.seed;
  json["integrator"] = r.options.name;
  json["accuracy"] = fixed ? Json() : Json(r.options.accuracy);
  json["fixed_step"] = fixed ? Json(r.options.fixed_step) : Json();
  json["error_norm"] = to_string(r.options.error_norm);
  json["external_treatment"] = cenic::to_string(r.options.external);
  json["threads"] = r.options.threads;
  json["duration"] = r.duration;
  json["time"] = r.state.t;
  json["steps"] = s.steps;
  json["rejected_steps"] = s.rejected_steps;
  json["local_steps"] = s.local_steps;
  json["solves"] = s.solves;
  json["solver_iterations"] = s.solver_iterations;
  json["factorizations"] = s.factorizations;
  json["linesearch_iterations"] = s.linesearch_iterations;
  json["geometry_queries"] = s.geometry_queries;
  json["surfaces"] = {{"queries", s.surfaces.queries},       {"rebuilds", s.surfaces.rebuilds},
                      {"node_pairs", s.surfaces.node_pairs}, {"candidates", s.surfaces.candidates},
                      {"polygons", s.surfaces.polygons},     {"points", s.surfaces.points}};
  json["contacts_mean"] = s.contacts_mean();
  json["contacts_max"] = s.contacts_max;
  json["wall_seconds"] = s.wall_seconds;
  json["real_time_rate"] = r.real_time_rate();
  json["step_first"] = s.step_first;
  json["step_min"] = s.step_min;
  json["step_mean"] = s.step_mean();
  json["step_max"] = s.step_max;
  json["energy_initial"] = r.energy_initial;
  json["energy_final"] = r.energy_final;
  json["initial_penetration"] = s.initial_penetration;
  json["max_penetration"] = r.max_penetration;
  json["limited_by"] = make_limits(r);
  json["phases"] = make_phases(r);
  json["final"] = {{"t", r.state.t}, {"q", r.state.q}, {"v", r.state.v}, {"z", r.state.z}};
  if (!r.failure.empty()) json["failure"] = r.failure;
  // Names may hold any bytes: replace what is not UTF-8.
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_table(const RunReport& r, const Model& model) {
  const Statistics& s = r.statistics;
  const bool fixed = r.options.fixed_step > 0;
  fmt::print("{}: {} bodies, {} degrees of freedom, {} geometries\n", r.scene, model.bodies.size(),
             model.nv, model.geometries.size());
  print_row("integrator", fmt::format("{}{}", r.options.name, fixed ? ", fixed step" : ""));
  if (fixed) {
    print_row("step", fmt::format("{:g} s", r.options.fixed_step));
  } else {
    print_row("accuracy",
              fmt::format("{:g} ({} norm)", r.options.accuracy, to_string(r.options.error_norm)));
  }
  print_row("simulated time", fmt::format("{:g} s of {:g} s", r.state.t, r.duration));
  print_row("wall time", fmt::format("{:.4g} s", s.wall_seconds));
  if (s.steps > 0) print_row("real-time rate", fmt::format("{:.4g}x", r.real_time_rate()));
  print_row("steps", fmt::format("{} ({} rejected{})", s.steps, s.rejected_steps,
                                 s.local_steps > 0
                                     ? fmt::format("; {} of islands on their own", s.local_steps)
                                     : ""));
  print_row("step size", fmt::format("min {:.3g} s, mean {:.3g} s, max {:.3g} s", s.step_min,
                                     s.step_mean(), s.step_max));
  if (!r.limited_by.empty()) print_row("limited by", describe_limits(r));
  const double iterations = static_cast<double>(s.solver_iterations) / std::max(1L, s.solves);
  print_row("solver", fmt::format("{} iterations in {} solves ({:.2f} each)", s.solver_iterations,
                                  s.solves, iterations));
  print_row("contacts", fmt::format("mean {:.1f}, max {}", s.contacts_mean(), s.contacts_max));
  print_row("energy", fmt::format("{:.6g} J to {:.6g} J", r.energy_initial, r.energy_final));
  print_row("max penetration", fmt::format("{:.3g} m (at the start {:.3g} m)", r.max_penetration,
                                           s.initial_penetration));
  print_row("time spent in", describe_phases(r));
}

}  // namespace cenic::cli

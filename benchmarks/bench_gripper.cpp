// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Force closure (paper, figure of the static gripper): the force with which the fingers hold the
// peg, sampled through the impact and after it, and how far the peg slips.
//   bench_gripper [--svg FILE]
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benchmarks/runs.h"
#include "plots/chart.h"

namespace cenic {
namespace {

constexpr double kDuration = 10, kAccuracy = 1e-3, kRate = 100;  // s, m, samples a second
constexpr double kQuiet = 0.2;  // s: the impact, at 0.045 s, is over
constexpr const char* kIntegrators[] = {"cenic", "cenic-paper", "rk3"};
constexpr const char* kColors[] = {"#1a7f5a", "#b8860b", "#b03a3a"};

struct Run {
  std::vector<double> force;         // of both fingers on the peg, N
  double largest_jump = 0;           // between samples after the impact, relative
  double slip_impact = 0, slip = 0;  // of the peg, through the impact and after it, m
  Statistics statistics;
  bool dropped = false;
};

Run run(const char* integrator) {
  IntegratorOptions options = make_integrator_options(integrator);
  options.accuracy = kAccuracy;
  Simulator sim(compile(make_scene("static_gripper")), options);
  const auto position = [&] {
    return sim.state().q[7] - sim.state().q[0];
  };
  Run result;
  const double start = position();
  double after = start;
  for (int i = 1; i <= static_cast<int>(kDuration * kRate); ++i) {
    sim.advance_to(i / kRate);
    double force = 0;
    for (const ContactReport& c : sim.contacts()) {
      if (c.point.link_a < 0 || c.point.link_b < 0) continue;
      force += std::fabs(dot(c.force_B_W, c.point.nhat_AB_W));
    }
    if (i / kRate <= kQuiet) {
      after = position();
    } else {
      const double before = result.force.back();
      const double jump = std::fabs(force - before) / std::max(before, 1e-12);
      result.largest_jump = std::max(result.largest_jump, jump);
    }
    result.force.push_back(force);
  }
  result.slip_impact = start - after;
  result.slip = after - position();
  result.dropped = result.force.back() == 0;
  result.statistics = sim.statistics();
  return result;
}

// The first seconds, one panel an integrator, the same scale for all.
void write_svg(const std::string& path, const std::vector<Run>& runs) {
  constexpr double kShown = 2, kMost = 3;  // s, N
  std::vector<Panel> panels;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    Panel& panel = panels.emplace_back();
    panel.title = kIntegrators[r];
    panel.y_range = {0, kMost};
    Curve& curve = panel.curves.emplace_back();
    curve.color = kColors[r];
    for (std::size_t i = 0; i < runs[r].force.size() && (i + 1) / kRate <= kShown; ++i) {
      curve.x.push_back((i + 1) / kRate);
      curve.y.push_back(std::min(runs[r].force[i], kMost));
    }
  }
  panels.back().x_label = "time, s";
  std::ofstream(path) << make_svg(
      fmt::format("force of the fingers on the peg, N (static_gripper, accuracy {:g})", kAccuracy),
      panels);
}

}  // namespace
}  // namespace cenic

int main(int argc, char** argv) {
  using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library
  const std::string svg = argc > 2 && std::string(argv[1]) == "--svg" ? argv[2] : "";
  fmt::print(
      "static_gripper, {} s at accuracy {:g}, {} samples a second\n\n"
      "| integrator | steps | slip in the impact, mm | slip after it, mm | largest jump of the "
      "force after it |\n|---|---|---|---|---|\n",
      kDuration, kAccuracy, kRate);
  std::vector<Run> runs;
  for (const char* integrator : kIntegrators) {
    const Run& r = runs.emplace_back(run(integrator));
    fmt::print("| `{}` | {} | {:.3f} | {:.3f}{} | {:.2g} % |\n", integrator, r.statistics.steps,
               1e3 * r.slip_impact, 1e3 * r.slip, r.dropped ? " (dropped)" : "",
               std::min(100 * r.largest_jump, 1e3));
  }
  if (!svg.empty()) write_svg(svg, runs);
  return 0;
}

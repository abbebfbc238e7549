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
#include <fmt/ostream.h>

#include "benchmarks/runs.h"

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
  std::ofstream svg(path);
  fmt::print(svg,
             "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 640 {0}' "
             "font-family='sans-serif' font-size='13'><rect width='640' height='{0}' "
             "fill='white'/><text x='60' y='18'>force of the fingers on the peg, N "
             "(static_gripper, accuracy {1:g})</text>\n",
             60 + 130 * runs.size(), kAccuracy);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const double base = 140 + 130 * static_cast<double>(r);
    for (int n = 0; n <= 3; ++n) {
      const double y = base - 100 * n / kMost;
      fmt::print(svg,
                 "<path d='M60 {0:.1f}H620' stroke='#ddd'/><text x='52' y='{1:.1f}' "
                 "text-anchor='end'>{2}</text>\n",
                 y, y + 4, n);
    }
    std::string points;
    for (std::size_t i = 0; i < runs[r].force.size() && (i + 1) / kRate <= kShown; ++i) {
      points += fmt::format("{:.1f},{:.1f} ", 60 + 560 * (i + 1) / kRate / kShown,
                            base - 100 * std::min(runs[r].force[i], kMost) / kMost);
    }
    fmt::print(svg,
               "<polyline points='{}' fill='none' stroke='{}' stroke-width='1.5'/>"
               "<text x='612' y='{:.0f}' text-anchor='end' fill='{}'>{}</text>\n",
               points, kColors[r], base - 86, kColors[r], kIntegrators[r]);
  }
  const double bottom = 58 + 130 * static_cast<double>(runs.size());
  for (int t = 0; t <= 4; ++t) {
    fmt::print(svg, "<text x='{:.0f}' y='{:.0f}' text-anchor='middle'>{} s</text>\n",
               60 + 140.0 * t, bottom - 22, 0.5 * t);
  }
  fmt::print(svg, "</svg>\n");
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

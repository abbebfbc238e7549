// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Is what recordings show between the ends of steps as accurate as the steps? Errors of coordinates
// and velocities, against the same scene at a tight accuracy, at the ends of steps and at nine
// times within each; the ratios are what counts.
//   bench_dense_output [SCENE [INTEGRATOR]]
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <cenic/cenic.h>
#include <fmt/core.h>

#include "recording/dense_output.h"
#include "scenes/scenes.h"

namespace cenic {
namespace {

constexpr double kDuration = 1, kReference = 1e-8;

struct Error {
  double worst = 0, squares = 0;
  long count = 0;

  void add(std::span<const double> difference) {
    double e = 0;
    for (const double d : difference) {
      e = std::max(e, std::abs(d));
    }
    worst = std::max(worst, e);
    squares += e * e;
    ++count;
  }
  double rms() const { return std::sqrt(squares / static_cast<double>(std::max(1L, count))); }
};

struct Errors {
  Error q, v;
};

constexpr const char* kRow =
    "{:16} {:>8} {:>6} | {:>8} {:>8} {:>6} {:>6} | {:>8} {:>8} {:>6} {:>6}\n";

std::string show(double x, const char* format) { return fmt::format(fmt::runtime(format), x); }

void measure(const std::string& scene, const std::string& integrator, double accuracy) {
  const auto model = compile(make_scene(scene));
  IntegratorOptions options = make_integrator_options(integrator);
  options.accuracy = accuracy;
  Simulator sim(model, options), reference(model, {.accuracy = kReference});
  DenseOutput dense(*model, &sim.measurements());
  std::vector<double> difference(model->nv);
  State state;
  StepPath path;
  Errors at_steps, between;
  const auto compare = [&](const State& x, Errors* errors) {
    reference.advance_to(x.t);
    const State& exact = reference.state();
    calc_position_difference(*model, exact.q, x.q, difference);
    errors->q.add(difference);
    for (int i = 0; i < model->nv; ++i) {
      difference[i] = x.v[i] - exact.v[i];
    }
    errors->v.add(difference);
  };
  sim.set_monitor([&](const StepEvent& event) {
    sim.report_path(event, &path);
    for (int i = 1; i < 10; ++i) {
      const double t = event.before.t + 0.1 * i * (event.after.t - event.before.t);
      dense.interpolate(event.before, event.after, path, t, &state);
      compare(state, &between);
    }
    compare(event.after, &at_steps);
  });
  sim.advance_to(kDuration);
  std::vector<std::string> cells;
  for (Error Errors::*x : {&Errors::q, &Errors::v}) {
    const Error &end = at_steps.*x, &middle = between.*x;
    cells.push_back(show(end.worst, "{:.1e}"));
    cells.push_back(show(middle.worst, "{:.1e}"));
    cells.push_back(show(middle.worst / end.worst, "{:.2f}"));
    cells.push_back(show(middle.rms() / end.rms(), "{:.2f}"));
  }
  fmt::print(kRow, scene, accuracy, sim.statistics().steps, cells[0], cells[1], cells[2], cells[3],
             cells[4], cells[5], cells[6], cells[7]);
}

void run(int argc, char** argv) {
  const std::string only = argc > 1 ? argv[1] : "";
  const std::string integrator = argc > 2 ? argv[2] : "cenic";
  fmt::print(kRow, "", "", "", "q, worst", "", "", "r.m.s.", "v, worst", "", "", "r.m.s.");
  fmt::print(kRow, "scene", "accuracy", "steps", "at steps", "between", "ratio", "ratio",
             "at steps", "between", "ratio", "ratio");
  for (const char* scene : {"double_pendulum", "chain", "four_bar", "closed_chain", "spinning_top",
                            "cart_pole", "pid_pendulum", "bouncing_ball", "conveyor", "quadruped",
                            "franka", "sliding_block", "static_gripper"}) {
    if (!only.empty() && only != scene) continue;
    for (const double accuracy : {1e-2, 1e-3, 1e-4}) {
      measure(scene, integrator, accuracy);
    }
  }
}

}  // namespace
}  // namespace cenic

int main(int argc, char** argv) {
  try {
    cenic::run(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 1;
  }
}

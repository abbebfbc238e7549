// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Is what recordings show between the ends of steps as accurate as the steps? Errors of coordinates
// and velocities, against the same scene at a tight accuracy: at the ends of steps; at nine times
// within each, of the dense output; and there, of the same step taken anew so that it ends just
// there. The ratios are between the second and the larger of the others.
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

struct Deviation {
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
  Deviation q, v;
};

constexpr const char* kRow =
    "{:16} {:>8} {:>6} | {:>8} {:>8} {:>8} {:>6} {:>6} | {:>8} {:>8} {:>8} {:>6} {:>6}\n";

void print_row(const std::string& scene, const std::string& accuracy, const std::string& steps,
               const std::vector<std::string>& cells) {
  fmt::print(kRow, scene, accuracy, steps, cells[0], cells[1], cells[2], cells[3], cells[4],
             cells[5], cells[6], cells[7], cells[8], cells[9]);
}

void measure(const std::string& scene, const std::string& integrator, double accuracy) {
  const auto model = compile(make_scene(scene));
  IntegratorOptions options = make_integrator_options(integrator);
  options.accuracy = accuracy;
  Simulator sim(model, options), reference(model, {.accuracy = kReference});
  Simulator landing(model, options);
  Checkpoint start;
  DenseOutput dense(*model, &sim.measurements());
  std::vector<double> difference(model->nv);
  State state;
  StepPath path;
  Errors at_ends, landed, between;
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
      landing.restore(start);
      landing.advance_to(t);
      compare(landing.state(), &landed);
    }
    compare(event.after, &at_ends);
  });
  while (sim.state().t < kDuration) {
    start = sim.checkpoint();
    const StepResult result = sim.step(kDuration);
    if (result.status != StepStatus::kAccepted) throw Error(sim.describe_failure(result));
  }
  std::vector<std::string> cells;
  for (Deviation Errors::*x : {&Errors::q, &Errors::v}) {
    const Deviation &ends = at_ends.*x, &there = landed.*x, &inside = between.*x;
    for (const Deviation* deviation : {&ends, &there, &inside}) {
      cells.push_back(fmt::format("{:.1e}", deviation->worst));
    }
    const auto add_ratio = [&](double dense_error, double step_error) {
      cells.push_back(fmt::format("{:.2f}", dense_error / step_error));
    };
    add_ratio(inside.worst, std::max(ends.worst, there.worst));
    add_ratio(inside.rms(), std::max(ends.rms(), there.rms()));
  }
  print_row(scene, fmt::format("{}", accuracy), fmt::format("{}", sim.statistics().steps), cells);
}

void run(int argc, char** argv) {
  const std::string only = argc > 1 ? argv[1] : "";
  const std::string integrator = argc > 2 ? argv[2] : "cenic";
  print_row("", "", "", {"q, worst", "", "", "", "r.m.s.", "v, worst", "", "", "", "r.m.s."});
  print_row("scene", "accuracy", "steps",
            {"at ends", "landed", "between", "ratio", "ratio", "at ends", "landed", "between",
             "ratio", "ratio"});
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

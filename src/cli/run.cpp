// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic run: a scene, simulated.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/run_recording.h"
#include "cli/run_report.h"
#include "cli/scene_input.h"
#include "cli/step_table.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "sim/simulator.h"
#include "viewer/replay_page.h"

namespace cenic::cli {
namespace {

constexpr double kReplayFps = 60;

struct RunArguments {
  SceneInput input;
  std::optional<double> duration, accuracy, step, max_step;
  std::string integrator, error_norm;
  std::string csv, columns, html;
  RecordingArguments recording;
  int threads = 1;
  bool json = false, quiet = false;
};

// Thrown by the monitor to leave the simulator after the step at which Ctrl-C was seen.
struct Interrupted {};

// The command line first, then what a scenario says.
IntegratorOptions make_options(const RunArguments& arguments, const RunSettings& scenario) {
  std::string integrator = scenario.integrator.empty() ? "cenic" : scenario.integrator;
  if (!arguments.integrator.empty()) integrator = arguments.integrator;
  IntegratorOptions options = make_integrator_options(integrator);
  const auto accuracy = arguments.accuracy ? arguments.accuracy : scenario.accuracy;
  const auto max_step = arguments.max_step ? arguments.max_step : scenario.max_step;
  auto step = arguments.step;
  if (!step && !arguments.accuracy) step = scenario.fixed_step;
  if (accuracy) options.accuracy = *accuracy;
  if (max_step) options.max_step = *max_step;
  if (step) {
    if (*step == 0) throw Error("step is 0; give a positive number");
    options.fixed_step = *step;
  }
  const bool state = arguments.error_norm.empty() ? scenario.error_norm == NormChoice::kState
                                                  : arguments.error_norm == "state";
  if (state) options.error_norm = ErrorNorm::kState;
  options.threads = arguments.threads;
  apply_integrator_settings(arguments.input, &options);
  validate(options);
  return options;
}

double find_duration(const RunArguments& arguments, const SceneInfo& scene) {
  const double duration = arguments.duration.value_or(scene.duration);
  if (!(duration >= 0) || !std::isfinite(duration)) {
    throw Error(fmt::format("duration is {} s; give a number that is not negative", duration));
  }
  return duration;
}

// The files that were asked for, opened before the run starts so that a bad path costs nothing.
class Outputs {
 public:
  Outputs(const RunArguments& arguments, const RunReport& report, Simulator* sim)
      : recording_(arguments.recording, arguments.input, report, sim) {
    const Model& model = sim->model();
    if (!arguments.csv.empty()) {
      table_ = std::make_unique<StepTable>(arguments.csv, arguments.columns, model);
    }
    if (!arguments.html.empty()) {
      page_ = std::make_unique<OutputFile>(arguments.html);
      recorder_ = std::make_unique<ReplayRecorder>(model, kReplayFps);
    }
  }

  void resume() { recording_.resume(); }

  void on_step(const StepEvent& event, Simulator* sim) {
    recording_.on_step(event);
    if (table_) table_->on_step(event, sim);
    if (recorder_) recorder_->on_step(event);
  }

  void finish(const std::string& title, int code, const std::string& failure) {
    recording_.finish(code, failure);
    if (table_) table_->finish();
    if (recorder_) {
      recorder_->write(page_->path_to_write(), title);
      page_->commit();
    }
  }

 private:
  RunRecording recording_;
  std::unique_ptr<StepTable> table_;
  std::unique_ptr<OutputFile> page_;
  std::unique_ptr<ReplayRecorder> recorder_;
};

// Advances to the end and returns the exit code; the reason of an early end goes to `failure`.
int simulate(Simulator* sim, double duration, bool show_progress, Outputs* outputs,
             std::string* failure) {
  const InterruptGuard guard;
  Progress progress(duration, show_progress);
  sim->set_monitor([&](const StepEvent& event) {
    outputs->on_step(event, sim);
    progress.update(event.after.t, event.result.h);
    if (InterruptGuard::interrupted() && event.after.t < duration) throw Interrupted();
  });
  try {
    if (sim->state().t < duration) sim->advance_to(duration);  // a resumed run may be there
  } catch (const AccuracyError& e) {
    *failure = e.what();
    return kAccuracyNotReached;
  } catch (const Interrupted&) {
    *failure = fmt::format("interrupted at t = {:g} s", sim->state().t);
    return kInterrupted;
  }
  return kDone;
}

std::string make_title(const RunReport& report) {
  const IntegratorOptions& o = report.options;
  return o.fixed_step > 0
             ? fmt::format("{}, {} with a fixed step of {:g} s", report.scene, o.name, o.fixed_step)
             : fmt::format("{}, {} at accuracy {:g}", report.scene, o.name, o.accuracy);
}

void fill_results(Simulator* sim, RunReport* report) {
  report->statistics = sim->statistics();
  report->state = sim->state();
  report->energy_final = sim->calc_energy();
  report->max_penetration = report->statistics.max_penetration;
  if (report->statistics.steps > 0) {
    report->max_penetration = std::max(report->max_penetration, sim->calc_penetration());
  }
  report->limited_by = rank_limits(sim->model(), report->statistics, 5);
}

int run(const RunArguments& arguments) {
  RunReport report;
  report.scene = arguments.input.scene;
  const Scene scene = open_scene(arguments.input);
  report.seed = scene.seed;
  report.options = make_options(arguments, scene.loaded.run);
  const std::shared_ptr<const Model> model = scene.model;
  report.duration = find_duration(arguments, scene.info);
  if (!arguments.quiet) print_fidelity_summary(arguments.input, scene);
  Simulator sim(model, report.options);
  Outputs outputs(arguments, report, &sim);
  report.energy_initial = sim.calc_energy();
  outputs.resume();

  const bool show_progress = !arguments.quiet && is_terminal(STDERR_FILENO);
  int code = simulate(&sim, report.duration, show_progress, &outputs, &report.failure);
  fill_results(&sim, &report);
  if (code == kAccuracyNotReached) {
    fmt::print(stderr, "{}: error: {}\n", report.scene, report.failure);
  } else if (code == kInterrupted) {
    fmt::print(stderr, "{}: {}\n", report.scene, report.failure);
  }
  try {
    outputs.finish(make_title(report), code, report.failure);
  } catch (const Error& e) {
    fmt::print(stderr, "{}\n", e.what());
    if (code == kDone) code = kInputError;
  }
  if (arguments.json) {
    print_json(report);
  } else if (!arguments.quiet) {
    print_table(report, *model);
  }
  return code;
}

}  // namespace

Action add_run(CLI::App* app) {
  auto a = std::make_shared<RunArguments>();
  add_scene_options(app, &a->input, true);
  app->add_option("--duration", a->duration, "Simulated time (default: the scene's own)")
      ->type_name("S");
  CLI::Option* accuracy = app->add_option("--accuracy", a->accuracy,
                                          "Bound of the local error of a step (default 1e-3)");
  accuracy->type_name("E");
  app->add_option("--step", a->step, "Fixed step without error control, instead of --accuracy")
      ->type_name("H")
      ->excludes(accuracy);
  app->add_option("--max-step", a->max_step, "Largest step (default 0.1)")->type_name("H");
  app->add_option("--integrator", a->integrator, "See 'cenic list' (default cenic)")
      ->type_name("NAME");
  app->add_option("--error-norm", a->error_norm,
                  "What the accuracy bounds: position (default) or state")
      ->check(CLI::IsMember({"position", "state"}))
      ->type_name("NORM");
  app->add_option("--threads", a->threads, "Threads to solve islands with")
      ->capture_default_str()
      ->type_name("N");
  CLI::Option* csv = app->add_option("--csv", a->csv, "Write a row for each step");
  csv->type_name("FILE");
  app->add_option("--columns", a->columns, "Columns of --csv, e.g. t,energy,q:joint,force:body")
      ->type_name("LIST")
      ->needs(csv);
  add_recording_options(app, &a->recording);
  app->add_option("--html", a->html, "Write a replay page for the browser")->type_name("FILE");
  app->add_flag("--json", a->json, "Print one JSON object instead of the table");
  app->add_flag("--quiet", a->quiet, "No progress bar and no table");
  return [a] {
    return run(*a);
  };
}

}  // namespace cenic::cli

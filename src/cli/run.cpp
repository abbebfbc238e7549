// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic run: a scene, simulated.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/column_list.h"
#include "cli/integrator_input.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "cli/run_recording.h"
#include "cli/run_report.h"
#include "cli/scene_input.h"
#include "cli/step_table.h"
#include "cli/verbs.h"
#include "cli/view.h"
#include "core/error.h"
#include "sim/simulator.h"
#include "viewer/live_view.h"
#include "viewer/replay_page.h"

namespace cenic::cli {
namespace {

constexpr double kReplayFps = 60;

struct RunArguments {
  SceneInput input;
  IntegratorInput integrator;
  std::optional<double> duration;
  std::string csv, html;
  std::vector<std::string> columns;
  RecordingArguments recording;
  ServerOptions server;  // for --view
  std::string port;      // as given
  bool view = false, json = false, quiet = false;
};

// Thrown by the monitor to leave the simulator after the step at which Ctrl-C was seen.
struct Interrupted {};

double find_duration(const RunArguments& arguments, const SceneInfo& scene) {
  const double duration = arguments.duration.value_or(scene.duration);
  if (!(duration >= 0) || !std::isfinite(duration)) {
    throw Error(fmt::format("duration is {} s; give a number that is not negative", duration));
  }
  return duration;
}

// Where two paths meet; empty for pipes and devices, which take more than one.
std::string find_place(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return "";
  const fs::path absolute = fs::absolute(path, error);
  const fs::path place = fs::weakly_canonical(absolute, error);
  return error ? absolute.string() : place.string();
}

// Files of one name would take each other's place, or that of what is read.
void refuse_shared_files(const RunArguments& arguments) {
  std::map<std::string, std::string> inputs;
  const std::string& scene = arguments.input.scene;
  if (is_file_name(scene)) inputs.emplace(find_place(scene), "the scene");
  if (!arguments.recording.resume.empty()) {
    inputs.emplace(find_place(arguments.recording.resume), "--resume");
  }
  std::vector<NamedOutput> outputs = list_outputs(arguments.recording, arguments.input.scene);
  if (arguments.csv != "-") outputs.push_back({"--csv", arguments.csv});
  outputs.push_back({"--html", arguments.html});
  std::map<std::string, std::string> options;  // by place
  for (const NamedOutput& output : outputs) {
    if (output.path.empty()) continue;
    const std::string place = find_place(output.path);
    if (place.empty()) continue;
    const auto input = inputs.find(place);
    const bool goes_on = output.option == "--checkpoint";  // in place of the one before
    if (input != inputs.end() && !(goes_on && input->second == "--resume")) {
      throw UsageError(fmt::format("{} would write over {}, '{}'; give another name", output.option,
                                   input->second, output.path));
    }
    const auto [found, is_new] = options.emplace(place, output.option);
    if (is_new) continue;
    throw UsageError(fmt::format("{} and {} would both write '{}'; give them different names",
                                 found->second, output.option, output.path));
  }
}

void refuse_mixed_output(const RunArguments& arguments) {
  if (arguments.csv != "-") return;
  if (arguments.json || arguments.view) {
    throw UsageError(fmt::format("--csv - and {} would both write standard output; name a file",
                                 arguments.json ? "--json" : "--view"));
  }
}

// The files that were asked for, opened before the run starts so that a bad path costs nothing.
class Outputs {
 public:
  Outputs(const RunArguments& arguments, const RunReport& report, Simulator* sim) {
    const Model& model = sim->model();
    if (!arguments.csv.empty()) {
      table_ = std::make_unique<StepTable>(arguments.csv, arguments.columns, model);
    }
    if (!arguments.html.empty()) {
      page_ = std::make_unique<OutputFile>(arguments.html);
      recorder_ = std::make_unique<ReplayRecorder>(sim, kReplayFps);
    }
    // Last: recordings take the place of old ones at once.
    recording_.emplace(arguments.recording, arguments.input, report, sim);
  }

  void on_step(const StepEvent& event, Simulator* sim) {
    recording_->on_step(event);
    if (recorder_) recorder_->on_step(event);
    if (!table_) return;
    try {
      table_->on_step(event, sim);
    } catch (const Error&) {
      table_.reset();  // it lacks a row: no file to complete
      throw;
    }
  }

  void end(const std::string& failure) { recording_->end(failure); }

  // Completes all files, also when one of them fails; returns what went wrong.
  std::vector<std::string> finish(const std::string& title, int code, const std::string& failure) {
    std::vector<std::string> problems;
    const auto attempt = [&](const auto& complete) {
      try {
        complete();
      } catch (const Error& e) {
        problems.emplace_back(e.what());
      }
    };
    attempt([&] {
      recording_->finish(failure);
    });
    attempt([&] {
      recording_->keep_end(code, failure);
    });
    attempt([&] {
      if (table_) table_->finish();
    });
    attempt([&] {
      if (recorder_) write_page(title, failure);
    });
    return problems;
  }

 private:
  void write_page(const std::string& title, const std::string& failure) {
    page_->write(recorder_->make_page(title, failure));
    page_->commit();
  }

  std::optional<RunRecording> recording_;
  std::unique_ptr<StepTable> table_;
  std::unique_ptr<OutputFile> page_;
  std::unique_ptr<ReplayRecorder> recorder_;
};

// Advances to the end and returns the exit code; the reason of an early end goes to `failure`.
int simulate(Simulator* sim, double duration, bool show_progress, Outputs* outputs,
             std::string* failure) {
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
  } catch (const Error& e) {  // a file cannot be written any more
    *failure = e.what();
    return kInputError;
  } catch (const Interrupted&) {
    *failure = fmt::format("interrupted at t = {:g} s", sim->state().t);
    return kInterrupted;
  }
  return kDone;
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

// Says how the run ended, completes the files and prints the results. A file that could not be
// written ended the run (kInputError), or is known only now.
int conclude(const RunArguments& arguments, const Model& model, const RunReport& report, int code,
             Outputs* outputs) {
  if (code == kAccuracyNotReached) {
    fmt::print(stderr, "{}: error: {}\n", report.scene, report.failure);
  } else if (code == kInterrupted) {
    fmt::print(stderr, "{}: {}\n", report.scene, report.failure);
  }
  std::vector<std::string> problems =
      outputs->finish(make_title(report.scene, report.options), code, report.failure);
  if (code == kInputError && std::ranges::count(problems, report.failure) == 0) {
    problems.insert(problems.begin(), report.failure);
  }
  for (const std::string& problem : problems) {
    print_problem(problem);
    if (code == kDone) code = kInputError;
  }
  if (arguments.json) {
    print_json(report);
  } else if (!arguments.quiet && arguments.csv != "-") {
    print_table(report, model);
  }
  return code;
}

// Shows the run while it goes on, and how it ended until Ctrl-C. Files and results are those of the
// run, and there when it ends: who watches may pause it, but not change it.
int run_viewed(const RunArguments& arguments, Scene* scene, RunReport* report) {
  Outputs* outputs = nullptr;  // of the session's simulator
  std::optional<int> code;     // when it has ended
  std::string lost;            // a file cannot be written any more
  const auto end = [&](Simulator* sim, int how, const std::string& failure) {
    report->failure = failure;
    fill_results(sim, report);
    code = conclude(arguments, *scene->model, *report, how, outputs);
    std::fflush(stdout);
  };
  Session session(std::move(scene->loaded.spec), scene->model,
                  {.title = make_title(report->scene, report->options),
                   .integrator = report->options,
                   .end = report->duration,
                   .interactive = false,
                   .on_step =
                       [&](const StepEvent& event, Simulator* sim) {
                         try {
                           outputs->on_step(event, sim);
                         } catch (const Error& e) {
                           lost = e.what();
                           throw;
                         }
                       },
                   .on_end =
                       [&](Simulator* sim, const std::string& failure) {
                         end(sim, failure.empty() ? kDone : kAccuracyNotReached, failure);
                       }});
  report->energy_initial = session.simulator()->calc_energy();
  Outputs outputs_of_run(arguments, *report, session.simulator());
  outputs = &outputs_of_run;
  const InterruptGuard guard;
  const LiveView page(&session, arguments.server);
  announce_page(arguments.server, page.port(), page.url(), false);
  try {
    session.run([&] {
      return InterruptGuard::interrupted() || !lost.empty();
    });
  } catch (const Error& e) {
    lost = e.what();
  }
  Simulator* sim = session.simulator();
  if (!code && !lost.empty()) end(sim, kInputError, lost);
  if (!code) end(sim, kInterrupted, fmt::format("interrupted at t = {:g} s", sim->state().t));
  return *code;
}

int run_plain(const RunArguments& arguments, const Scene& scene, RunReport* report) {
  Simulator sim(scene.model, report->options);
  report->energy_initial = sim.calc_energy();
  Outputs outputs(arguments, *report, &sim);
  const bool show_progress = !arguments.quiet && is_terminal(STDERR_FILENO);
  const InterruptGuard guard;  // also while files are completed
  const int code = simulate(&sim, report->duration, show_progress, &outputs, &report->failure);
  outputs.end(report->failure);
  fill_results(&sim, report);
  return conclude(arguments, *scene.model, *report, code, &outputs);
}

int run(const RunArguments& arguments) {
  refuse_shared_files(arguments);
  refuse_mixed_output(arguments);
  RunReport report;
  report.scene = arguments.input.scene;
  Scene scene = open_scene(arguments.input);
  report.seed = scene.seed;
  report.options = make_options(arguments.integrator, arguments.input, scene.loaded.run);
  report.duration = find_duration(arguments, scene.info);
  if (!arguments.quiet) print_fidelity_summary(arguments.input, scene);
  return arguments.view ? run_viewed(arguments, &scene, &report)
                        : run_plain(arguments, scene, &report);
}

// CLI11 reads the flag's 0 as "false".
int parse_port(const std::string& text) {
  int port = 0;
  if (text == "false") return 0;
  if (!CLI::detail::lexical_cast(text, port)) {
    throw UsageError(fmt::format("--view={}: give a port, a number", text));
  }
  return port;
}

}  // namespace

Action add_run(CLI::App* app) {
  auto a = std::make_shared<RunArguments>();
  add_scene_options(app, &a->input, true);
  app->add_option("--duration", a->duration, "Simulated time (default: the scene's own)")
      ->type_name("S");
  add_integrator_options(app, &a->integrator);
  CLI::Option* csv =
      app->add_option("--csv", a->csv, "Write a row for each step; -: to standard output");
  csv->type_name("FILE");
  add_columns_option(app, &a->columns,
                     "Columns of --csv, e.g. t,energy,q:joint,v:joint[0],force:body")
      ->needs(csv);
  add_recording_options(app, &a->recording);
  app->add_option("--html", a->html, "Write a replay page for the browser")->type_name("FILE");
  CLI::Option* view = app->add_flag(fmt::format("--view{{{}}}", kViewPort), a->port,
                                    "Show the run in the browser while it goes on, at most in real "
                                    "time, and its end until Ctrl-C; --view=PORT chooses the port");
  app->add_option("--address", a->server.address,
                  "Network address for --view, see 'cenic view --help'")
      ->capture_default_str()
      ->type_name("A");
  app->add_flag("--json", a->json, "Print one JSON object instead of the table");
  app->add_flag("--quiet", a->quiet, "No progress bar and no table");
  return [a, view] {
    a->view = view->count() > 0;
    if (a->view) a->server.port = parse_port(a->port);
    return run(*a);
  };
}

}  // namespace cenic::cli

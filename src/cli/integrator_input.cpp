// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/integrator_input.h"

#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic::cli {

void add_integrator_options(CLI::App* app, IntegratorInput* input) {
  CLI::Option* accuracy = app->add_option("--accuracy", input->accuracy,
                                          "Bound of the local error of a step (default 1e-3)");
  accuracy->type_name("E");
  app->add_option("--step", input->step, "Fixed step without error control, instead of --accuracy")
      ->type_name("H")
      ->excludes(accuracy);
  app->add_option("--max-step", input->max_step, "Largest step (default 0.1)")->type_name("H");
  app->add_option("--integrator", input->integrator, "See 'cenic list' (default cenic)")
      ->type_name("NAME");
  app->add_option("--error-norm", input->error_norm,
                  "What the accuracy bounds: position (default) or state")
      ->check(CLI::IsMember({"position", "state"}))
      ->type_name("NORM");
  app->add_option("--threads", input->threads, "Threads to solve islands with")
      ->capture_default_str()
      ->type_name("N");
}

IntegratorOptions make_options(const IntegratorInput& input, const SceneInput& scene,
                               const RunSettings& scenario) {
  std::string integrator = scenario.integrator.empty() ? "cenic" : scenario.integrator;
  if (!input.integrator.empty()) integrator = input.integrator;
  IntegratorOptions options = make_integrator_options(integrator);
  const auto accuracy = input.accuracy ? input.accuracy : scenario.accuracy;
  const auto max_step = input.max_step ? input.max_step : scenario.max_step;
  auto step = input.step;
  if (!step && !input.accuracy) step = scenario.fixed_step;
  if (accuracy) options.accuracy = *accuracy;
  if (max_step) options.max_step = *max_step;
  if (step) {
    if (*step == 0) throw Error("step is 0; give a positive number");
    options.fixed_step = *step;
  }
  const bool state = input.error_norm.empty() ? scenario.error_norm == NormChoice::kState
                                              : input.error_norm == "state";
  if (state) options.error_norm = ErrorNorm::kState;
  options.threads = input.threads;
  apply_integrator_settings(scene, &options);
  validate(options);
  return options;
}

// Pages are given to others: of a file they say name and folder, not where that is.
std::string make_title(const std::string& path, const IntegratorOptions& options) {
  const std::filesystem::path file(path), folder = file.parent_path().filename();
  const bool is_named = !folder.empty() && folder != "." && folder != "..";
  const std::string scene = (is_named ? folder / file.filename() : file.filename()).string();
  return options.fixed_step > 0
             ? fmt::format("{}, {} with a fixed step of {:g} s", scene, options.name,
                           options.fixed_step)
             : fmt::format("{}, {} at accuracy {:g}", scene, options.name, options.accuracy);
}

std::string make_title(const RecordingInfo& info) {
  IntegratorOptions options;
  options.name = info.integrator;
  options.accuracy = info.accuracy;
  options.fixed_step = info.fixed_step;
  return make_title(info.scene, options);
}

}  // namespace cenic::cli

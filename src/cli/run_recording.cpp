// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/run_recording.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "core/error.h"
#include "core/hash.h"
#include "core/version.h"
#include "sim/model_hash.h"

namespace cenic::cli {
namespace {

std::string hash_file(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return "";
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return fmt::format("{:016x}", hash_bytes(text));
}

// What was set, and every option of the integrator that is not as its name says, "name=value".
std::vector<std::string> list_settings(const SceneInput& input, const IntegratorOptions& options) {
  std::vector<std::string> settings;
  for (const std::string& text : input.settings) {
    const bool of_integrator = text.starts_with("integrator.") || text.starts_with("external.");
    if (!of_integrator) settings.push_back(text);
  }
  if (!input.load.keyframe.empty()) settings.push_back("keyframe=" + input.load.keyframe);
  if (input.load.mocap) settings.emplace_back("mocap=true");
  const auto usual = list_option_values(make_integrator_options(options.name));
  const auto values = list_option_values(options);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [name, value] = values[i];
    if (value == usual[i].second || name == "accuracy" || name == "fixed_step") continue;
    settings.push_back(name + "=" + value);
  }
  return settings;
}

RecordingInfo make_info(const RecordingArguments& arguments, const SceneInput& input,
                        const RunReport& report) {
  const IntegratorOptions& o = report.options;
  RecordingInfo info;
  info.scene = report.scene;
  info.scene_hash = hash_file(report.scene);
  info.settings = fmt::format("{}", fmt::join(list_settings(input, o), "\n"));
  info.contact = input.contact;
  info.integrator = o.name;
  info.accuracy = o.fixed_step > 0 ? 0 : o.accuracy;
  info.fixed_step = o.fixed_step;
  info.seed = report.seed;
  info.fps = arguments.every_step ? 0 : arguments.fps;
  info.duration = report.duration;
  info.version = version();
  info.git_commit = git_commit();
  return info;
}

// Of "FILE@S": every S simulated seconds.
double parse_interval(const std::string& text) {
  double x = 0;
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, x);
  if (status != std::errc() || stop != end || !(x > 0) || !std::isfinite(x)) {
    throw UsageError(fmt::format("--checkpoint: '{}' is no interval; give FILE@SECONDS", text));
  }
  return x;
}

std::string find_checkpoint_path(const RecordingArguments& arguments) {
  const std::string& text = arguments.checkpoint;
  const std::size_t at = text.rfind('@');
  const bool of_folder = at != std::string::npos && text.find('/', at) != std::string::npos;
  return of_folder ? text : text.substr(0, at);
}

// Empty: none.
std::string find_blow_up_path(const RecordingArguments& arguments, const std::string& scene) {
  if (arguments.blow_up == "none") return "";
  const std::string stem = std::filesystem::path(scene).stem().string();
  return arguments.blow_up.empty() ? stem + ".blowup.h5" : arguments.blow_up;
}

// Whether a recording can be written is known before a long run, without touching what is there.
void check_place(const std::string& path) {
  namespace fs = std::filesystem;
  const auto fail = [&](const std::string& reason) {
    throw Error(fmt::format("{}: error: cannot write the recording: {}", path, reason));
  };
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail("it is a folder");
  const fs::path folder = fs::path(path).parent_path() / ".";
  const bool writable = fs::exists(status) ? access(path.c_str(), W_OK) == 0
                                           : access(folder.c_str(), W_OK | X_OK) == 0;
  if (!writable) fail(std::strerror(errno));
}

void check_blow_up_path(const std::string& path) {
  if (!path.ends_with(".h5") && !path.ends_with(".hdf5")) {
    throw Error(
        fmt::format("{}: error: what --blowup keeps is HDF5; name it .h5, or give none", path));
  }
  check_place(path);
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw Error(fmt::format("{}: error: cannot write the recording: it is no plain file", path));
  }
}

// A name as a word of the shell.
std::string quote_for_shell(const std::string& name) {
  const bool plain = std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c >= 0x80 || std::strchr("_./+-=:@%,", c) != nullptr;
  });
  std::string word = name.starts_with('-') ? "./" + name : name;  // no option
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + '\'';
}

}  // namespace

std::vector<NamedOutput> list_outputs(const RecordingArguments& arguments,
                                      const std::string& scene) {
  std::vector<NamedOutput> outputs;
  for (const std::string& path : arguments.files) {
    outputs.push_back({"--record", path});
  }
  outputs.push_back({"--checkpoint", find_checkpoint_path(arguments)});
  outputs.push_back({arguments.blow_up.empty() ? "the default of --blowup" : "--blowup",
                     find_blow_up_path(arguments, scene)});
  return outputs;
}

void add_recording_options(CLI::App* app, RecordingArguments* a) {
  CLI::Option* record = app->add_option(
      "--record", a->files,
      "Write a recording: .h5, .npz or .mcap; may be repeated (see docs/recording.md)");
  record->type_name("FILE")->take_all()->allow_extra_args(false);
  CLI::Option* fps =
      app->add_option("--fps", a->fps, "Frames of recordings a simulated second; 0: every step");
  fps->capture_default_str()->type_name("N")->needs(record);
  app->add_flag("--every-step", a->every_step, "A frame of recordings at each step")
      ->excludes(fps)
      ->needs(record);
  app->add_option("--checkpoint", a->checkpoint,
                  "Save where the run ends, or with FILE@S every S simulated seconds, too")
      ->type_name("FILE");
  app->add_option("--resume", a->resume, "Go on from a checkpoint, bit for bit")->type_name("FILE");
  app->add_option("--blowup", a->blow_up,
                  "Where the last second of a run that fails goes (default SCENE.blowup.h5); none")
      ->type_name("FILE");
}

RunRecording::RunRecording(const RecordingArguments& arguments, const SceneInput& input,
                           const RunReport& report, Simulator* sim)
    : arguments_(arguments), sim_(sim), info_(make_info(arguments, input, report)) {
  if (!(arguments.fps >= 0) || !std::isfinite(arguments.fps)) {
    throw UsageError(
        fmt::format("--fps {}: give a positive number, or 0 for every step", arguments.fps));
  }
  checkpoint_ = find_checkpoint_path(arguments);
  if (checkpoint_ != arguments.checkpoint) {
    interval_ = parse_interval(arguments.checkpoint.substr(checkpoint_.size() + 1));
    if (checkpoint_.empty()) throw UsageError("--checkpoint: give FILE, or FILE@SECONDS");
  }
  for (const std::string& path : arguments.files) {
    choose_format(path);  // throws
    check_place(path);
  }
  if (!arguments.resume.empty()) resume();
  plan_checkpoint();
  if (!arguments.blow_up.empty() && arguments.blow_up != "none") {
    check_blow_up_path(arguments.blow_up);
  }
  if (!checkpoint_.empty()) {
    check_checkpoint_path(checkpoint_);
    sim->checkpoint();  // does the integrator know how?
  }
  if (arguments.blow_up != "none") blow_up_ = std::make_unique<BlowUpRecorder>(*sim);
  if (arguments.files.empty()) return;
  info_.model_hash = fmt::format("{:016x}", calc_model_hash(sim->model()));
  recorder_ = std::make_unique<Recorder>(*sim, info_);
  for (const std::string& path : arguments.files) {
    recorder_->add_file(path);
  }
}

void RunRecording::resume() {
  const Checkpoint checkpoint = load_checkpoint(arguments_.resume);
  if (checkpoint.t > info_.duration) {
    throw Error(fmt::format(
        "{}: error: the checkpoint is at {} s, beyond --duration {}; ask for a longer one, or go "
        "on from an earlier checkpoint",
        arguments_.resume, checkpoint.t, info_.duration));
  }
  try {
    sim_->restore(checkpoint);
  } catch (const Error& e) {
    throw Error(fmt::format("{}: error: {}", arguments_.resume, e.what()));
  }
}

// At the next multiple of the interval; one shorter than a step means every step.
void RunRecording::plan_checkpoint() {
  if (interval_ > 0) next_checkpoint_ = interval_ * (std::floor(sim_->state().t / interval_) + 1);
}

void RunRecording::on_step(const StepEvent& event) {
  if (recorder_) recorder_->on_step(event);
  if (blow_up_) blow_up_->on_step(event);
  if (interval_ == 0 || event.after.t < next_checkpoint_) return;
  write_checkpoint();
  plan_checkpoint();
}

void RunRecording::write_checkpoint() { save_checkpoint(checkpoint_, sim_->checkpoint()); }

void RunRecording::keep_blow_up(const std::string& failure) {
  const std::string path = find_blow_up_path(arguments_, info_.scene);
  info_.model_hash = fmt::format("{:016x}", calc_model_hash(sim_->model()));
  blow_up_->write(path, info_, failure);
  fmt::print(stderr,
             "{0}: the last second before it is kept; look with\n  cenic view {1}\n  cenic plot "
             "{1}\n",
             path, quote_for_shell(path));
}

void RunRecording::finish(const std::string& failure) {
  if (recorder_) recorder_->finish(failure);
}

void RunRecording::keep_end(int code, const std::string& failure) {
  if (code == kAccuracyNotReached && blow_up_) keep_blow_up(failure);
  if (code != kAccuracyNotReached && !checkpoint_.empty()) write_checkpoint();
}

}  // namespace cenic::cli

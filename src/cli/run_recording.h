// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// --record, --checkpoint, --resume and the blow-up recorder of 'cenic run'.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/run_report.h"
#include "cli/scene_input.h"
#include "recording/blow_up.h"
#include "recording/recorder.h"

namespace cenic::cli {

struct RecordingArguments {
  std::vector<std::string> files;
  double fps = 60;
  bool every_step = false;
  std::string checkpoint;  // FILE or FILE@S
  std::string resume;
  std::string blow_up;  // empty: named after the scene; "none"
};

void add_recording_options(CLI::App* app, RecordingArguments* arguments);

// A file that a run may write, and the option that asks for it; an empty path: it does not.
struct NamedOutput {
  std::string option, path;
};
std::vector<NamedOutput> list_outputs(const RecordingArguments& arguments,
                                      const std::string& scene);

class RunRecording {
 public:
  // Goes on from --resume and opens the files. Throws Error, before anything is written when it is
  // known by then.
  RunRecording(const RecordingArguments& arguments, const SceneInput& input,
               const RunReport& report, Simulator* sim);

  void on_step(const StepEvent& event);
  // The run ended: files are completed while other results are put together.
  void end(const std::string& failure) {
    if (recorder_) recorder_->end(failure);
  }
  // Both throw Error. Waits for the files; writes the last checkpoint, or the last second of a run
  // that failed, and says where that is.
  void finish(const std::string& failure);
  void keep_end(int code, const std::string& failure);

 private:
  void resume();
  void plan_checkpoint();
  void write_checkpoint();
  void keep_blow_up(const std::string& failure);

  RecordingArguments arguments_;
  Simulator* sim_;
  RecordingInfo info_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<BlowUpRecorder> blow_up_;
  std::string checkpoint_;
  double interval_ = 0;  // of checkpoints, s; 0: at the end alone
  double next_checkpoint_ = 0;
};

}  // namespace cenic::cli

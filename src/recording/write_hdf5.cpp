// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "recording/detail/hdf5_file.h"
#include "recording/detail/recorded_scene.h"
#include "recording/sinks.h"

namespace cenic {
namespace {

using Clock = std::chrono::steady_clock;

// Each flush leaves some slack behind in the file: fewer in long runs.
constexpr double kShare = 0.01;  // of the run so far

class Hdf5Sink : public FrameSink {
 public:
  Hdf5Sink(const std::string& path, const RecordingInfo& info, const RecordedScene& scene,
           double interval)
      : path_(path), interval_(interval), info_(info), scene_(scene), tables_(scene) {
    detail::Hdf5File::check_writable(path);
  }

  void on_step(const RecordedStep& step) override { tables_.add(step); }

  void on_frame(const Frame& frame) override {
    open();
    tables_.add(frame);
    const auto now = Clock::now();
    const auto since = [now](Clock::time_point then) {
      return std::chrono::duration<double>(now - then).count();
    };
    const bool due =
        interval_ == 0 || since(flushed_) >= std::max(interval_, kShare * since(start_));
    write_rows(due);
    if (!due) return;
    file_->flush();
    flushed_ = now;
  }

  void finish(const std::string& failure) override {
    open();
    write_rows(true);
    file_->close();
    // Attributes cannot change while readers may come.
    detail::Hdf5File file(path_, detail::Hdf5File::Mode::kChange);
    file.write_text("failure", failure);
    file.write_integer("complete", 1);
    file.close();
  }

 private:
  // The library and the layout of the file take as long as thousands of steps of a small model: not
  // in the constructor, but on the thread that writes.
  void open() {
    if (file_) return;
    file_ = std::make_unique<detail::Hdf5File>(path_, detail::Hdf5File::Mode::kCreate);
    file_->write_text("format", kRecordingFormat);
    file_->write_integer("format_version", kRecordingVersion);
    for (const detail::InfoField& field : detail::list_info_fields()) {
      if (field.text != nullptr) file_->write_text(field.name, info_.*field.text);
      if (field.number != nullptr) file_->write_number(field.name, info_.*field.number);
      if (field.integer != nullptr) {
        file_->write_integer(field.name, static_cast<std::int64_t>(info_.*field.integer));
      }
    }
    file_->write_integer("complete", 0);
    file_->write_text("failure", "");
    file_->write_long_text("model/scene", detail::to_json(scene_));
    file_->write_long_text("model/text", info_.model_text);
    for (const detail::Series& series : tables_.series()) {
      if (series.columns > 0) file_->create_series(series);
    }
    file_->start_streaming();
    file_->flush();
  }

  void write_rows(bool all) {
    std::size_t number = 0;
    for (detail::Series& series : tables_.series()) {
      if (series.columns > 0) file_->append(number++, &series.rows, all);
    }
  }

  std::string path_;
  double interval_;
  RecordingInfo info_;
  RecordedScene scene_;
  std::unique_ptr<detail::Hdf5File> file_;
  detail::Tables tables_;
  Clock::time_point start_ = Clock::now(), flushed_ = start_;
};

}  // namespace

std::unique_ptr<FrameSink> make_hdf5_sink(const std::string& path, const RecordingInfo& info,
                                          const RecordedScene& scene, double interval) {
  return std::make_unique<Hdf5Sink>(path, info, scene, interval);
}

}  // namespace cenic

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
constexpr double kShare = 0.01;            // of the run so far
constexpr std::size_t kBuffer = 16 << 20;  // bytes

class Hdf5Sink : public FrameSink {
 public:
  Hdf5Sink(const std::string& path, const RecordingInfo& info, const RecordedScene& scene,
           double interval)
      : path_(path),
        interval_(interval),
        file_(path, detail::Hdf5File::Mode::kCreate),
        tables_(scene) {
    file_.write_text("format", kRecordingFormat);
    file_.write_integer("format_version", kRecordingVersion);
    for (const detail::InfoField& field : detail::list_info_fields()) {
      if (field.text != nullptr) file_.write_text(field.name, info.*field.text);
      if (field.number != nullptr) file_.write_number(field.name, info.*field.number);
      if (field.integer != nullptr) {
        file_.write_integer(field.name, static_cast<std::int64_t>(info.*field.integer));
      }
    }
    file_.write_integer("complete", 0);
    file_.write_text("failure", "");
    file_.write_long_text("model/scene", detail::to_json(scene));
    file_.write_long_text("model/text", info.model_text);
    for (const detail::Series& series : tables_.series()) {
      if (series.columns > 0) file_.create_series(series);
    }
    file_.start_streaming();
    file_.flush();
  }

  void on_step(const RecordedStep& step) override { tables_.add(step); }

  void on_frame(const Frame& frame) override {
    tables_.add(frame);
    const auto now = Clock::now();
    const auto since = [now](Clock::time_point then) {
      return std::chrono::duration<double>(now - then).count();
    };
    if (interval_ > 0 && since(flushed_) < std::max(interval_, kShare * since(start_)) &&
        tables_.bytes() < kBuffer) {
      return;
    }
    write_rows();
    file_.flush();
    flushed_ = now;
  }

  void finish(const std::string& failure) override {
    write_rows();
    file_.close();
    // Attributes cannot change while readers may come.
    detail::Hdf5File file(path_, detail::Hdf5File::Mode::kChange);
    file.write_text("failure", failure);
    file.write_integer("complete", 1);
    file.close();
  }

 private:
  void write_rows() {
    std::size_t number = 0;
    for (const detail::Series& series : tables_.series()) {
      if (series.columns > 0) file_.append(number++, series.rows);
    }
    tables_.clear();
  }

  std::string path_;
  double interval_;
  detail::Hdf5File file_;
  detail::Tables tables_;
  Clock::time_point start_ = Clock::now(), flushed_ = start_;
};

}  // namespace

std::unique_ptr<FrameSink> make_hdf5_sink(const std::string& path, const RecordingInfo& info,
                                          const RecordedScene& scene, double interval) {
  return std::make_unique<Hdf5Sink>(path, info, scene, interval);
}

}  // namespace cenic

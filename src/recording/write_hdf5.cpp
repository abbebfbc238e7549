// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <chrono>
#include <utility>

#include "core/error.h"
#include "recording/detail/hdf5_writer.h"
#include "recording/detail/recorded_scene.h"
#include "recording/sinks.h"

namespace cenic {
namespace {

using Clock = std::chrono::steady_clock;

// Each flush leaves the last table of contents behind in the file: fewer in long runs.
constexpr double kShare = 0.01;                     // of the run so far
constexpr int kSceneLevel = 1, kPackedAlready = 0;  // of zlib: fast, and not at all

class Hdf5Sink : public FrameSink {
 public:
  Hdf5Sink(const std::string& path, RecordingInfo info, const RecordedScene& scene, double interval)
      : interval_(interval), info_(std::move(info)), scene_(scene), file_(path), tables_(scene) {}

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
    file_.flush();
    flushed_ = now;
  }

  void finish(const std::string& failure) override {
    open();
    write_rows(true);
    file_.write_text("failure", failure);
    file_.write_integer("complete", 1);
    file_.close();
  }

 private:
  // Describing the scene takes longer than many steps of a small model: not in the constructor, but
  // on the thread that writes.
  void open() {
    if (is_open_) return;
    is_open_ = true;
    file_.write_text("format", kRecordingFormat);
    file_.write_integer("format_version", kRecordingVersion);
    for (const detail::InfoField& field : detail::list_info_fields()) {
      if (field.text != nullptr) file_.write_text(field.name, info_.*field.text);
      if (field.number != nullptr) file_.write_number(field.name, info_.*field.number);
      if (field.integer != nullptr) {
        file_.write_integer(field.name, static_cast<std::int64_t>(info_.*field.integer));
      }
    }
    file_.write_integer("complete", 0);
    file_.write_text("failure", "");
    file_.write_bytes("model/scene", detail::to_json(scene_), kSceneLevel);
    file_.write_bytes("model/text", info_.model_text, kSceneLevel);
    for (std::size_t i = 0; i < scene_.pictures.size(); ++i) {
      file_.write_bytes(detail::name_picture(i), *scene_.pictures[i], kPackedAlready);
    }
    for (const detail::Series& series : tables_.series()) {
      if (series.columns > 0) file_.create_series(series);
    }
    file_.flush();
  }

  void write_rows(bool all) {
    std::size_t number = 0;
    for (detail::Series& series : tables_.series()) {
      if (series.columns > 0) file_.append(number++, &series.rows, all);
    }
  }

  double interval_;
  RecordingInfo info_;
  RecordedScene scene_;
  detail::Hdf5Writer file_;
  bool is_open_ = false;
  detail::Tables tables_;
  Clock::time_point start_ = Clock::now(), flushed_ = start_;
};

}  // namespace

std::unique_ptr<FrameSink> make_hdf5_sink(const std::string& path, const RecordingInfo& info,
                                          const RecordedScene& scene, double interval) {
  return std::make_unique<Hdf5Sink>(path, info, scene, interval);
}

}  // namespace cenic

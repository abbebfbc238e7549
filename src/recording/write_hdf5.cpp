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

// Each flush leaves the last table of contents behind in the file: many at first, when little is
// there to lose and all of it would be lost, fewer in long runs.
constexpr double kFirstInterval = 0.1, kInterval = 2;  // s
constexpr double kFirstShare = 0.2, kShare = 0.01;     // of the run so far
constexpr std::uint64_t kMostLost = 1 << 22;           // bytes, and half of the file
constexpr int kSceneLevel = 1, kPackedAlready = 0;     // of zlib: fast, and not at all

class Hdf5Sink : public FrameSink {
 public:
  Hdf5Sink(detail::OutputFile file, const RecordingInfo& info, const RecordedScene& scene,
           double interval)
      : interval_(interval), file_(std::move(file)), tables_(scene) {
    describe(info, scene);
  }

  void on_step(const RecordedStep& step) override { tables_.add(step); }

  void on_frame(const Frame& frame) override {
    tables_.add(frame);
    const auto now = Clock::now();
    const auto since = [now](Clock::time_point then) {
      return std::chrono::duration<double>(now - then).count();
    };
    const double run = since(start_), early = std::max(kFirstInterval, kFirstShare * run),
                 late = std::max(interval_, kShare * run);
    const bool due =
        interval_ == 0 || since(flushed_) >= std::min(early, late) || file_.size() >= next_size_;
    write_rows(due);
    if (!due) return;
    flush(now);
  }

  void finish(const std::string& failure) override {
    write_rows(true);
    file_.write_text("failure", failure);
    file_.write_integer("complete", 1);
    file_.close();
  }

 private:
  void describe(const RecordingInfo& info, const RecordedScene& scene) {
    file_.write_text("format", kRecordingFormat);
    file_.write_integer("format_version", kRecordingVersion);
    for (const detail::InfoField& field : detail::list_info_fields()) {
      if (field.text != nullptr) file_.write_text(field.name, info.*field.text);
      if (field.number != nullptr) file_.write_number(field.name, info.*field.number);
      if (field.integer != nullptr) file_.write_integer(field.name, info.*field.integer);
    }
    file_.write_integer("complete", 0);
    file_.write_text("failure", "");
    file_.write_bytes("model/scene", detail::to_json(scene), kSceneLevel);
    for (std::size_t i = 0; i < scene.pictures.size(); ++i) {
      file_.write_bytes(detail::name_picture(i), *scene.pictures[i], kPackedAlready);
    }
    for (const detail::Series& series : tables_.series()) {
      if (series.columns > 0) file_.create_series(series);
    }
    flush(start_);
  }

  void flush(Clock::time_point now) {
    file_.flush();
    flushed_ = now;
    next_size_ = file_.size() + file_.size() / 2 + kMostLost;
  }

  void write_rows(bool all) {
    std::size_t number = 0;
    for (detail::Series& series : tables_.series()) {
      if (series.columns > 0) file_.append(number++, &series.rows, all);
    }
  }

  double interval_;
  detail::Hdf5Writer file_;
  detail::Tables tables_;
  Clock::time_point start_ = Clock::now(), flushed_ = start_;
  std::uint64_t next_size_ = 0;  // at which it is flushed in any case
};

}  // namespace

std::unique_ptr<FrameSink> make_hdf5_sink(detail::OutputFile file, const RecordingInfo& info,
                                          const RecordedScene& scene) {
  return make_hdf5_sink(std::move(file), info, scene, kInterval);
}

std::unique_ptr<FrameSink> make_hdf5_sink(detail::OutputFile file, const RecordingInfo& info,
                                          const RecordedScene& scene, double interval) {
  return std::make_unique<Hdf5Sink>(std::move(file), info, scene, interval);
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The file formats of recordings, one file of code each.
#pragma once

#include <memory>
#include <string>

#include "recording/detail/output_file.h"
#include "recording/recording.h"

namespace cenic {

// A file format, or whoever else wants the frames of a run.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void on_frame(const Frame& frame) = 0;
  virtual void on_step(const RecordedStep& step) = 0;
  // The run is over; failure says why it stopped early. Throws Error when writing failed.
  virtual void finish(const std::string& failure) = 0;
};

// A sink describes the scene first, which takes longer than many steps of a small model, and has
// memory of its own, which should not stand next to that of another thread: both are for the thread
// that will use it. Each throws Error when the file cannot be written.
using SinkMaker = std::unique_ptr<FrameSink> (*)(detail::OutputFile file, const RecordingInfo& info,
                                                 const RecordedScene& scene);

// By the end of a file's name (sinks.cpp): .h5 (or .hdf5), .npz, .mcap. Throws Error for another
// name.
SinkMaker choose_format(const std::string& path);

// What read_recording() reads. A killed run leaves a file that is readable up to its last flush, of
// which there is one after `interval` seconds of wall time, sooner in the first seconds, later (a
// hundredth of the time so far) in long runs.
std::unique_ptr<FrameSink> make_hdf5_sink(detail::OutputFile file, const RecordingInfo& info,
                                          const RecordedScene& scene);
std::unique_ptr<FrameSink> make_hdf5_sink(detail::OutputFile file, const RecordingInfo& info,
                                          const RecordedScene& scene, double interval);
// The same tables for numpy.load(). The file can be read after the end of the run.
std::unique_ptr<FrameSink> make_npz_sink(detail::OutputFile file, const RecordingInfo& info,
                                         const RecordedScene& scene);
// For Foxglove: shapes, poses and contact forces to look at, and the state as JSON.
std::unique_ptr<FrameSink> make_mcap_sink(detail::OutputFile file, const RecordingInfo& info,
                                          const RecordedScene& scene);

inline constexpr const char* kRecordingFormat = "cenic recording";
inline constexpr int kRecordingVersion = 1;

}  // namespace cenic

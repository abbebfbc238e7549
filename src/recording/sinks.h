// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The file formats of recordings, one file of code each.
#pragma once

#include <memory>
#include <string>

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

// By the end of the file's name: .h5 (or .hdf5), .npz, .mcap. The file is created at once. Throws
// Error for another name, and when it cannot be written.
std::unique_ptr<FrameSink> make_sink(const std::string& path, const RecordingInfo& info,
                                     const RecordedScene& scene);

// What read_recording() reads. A killed run leaves a file that is readable up to its last flush, of
// which there is one after `interval` seconds of wall time, or a hundredth of a longer run.
std::unique_ptr<FrameSink> make_hdf5_sink(const std::string& path, const RecordingInfo& info,
                                          const RecordedScene& scene, double interval = 2);
// The same tables for numpy.load(), kept in memory until the end of the run.
std::unique_ptr<FrameSink> make_npz_sink(const std::string& path, const RecordingInfo& info,
                                         const RecordedScene& scene);
// For Foxglove: shapes, poses and contact forces to look at, and the state as JSON.
std::unique_ptr<FrameSink> make_mcap_sink(const std::string& path, const RecordingInfo& info,
                                          const RecordedScene& scene);

inline constexpr const char* kRecordingFormat = "cenic recording";
inline constexpr int kRecordingVersion = 1;

}  // namespace cenic

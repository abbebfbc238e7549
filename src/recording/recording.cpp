// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/recording.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

#include "core/error.h"
#include "recording/detail/hdf5_file.h"
#include "recording/detail/recorded_scene.h"
#include "recording/sinks.h"

namespace cenic {
namespace {

void check_format(const detail::Hdf5File& file, const std::string& path) {
  std::string format;
  std::int64_t version = 0;
  try {
    format = file.read_text("format");
    version = file.read_integer("format_version");
  } catch (const Error&) {
    // said below
  }
  if (format != kRecordingFormat) {
    throw Error(fmt::format(
        "{}: error: this HDF5 file is no recording; 'cenic run SCENE --record FILE.h5' writes one",
        path));
  }
  if (version != kRecordingVersion) {
    throw Error(fmt::format("{}: error: the recording is of format {}, this program reads {}", path,
                            version, kRecordingVersion));
  }
}

// Weights of the cubic through four times.
std::array<double, 4> calc_weights(const std::array<double, 4>& times, double t) {
  std::array<double, 4> weights{1, 1, 1, 1};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      if (j != i) weights[i] *= (t - times[j]) / (times[i] - times[j]);
    }
  }
  return weights;
}

// Quaternions of the same rotation have two signs: brought to that of the first, and made unit.
void blend_coordinates(const RecordedScene& scene, const std::array<const Frame*, 4>& frames,
                       const std::array<double, 4>& weights, std::vector<double>* q) {
  for (std::size_t i = 0; i < q->size(); i += scene.coordinate_width[i]) {
    const int width = scene.coordinate_width[i];
    double square = 0;
    std::fill_n(q->begin() + i, width, 0.0);
    for (int k = 0; k < 4; ++k) {
      double product = 0;
      for (int c = 0; c < width; ++c) {
        product += frames[k]->q[i + c] * frames[0]->q[i + c];
      }
      const double sign = width > 1 && product < 0 ? -1 : 1;
      for (int c = 0; c < width; ++c) {
        (*q)[i + c] += sign * weights[k] * frames[k]->q[i + c];
      }
    }
    for (int c = 0; c < width; ++c) {
      square += (*q)[i + c] * (*q)[i + c];
    }
    for (int c = 0; c < width && width > 1 && square > 0; ++c) {
      (*q)[i + c] /= std::sqrt(square);
    }
  }
}

}  // namespace

Recording read_recording(const std::string& path) {
  const detail::Hdf5File file(path);
  check_format(file, path);
  Recording recording;
  recording.path = path;
  for (const detail::InfoField& field : detail::list_info_fields()) {
    RecordingInfo& info = recording.info;
    if (field.text != nullptr) info.*field.text = file.read_text(field.name);
    if (field.number != nullptr) info.*field.number = file.read_number(field.name);
    if (field.integer != nullptr) {
      info.*field.integer = static_cast<std::uint64_t>(file.read_integer(field.name));
    }
  }
  recording.complete = file.read_integer("complete") != 0;
  recording.failure = file.read_text("failure");
  try {
    recording.scene = detail::read_scene_json(file.read_bytes("model/scene"));
    for (std::size_t i = 0; i < recording.scene.pictures.size(); ++i) {
      recording.scene.pictures[i] =
          std::make_shared<const std::string>(file.read_bytes(detail::name_picture(i)));
    }
    detail::Tables tables(recording.scene);
    for (detail::Series& series : tables.series()) {
      if (series.columns > 0) file.read_series(&series);
    }
    tables.extract(&recording);
  } catch (const Error& e) {
    const std::string text = e.what();
    throw Error(text.starts_with(path) ? text : fmt::format("{}: error: {}", path, text));
  }
  return recording;
}

int find_frame(const Recording& recording, double t) {
  const auto later = std::ranges::upper_bound(recording.frames, t + kTimeSlack, {}, &Frame::t);
  return std::max(0, static_cast<int>(later - recording.frames.begin()) - 1);
}

Frame interpolate_frame(const Recording& recording, double t) {
  const int n = static_cast<int>(recording.frames.size()), near = find_frame(recording, t);
  Frame frame = recording.frames[near];
  if (n < 4 || t <= frame.t + kTimeSlack || near == n - 1) return frame;
  const int first = std::clamp(near - 1, 0, n - 4);
  std::array<const Frame*, 4> frames{};
  std::array<double, 4> times{};
  for (int k = 0; k < 4; ++k) {
    frames[k] = &recording.frames[first + k];
    times[k] = frames[k]->t;
  }
  const std::array<double, 4> weights = calc_weights(times, t);
  const auto blend = [&](auto member) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      sum += weights[k] * member(*frames[k]);
    }
    return sum;
  };
  frame.t = t;
  blend_coordinates(recording.scene, frames, weights, &frame.q);
  for (std::size_t i = 0; i < frame.v.size(); ++i) {
    frame.v[i] = blend([i](const Frame& f) {
      return f.v[i];
    });
  }
  frame.energy = blend([](const Frame& f) {
    return f.energy;
  });
  return frame;
}

void require_frames(const Recording& recording) {
  if (!recording.frames.empty()) return;
  throw Error(fmt::format("{}: error: the recording has no frames{}", recording.path,
                          recording.complete ? "" : "; the run was killed before its first flush"));
}

}  // namespace cenic

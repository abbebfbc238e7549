// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/recording.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "core/error.h"
#include "recording/detail/cubic.h"
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
    throw Error(
        fmt::format("{}: error: this HDF5 file is no recording, or is damaged; "
                    "'cenic run SCENE --record FILE.h5' writes one",
                    path));
  }
  if (version != kRecordingVersion) {
    throw Error(fmt::format("{}: error: the recording is of format {}, this program reads {}", path,
                            version, kRecordingVersion));
  }
}

Quat load_quaternion(const double* q) { return {q[0], q[1], q[2], q[3]}; }
Vec3 load_vector(const double* v) { return {v[0], v[1], v[2]}; }

// A rotation turns evenly about the mean of its angular velocities, and by a cubic besides.
void interpolate_rotation(const double* q0, const double* q1, const double* v0, const double* v1,
                          double h, double s, double* q) {
  const Vec3 w0 = load_vector(v0), w1 = load_vector(v1), mean = 0.5 * (w0 + w1);
  const Quat from = load_quaternion(q0), back = exp_map(-h * mean);
  const Vec3 d = log_map(back * load_quaternion(q1) * conjugate(from));
  const Vec3 turn =
      detail::evaluate_cubic(d, h * (w0 - mean), h * (to_matrix(back) * (w1 - mean)), s);
  const Quat r = normalized(exp_map(s * h * mean) * exp_map(turn) * from);
  q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
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
    if (field.integer != nullptr) info.*field.integer = file.read_integer(field.name);
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

namespace {

// How a velocity goes from a frame to the next: with the slopes at both of the parabolas through
// three frames.
class VelocityCurve {
 public:
  VelocityCurve(const std::vector<Frame>& frames, std::size_t near)
      : a_(frames[near]),
        b_(frames[near + 1]),
        before_(near > 0 ? &frames[near - 1] : nullptr),
        after_(near + 2 < frames.size() ? &frames[near + 2] : nullptr) {}
  double evaluate(std::size_t i, double s) const {
    const Chord now = make_chord(a_, b_, i);
    const Chord before = before_ != nullptr ? make_chord(*before_, a_, i) : now;
    const Chord after = after_ != nullptr ? make_chord(b_, *after_, i) : now;
    double slope_a = calc_slope(before, now), slope_b = calc_slope(now, after);
    if (before_ == nullptr) slope_a = 2 * now.slope - slope_b;
    if (after_ == nullptr) slope_b = 2 * now.slope - slope_a;
    return a_.v[i] + detail::evaluate_cubic(b_.v[i] - a_.v[i], now.h * slope_a, now.h * slope_b, s);
  }

 private:
  struct Chord {
    double h, slope;
  };
  static Chord make_chord(const Frame& from, const Frame& to, std::size_t i) {
    return {to.t - from.t, (to.v[i] - from.v[i]) / (to.t - from.t)};
  }
  // Of the parabola, where the chords meet.
  static double calc_slope(const Chord& left, const Chord& right) {
    return (left.slope * right.h + right.slope * left.h) / (left.h + right.h);
  }
  const Frame &a_, &b_;
  const Frame *before_, *after_;
};

}  // namespace

Frame interpolate_frame(const Recording& recording, double t) {
  const int near = find_frame(recording, t);
  Frame frame = recording.frames[near];
  const bool is_last = near + 1 == static_cast<int>(recording.frames.size());
  if (is_last || t <= frame.t + kTimeSlack) return frame;
  const Frame &a = recording.frames[near], &b = recording.frames[near + 1];
  const double h = b.t - a.t, s = (t - a.t) / h;
  const VelocityCurve velocity(recording.frames, static_cast<std::size_t>(near));
  frame.t = t;
  frame.energy = (1 - s) * a.energy + s * b.energy;
  std::size_t v = 0;  // velocities stand in the order of their coordinates
  for (std::size_t i = 0; i < frame.q.size();) {
    const int width = recording.scene.coordinate_width[i];
    const bool turns = width > 1;
    if (turns) interpolate_rotation(&a.q[i], &b.q[i], &a.v[v], &b.v[v], h, s, &frame.q[i]);
    for (const std::size_t end = v + (turns ? 3 : 1); v < end; ++v) {
      frame.v[v] = velocity.evaluate(v, s);
      if (turns) continue;
      frame.q[i] = a.q[i] + detail::evaluate_cubic(b.q[i] - a.q[i], h * a.v[v], h * b.v[v], s);
    }
    i += width;
  }
  return frame;
}

std::optional<double> find_wall_time(const Recording& recording, std::size_t step) {
  const RecordedStep first{}, &now = recording.steps[step],
                              &before = step > 0 ? recording.steps[step - 1] : first;
  if (now.t - now.h > before.t + kTimeSlack) return {};
  return now.wall_time - before.wall_time;
}

void require_frames(const Recording& recording) {
  if (!recording.frames.empty()) return;
  throw Error(fmt::format(
      "{}: error: the recording has no frames{}", recording.path,
      recording.complete ? ""
                         : "; the run was killed, or its disk was full, before the first flush"));
}

}  // namespace cenic

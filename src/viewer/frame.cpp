// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/frame.h"

#include <bit>
#include <cstring>

namespace cenic {
namespace {

static_assert(std::endian::native == std::endian::little, "frames are little endian");
constexpr std::uint32_t kFrameTag = 0x314d5246;  // "FRM1"

constexpr std::size_t kHeaderBytes = 44;
static_assert(sizeof(FrameContact) == 48 && sizeof(FrameStep) == 16, "as the page reads them");

template <typename T>
T read(const std::string& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

constexpr std::size_t kTimeAt = 8, kCountsAt = 20, kStepCountAt = kCountsAt + 12;

struct EncodedSteps {
  double t = 0;  // of the frame
  std::size_t begin = 0, end = 0;
  std::vector<FrameStep> steps{};
};

EncodedSteps find_steps(const std::string& frame) {
  const auto count = [&](std::size_t i) {
    return static_cast<std::size_t>(read<std::uint32_t>(frame, kCountsAt + 4 * i));
  };
  EncodedSteps out{.t = read<double>(frame, kTimeAt)};
  out.begin = kHeaderBytes + 4 * (count(0) + count(1)) + sizeof(FrameContact) * count(2);
  out.end = out.begin + sizeof(FrameStep) * count(3);
  for (std::size_t at = out.begin; at < out.end; at += sizeof(FrameStep)) {
    out.steps.push_back(read<FrameStep>(frame, at));
  }
  return out;
}

template <typename T>
void append(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
void append_all(const std::vector<T>& values, std::string* out) {
  out->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

}  // namespace

FrameLayout make_frame_layout(const Model& model) {
  FrameLayout layout;
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    if (model.links[model.bodies[b].link].tree >= 0) layout.bodies.push_back(b);
  }
  for (const Joint& joint : model.joints) {
    if (joint.kind == JointKind::kBall || joint.kind == JointKind::kFree) continue;
    for (int i = 0; i < joint.nq; ++i) {
      layout.coordinates.push_back(joint.q_start + i);
    }
  }
  return layout;
}

void append_pose(const RigidTransform& X, std::vector<float>* numbers) {
  const Quat q = to_quaternion(X.R);
  for (const double x : {X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z}) {
    numbers->push_back(static_cast<float>(x));
  }
}

std::string encode_frame(const ViewFrame& frame) {
  std::string out;
  const std::size_t numbers = frame.poses.size() + frame.joints.size() + 4 * frame.steps.size() +
                              2 * frame.pressures.size() + frame.corners.size();
  out.reserve(kHeaderBytes + 4 * numbers + frame.contacts.size() * sizeof(FrameContact));
  append(kFrameTag, &out);
  append(frame.energy, &out);
  append(frame.t, &out);
  append(frame.rate, &out);
  for (const std::size_t size :
       {frame.poses.size(), frame.joints.size(), frame.contacts.size(), frame.steps.size(),
        frame.pressures.size(), frame.corners.size()}) {
    append(static_cast<std::uint32_t>(size), &out);
  }
  append_all(frame.poses, &out);
  append_all(frame.joints, &out);
  append_all(frame.contacts, &out);
  append_all(frame.steps, &out);
  append_all(frame.polygon_sizes, &out);
  append_all(frame.pressures, &out);
  append_all(frame.corners, &out);
  return out;
}

std::string adopt_steps(const std::string& hidden, const std::string& frame) {
  const EncodedSteps before = find_steps(hidden), own = find_steps(frame);
  std::vector<FrameStep> steps;
  for (FrameStep step : before.steps) {
    const double end = before.t + step.t;
    if (before.t >= own.t && end > own.t) continue;
    step.t = static_cast<float>(end - own.t);
    steps.push_back(step);
  }
  steps.insert(steps.end(), own.steps.begin(), own.steps.end());
  limit_steps(&steps);
  std::string out = frame.substr(0, own.begin);
  const auto count = static_cast<std::uint32_t>(steps.size());
  std::memcpy(out.data() + kStepCountAt, &count, sizeof count);
  append_all(steps, &out);
  return out.append(frame, own.end);
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/recorded_frames.h"

#include <optional>
#include <set>
#include <string>

namespace cenic {
namespace {

FrameContact make_contact(const RecordedContact& c) {
  FrameContact out{};
  for (int i = 0; i < 3; ++i) {
    out.p[i] = static_cast<float>(c.point_W[i]);
    out.normal[i] = static_cast<float>(c.normal_AB_W[i]);
    out.force[i] = static_cast<float>(c.force_B_W[i]);
  }
  out.phi = static_cast<float>(-c.penetration);
  out.geometry_a = c.geometry_a;
  out.geometry_b = c.geometry_b;
  return out;
}

}  // namespace

// Names are "joint", or "joint[i]" where it has several.
std::vector<int> find_plain_coordinates(const RecordedScene& scene) {
  const auto joint_of = [&](std::size_t i) {
    return scene.coordinates[i].substr(0, scene.coordinates[i].rfind('['));
  };
  std::set<std::string> turning;  // joints with a quaternion
  for (std::size_t i = 0; i < scene.coordinates.size(); ++i) {
    if (scene.coordinate_width[i] != 1) turning.insert(joint_of(i));
  }
  std::vector<int> plain;
  for (std::size_t i = 0; i < scene.coordinates.size(); ++i) {
    if (!turning.contains(joint_of(i))) plain.push_back(static_cast<int>(i));
  }
  return plain;
}

std::vector<ViewFrame> make_view_frames(const Recording& recording) {
  const std::vector<int> plain = find_plain_coordinates(recording.scene);
  std::vector<ViewFrame> frames;
  std::size_t next = 0;  // step
  for (const Frame& recorded : recording.frames) {
    ViewFrame& frame = frames.emplace_back();
    frame.t = recorded.t;
    frame.energy = static_cast<float>(recorded.energy);
    for (std::size_t b = 0; b < recording.scene.bodies.size(); ++b) {
      if (recording.scene.moves[b] == 0) continue;
      const auto pose = recorded.poses.begin() + static_cast<std::ptrdiff_t>(kPoseSize * b);
      frame.poses.insert(frame.poses.end(), pose, pose + kPoseSize);
    }
    for (const int i : plain) {
      frame.joints.push_back(static_cast<float>(recorded.q[i]));
    }
    for (const RecordedContact& c : recorded.contacts) {
      if (norm_squared(c.force_B_W) > 0) frame.contacts.push_back(make_contact(c));
    }
    frame.polygon_sizes.assign(recorded.polygon_sizes.begin(), recorded.polygon_sizes.end());
    frame.pressures.assign(recorded.pressures.begin(), recorded.pressures.end());
    for (const Vec3& p : recorded.corners) {
      for (int i = 0; i < 3; ++i) {
        frame.corners.push_back(static_cast<float>(p[i]));
      }
    }
    double simulated = 0, wall = 0;
    for (; next < recording.steps.size() && recording.steps[next].t <= recorded.t; ++next) {
      const RecordedStep& step = recording.steps[next];
      frame.steps.push_back({static_cast<float>(step.t - recorded.t), static_cast<float>(step.h),
                             static_cast<float>(step.error), static_cast<float>(step.rejections)});
      const std::optional<double> spent = find_wall_time(recording, next);
      if (!spent) continue;
      simulated += step.h;
      wall += *spent;
    }
    if (frames.size() > 1) frame.rate = frames[frames.size() - 2].rate;
    if (wall > 0) frame.rate = static_cast<float>(simulated / wall);
  }
  return frames;
}

}  // namespace cenic

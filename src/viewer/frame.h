// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// ViewFrame: all that a picture of one moment needs, and its binary form (src/viewer/README.md has
// the layout).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "model/model.h"

namespace cenic {

inline constexpr int kPoseSize = 7;  // position, quaternion (w, x, y, z)

// What the arrays of a frame stand for.
struct FrameLayout {
  std::vector<int> bodies;       // that move: the order of poses
  std::vector<int> coordinates;  // of q, one number each (no quaternions): the order of joints
};
FrameLayout make_frame_layout(const Model& model);

// Position and quaternion (w, x, y, z), appended.
void append_pose(const RigidTransform& X, std::vector<float>* numbers);

struct FrameContact {
  float p[3], normal[3];  // in world; the normal points from A into B
  float force[3];         // on B, N
  float phi;              // m; negative: overlap
  std::int32_t geometry_a, geometry_b;
};

struct FrameStep {
  float t;      // its end, s after the frame's time
  float h;      // s
  float error;  // its estimate
  float rejections;
};

struct ViewFrame {
  double t = 0;
  float energy = 0;  // J
  // Simulated over computing time of the last steps; NaN: none was taken yet.
  float rate = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> poses;   // (num_moving, 7)
  std::vector<float> joints;  // (num_coordinates)
  std::vector<FrameContact> contacts;
  std::vector<FrameStep> steps;              // that ended since the last frame
  std::vector<std::uint32_t> polygon_sizes;  // corners of each polygon of contact surfaces
  std::vector<float> pressures;              // of each polygon, Pa
  std::vector<float> corners;                // in world, 3 each
};

std::string encode_frame(const ViewFrame& frame);

// An encoded frame with the steps of one before it, which is not shown. Steps after the frame are
// left out: time went back in between.
std::string adopt_steps(const std::string& hidden, const std::string& frame);

// A frame has room for many steps, but not for any number: neighbours become one with the smaller
// size, the larger error and all rejections.
template <typename Step>
void limit_steps(std::vector<Step>* steps) {
  constexpr std::size_t kMaxSteps = 2000;
  while (steps->size() > kMaxSteps) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < steps->size(); i += 2) {
      const Step& a = (*steps)[i];
      Step joined = (*steps)[i + 1];
      joined.h = std::min(a.h, joined.h);
      joined.error = std::max(a.error, joined.error);
      joined.rejections += a.rejections;
      (*steps)[kept++] = joined;
    }
    if (steps->size() % 2 == 1) (*steps)[kept++] = steps->back();
    steps->resize(kept);
  }
}

}  // namespace cenic

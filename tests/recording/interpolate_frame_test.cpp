// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Recorded runs between their frames, against closed forms.
#include <cmath>

#include <gtest/gtest.h>

#include "recording/recording.h"

namespace cenic {
namespace {

// A free body that turns more than once between two frames, and a slide beside it.
Frame make_spin(double t) {
  constexpr double kSpin = 300, kTilt = 1.5;  // rad/s
  const Quat r = exp_map(Vec3{0, 0, kSpin * t}) * exp_map(Vec3{kTilt * t, 0, 0});
  const Vec3 w = Vec3{0, 0, kSpin} + kTilt * Vec3{std::cos(kSpin * t), std::sin(kSpin * t), 0};
  return {.t = t,
          .q = {r.w, r.x, r.y, r.z, std::cos(t), std::sin(2 * t), t, std::exp(t)},
          .v = {w.x, w.y, w.z, -std::sin(t), 2 * std::cos(2 * t), 1, std::exp(t)},
          .energy = 5 * t};
}

TEST(InterpolateFrame, IsTheCubicAndKeepsFullTurns) {
  Recording run;
  run.scene.coordinate_width = {4, 0, 0, 0, 1, 1, 1, 1};
  for (int i = 0; i <= 3; ++i) {
    run.frames.push_back(make_spin(0.03 * i));
  }
  for (const double t : {0.01, 0.04, 0.0755}) {
    const Frame frame = interpolate_frame(run, t), exact = make_spin(t);
    EXPECT_EQ(frame.t, t);
    EXPECT_NEAR(frame.energy, 5 * t, 1e-12);
    double product = 0;  // of quaternions: the cosine of half of the angle between them
    for (int i = 0; i < 4; ++i) {
      product += frame.q[i] * exact.q[i];
    }
    EXPECT_GT(std::abs(product), 0.999);
    for (int i = 4; i < 8; ++i) {
      EXPECT_NEAR(frame.q[i], exact.q[i], 1e-7);
      EXPECT_NEAR(frame.v[i - 1], exact.v[i - 1], 1e-4);
    }
  }
}

// Coordinates and velocities are each wrong by the error of a step: between frames that are near,
// neither makes the other worse.
TEST(InterpolateFrame, VelocitiesAreThoseOfTheFramesAround) {
  Recording run;
  run.scene.coordinate_width = {1};
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.001 * i + (i % 2 == 0 ? 0 : 7e-4);  // 1.7 and 0.3 ms apart
    run.frames.push_back({.t = t, .q = {std::sin(5 * t)}, .v = {5 * std::cos(5 * t) + 0.1}});
  }
  for (const double t : {0.0009, 0.0505, 0.0519, 0.0998, 0.0999}) {
    EXPECT_NEAR(interpolate_frame(run, t).v[0], 5 * std::cos(5 * t) + 0.1, 5e-8) << t;
  }
  run.frames.resize(2);
  EXPECT_NEAR(interpolate_frame(run, 0.0005).v[0], 5.1, 1e-4);  // evenly
}

}  // namespace
}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Face bias: how much deeper a face may be than the best direction and still be taken.
#pragma once

#include <algorithm>
#include <cmath>

namespace cenic::detail {

inline constexpr double kBiasLength = 1e-4;    // m
inline constexpr double kBiasFraction = 0.05;  // of the depth
// Of the smallest half width of the two shapes: the length above would swallow the edges of
// sub-millimetre parts.
inline constexpr double kBiasSize = 0.02;

// By how much another direction must be better than one of the given gap (negative: depth) to win.
inline double calc_bias(double gap, double smallest_half_width) {
  return std::min(kBiasLength, kBiasSize * smallest_half_width) +
         kBiasFraction * std::max(0.0, -gap);
}

// Below this angle (25 degrees) between a face's normal and the best direction, the face is tried:
// over the part where the two shapes lie over each other it may be hardly deeper, whatever hangs
// down beside it.
inline constexpr double kNearFace = 0.9;

// Does a face contact with the least gap `face_gap` stand for the closest features with the gap
// `gap`?
inline bool is_as_good(double face_gap, double gap, double bias) {
  if (face_gap < gap - bias) return false;
  return gap < 0 ? face_gap < 0.5 * gap + bias && face_gap < 0 : face_gap <= gap + bias;
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Frames made small: quantised, as differences in time, deflated.
#pragma once

#include <span>
#include <string>

#include "viewer/frame.h"

namespace cenic {

// All frames have as many poses and joints. Positions and joints keep 16 bits of the range they
// move in, and 0.02 mm or mrad where that is less, as far as 24 significant bits go; forces and
// pressures 8 significant bits, steps 24.
std::string pack_frames(std::span<const ViewFrame> frames);

}  // namespace cenic

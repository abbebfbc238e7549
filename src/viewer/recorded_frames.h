// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A recorded run as pictures: what the page needs of each frame.
#pragma once

#include <vector>

#include "recording/recording.h"
#include "viewer/frame.h"

namespace cenic {

// Coordinates that are one number (no quaternions), the order of ViewFrame::joints.
std::vector<int> find_plain_coordinates(const RecordedScene& scene);

// The bodies that move in their order, contacts that press, and the steps in between.
std::vector<ViewFrame> make_view_frames(const Recording& recording);

}  // namespace cenic

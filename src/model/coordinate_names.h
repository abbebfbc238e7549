// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How people call single coordinates and velocities.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace cenic {

// "joint", or "joint[i]" where it has several numbers. Joints without a name go by their body, as
// one where it has several. No two are alike: what would be called as another one gets "#2".
struct CoordinateNames {
  std::vector<std::string> q, v;  // (nq, nv)
};
CoordinateNames name_coordinates(const Model& model);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Distance between two convex cores (Gilbert, Johnson, Keerthi 1988).
#pragma once

#include "geometry/pairs/core.h"

namespace cenic::detail {

enum class GjkStatus {
  kFar,        // the distance exceeds the cutoff; nothing else is known
  kSeparated,  // distance, normal and witness points are valid
  kOverlap,    // the cores touch or overlap
};

struct GjkResult {
  GjkStatus status = GjkStatus::kOverlap;
  double distance = 0;  // between the cores, without radii
  Vec3 nhat;            // from A to B
  Vec3 p_A, p_B;        // closest points of the cores
};

GjkResult calc_gjk(const Core& A, const Core& B, double cutoff);

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How a solve ended.
#pragma once

namespace cenic {

enum class SolveStatus {
  kConverged,
  kNotConverged,
  kNotFinite,
  kNotPositiveDefinite,
  kBadForce  // a force given to the problem is not finite
};
const char* to_string(SolveStatus status);

}  // namespace cenic

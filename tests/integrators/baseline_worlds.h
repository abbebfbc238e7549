// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What tests of the general-purpose methods share.
#pragma once

#include <string>
#include <vector>

#include "integrators/baselines/baselines.h"
#include "model/model_spec.h"

namespace cenic {

inline std::vector<std::string> baseline_names() {
  std::vector<std::string> names;
  for (const Baseline& b : list_baselines()) {
    names.emplace_back(b.name);
  }
  return names;
}

// A free body, its centre of mass off its origin, that turns about no principal axis.
inline ModelSpec make_tumbling_body() {
  ModelSpec spec;
  spec.gravity = {0, 0, -1};
  BodySpec body;
  body.name = "body";
  body.inertia = InertiaSpec{1.0, {0.05, -0.02, 0.03}, Mat3::diagonal({0.01, 0.02, 0.028})};
  body.joints = {
      {.name = "free", .kind = JointKind::kFree, .velocity = {3.0, 4.0, -2.0, 0.3, -0.1, 0.2}}};
  spec.bodies = {body};
  return spec;
}

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// MjcfOptions: what <option> and its <flag> say of a model.
#pragma once

#include "loaders/xml/element.h"
#include "model/model_spec.h"

namespace cenic::detail {

struct MjcfOptions {
  bool gravity = true, contacts = true, limits = true, equality = true, dry_friction = true,
       springs = true, dampers = true, actuation = true, clamp_ctrl = true;
  bool sensor_noise = false;
  double timestep = 0.002;            // s: how far plugins look ahead; noise is another after each
  double density = 0, viscosity = 0;  // of the medium
  Vec3 wind{};
  Vec3 magnetic{0, -0.5, 0};
};

// All sections <option> below `root`; gravity and the filter of parents go to the spec at once.
MjcfOptions read_options(const XmlElement& root, ModelSpec* spec, Diagnostics* diagnostics);
// Each body that moves feels it.
void add_medium(const MjcfOptions& options, ModelSpec* spec);

}  // namespace cenic::detail

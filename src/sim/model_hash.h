// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A number that tells models apart.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace cenic {

// Over all that the motion depends on; names of bodies and joints and colours do not count. Laws of
// external systems and moving surfaces cannot be looked into: they count by their names and sizes
// and by what they give at the initial configuration at a few times.
std::uint64_t calc_model_hash(const Model& model);

}  // namespace cenic

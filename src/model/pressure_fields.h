// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Gives geometries their pressure fields.
#pragma once

#include "model/model.h"
#include "model/problems.h"

namespace cenic::detail {

// Geometry::field of every geometry that asks for one, shared between equal shapes, and
// Model::notes about them.
void fill_pressure_fields(const ModelSpec& spec, Problems* problems, Model* model);

}  // namespace cenic::detail

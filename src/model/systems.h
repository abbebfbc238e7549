// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Binding external systems to a model: names become indices, signals get an order. Private to the
// model module.
#pragma once

#include "model/model.h"
#include "model/problems.h"

namespace cenic::detail {

// Fills what Model says of systems; the bodies and joints are there already.
void bind_systems(const ModelSpec& spec, Problems* problems, Model* model);

}  // namespace cenic::detail

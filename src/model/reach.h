// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Model::reach. Private to the model module.
#pragma once

#include "model/model.h"

namespace cenic::detail {

// Fills Model::reach; needs links, geometries, q0.
void fill_reach(Model* model);

}  // namespace cenic::detail

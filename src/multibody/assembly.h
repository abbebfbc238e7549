// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Can the constraints of a model hold at all?
#pragma once

#include "model/model.h"

namespace cenic {

// Does nothing when the rigid constraints hold at model.q0 within 1e-3 (m or rad), or when they can
// be met from there: the first steps then pull the model together. Throws Error when no
// configuration within the joint limits is found that meets them; it names the constraint that
// stays violated. The search is numerical and local, from q0 and a few perturbed starts: an
// arrangement that is hard to find may be refused, and then must be given as initial positions; a
// loop of hundreds of velocities passes when the search does not come to an end.
void check_assembly(const Model& model);

}  // namespace cenic

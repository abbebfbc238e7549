// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/model.h"

#include <fmt/format.h>

#include "core/error.h"

namespace cenic {

std::string Model::describe_velocity(int v) const {
  CENIC_CHECK(v >= 0 && v < nv);
  for (const Joint& joint : joints) {
    if (v < joint.v_start || v >= joint.v_start + joint.nv) continue;
    if (!joint.name.empty() && joint.kind != JointKind::kFree) {
      return fmt::format("joint '{}'", joint.name);
    }
    break;
  }
  return fmt::format("body '{}'", bodies[links[dof_link[v]].body].name);
}

State make_initial_state(const Model& model) {
  return {.t = 0, .q = model.q0, .v = model.v0, .z = {}};
}

}  // namespace cenic

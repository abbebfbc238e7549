// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Writes a model as MJCF that MuJoCo 2.2 and later read, with a list of all that MJCF cannot say.
#pragma once

#include <string>
#include <vector>

#include "model/model_spec.h"

namespace cenic {

// Something that is not in the file as it is in the model.
struct WriteNote {
  std::string what{};                // a sentence
  std::vector<std::string> names{};  // of what it holds for
};

struct MjcfText {
  std::string text{};
  std::vector<WriteNote> notes{};
};

// For a spec that compiles. Hinges and slides start where they did; what else the initial state
// says (free bodies and balls that were moved, velocities, controls) is the keyframe "initial".
MjcfText write_mjcf(const ModelSpec& spec);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What a page may ask of a session: one JSON object, {"do": verb, ...}.
#pragma once

#include <string>
#include <vector>

#include "math/vec3.h"

namespace cenic {

enum class CommandVerb {
  kPlay,
  kPause,
  kStep,   // one step of the integrator
  kRate,   // value: simulated over real time, 0: no bound
  kReset,  // to the initial state
  kSeek,   // value: a time of the history
  kJoint,  // index: of ViewFrame::joints; value
  kInput,  // name; numbers
  kGrab,   // index: body; point: in the body; target: in the world
  kDrag,   // target
  kRelease,
};

struct Command {
  CommandVerb verb = CommandVerb::kPlay;
  double value = 0;
  int index = -1;
  std::string name{};
  std::vector<double> numbers{};
  Vec3 point{}, target{};
};

// Throws Error for anything that is not a whole command with finite numbers.
Command parse_command(const std::string& text);

// Does it change the state, other than by letting time pass?
inline bool changes_state(CommandVerb verb) { return verb >= CommandVerb::kReset; }

}  // namespace cenic

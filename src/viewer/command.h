// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What a page may ask of a session: one JSON object, {"do": verb, ...}. With {"from": t} it is done
// from that time of the history on, or, when the history has it no more, not at all.
#pragma once

#include <optional>
#include <string>

#include "math/vec3.h"

namespace cenic {

enum class CommandVerb {
  kPlay,
  kPause,
  kStep,   // one step of the integrator
  kRate,   // value: simulated over real time, 0: no bound
  kReset,  // to the initial state
  kJoint,  // index: of ViewFrame::joints; value
  kInput,  // name; index: of its numbers; value
  kGrab,   // index: body; point: in the body; target: in the world
  kDrag,   // target
  kRelease,
};

struct Command {
  CommandVerb verb = CommandVerb::kPlay;
  std::optional<double> from{};
  double value = 0;
  int index = -1;
  std::string name{};
  Vec3 point{}, target{};
  int page = 0;      // whose it is
  std::string id{};  // what that page calls it: a status says when it is obeyed

  // Does it change the state, other than by letting time pass?
  bool changes_state() const { return from || verb >= CommandVerb::kReset; }
  // Sliders and pointers move faster than steps are taken: only the last place counts.
  bool replaces(const Command& last) const {
    const bool moves =
        verb == CommandVerb::kJoint || verb == CommandVerb::kInput || verb == CommandVerb::kDrag;
    return moves && !from && verb == last.verb && index == last.index && name == last.name &&
           page == last.page;
  }
};

// Throws Error for anything that is not a whole command with finite numbers.
Command parse_command(const std::string& text);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// SuctionCup: a vacuum cup on one body pulls another one (paper, section VII-D.1).
#pragma once

#include <limits>
#include <string>
#include <tuple>

#include "math/vec3.h"
#include "model/external_system.h"

namespace cenic {

struct Suction {
  std::string cup{};     // body that carries the cup
  Vec3 p_CupRim{};       // centre of the rim, in that body's frame
  Vec3 direction{};      // in which the cup opens, in that body's frame; zero: all around
  std::string object{};  // body that is pulled
  // Body that takes the reaction: with bellows the vacuum pulls the object to what they are mounted
  // on and so collapses them. Empty: the cup.
  std::string mount{};
  double strength = 0;   // force times distance, N m
  double softening = 0;  // d0, added to the distance: the force in contact is strength/d0
  double range = std::numeric_limits<double>::infinity();  // no force from here on, m
};

// The object is pulled at its point nearest to the rim, towards the rim, with
//
//   f = strength (1/(d + d0) − 1/(range + d0)) c,   0 <= d < range,
//
// d the distance, c the cosine between the direction and the line to that point (none behind the
// cup). The term of the range makes the force end without a jump. The mount takes the opposite
// force along the same line, so that momentum is conserved. Output `force`, N.
class SuctionCup : public ExternalSystem {
 public:
  explicit SuctionCup(Suction suction) : suction_(std::move(suction)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(suction_); }

 private:
  Suction suction_;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// RangeFinder: how far it is to the next thing along a ray.
#pragma once

#include <string>
#include <tuple>

#include "math/rigid_transform.h"
#include "model/external_system.h"

namespace cenic {

// Output `distance`: from the origin of the frame S of a body along its z-axis to the nearest
// geometry of another body, colliding or not; −1 when there is none. What cannot be seen (a colour
// with alpha 0) is not met.
class RangeFinder : public ExternalSystem {
 public:
  explicit RangeFinder(std::string body, const RigidTransform& X_BS = {})
      : body_(std::move(body)), X_BS_(X_BS) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(body_, X_BS_); }

 private:
  std::string body_;
  RigidTransform X_BS_;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Sensors of frames, of ball joints and of what hangs on a body, as MuJoCo has them.
#pragma once

#include <string>
#include <tuple>

#include "math/spatial.h"
#include "model/external_system.h"

namespace cenic {

enum class FrameQuantity {
  kPosition,
  kQuaternion,  // w, x, y, z
  kXAxis,
  kYAxis,
  kZAxis,
  kLinearVelocity,
  kAngularVelocity,
  kLinearAcceleration,  // less that of gravity, as an accelerometer feels it
  kAngularAcceleration,
  kOwnVelocity,  // linear, in the frame's own axes
  kWorldVector,  // a vector of the world in the frame's own axes: a compass
};

struct FrameSensorParameters {
  FrameQuantity quantity = FrameQuantity::kPosition;
  std::string body{};
  RigidTransform X_BP{};
  // Measured from a frame R, in its axes; empty: from the world. Not for accelerations nor for
  // what is in own axes.
  std::string reference{};
  RigidTransform X_AR{};
  Vec3 vector{};  // kWorldVector
};

// Output `value`: a quantity of the frame P of a body, 3 numbers, or 4 of a quaternion.
class FrameSensor : public ExternalSystem {
 public:
  explicit FrameSensor(FrameSensorParameters parameters) : p_(std::move(parameters)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  Vec3 calc_vector(const SystemInput& in) const;
  FrameSensorParameters p_;
};

// Of a ball joint: `quaternion` (4) and `velocity` (3), the angular velocity in the child's axes.
class BallSensor : public ExternalSystem {
 public:
  explicit BallSensor(std::string joint) : joint_(std::move(joint)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(joint_); }

 private:
  std::string joint_;
};

// Of a body and all that hangs on it ("world": of everything), in world axes: `com`, the centre of
// mass, its velocity `linvel`, and `angmom`, the angular momentum about it. 3 numbers each.
class SubtreeSensor : public ExternalSystem {
 public:
  explicit SubtreeSensor(std::string body) : body_(std::move(body)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(body_); }

 private:
  std::string body_;
};

// `force` and `torque`, 3 numbers each, that the parent of a body exerts on it, at and in the axes
// of the frame S of the body: what moves the body and all that hangs on it, less gravity, contacts
// and constraints. Forces of other systems on them are not told apart from the parent's.
class InteractionSensor : public ExternalSystem {
 public:
  explicit InteractionSensor(std::string body, const RigidTransform& X_BS = {})
      : body_(std::move(body)), X_BS_(X_BS) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(body_, X_BS_); }

 private:
  std::string body_;
  RigidTransform X_BS_;
};

}  // namespace cenic

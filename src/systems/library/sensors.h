// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Sensors: output signals, nothing else. Accelerations and forces are those of the last step, and
// zero before the first.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "math/spatial.h"
#include "model/external_system.h"

namespace cenic {

// Of the joints named, one after another: `position` (coordinates), `velocity`, and with `effort`
// the generalised force that all systems exert there.
class JointSensor : public ExternalSystem {
 public:
  explicit JointSensor(std::vector<std::string> joints, bool effort = false)
      : joints_(std::move(joints)), effort_(effort) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(joints_, effort_); }

 private:
  std::vector<std::string> joints_;
  bool effort_;
};

// `pose` (quaternion, position), `twist` (angular, linear velocity) and with `acceleration` that
// (angular, linear): 7, 6 and 6 numbers, of the frame P of a body, in world axes.
class BodySensor : public ExternalSystem {
 public:
  explicit BodySensor(std::string body, const RigidTransform& X_BP = {}, bool acceleration = false)
      : body_(std::move(body)), X_BP_(X_BP), acceleration_(acceleration) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(body_, X_BP_, acceleration_); }

 private:
  std::string body_;
  RigidTransform X_BP_;
  bool acceleration_;
};

// In the axes of the sensor S: `gyro`, the angular velocity, and `accelerometer`, the specific
// force R_WSᵀ (a_WS − g).
class Imu : public ExternalSystem {
 public:
  explicit Imu(std::string body, const RigidTransform& X_BS = {})
      : body_(std::move(body)), X_BS_(X_BS) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(body_, X_BS_); }

 private:
  std::string body_;
  RigidTransform X_BS_;
};

// Contacts on one geometry, or on all of a body: `force` on it (3, world axes) and `normal`, the
// sum of the normal forces of all its contacts.
struct ContactForceParameters {
  std::string geometry{}, body{};  // one of the two
};

class ContactForceSensor : public ExternalSystem {
 public:
  explicit ContactForceSensor(ContactForceParameters parameters) : p_(std::move(parameters)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  ContactForceParameters p_;
};

// Of a constraint on its body B at the point it acts at: `torque` and `force`, 3 numbers each,
// world axes.
class ConstraintForceSensor : public ExternalSystem {
 public:
  explicit ConstraintForceSensor(std::string constraint) : constraint_(std::move(constraint)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(constraint_); }

 private:
  std::string constraint_;
};

}  // namespace cenic

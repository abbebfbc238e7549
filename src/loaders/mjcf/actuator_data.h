// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the file says of actuators and tendons. All kinds of actuators are settings of one general
// actuator; see docs/loaders.md.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "loaders/mjcf/compliance.h"
#include "loaders/mjcf/document.h"

namespace cenic::detail {

struct ActuatorData {
  enum Dynamics { kNone, kIntegrator, kFilter, kFilterExact, kMuscle, kUserDynamics, kDcMotor };
  enum Gain { kFixed, kAffine, kMuscleGain, kUserGain, kDcMotorGain };
  enum Bias { kNoBias, kAffineBias, kMuscleBias, kUserBias, kDcMotorBias };
  int dynamics = kNone, gain = kFixed, bias = kNoBias;
  std::array<double, 10> dynprm{1}, gainprm{1}, biasprm{};
  std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
  std::array<double, 2> ctrlrange{}, forcerange{}, actrange{};
  bool ctrllimited = false, forcelimited = false, actlimited = false;
  double inheritrange = 0;
  double dampratio = 0;  // of a position servo, instead of kv
  std::array<double, 2> lengthrange{};
  bool is_muscle() const {
    return dynamics == kMuscle && gain == kMuscleGain && bias == kMuscleBias;
  }
  double damping = 0, armature = 0;  // of its own, on its side of the gear
  std::string unsupported{};         // a kind of actuator that there is not
};
// Applies the attributes of this one element, a default or the actuator itself, over the data.
void read_actuator_data(const Attributes& a, const MjcfCompiler& compiler, ActuatorData* d);

struct TendonData {
  std::string name{};
  bool limited = false;
  std::array<double, 2> range{};
  double stiffness = 0, damping = 0, frictionloss = 0, armature = 0;
  std::vector<double> more_stiffness{}, more_damping{};
  std::vector<double> springlength{-1, -1};  // negative: the length at the start
  SoftParameters limit{};
};
TendonData read_tendon_data(const Attributes& a, const MjcfCompiler& compiler);

}  // namespace cenic::detail

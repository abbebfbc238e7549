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
#include "systems/library/actuators.h"
#include "systems/library/pid_servo.h"

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
  std::optional<PidServo> pid{};     // instead of gain and bias
  bool position_input = true;        // of the PID
  std::string unsupported{};         // a kind of actuator that there is not
};
// Applies the attributes of this one element, a default or the actuator itself, over the data.
void read_actuator_data(const Attributes& a, const MjcfCompiler& compiler, ActuatorData* d);
// What the plugin of an actuator <plugin> is and how it is set: of the PID, by its own <config>s or
// by those of an instance in <extension>.
void read_actuator_plugin(const Attributes& a, const MjcfDocument& document, double time_step,
                          Diagnostics* diagnostics, ActuatorData* d);

// The law of gain and bias. The inertia is what a damping ratio is of.
ActuatorParameters make_law(const ActuatorData& d, double inertia, bool clamp_ctrl);
// Times the ratio, of the inertia at the actuator's side of the gear.
double calc_critical_damping(const ActuatorData& d, double kp, double inertia);

struct TendonData {
  std::string name{};
  bool limited = false;
  std::array<double, 2> range{};
  double margin = 0;  // limits stand so much further in
  double stiffness = 0, damping = 0, frictionloss = 0, armature = 0;
  std::vector<double> more_stiffness{}, more_damping{};
  std::vector<double> springlength{-1, -1};  // negative: the length at the start
  SoftParameters limit{};
  bool force_limited = false;
  std::array<double, 2> force_range{};  // of all actuators together
};
TendonData read_tendon_data(const Attributes& a, const MjcfCompiler& compiler);

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Transmissions: a length l of the configuration, and a force f along it that acts on whatever
// changes it, τ = (∂l/∂q)ᵀ f. A positive force lengthens. As MuJoCo has them:
//
//   joints    l = Σ c_i q_i: a fixed tendon
//   branches  l = Σ (length of a path through points of bodies and around some)/divisor: a spatial
//             tendon
//   wrench    l = 0, l̇ = w · V_S: a thruster at a frame S of a body, w its wrench in S for f = 1;
//             relative to a frame R: l = w · (rotation vector, position) of S in R
//   joint     of a ball: l = torque · rotation vector; of a free joint: l = 0
//   crank     l = where the rod's end is on the slider's axis
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "math/spatial.h"
#include "model/external_system.h"
#include "model/tendon_path.h"
#include "systems/library/actuators.h"
#include "systems/library/muscle.h"
#include "systems/library/pid_servo.h"

namespace cenic {

struct WrenchFrame {
  std::string body{};
  RigidTransform X_BS{};
  Spatial w{};  // torque and force, in S; in R when there is one
  // Another frame R of which S is the goal; empty: none.
  std::string reference{};
  RigidTransform X_AR{};  // in the body `reference`
};

// A ball or free joint: its torque in the axes of the joint's child, or of its parent, and for a
// free joint a force in those of the world.
struct JointWrench {
  std::string joint{};
  Vec3 torque{}, force{};
  bool in_parent = false;
};

// A rod from a pin on one body to a slider on another, which moves along the z axis of a frame.
struct SliderCrank {
  std::string crank{};  // body of the pin
  Vec3 p_BP{};
  std::string slider{};  // body of the frame S
  RigidTransform X_BS{};
  double rod = 0;  // its length, m
};

// One of them.
struct Transmission {
  std::vector<TendonPart> joints{};
  std::vector<PathBranch> branches{};
  std::vector<WrenchFrame> wrench{};  // one or none
  std::vector<JointWrench> joint{};   // one or none
  std::vector<SliderCrank> crank{};   // one or none
  bool empty() const {
    return joints.empty() && branches.empty() && wrench.empty() && joint.empty() && crank.empty();
  }
};

// Length and force of a transmission within a system.
class TransmissionPort {
 public:
  explicit TransmissionPort(Transmission transmission) : t_(std::move(transmission)) {}
  // Declares what is read and, if it `acts`, pushed.
  void declare(Ports* ports, bool acts = true) const;
  struct Length {
    double l = 0, ldot = 0;
  };
  Length calc_length(const SystemInput& in) const;
  void add_force(const SystemInput& in, double f, SystemOutput* out) const;
  const Transmission& transmission() const { return t_; }

 private:
  // walk_path() over the branches.
  template <typename F>
  double walk(const SystemInput& in, const F& f) const;
  void declare_branches(Ports* ports, bool acts) const;
  Transmission t_;
};

// `length` and `velocity` of a transmission.
class LengthSensor : public ExternalSystem {
 public:
  explicit LengthSensor(Transmission transmission, double gear = 1)
      : port_(std::move(transmission)), gear_(gear) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(port_.transmission(), gear_); }

 private:
  TransmissionPort port_;
  double gear_;
};

// f = k (lower − l) below the lower end of `slack`, k (upper − l) above the upper one, − d l̇
// always; beyond the limits a spring and a damper that only push back; and dry friction.
struct TransmissionSpringParameters {
  Transmission transmission{};
  double stiffness = 0, damping = 0;  // k: N/m, d: N s/m
  double slack_lower = 0, slack_upper = 0;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double limit_stiffness = 0, limit_damping = 0;
  // With x = l − rest, further terms of the forces: −k₂ x² − k₃ x³ …, −d₂ l̇ |l̇| − d₃ l̇ |l̇|² …
  std::vector<double> more_stiffness{}, more_damping{};
  // Dry friction, N, which is a steep damper below the speed `slip`, m/s.
  double friction = 0, slip = 1e-3;
};

class TransmissionSpring : public ExternalSystem {
 public:
  explicit TransmissionSpring(TransmissionSpringParameters parameters)
      : p_(std::move(parameters)), port_(p_.transmission) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  // Of joints alone; for paths differences are taken.
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  struct Force {
    double f = 0, slope = 0, rate_slope = 0;  // and its derivatives by l and l̇
  };
  Force calc_force(double l, double ldot) const;
  TransmissionSpringParameters p_;
  TransmissionPort port_;
};

// The force law of ActuatorModel (whose joint, tendon and force_limit are not used) with l = gear ·
// length, held between force_min and force_max by the law itself, not by the solver. Inputs `ctrl`
// and, of a PidServo that has them, `velocity` and `feedforward`. Output `force`.
struct TransmissionActuatorParameters {
  Transmission transmission{};
  ActuatorParameters law{};
  // Instead of the law's gain, bias and dynamics; its activation starts at that of the law.
  std::optional<MuscleParameters> muscle{};
  // Instead of the law's gain and bias: its target is the law's activation or control.
  std::optional<PidServo> pid{};
  double force_min = -std::numeric_limits<double>::infinity();
  double force_max = std::numeric_limits<double>::infinity();
};

class TransmissionActuator : public ExternalSystem {
 public:
  explicit TransmissionActuator(TransmissionActuatorParameters parameters)
      : p_(std::move(parameters)), port_(p_.transmission) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  double evaluate_pid(const SystemInput& in, double l, double ldot, SystemOutput* out) const;
  TransmissionActuatorParameters p_;
  TransmissionPort port_;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Keys of the systems of the library, and the list of their types.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "loaders/scenario/fields.h"
#include "loaders/scenario/model_fields.h"
#include "systems/library/library.h"

namespace cenic::detail {

template <typename A>
void describe(A& a, ActuatorParameters& p) {
  a.field("joint", p.joint, kName);
  a.field("tendon", p.tendon);
  a.field("gear", p.gear);
  a.field("gain", p.gain);
  a.field("bias", p.bias);
  a.field("dynamics", p.dynamics);
  a.field("time_constant", p.time_constant);
  a.field("activation", p.activation);
  a.field("activation_min", p.activation_min, kInfinite);
  a.field("activation_max", p.activation_max, kInfinite);
  a.field("error_weight", p.error_weight);
  a.field("ctrl_min", p.ctrl_min, kInfinite);
  a.field("ctrl_max", p.ctrl_max, kInfinite);
  a.field("force_limit", p.force_limit, kInfinite);
  a.field("has_input", p.has_input);
}
template <typename A>
void describe(A& a, SpringDamperParameters& p) {
  a.field("a", p.a, kRequired | kName);
  a.field("b", p.b, kName);
  a.field("point_a", p.p_AP);
  a.field("point_b", p.p_BQ);
  a.field("rest_length", p.rest_length);
  a.field("stiffness", p.stiffness);
  a.field("damping", p.damping);
}
template <typename A>
void describe(A& a, BodyForceParameters& p) {
  a.field("body", p.body, kRequired | kName);
  a.field("point", p.p_BP);
  a.field("body_axes", p.body_axes);
  const unsigned frame = p.body_axes ? 0U : unsigned{kWorldAxes};
  a.field("torque", p.F.w, frame);
  a.field("force", p.F.v, frame);
}
template <typename A>
void describe(A& a, JointTargets& t) {
  a.field("joints", t.joints, kRequired | kName);
  a.field("reference", t.reference);
  a.field("effort_limits", t.effort_limits, kInfinite);
  a.field("reference_input", t.reference_input);
}
template <typename A>
void describe(A& a, PidGains& g) {
  a.field("kp", g.kp);
  a.field("ki", g.ki);
  a.field("kd", g.kd);
  a.field("integral_limit", g.integral_limit, kInfinite);
  a.field("error_weight", g.error_weight);
}
template <typename A>
void describe(A& a, MediumParameters& p) {
  a.field("body", p.body, kRequired | kName);
  a.field("box_pose", p.X_BI);
  a.field("half_sizes", p.half_sizes);
  a.field("density", p.density);
  a.field("viscosity", p.viscosity);
  a.field("wind", p.wind, kWorldAxes);
}
template <typename A>
void describe(A& a, ContactForceParameters& p) {
  a.field("geometry", p.geometry, kName);
  a.field("body", p.body, kName);
}
template <typename A>
void describe(A& a, LinearParameters& p) {
  a.field("input_sizes", p.input_sizes);
  a.field("A", p.A);
  a.field("b", p.b);
}
template <typename A>
void describe(A& a, NoiseParameters& p) {
  a.field("size", p.size);
  a.field("standard_deviation", p.standard_deviation);
  a.field("seed", p.seed);
  a.field("has_input", p.has_input);
}
template <typename A>
void describe(A& a, ClampParameters& p) {
  a.field("size", p.size);
  a.field("lower", p.lower, kInfinite);
  a.field("upper", p.upper, kInfinite);
}
template <typename A>
void describe(A& a, Suction& s) {
  a.field("cup", s.cup, kRequired | kName);
  a.field("rim", s.p_CupRim);
  a.field("direction", s.direction);
  a.field("object", s.object, kRequired | kName);
  a.field("mount", s.mount, kName);
  a.field("strength", s.strength);
  a.field("softening", s.softening);
  a.field("range", s.range, kInfinite);
}
template <typename A>
void describe(A& a, TaskSpaceParameters& p) {
  a.field("body", p.body, kRequired | kName);
  a.field("frame", p.X_BP);
  a.field("joints", p.joints, kRequired | kName);
  a.field("effort_limits", p.effort_limits, kInfinite);
  a.field("kp", p.kp);
  a.field("kd", p.kd);
  a.field("compensate_gravity", p.compensate_gravity);
  a.field("target", p.target, kWorldAxes);
  a.field("target_input", p.target_input);
  a.field("target_velocity", p.target_velocity);
}
template <typename A>
void describe(A& a, TrajectoryPlayback::Options& o) {
  a.field("interpolation", o.interpolation);
  a.field("repeat", o.repeat);
}
template <typename A>
void describe(A& a, WrenchFrame& f) {
  a.field("body", f.body, kRequired | kName);
  a.field("pose", f.X_BS);
  a.field("torque", f.w.w);
  a.field("force", f.w.v);
  a.field("reference", f.reference, kName);
  a.field("reference_pose", f.X_AR);
}
template <typename A>
void describe(A& a, JointWrench& w) {
  a.field("joint", w.joint, kRequired | kName);
  a.field("torque", w.torque);
  a.field("force", w.force, kWorldAxes);
  a.field("in_parent", w.in_parent);
}
template <typename A>
void describe(A& a, SliderCrank& c) {
  a.field("crank", c.crank, kRequired | kName);
  a.field("pin", c.p_BP);
  a.field("slider", c.slider, kRequired | kName);
  a.field("slider_pose", c.X_BS);
  a.field("rod", c.rod);
}
template <typename A>
void describe(A& a, Transmission& t) {
  a.field("joints", t.joints);
  a.field("branches", t.branches);
  a.field("wrench", t.wrench);
  a.field("joint", t.joint);
  a.field("crank", t.crank);
}
template <typename A>
void describe(A& a, AdhesionParameters& p) {
  a.field("body", p.body, kRequired | kName);
  a.field("gain", p.gain);
  a.field("ctrl_min", p.ctrl_min, kInfinite);
  a.field("ctrl_max", p.ctrl_max, kInfinite);
  a.field("gap", p.gap);
}
template <typename A>
void describe(A& a, FrameSensorParameters& p) {
  a.field("quantity", p.quantity, kRequired);
  a.field("body", p.body, kRequired | kName);
  a.field("frame", p.X_BP);
  a.field("reference", p.reference, kName);
  a.field("reference_frame", p.X_AR);
  a.field("vector", p.vector, kWorldAxes);
}
template <typename A>
void describe(A& a, TransmissionSpringParameters& p) {
  a.field("transmission", p.transmission, kRequired);
  a.field("stiffness", p.stiffness);
  a.field("damping", p.damping);
  a.field("slack_lower", p.slack_lower);
  a.field("slack_upper", p.slack_upper);
  a.field("lower", p.lower, kInfinite);
  a.field("upper", p.upper, kInfinite);
  a.field("limit_stiffness", p.limit_stiffness);
  a.field("limit_damping", p.limit_damping);
  a.field("more_stiffness", p.more_stiffness);
  a.field("more_damping", p.more_damping);
  a.field("friction", p.friction);
  a.field("slip", p.slip);
}
template <typename A>
void describe(A& a, MuscleParameters& m) {
  a.field("length_range", m.length_range);
  a.field("range", m.range);
  a.field("force", m.force);
  a.field("lmin", m.lmin);
  a.field("lmax", m.lmax);
  a.field("vmax", m.vmax);
  a.field("fpmax", m.fpmax);
  a.field("fvmax", m.fvmax);
  a.field("time_constants", m.time_constants);
  a.field("smoothing", m.smoothing);
}
template <typename A>
void describe(A& a, PidServo& p) {
  a.field("kp", p.kp);
  a.field("kv", p.kv);
  a.field("ki", p.ki);
  a.field("integral_limit", p.integral_limit, kInfinite);
  a.field("integral_time", p.integral_time);
  a.field("slew", p.slew, kInfinite);
  a.field("setpoint_time", p.setpoint_time);
  a.field("velocity_input", p.velocity_input);
  a.field("feedforward_input", p.feedforward_input);
  a.field("velocity_min", p.velocity_min, kInfinite);
  a.field("velocity_max", p.velocity_max, kInfinite);
  a.field("feedforward_min", p.feedforward_min, kInfinite);
  a.field("feedforward_max", p.feedforward_max, kInfinite);
}
template <typename A>
void describe(A& a, TransmissionActuatorParameters& p) {
  a.field("transmission", p.transmission, kRequired);
  a.field("law", p.law);
  a.field("muscle", p.muscle);
  a.field("pid", p.pid);
  a.field("force_min", p.force_min, kInfinite);
  a.field("force_max", p.force_max, kInfinite);
}

// ---- types ----

// An argument of a constructor that is no struct.
template <typename T>
struct Argument {
  const char* key = nullptr;
  T value;
  unsigned flags = 0;
};
template <typename A, typename T>
void describe(A& a, Argument<T>& argument) {
  a.field(argument.key, argument.value, argument.flags);
}
template <typename T>
T& value_of(Argument<T>& argument) {
  return argument.value;
}
template <typename T>
T& value_of(T& parameters) {
  return parameters;
}

// A class of the library with the arguments of its constructor: structs, whose keys stand beside
// each other, or Arguments. At first they have their defaults.
template <typename System, typename... Parts>
struct SystemType {
  const char* name;
  std::tuple<Parts...> parts;

  static bool matches(const ExternalSystem& system) { return typeid(system) == typeid(System); }
  void take(const ExternalSystem& system) {
    std::apply(
        [&](auto&... part) {
          std::tie(value_of(part)...) = static_cast<const System&>(system).parameters();
        },
        parts);
  }
  template <typename A>
  void visit(A& archive) {
    std::apply(
        [&](auto&... part) {
          (describe(archive, part), ...);
        },
        parts);
  }
  std::shared_ptr<const ExternalSystem> make() {
    return std::apply(
        [](auto&... part) {
          return std::make_shared<const System>(value_of(part)...);
        },
        parts);
  }
};
template <typename System, typename... Parts>
SystemType<System, Parts...> system_type(const char* name, Parts... parts) {
  return {name, {std::move(parts)...}};
}

// Calls f(SystemType&) for each type until f returns true; returns whether it did. A class that is
// not here (your own, or a Script) has no place in a file.
template <typename F>
bool for_each_system_type(const F& f) {
  using Names = std::vector<std::string>;
  using Numbers = std::vector<double>;
  const Argument<Names> joints{"joints", {}, kRequired | kName};
  const Argument<std::string> body{"body", {}, kRequired | kName};
  const Argument<Numbers> no_limits{
      "effort_limits", {std::numeric_limits<double>::infinity()}, kInfinite};
  const Argument<int> size{"size", 1, 0};
  const auto numbers = [](const char* key, unsigned flags = 0) {
    return Argument<Numbers>{key, {}, flags};
  };
  const auto flag = [](const char* key) {
    return Argument<bool>{key, false, 0};
  };
  const auto pose = [](const char* key) {
    return Argument<RigidTransform>{key, {}, 0};
  };
  const auto try_type = [&](auto type) {
    return f(type);
  };
  return try_type(system_type<ActuatorModel>("actuator", ActuatorParameters{})) ||
         try_type(system_type<SpringDamper>("spring_damper", SpringDamperParameters{})) ||
         try_type(system_type<BodyForce>("body_force", BodyForceParameters{})) ||
         try_type(system_type<PidControl>("pid_control", JointTargets{}, PidGains{})) ||
         try_type(system_type<InverseDynamicsControl>("inverse_dynamics_control", JointTargets{},
                                                      numbers("kp", kRequired),
                                                      numbers("kd", kRequired))) ||
         try_type(system_type<JointImpedance>("joint_impedance", JointTargets{},
                                              numbers("stiffness", kRequired),
                                              numbers("damping", kRequired))) ||
         try_type(system_type<GravityCompensation>("gravity_compensation", joints, no_limits)) ||
         try_type(system_type<Medium>("medium", MediumParameters{})) ||
         try_type(system_type<JointSensor>("joint_sensor", joints, flag("effort"))) ||
         try_type(
             system_type<BodySensor>("body_sensor", body, pose("frame"), flag("acceleration"))) ||
         try_type(system_type<Imu>("imu", body, pose("frame"))) ||
         try_type(
             system_type<ContactForceSensor>("contact_force_sensor", ContactForceParameters{})) ||
         try_type(system_type<ConstraintForceSensor>(
             "constraint_force_sensor",
             Argument<std::string>{"constraint", {}, kRequired | kName})) ||
         try_type(system_type<ConstantSignal>("constant", numbers("values", kRequired))) ||
         try_type(system_type<TimeSignal>("time")) ||
         try_type(system_type<HeldInput>("held_input", numbers("initial", kRequired))) ||
         try_type(system_type<LinearBlock>("linear", LinearParameters{})) ||
         try_type(system_type<Clamp>("clamp", ClampParameters{})) ||
         try_type(system_type<FirstOrderFilter>(
             "first_order_filter", size, Argument<double>{"time_constant", 0, kRequired},
             numbers("initial"), Argument<double>{"error_weight", 1, 0})) ||
         try_type(system_type<Delay>("delay", size, Argument<int>{"samples", 0, kRequired})) ||
         try_type(system_type<Noise>("noise", NoiseParameters{})) ||
         try_type(system_type<SuctionCup>("suction_cup", Suction{})) ||
         try_type(system_type<TaskSpaceControl>("task_space_control", TaskSpaceParameters{})) ||
         try_type(system_type<TrajectoryPlayback>(
             "trajectory", numbers("times", kRequired),
             Argument<std::vector<Numbers>>{"positions", {}, kRequired},
             TrajectoryPlayback::Options{})) ||
         try_type(system_type<TransmissionSpring>("transmission_spring",
                                                  TransmissionSpringParameters{})) ||
         try_type(system_type<TransmissionActuator>("transmission_actuator",
                                                    TransmissionActuatorParameters{})) ||
         try_type(system_type<LengthSensor>("length_sensor",
                                            Argument<Transmission>{"transmission", {}, kRequired},
                                            Argument<double>{"gear", 1, 0})) ||
         try_type(system_type<FrameSensor>("frame_sensor", FrameSensorParameters{})) ||
         try_type(system_type<BallSensor>("ball_sensor",
                                          Argument<std::string>{"joint", {}, kRequired | kName})) ||
         try_type(system_type<SubtreeSensor>("subtree_sensor", body)) ||
         try_type(system_type<RangeFinder>("range_finder", body, pose("frame"))) ||
         try_type(system_type<InteractionSensor>("interaction_sensor", body, pose("frame"))) ||
         try_type(system_type<Adhesion>("adhesion", AdhesionParameters{}));
}

}  // namespace cenic::detail

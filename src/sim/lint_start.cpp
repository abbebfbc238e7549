// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Lint of the initial state and of keyframes: overlaps, limits, controls, constraints.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "dynamics/contact_finder.h"
#include "multibody/constraints.h"
#include "multibody/multibody.h"
#include "multibody/tendons.h"
#include "sim/lint.h"
#include "systems/library/actuators.h"

namespace cenic::detail {
namespace {

constexpr double kSmall = 1e-6;  // m or rad: rounding of files
constexpr double kLarge = 1e-3;  // m or rad: more than what rests on a surface sinks in

std::string describe_geometry(const Model& model, int g) {
  const Geometry& geometry = model.geometries[g];
  const std::string of = describe_body(model, geometry.body);
  return geometry.name.empty() ? fmt::format("a {} of {}", kind_name(geometry.shape), of)
                               : fmt::format("'{}' of {}", geometry.name, of);
}

// Coordinates of the keyframe as the model has them; the model's own where it gives none.
std::vector<double> make_coordinates(const Model& model, const Keyframe& key) {
  std::vector<double> q = model.q0;
  std::size_t at = 0;
  for (const Joint& joint : model.joints) {
    if (at + joint.nq > key.q.size()) break;
    std::copy_n(&key.q[at], joint.nq, &q[joint.q_start]);
    at += joint.nq;
  }
  return q;
}

void check_limits(const Model& model, std::span<const double> q, const std::string& where,
                  Findings* findings) {
  for (int i = 0; i < static_cast<int>(model.limits.size()); ++i) {
    double below = 0, above = 0;
    calc_limit_errors(model, q, i, &below, &above);
    const double beyond = -std::min(below, above);
    if (!(beyond > kSmall)) continue;
    const JointLimit& limit = model.limits[i];
    findings->warn("limit", model.describe_velocity(model.links[limit.link].v_start), beyond,
                   fmt::format("{} it is {:.4g} beyond its limits [{:.6g}, {:.6g}], which push it "
                               "back at once; move it within them, or widen them",
                               where, beyond, limit.lower, limit.upper));
  }
}

void check_tendon_limits(const Model& model, std::span<const double> q, const std::string& where,
                         Findings* findings) {
  if (model.tendons.empty()) return;
  Kinematics kin;
  kin.resize(model);
  update_positions(model, q, &kin);
  for (int i = 0; i < static_cast<int>(model.tendons.size()); ++i) {
    double below = 0, above = 0;
    calc_tendon_gaps(model, kin, q, i, &below, &above);
    const double beyond = -std::min(below, above);
    if (!(beyond > kSmall)) continue;
    const Tendon& tendon = model.tendons[i];
    findings->warn("limit", fmt::format("tendon '{}'", tendon.name), beyond,
                   fmt::format("{} it is {:.4g} beyond its limits [{:.6g}, {:.6g}], which pull it "
                               "back at once; start elsewhere, or widen them",
                               where, beyond, tendon.lower, tendon.upper));
  }
}

// A spring that rests beyond a limit presses on it for ever.
void check_rests(const ModelSpec& spec, Findings* findings) {
  for (const BodySpec& body : spec.bodies) {
    for (const JointSpec& joint : body.joints) {
      if (joint.lower.size() != 1 || joint.stiffness == 0 || joint.kind == JointKind::kBall) {
        continue;
      }
      const double rest = joint.rest.empty() ? 0 : joint.rest[0];
      if (rest >= joint.lower[0] - kSmall && rest <= joint.upper[0] + kSmall) continue;
      findings->note("limit", fmt::format("joint '{}'", joint.name), rest,
                     fmt::format("its spring rests at {:.6g}, beyond the limits [{:.6g}, {:.6g}]; "
                                 "unless it is meant to press on the stop, correct either",
                                 rest, joint.lower[0], joint.upper[0]));
    }
  }
}

const ActuatorParameters* find_actuator(const SystemSpec& system) {
  const auto* actuator = dynamic_cast<const ActuatorModel*>(system.system.get());
  return actuator == nullptr ? nullptr : &std::get<0>(actuator->parameters());
}

// Of a position servo, the positions of its joint that its controls ask for.
bool find_targets(const ActuatorParameters& p, double* low, double* high) {
  const double kp = -p.bias[1];
  if (p.joint.empty() || p.dynamics != ActuatorDynamics::kNone || !(kp > 0) || p.gear == 0 ||
      !std::isfinite(p.ctrl_min) || !std::isfinite(p.ctrl_max)) {
    return false;
  }
  const double a = p.gain[0] * p.ctrl_min / (kp * p.gear),
               b = p.gain[0] * p.ctrl_max / (kp * p.gear);
  *low = std::min(a, b), *high = std::max(a, b);
  return true;
}

}  // namespace

std::vector<std::array<int, 2>> lint_overlaps(const Model& model, Findings* findings) {
  Kinematics kin;
  kin.resize(model);
  update_positions(model, model.q0, &kin);
  update_velocities(model, model.v0, &kin);
  std::vector<ContactPoint> contacts;
  ContactFinder(model).find(kin, 0, {.speculative = false}, &contacts);
  struct Overlap {
    double depth = 0, force = 0;
  };
  std::map<std::array<int, 2>, Overlap> pairs;
  for (const ContactPoint& c : contacts) {
    Overlap& o = pairs[{c.geometry_a, c.geometry_b}];
    o.depth = std::max(o.depth, -c.phi);
    o.force += std::max(0.0, c.elastic_force);
  }
  std::vector<std::array<int, 2>> touching;
  for (const auto& [pair, o] : pairs) {
    touching.push_back({model.geometries[pair[0]].body, model.geometries[pair[1]].body});
    if (o.depth < kSmall) continue;
    const std::string who = fmt::format("{} and {}", describe_geometry(model, pair[0]),
                                        describe_geometry(model, pair[1]));
    const std::string fact = fmt::format(
        "they overlap by {:.3g} mm at the start, and push each other "
        "apart with {:.3g} N",
        1e3 * o.depth, o.force);
    if (o.depth > kLarge) {
      findings->warn("overlap", who, o.depth, fact + "; move them apart, or exclude the pair");
    } else {
      findings->note("overlap", who, o.depth, fact);
    }
  }
  return touching;
}

void lint_limits(const LintInput& input, Findings* findings) {
  check_limits(input.model, input.model.q0, "at the start", findings);
  check_tendon_limits(input.model, input.model.q0, "at the start", findings);
  for (const Keyframe& key : input.keyframes) {
    check_limits(input.model, make_coordinates(input.model, key),
                 fmt::format("in keyframe '{}'", key.name), findings);
  }
  check_rests(input.spec, findings);
}

void lint_controls(const LintInput& input, Findings* findings) {
  std::map<std::string, const JointSpec*> joints;
  for (const BodySpec& body : input.spec.bodies) {
    for (const JointSpec& joint : body.joints) {
      joints.emplace(joint.name, &joint);
    }
  }
  std::map<std::string, const ActuatorParameters*> actuators;  // by the name of their control
  for (const SystemSpec& system : input.spec.systems) {
    const ActuatorParameters* p = find_actuator(system);
    if (p == nullptr) continue;
    constexpr std::string_view kForce = ":force";  // see docs/loaders.md
    std::string name = system.name;
    if (name.ends_with(kForce)) name.resize(name.size() - kForce.size());
    actuators.emplace(name, p);
    const auto joint = joints.find(p->joint);
    double low = 0, high = 0;
    if (joint == joints.end() || joint->second->lower.size() != 1) continue;
    if (!find_targets(*p, &low, &high)) continue;
    const double lower = joint->second->lower[0], upper = joint->second->upper[0];
    if (low <= upper && high >= lower) continue;
    findings->warn(
        "limit", fmt::format("actuator '{}'", name), low > upper ? low : high,
        fmt::format("its controls ask for positions from {:.6g} to {:.6g}, all beyond the "
                    "limits [{:.6g}, {:.6g}] of joint '{}'; correct the range of either",
                    low, high, lower, upper, p->joint));
  }
  for (const Keyframe& key : input.keyframes) {
    for (std::size_t i = 0; i < key.ctrl.size(); ++i) {
      const auto found = actuators.find(input.controls[i]);
      if (found == actuators.end()) continue;
      const ActuatorParameters& p = *found->second;
      if (key.ctrl[i] >= p.ctrl_min - kSmall && key.ctrl[i] <= p.ctrl_max + kSmall) continue;
      findings->warn("control", fmt::format("keyframe '{}'", key.name), key.ctrl[i],
                     fmt::format("control '{}' is {:.6g}, beyond its range [{:.6g}, {:.6g}], which "
                                 "holds; correct either",
                                 input.controls[i], key.ctrl[i], p.ctrl_min, p.ctrl_max));
    }
  }
}

void lint_constraints(const Model& model, Findings* findings) {
  Kinematics kin;
  kin.resize(model);
  update_positions(model, model.q0, &kin);
  for (int c = 0; c < static_cast<int>(model.constraints.size()); ++c) {
    const Constraint& constraint = model.constraints[c];
    if (std::isfinite(constraint.translation.stiffness)) continue;  // a spring may be bent
    double g[kMaxConstraintRows] = {};
    calc_constraint_error(model, kin, model.q0, c, g);
    double error = 0;
    for (int r = 0; r < num_rows(constraint.kind); ++r) {
      error = std::max(error, std::fabs(g[r]));
    }
    if (error < kSmall) continue;
    const std::string fact = fmt::format("it is violated by {:.3g} (m or rad) at the start", error);
    if (error > kLarge) {
      findings->warn("constraint", model.describe_constraint(c), error,
                     fact + ", and the first steps pull it together; start where it holds");
    } else {
      findings->note("constraint", model.describe_constraint(c), error, fact);
    }
  }
}

}  // namespace cenic::detail

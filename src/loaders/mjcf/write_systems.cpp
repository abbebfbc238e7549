// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <actuator> and the keyframe "initial".
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "loaders/mjcf/mjcf_writer.h"
#include "systems/library/actuators.h"
#include "systems/library/joint_control.h"
#include "systems/library/parameters.h"
#include "systems/library/signals.h"

namespace cenic::detail {
namespace {

std::string owner_of(const std::string& port) { return port.substr(0, port.find('.')); }

double initial_of(const SystemSpec& input) {
  return std::get<0>(static_cast<const HeldInput&>(*input.system).parameters()).front();
}

}  // namespace

void MjcfWriter::write_systems() {
  find_sources();
  std::set<const SystemSpec*> inputs;  // stand with the actuators they feed
  for (const auto& [actuator, input] : sources_) {
    inputs.insert(input);
  }
  for (const SystemSpec& system : spec_.systems) {
    if (inputs.contains(&system)) continue;
    if (system.period == 0 && (write_actuator(system) || write_pid(system))) continue;
    note("systems without a twin among MuJoCo's actuators are left out", system.name);
  }
}

void MjcfWriter::find_sources() {
  std::map<std::string, const SystemSpec*> inputs, actuators;
  for (const SystemSpec& system : spec_.systems) {
    const auto* input = dynamic_cast<const HeldInput*>(system.system.get());
    const bool single = input != nullptr && std::get<0>(input->parameters()).size() == 1;
    if (single) inputs[system.name] = &system;
    if (dynamic_cast<const ActuatorModel*>(system.system.get()) != nullptr) {
      actuators[system.name] = &system;
    }
  }
  for (const WireSpec& wire : spec_.wires) {
    const auto input = inputs.find(owner_of(wire.from));
    const auto actuator = actuators.find(owner_of(wire.to));
    if (input == inputs.end() || actuator == actuators.end()) continue;
    sources_[actuator->first] = input->second;
  }
}

bool MjcfWriter::write_actuator(const SystemSpec& system) {
  const auto* actuator = dynamic_cast<const ActuatorModel*>(system.system.get());
  if (actuator == nullptr) return false;
  const ActuatorParameters& p = std::get<0>(actuator->parameters());
  const auto found = sources_.find(system.name);
  const SystemSpec* source = found == sources_.end() ? nullptr : found->second;
  const std::string joint = find_part(p.joint, 0).name;
  const bool other_input = p.has_input && source == nullptr;
  if (other_input || joint.empty() || !p.tendon.empty() || p.activation != 0) return false;
  Element* element = section("actuator")->InsertNewChildElement("general");
  set(element, "name", source != nullptr ? source->name : system.name);
  set(element, "joint", joint);
  set(element, "gear", p.gear);
  const bool affine = p.gain[1] != 0 || p.gain[2] != 0;
  set(element, "gaintype", affine ? "affine" : "fixed");
  set(element, "gainprm", print_list(p.has_input ? p.gain : std::array<double, 3>{}));
  set(element, "biastype", "affine");
  set(element, "biasprm", print_list(p.bias));
  if (p.dynamics == ActuatorDynamics::kIntegrator) set(element, "dyntype", "integrator");
  if (p.dynamics == ActuatorDynamics::kFilter) {
    set(element, "dyntype", "filter");
    set(element, "dynprm", p.time_constant);
  }
  const auto limit = [&](const char* flag, const char* range, double lower, double upper) {
    if (std::isinf(lower) && std::isinf(upper)) return;
    set(element, flag, "true");
    set(element, range, print_range(lower, upper));
  };
  limit("ctrllimited", "ctrlrange", p.ctrl_min, p.ctrl_max);
  limit("forcelimited", "forcerange", -p.force_limit, p.force_limit);
  if (std::isfinite(p.activation_min) || std::isfinite(p.activation_max)) {
    limit("actlimited", "actrange", p.activation_min, p.activation_max);
  }
  ctrl_.push_back(source != nullptr ? initial_of(*source) : 0);
  if (source == nullptr) note("has a control without effect", system.name);
  return true;
}

// A PD controller about a fixed reference is a position servo for each joint.
bool MjcfWriter::write_pid(const SystemSpec& system) {
  const auto* pid = dynamic_cast<const PidControl*>(system.system.get());
  if (pid == nullptr) return false;
  const auto& [targets, gains] = pid->parameters();
  const auto is_zero = [](double x) {
    return x == 0;
  };
  if (targets.reference_input || !std::ranges::all_of(gains.ki, is_zero)) return false;
  std::vector<std::string> joints;
  for (const std::string& name : targets.joints) {
    const auto joint = joints_.find(name);
    if (joint == joints_.end()) return false;
    for (int k = 0; k < static_cast<int>(split_joint(*joint->second).size()); ++k) {
      joints.push_back(find_part(name, k).name);
      if (joints.back().empty()) return false;
    }
  }
  for (int i = 0; i < static_cast<int>(joints.size()); ++i) {
    const double kp = entry(gains.kp, i), kd = entry(gains.kd, i);
    const double effort = entry(targets.effort_limits, i);
    Element* element = section("actuator")->InsertNewChildElement("general");
    set(element, "name", fmt::format("{}:{}", system.name, joints[i]));
    set(element, "joint", joints[i]);
    set(element, "gainprm", kp);
    set(element, "biastype", "affine");
    set(element, "biasprm", fmt::format("0 {} {}", -kp, -kd));
    if (std::isfinite(effort)) {
      set(element, "forcelimited", "true");
      set(element, "forcerange", print_range(-effort, effort));
    }
    ctrl_.push_back(targets.reference.empty() ? 0 : entry(targets.reference, i));
  }
  note("the reference is the control, which the keyframe 'initial' sets", system.name);
  return true;
}

// A free joint is position and quaternion, its velocity linear in the world and angular in the
// body; a ball's quaternion and velocity are in the body's axes.
void MjcfWriter::add_to_keyframe(const JointSpec& joint, const BodySpec& body,
                                 const MjcfJointPart& part) {
  const std::vector<double>&q = joint.position, &v = joint.velocity;
  const auto add = [](const Vec3& a, std::vector<double>* list) {
    list->insert(list->end(), {a.x, a.y, a.z});
  };
  const bool free = joint.kind == JointKind::kFree;
  moved_ = moved_ || !q.empty();
  Quat e = free ? to_quaternion(body.X_PB.R) : Quat{};
  Vec3 p = body.X_PB.p, w, u;
  if (!q.empty()) e = normalized(Quat{q[0], q[1], q[2], q[3]});
  if (!q.empty() && free) p = {q[4], q[5], q[6]};
  if (!v.empty()) w = transpose_times(to_matrix(e), {v[0], v[1], v[2]});
  if (!v.empty() && free) u = {v[3], v[4], v[5]};
  const Quat e_BF = to_quaternion(part.X_BF.R), turned = e_BF * e * conjugate(e_BF);
  if (free) add(p, &qpos_), add(u, &qvel_);
  qpos_.insert(qpos_.end(), {turned.w, turned.x, turned.y, turned.z});
  add(part.X_BF.R * w, &qvel_);
}

// Depth first, which is MuJoCo's order.
void MjcfWriter::write_keyframe() {
  const auto is_zero = [](double x) {
    return x == 0;
  };
  const auto walk = [&](const auto& self, const std::string& parent) -> void {
    const auto children = children_.find(parent);
    if (children == children_.end()) return;
    for (const BodySpec* body : children->second) {
      for (std::size_t j = 0; j < body->joints.size(); ++j) {
        const JointSpec& joint = body->joints[j];
        const std::vector<MjcfJointPart>& parts = poses_[body->name].joints[j];
        moved_ = moved_ || !std::ranges::all_of(joint.velocity, is_zero);
        if (parts[0].axis == Vec3{}) {
          add_to_keyframe(joint, *body, parts[0]);
          continue;
        }
        for (std::size_t k = 0; k < parts.size(); ++k) {
          qpos_.push_back(parts[k].ref);
          qvel_.push_back(k < joint.velocity.size() ? joint.velocity[k] : 0);
        }
      }
      self(self, body->name);
    }
  };
  walk(walk, kWorldName);
  if (!moved_ && std::ranges::all_of(ctrl_, is_zero)) return;
  Element* key = section("keyframe")->InsertNewChildElement("key");
  set(key, "name", "initial");
  set(key, "qpos", print_list(qpos_));
  set(key, "qvel", print_list(qvel_));
  if (!ctrl_.empty()) set(key, "ctrl", print_list(ctrl_));
  note("the initial state is the keyframe 'initial'", spec_.name);
}

}  // namespace cenic::detail

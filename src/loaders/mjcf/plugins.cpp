// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <extension> and the one plugin that is known: MuJoCo's PID actuator.
#include <limits>

#include <fmt/format.h>

#include "loaders/mjcf/actuator_data.h"
#include "loaders/mjcf/world.h"

namespace cenic::detail {
namespace {

constexpr const char* kPid = "mujoco.pid";

// Limits are of the force of the integral, and there is none where they are not given.
PidServo read_configs(const XmlElement& from, double time_step, Diagnostics* diagnostics) {
  PidServo pid{.integral_time = time_step, .setpoint_time = time_step};
  double most_force = std::numeric_limits<double>::infinity();
  for (const auto& child : from.children) {
    if (child->name != "config") continue;
    const Attributes a(*child, diagnostics);
    const std::string key = a.text("key");
    double* target = key == "kp"        ? &pid.kp
                     : key == "ki"      ? &pid.ki
                     : key == "kd"      ? &pid.kv
                     : key == "imax"    ? &most_force
                     : key == "slewmax" ? &pid.slew
                                        : nullptr;
    if (target == nullptr) {
      a.error("key", fmt::format("key: '{}' is none of kp, ki, kd, imax and slewmax", key));
    } else {
      *target = a.number("value", *target);
    }
    if ((key == "imax" || key == "slewmax") && *target < 0) {
      a.error("value", fmt::format("{} is negative; give zero or a positive number", key));
    }
  }
  if (pid.ki != 0) pid.integral_limit = most_force / std::abs(pid.ki);
  return pid;
}

}  // namespace

void read_extensions(MjcfDocument* document) {
  for (const auto& section : document->root->children) {
    if (section->name != "extension") continue;
    section->read = true;
    for (const auto& plugin : section->children) {
      const XmlAttribute* kind = plugin->find("plugin");
      if (plugin->name != "plugin" || kind == nullptr || kind->value != kPid) continue;
      mark_read(*plugin);
      for (const auto& instance : plugin->children) {
        const XmlAttribute* name = instance->find("name");
        if (name != nullptr) document->pid_instances[name->value] = instance.get();
      }
    }
  }
}

void read_actuator_plugin(const Attributes& a, const MjcfDocument& document, double time_step,
                          Diagnostics* diagnostics, ActuatorData* d) {
  const XmlElement& element = a.element();
  const std::string kind = a.text("plugin"), name = a.text("instance");
  const auto found = document.pid_instances.find(name);
  if (name.empty() ? kind != kPid : found == document.pid_instances.end()) {
    d->unsupported = fmt::format("the plugin {} is not known among actuators",
                                 name.empty() ? kind : fmt::format("instance '{}'", name));
    return;
  }
  d->unsupported.clear();
  d->pid = read_configs(name.empty() ? element : *found->second, time_step, diagnostics);
  d->position_input = true;
  d->gain = ActuatorData::kFixed, d->bias = ActuatorData::kNoBias;
  if (d->dynamics > ActuatorData::kFilterExact) {
    d->unsupported = "a PID follows its control, or an integral or filter of it";
  }
  if (d->pid->has_setpoint()) {
    a.report(Severity::kApproximated, "",
             "slewmax: the set-point starts at zero, not at the first control");
  }
}

}  // namespace cenic::detail

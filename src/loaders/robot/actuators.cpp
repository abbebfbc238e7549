// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Actuators of URDF transmissions and of SDFormat axes with an effort: motors on joints.
#include "systems/library/actuators.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "loaders/load.h"
#include "loaders/robot/robot.h"
#include "systems/library/signals.h"

namespace cenic::detail {
namespace {

const JointSpec* find_joint(const ModelSpec& spec, const std::string& name) {
  for (const BodySpec& body : spec.bodies) {
    const auto joint = std::ranges::find(body.joints, name, &JointSpec::name);
    if (joint != body.joints.end()) return &*joint;
  }
  return nullptr;
}

}  // namespace

void add_robot_actuators(const std::vector<RobotActuator>& actuators, Reporter* reporter,
                         LoadedModel* loaded) {
  std::set<std::string> driven;
  for (const RobotActuator& actuator : actuators) {
    const JointSpec* joint = find_joint(loaded->spec, actuator.joint);
    if (joint == nullptr || !has_one_coordinate(*joint)) {
      reporter->report_once(*actuator.element, Severity::kIgnored,
                            "actuators of what is no joint with one axis");
      continue;
    }
    if (actuator.limit == 0) {
      reporter->report_once(*actuator.element, Severity::kIgnored,
                            "effort is 0: the joint has no actuator");
      continue;
    }
    if (!driven.insert(actuator.joint).second) continue;
    std::string name = actuator.joint;
    std::ranges::replace(name, '.', '_');
    ActuatorParameters motor = make_motor(actuator.joint);
    if (actuator.limit > 0) motor.force_limit = actuator.limit;
    loaded->spec.systems.push_back(
        {.name = name, .system = std::make_shared<HeldInput>(std::vector{0.0})});
    loaded->spec.systems.push_back(
        {.name = name + ":force", .system = std::make_shared<ActuatorModel>(std::move(motor))});
    loaded->spec.wires.push_back({name, name + ":force"});
    loaded->controls.push_back(name);
  }
}

}  // namespace cenic::detail

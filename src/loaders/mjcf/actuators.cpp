// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <actuator>: each becomes an ActuatorModel that follows a HeldInput of its name.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"
#include "systems/library/signals.h"

namespace cenic::detail {
namespace {

struct Range {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

class ActuatorReader {
 public:
  ActuatorReader(const MjcfInstance& instance, const XmlElement& element, MjcfWorld* world)
      : instance_(instance),
        element_(element),
        world_(*world),
        a_(instance.document->attributes(element, "", world->diagnostics)) {
    // From the outermost default to the actuator itself: each is applied over the others.
    std::vector<const XmlElement*> outermost_first = a_.elements();
    std::ranges::reverse(outermost_first);
    for (const XmlElement* e : outermost_first) {
      read_actuator_data(Attributes(*e, world->diagnostics), instance.document->compiler, &data_);
    }
  }

  void read() {
    const std::string joint = a_.text("joint", a_.text("jointinparent"));
    const std::string tendon = a_.text("tendon");
    if (!data_.unsupported.empty()) {
      leave_out(data_.unsupported);
    } else if (!joint.empty()) {
      for_each_copy(&world_, instance_, element_, {{MjcfKind::kJoint, joint}},
                    [&](const std::string& suffix) {
                      drive_joint(resolve(world_, instance_, MjcfKind::kJoint, joint, suffix),
                                  suffix);
                    });
    } else if (!tendon.empty()) {
      for_each_copy(&world_, instance_, element_, {{MjcfKind::kTendon, tendon}},
                    [&](const std::string& suffix) {
                      drive_tendon(resolve(world_, instance_, MjcfKind::kTendon, tendon, suffix),
                                   suffix);
                    });
    } else if (a_.has("site") && !a_.has("refsite")) {
      const std::string site = a_.text("site");
      for_each_copy(&world_, instance_, element_, {{MjcfKind::kSite, site}},
                    [&](const std::string& suffix) {
                      drive_site(resolve(world_, instance_, MjcfKind::kSite, site, suffix), suffix);
                    });
    } else {
      leave_out("it drives neither a joint nor a tendon nor a site by itself");
    }
  }

 private:
  void leave_out(const std::string& reason) {
    world_.controls.push_back(-1);
    world_.ignore(element_, fmt::format("<{}>: {}", element_.name, reason));
  }

  void drive_joint(const std::string& joint, const std::string& suffix) {
    const MjcfJoint& j = world_.joints[world_.joint_index.at(joint)];
    if (j.data.type != JointType::kHinge && j.data.type != JointType::kSlide) {
      leave_out("of joints, only hinges and slides can be driven");
      return;
    }
    if (data_.is_muscle()) {
      add_path({.joints = {{joint, 1}}}, make_parameters(0), suffix);
      return;
    }
    ActuatorParameters p = make_parameters(calc_joint_inertia_if_needed(j));
    p.joint = joint;
    Range force = force_range();
    if (j.data.force_limited && p.gear != 0) {
      const double x = j.data.force_range[0] / p.gear, y = j.data.force_range[1] / p.gear;
      force.lower = std::max(force.lower, std::min(x, y));
      force.upper = std::min(force.upper, std::max(x, y));
      if (++world_.driven[joint] > 1) {
        world_.report(*j.element, Severity::kApproximated,
                      "actuatorfrcrange: holds for each actuator, not for their sum");
      }
    }
    if (data_.inheritrange > 0 && j.data.limited) inherit_range(j.data.range, &p);
    add(std::move(p), force, suffix);
  }

  void drive_tendon(const std::string& name, const std::string& suffix) {
    const MjcfTendon& tendon = world_.tendons.at(name);
    const std::vector<TendonPart>& parts = tendon.transmission.joints;
    double inertia = 0;
    for (std::size_t i = 0; data_.dampratio > 0 && i < parts.size(); ++i) {
      const double c = parts[i].coefficient;
      if (c == 0) continue;
      inertia += calc_joint_inertia(&world_, world_.joints[tendon.part_joints[i]]) / (c * c);
    }
    for (const int joint : tendon.part_joints) {
      const MjcfJoint& j = world_.joints[joint];
      if (!j.data.force_limited) continue;
      world_.report(*j.element, Severity::kIgnored,
                    "actuatorfrcrange: does not limit actuators on tendons");
    }
    ActuatorParameters p = make_parameters(inertia);
    p.tendon = parts;
    if (data_.inheritrange > 0 && tendon.data.limited) inherit_range(tendon.data.range, &p);
    if (tendon.fixed && !data_.is_muscle()) {
      add(std::move(p), force_range(), suffix);
    } else {
      add_path(tendon.transmission, p, suffix);
    }
  }

  // A thruster at the site: its gear is a wrench in the axes of the site.
  void drive_site(const std::string& name, const std::string& suffix) {
    const MjcfPlace& site = world_.sites.at(name);
    ActuatorParameters p = make_parameters(0);
    p.gear = 1;
    const auto& g = data_.gear;
    add_path({.wrench = {{.body = world_.body_name(site.body),
                          .X_BS = site.X_B,
                          .w = {{g[3], g[4], g[5]}, {g[0], g[1], g[2]}}}}},
             p, suffix);
  }

  void add_path(const Transmission& transmission, const ActuatorParameters& law,
                const std::string& suffix) {
    const Range force = force_range();
    if (force.lower > force.upper || law.ctrl_min > law.ctrl_max ||
        law.activation_min > law.activation_max) {
      a_.error("", "a range of the actuator has its first number above the second");
      return;
    }
    std::optional<MuscleParameters> muscle;
    if (data_.is_muscle()) {
      muscle = make_muscle();
      if (!muscle) return;
    }
    const std::string name = add_control(suffix);
    if (name.empty()) return;
    world_.spec().systems.push_back(
        {.name = name + ":force",
         .system = std::make_shared<TransmissionActuator>(
             TransmissionActuatorParameters{.transmission = transmission,
                                            .law = law,
                                            .muscle = muscle,
                                            .force_min = force.lower,
                                            .force_max = force.upper})});
  }

  // A muscle whose force and range of lengths are given; MuJoCo finds others by simulation.
  std::optional<MuscleParameters> make_muscle() {
    const auto& g = data_.gainprm;
    if (data_.gainprm != data_.biasprm) {
      leave_out("gainprm and biasprm of the muscle differ");
    } else if (g[2] < 0) {
      leave_out("the muscle's force is to be found from its scale; give the force");
    } else if (!(data_.lengthrange[0] < data_.lengthrange[1])) {
      leave_out("the muscle's lengthrange is to be found; give it");
    } else {
      return MuscleParameters{.length_range = data_.lengthrange,
                              .range = {g[0], g[1]},
                              .force = g[2],
                              .lmin = g[4],
                              .lmax = g[5],
                              .vmax = g[6],
                              .fpmax = g[7],
                              .fvmax = g[8],
                              .time_constants = {data_.dynprm[0], data_.dynprm[1]},
                              .smoothing = data_.dynprm[2]};
    }
    return std::nullopt;
  }

  // The HeldInput that sets the control, wired to ":force"; its name, empty when that is taken.
  std::string add_control(const std::string& suffix) {
    const std::string given = make_name(instance_, a_.text("name"), suffix);
    const std::string name =
        given.empty() ? fmt::format("actuator#{}", world_.controls.size() + 1) : system_name(given);
    if (!world_.system_names.insert(name).second) {
      a_.error("name", fmt::format("another actuator is named '{}'; names are unique", name));
      return "";
    }
    if (data_.dampratio > 0) {
      a_.report(Severity::kApproximated, "dampratio",
                "dampratio: of the inertia about the joint, with the other joints locked");
    }
    world_.spec().systems.push_back(
        {.name = name, .system = std::make_shared<HeldInput>(std::vector{0.0})});
    world_.spec().wires.push_back({name, name + ":force"});
    world_.controls.push_back(static_cast<int>(world_.loaded->controls.size()));
    world_.loaded->controls.push_back(name);
    return name;
  }

  double calc_joint_inertia_if_needed(const MjcfJoint& joint) {
    return data_.dampratio > 0 ? calc_joint_inertia(&world_, joint) : 0;
  }

  Range force_range() const {
    return data_.forcelimited ? Range{data_.forcerange[0], data_.forcerange[1]} : Range{};
  }

  void inherit_range(const std::array<double, 2>& range, ActuatorParameters* p) const {
    const double middle = 0.5 * (range[0] + range[1]);
    const double half = 0.5 * data_.inheritrange * (range[1] - range[0]);
    p->ctrl_min = middle - half;
    p->ctrl_max = middle + half;
  }

  ActuatorParameters make_parameters(double inertia) const {
    ActuatorParameters p;
    p.gear = data_.gear[0];
    std::copy_n(data_.gainprm.begin(), 3, p.gain.begin());
    std::copy_n(data_.biasprm.begin(), 3, p.bias.begin());
    if (data_.gain == ActuatorData::kFixed) p.gain[1] = p.gain[2] = 0;
    if (data_.bias == ActuatorData::kNoBias) p.bias = {};
    if (data_.dampratio > 0 && p.gear != 0) {
      // Critical damping times the ratio, of the inertia at the actuator's side of the gear.
      p.bias[2] = -2 * data_.dampratio * std::sqrt(p.gain[0] * inertia / (p.gear * p.gear));
    }
    if (data_.dynamics == ActuatorData::kIntegrator) p.dynamics = ActuatorDynamics::kIntegrator;
    if (data_.dynamics == ActuatorData::kFilter || data_.dynamics == ActuatorData::kFilterExact) {
      p.dynamics = ActuatorDynamics::kFilter;
      p.time_constant = data_.dynprm[0];
    }
    if (data_.actlimited && p.dynamics != ActuatorDynamics::kNone) {
      p.activation_min = data_.actrange[0];
      p.activation_max = data_.actrange[1];
    }
    if (data_.ctrllimited && world_.options.clamp_ctrl) {
      p.ctrl_min = data_.ctrlrange[0];
      p.ctrl_max = data_.ctrlrange[1];
    }
    return p;
  }

  // The solver limits forces to ± half the range; the middle of the range is a force of its own:
  // clamp(f, lower, upper) = m + clamp(f − m, ± half).
  void add(ActuatorParameters p, const Range& force, const std::string& suffix) {
    if (p.gear == 0) {
      leave_out("its gear is 0, so it moves nothing");
      return;
    }
    if (force.lower > force.upper || p.ctrl_min > p.ctrl_max ||
        p.activation_min > p.activation_max) {
      a_.error("", "a range of the actuator has its first number above the second");
      return;
    }
    const std::string name = add_control(suffix);
    if (name.empty()) return;
    auto& systems = world_.spec().systems;
    if (std::isfinite(force.lower) && std::isfinite(force.upper)) {
      const double middle = 0.5 * (force.lower + force.upper);
      p.force_limit = 0.5 * (force.upper - force.lower);
      if (middle != 0) {
        p.bias[0] -= middle;
        systems.push_back(
            {.name = name + ":offset",
             .system = std::make_shared<ActuatorModel>(ActuatorParameters{.joint = p.joint,
                                                                          .tendon = p.tendon,
                                                                          .gear = p.gear,
                                                                          .gain = {},
                                                                          .bias = {middle, 0, 0},
                                                                          .has_input = false})});
      }
    }
    systems.push_back({.name = name + ":force", .system = std::make_shared<ActuatorModel>(p)});
  }

  const MjcfInstance& instance_;
  const XmlElement& element_;
  MjcfWorld& world_;
  const Attributes a_;
  ActuatorData data_;
};

}  // namespace

void read_actuator_section(const MjcfInstance& instance, MjcfWorld* world) {
  for_each_in_section(instance, "actuator", [&](const XmlElement& child) {
    if (family_of(child.name) != "actuator") {
      world->controls.push_back(-1);
      world->ignore(child, fmt::format("<{}>: not known among actuators", child.name));
    } else if (world->options.actuation) {
      ActuatorReader(instance, child, world).read();
    } else {
      world->ignore(child, "actuation is disabled");
    }
  });
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <actuator>: each becomes an ActuatorModel that follows a HeldInput of its name.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"
#include "systems/library/adhesion.h"
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
    if (element.name == "plugin") {
      read_actuator_plugin(a_, *instance.document, world->options.timestep, world->diagnostics,
                           &data_);
    } else if (data_.pid) {
      data_.pid->setpoint_time = world->options.timestep;
    }
  }

  void read() {
    using Drive = void (ActuatorReader::*)(const std::string&, const std::string&);
    const auto drive = [&](MjcfKind kind, const std::string& name, Drive f) {
      for_each_copy(&world_, instance_, element_, {{kind, name}}, [&](const std::string& suffix) {
        (this->*f)(resolve(world_, instance_, kind, name, suffix), suffix);
      });
    };
    if (!data_.unsupported.empty()) {
      leave_out(data_.unsupported);
    } else if (a_.has("joint") || a_.has("jointinparent")) {
      drive(MjcfKind::kJoint, a_.text("joint", a_.text("jointinparent")),
            &ActuatorReader::drive_joint);
    } else if (a_.has("tendon")) {
      drive(MjcfKind::kTendon, a_.text("tendon"), &ActuatorReader::drive_tendon);
    } else if (a_.has("cranksite") && a_.has("slidersite")) {
      drive_with_second(a_.text("cranksite"), a_.text("slidersite"));
    } else if (a_.has("site") && a_.has("refsite")) {
      drive_with_second(a_.text("site"), a_.text("refsite"));
    } else if (a_.has("body")) {
      drive(MjcfKind::kBody, a_.text("body"), &ActuatorReader::stick_body);
    } else if (a_.has("site")) {
      drive(MjcfKind::kSite, a_.text("site"), &ActuatorReader::drive_site);
    } else {
      leave_out("it drives no joint, tendon, site or body");
    }
  }

 private:
  void leave_out(const std::string& reason) {
    world_.controls.push_back(-1);
    world_.activations.resize(world_.activations.size() + state_order().size());
    world_.ignore(element_, fmt::format("<{}>: {}", element_.name, reason));
  }

  void drive_joint(const std::string& joint, const std::string& suffix) {
    const MjcfJoint& j = world_.joints[world_.joint_index.at(joint)];
    add_own_dynamics(j);
    if (j.data.type == JointType::kBall || j.data.type == JointType::kFree) {
      drive_rotation(joint, j.data.type == JointType::kFree, suffix);
      return;
    }
    const double inertia = calc_joint_inertia_if_needed(j);
    ActuatorParameters p = make_law(data_, inertia, world_.options.clamp_ctrl);
    Range force = force_range();
    if (j.data.force_limited) narrow(j.data.force_range, data_.gear[0], joint, *j.element, &force);
    if (data_.inheritrange > 0 && j.data.limited) inherit_range(j.data.range, &p);
    if (data_.is_muscle() || data_.pid) {
      add_path({.joints = {{joint, 1}}}, p, force, suffix, inertia);
      return;
    }
    p.joint = joint;
    add(std::move(p), force, suffix);
  }

  // To what all actuators of the joint (behind their gears) or tendon (before) may do together.
  void narrow(const std::array<double, 2>& range, double gear, const std::string& driven,
              const XmlElement& element, Range* force) {
    if (gear == 0) return;
    const double x = range[0] / gear, y = range[1] / gear;
    force->lower = std::max(force->lower, std::min(x, y));
    force->upper = std::min(force->upper, std::max(x, y));
    if (++world_.driven[driven] > 1) {
      world_.report(element, Severity::kApproximated,
                    "actuatorfrcrange: holds for each actuator, not for their sum");
    }
  }

  // Damping and inertia of the actuator, as they feel behind its gear.
  void add_own_dynamics(const MjcfJoint& joint) {
    if (data_.damping == 0 && data_.armature == 0) return;
    if (joint.data.type != JointType::kHinge && joint.data.type != JointType::kSlide) {
      a_.ignore({"damping", "armature"}, "of actuators, known on hinges and slides");
      return;
    }
    JointSpec& spec = world_.joint(joint);
    const double square = data_.gear[0] * data_.gear[0];
    if (world_.options.dampers) spec.damping += square * data_.damping;
    spec.armature += square * data_.armature;
  }

  // A ball joint by a torque, a free one by a force and a torque.
  void drive_rotation(const std::string& joint, bool free, const std::string& suffix) {
    const auto& g = data_.gear;
    const Vec3 first{g[0], g[1], g[2]}, second{g[3], g[4], g[5]};
    ActuatorParameters p = make_law(data_, 0, world_.options.clamp_ctrl);
    p.gear = 1;
    add_path({.joint = {{.joint = joint,
                         .torque = free ? second : first,
                         .force = free ? first : Vec3{},
                         .in_parent = !a_.has("joint")}}},
             p, force_range(), suffix);
  }

  void drive_tendon(const std::string& name, const std::string& suffix) {
    a_.ignore({"damping", "armature"}, "of actuators, known on hinges and slides");
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
    ActuatorParameters p = make_law(data_, inertia, world_.options.clamp_ctrl);
    p.tendon = parts;
    if (data_.inheritrange > 0 && tendon.data.limited) inherit_range(tendon.data.range, &p);
    Range force = force_range();
    if (tendon.data.force_limited) {
      narrow(tendon.data.force_range, 1, "tendon " + name, *tendon.element, &force);
    }
    if (tendon.fixed && !data_.is_muscle() && !data_.pid) {
      add(std::move(p), force, suffix);
    } else {
      add_path(tendon.transmission, p, force, suffix, inertia);
    }
  }

  // A thruster at the site: its gear is a wrench in the axes of the site.
  void drive_site(const std::string& name, const std::string& suffix) {
    add_path({.wrench = {make_wrench(world_.sites.at(name))}}, make_site_parameters(),
             force_range(), suffix);
  }
  // A site with another one to which it is relative, or with the pin of its crank.
  void drive_with_second(const std::string& first, const std::string& second) {
    const std::vector<MjcfReference> sites{{MjcfKind::kSite, first}, {MjcfKind::kSite, second}};
    for_each_copy(&world_, instance_, element_, sites, [&](const std::string& suffix) {
      const auto place = [&](const std::string& name) {
        return world_.sites.at(resolve(world_, instance_, MjcfKind::kSite, name, suffix));
      };
      const MjcfPlace a = place(first), b = place(second);
      if (a_.has("cranksite")) {
        const double rod = a_.number("cranklength", 0);
        if (!(rod > 0)) {
          a_.error("cranklength", "cranklength: give the positive length of the rod");
          return;
        }
        add_path({.crank = {{.crank = world_.body_name(a.body),
                             .p_BP = a.X_B.p,
                             .slider = world_.body_name(b.body),
                             .X_BS = b.X_B,
                             .rod = rod}}},
                 make_law(data_, 0, world_.options.clamp_ctrl), force_range(), suffix);
        return;
      }
      WrenchFrame wrench = make_wrench(a);
      wrench.reference = world_.body_name(b.body);
      wrench.X_AR = b.X_B;
      add_path({.wrench = {wrench}}, make_site_parameters(), force_range(), suffix);
    });
  }
  WrenchFrame make_wrench(const MjcfPlace& site) {
    const auto& g = data_.gear;
    return {.body = world_.body_name(site.body),
            .X_BS = site.X_B,
            .w = {{g[3], g[4], g[5]}, {g[0], g[1], g[2]}}};
  }
  ActuatorParameters make_site_parameters() const {
    ActuatorParameters p = make_law(data_, 0, world_.options.clamp_ctrl);
    p.gear = 1;
    return p;
  }

  void stick_body(const std::string& body, const std::string& suffix) {
    const auto found = world_.body_index.find(body);
    const bool solid = found != world_.body_index.end() &&
                       std::ranges::any_of(world_.spec().bodies[found->second].geometries,
                                           [](const GeometrySpec& g) {
                                             return g.collides;
                                           });
    if (!solid || data_.dynamics != ActuatorData::kNone || data_.gain != ActuatorData::kFixed ||
        data_.bias != ActuatorData::kNoBias || data_.pid) {
      leave_out("of actuators on bodies, adhesion of those that collide is known");
      return;
    }
    const ActuatorParameters law = make_law(data_, 0, world_.options.clamp_ctrl);
    const AdhesionParameters p{
        .body = body, .gain = law.gain[0], .ctrl_min = law.ctrl_min, .ctrl_max = law.ctrl_max};
    a_.report(Severity::kApproximated, "",
              "adhesion: acts on what is within 1 mm, whatever margin and gap of the geoms");
    const std::string name = add_control(suffix);
    if (name.empty()) return;
    world_.spec().systems.push_back(
        {.name = name + ":force", .system = std::make_shared<Adhesion>(p)});
  }

  // The inertia is what a damping ratio is of.
  void add_path(const Transmission& transmission, const ActuatorParameters& law, const Range& force,
                const std::string& suffix, double inertia = 0) {
    if (force.lower > force.upper || law.ctrl_min > law.ctrl_max ||
        law.activation_min > law.activation_max) {
      a_.error("", "a range of the actuator has its first number above the second");
      return;
    }
    std::optional<MuscleParameters> muscle;
    if (data_.is_muscle()) {
      std::string reason;
      muscle = make_muscle(data_, transmission, world_.spec(), a_, &reason);
      if (!muscle) {
        leave_out(reason);
        return;
      }
    }
    const std::string name = add_control(suffix);
    if (name.empty()) return;
    world_.drives[name] = {transmission, law.gear};
    std::optional<PidServo> pid = data_.pid;
    if (pid && data_.dampratio > 0 && law.gear != 0) {
      pid->kv = calc_critical_damping(data_, pid->kp, inertia);
    }
    world_.spec().systems.push_back(
        {.name = name + ":force",
         .system = std::make_shared<TransmissionActuator>(
             TransmissionActuatorParameters{.transmission = transmission,
                                            .law = law,
                                            .muscle = muscle,
                                            .pid = pid,
                                            .force_min = force.lower,
                                            .force_max = force.upper})});
  }

  // The HeldInput that sets the control, wired to ":force"; its name, empty when that is taken.
  std::string add_control(const std::string& suffix) {
    const std::string given = make_name(instance_, a_.text("name"), suffix);
    std::string name =
        given.empty() ? fmt::format("actuator#{}", world_.controls.size() + 1) : system_name(given);
    if (!world_.system_names.insert(name).second) {
      a_.error("name", fmt::format("another actuator is named '{}'; names are unique", name));
      return "";
    }
    if (data_.dampratio > 0) {
      a_.report(Severity::kApproximated, "dampratio",
                "dampratio: of the inertia about the joint, with the other joints locked");
    }
    if (data_.position_input || !data_.pid) add_input(name, name, "ctrl");
    if (data_.pid && data_.pid->velocity_input) add_input(name, name + ":vel", "velocity");
    if (data_.pid && data_.pid->feedforward_input) add_input(name, name + ":ff", "feedforward");
    for (const int state : state_order()) {
      world_.activations.push_back({name + ":force", state});
    }
    return name;
  }

  void add_input(const std::string& actuator, const std::string& control, const char* port) {
    world_.spec().systems.push_back(
        {.name = control, .system = std::make_shared<HeldInput>(std::vector{0.0})});
    const std::string to = actuator + ":force";
    world_.spec().wires.push_back({control, data_.pid ? fmt::format("{}.{}", to, port) : to});
    world_.controls.push_back(static_cast<int>(world_.loaded->controls.size()));
    world_.loaded->controls.push_back(control);
  }

  // Of the numbers in MuJoCo's `act`, which state of the system each is. Ours are the activation,
  // the set-point and the integral; a plugin's the other way round, a <pid> has no activation.
  std::vector<int> state_order() const {
    std::vector<int> order;
    if (data_.dynamics != ActuatorData::kNone) order.push_back(0);
    if (!data_.pid) return order;
    for (const bool has : {data_.pid->has_setpoint(), data_.pid->has_integral()}) {
      if (has) order.push_back(static_cast<int>(order.size()));
    }
    if (element_.name == "plugin") std::ranges::reverse(order);
    return order;
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
    world_.drives[name] = {{.joints = p.tendon}, p.gear};
    if (p.tendon.empty()) world_.drives[name].transmission.joints = {{p.joint, 1}};
    auto& systems = world_.spec().systems;
    if (std::isfinite(force.lower) && std::isfinite(force.upper)) {
      const double middle = 0.5 * (force.lower + force.upper);
      p.force_limit = 0.5 * (force.upper - force.lower);
      if (middle != 0) {
        p.bias[0] -= middle;
        world_.drives[name].offset = true;
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

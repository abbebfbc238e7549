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
    if (data_.dynamics != ActuatorData::kNone) world_.activations.emplace_back();
    world_.ignore(element_, fmt::format("<{}>: {}", element_.name, reason));
  }

  void drive_joint(const std::string& joint, const std::string& suffix) {
    const MjcfJoint& j = world_.joints[world_.joint_index.at(joint)];
    add_own_dynamics(j);
    if (j.data.type == JointType::kBall || j.data.type == JointType::kFree) {
      drive_rotation(joint, j.data.type == JointType::kFree, suffix);
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
    ActuatorParameters p = make_parameters(0);
    p.gear = 1;
    add_path({.joint = {{.joint = joint,
                         .torque = free ? second : first,
                         .force = free ? first : Vec3{},
                         .in_parent = !a_.has("joint")}}},
             p, suffix);
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
    add_path({.wrench = {make_wrench(world_.sites.at(name))}}, make_site_parameters(), suffix);
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
                 make_parameters(0), suffix);
        return;
      }
      WrenchFrame wrench = make_wrench(a);
      wrench.reference = world_.body_name(b.body);
      wrench.X_AR = b.X_B;
      add_path({.wrench = {wrench}}, make_site_parameters(), suffix);
    });
  }
  WrenchFrame make_wrench(const MjcfPlace& site) {
    const auto& g = data_.gear;
    return {.body = world_.body_name(site.body),
            .X_BS = site.X_B,
            .w = {{g[3], g[4], g[5]}, {g[0], g[1], g[2]}}};
  }
  ActuatorParameters make_site_parameters() const {
    ActuatorParameters p = make_parameters(0);
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
        data_.bias != ActuatorData::kNoBias) {
      leave_out("of actuators on bodies, adhesion of those that collide is known");
      return;
    }
    const ActuatorParameters law = make_parameters(0);
    const AdhesionParameters p{
        .body = body, .gain = law.gain[0], .ctrl_min = law.ctrl_min, .ctrl_max = law.ctrl_max};
    a_.report(Severity::kApproximated, "",
              "adhesion: acts on what is within 1 mm, whatever margin and gap of the geoms");
    const std::string name = add_control(suffix);
    if (name.empty()) return;
    world_.spec().systems.push_back(
        {.name = name + ":force", .system = std::make_shared<Adhesion>(p)});
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
    world_.spec().systems.push_back(
        {.name = name + ":force",
         .system = std::make_shared<TransmissionActuator>(
             TransmissionActuatorParameters{.transmission = transmission,
                                            .law = law,
                                            .muscle = muscle,
                                            .force_min = force.lower,
                                            .force_max = force.upper})});
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
    if (data_.dynamics != ActuatorData::kNone) world_.activations.push_back(name + ":force");
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

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <sensor>: those of joints and frames become systems of the library, whose outputs are listed in
// LoadedModel::sensors.
#include "systems/library/sensors.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"
#include "systems/library/frame_sensors.h"
#include "systems/library/range_finder.h"
#include "systems/library/signals.h"

namespace cenic::detail {
namespace {

class SensorReader {
 public:
  SensorReader(const MjcfInstance& instance, const XmlElement& element, MjcfWorld* world)
      : instance_(instance), element_(element), world_(*world), a_(element, world->diagnostics) {}

  void read() {
    const std::string& kind = element_.name;
    a_.accept({"name"});
    a_.ignore({"user"}, "data of the user");
    read_limits();
    a_.ignore({"delay", "nsample", "interp", "interval"}, "readings are not delayed");
    if (!read_frame_kind(kind) && !read_site_kind(kind) && !read_length_kind(kind) &&
        !read_joint_kind(kind)) {
      world_.ignore(element_, fmt::format("<{}>: not known among sensors", kind));
    }
  }

 private:
  using System = std::shared_ptr<const ExternalSystem>;

  // `noise` and `cutoff`; directions have neither here.
  void read_limits() {
    noise_ = a_.number("noise", 0);
    cutoff_ = a_.number("cutoff", 0);
    for (const char* name : {"noise", "cutoff"}) {
      if (a_.number(name, 0) < 0) {
        a_.error(name, fmt::format("{} is negative; give a positive number, or none", name));
      }
    }
    if (is_direction() && cutoff_ != 0) a_.ignore({"cutoff"}, "a direction has none");
    if (is_direction() && noise_ != 0) a_.ignore({"noise"}, "directions have no noise here");
    if (is_direction()) noise_ = cutoff_ = 0;
    if (noise_ != 0 && !world_.options.sensor_noise) {
      a_.ignore({"noise"}, "readings are exact unless <flag sensornoise=\"enable\"/> is set");
      noise_ = 0;
    }
  }
  bool is_direction() const {
    const std::string& kind = element_.name;
    return kind.ends_with("quat") || (kind.starts_with("frame") && kind.ends_with("axis"));
  }
  int num_readings() const {
    static constexpr const char* kVectors[] = {
        "ballangvel", "gyro",        "accelerometer", "velocimeter",   "magnetometer",
        "force",      "torque",      "subtreecom",    "subtreelinvel", "subtreeangmom",
        "framepos",   "framelinvel", "frameangvel",   "framelinacc",   "frameangacc"};
    return std::ranges::find(kVectors, element_.name) != std::end(kVectors) ? 3 : 1;
  }

  // What the reading goes through on its way; returns the signal at the end.
  std::string add_limits(const std::string& name, const std::string& output) {
    std::string signal = name + "." + output;
    const auto append = [&](const char* part, System system, double period) {
      const std::string after = name + ":" + part;
      world_.system_names.insert(after);
      world_.spec().systems.push_back(
          {.name = after, .system = std::move(system), .period = period});
      world_.spec().wires.push_back({signal, after + ".in"});
      signal = after + ".out";
    };
    const int n = num_readings();
    if (cutoff_ > 0) {
      const bool positive = element_.name == "touch" || element_.name == "rangefinder";
      ClampParameters clamp{.size = n, .upper = cutoff_};
      if (!positive) clamp.lower = -cutoff_;
      append("cutoff", std::make_shared<Clamp>(clamp), 0);
    }
    if (noise_ > 0) {
      const NoiseParameters noise{.size = n,
                                  .standard_deviation = noise_,
                                  .seed = world_.loaded->sensors.size() + 1,
                                  .has_input = true};
      append("noise", std::make_shared<Noise>(noise), world_.options.timestep);
    }
    return signal;
  }

  // Its name; empty when that is taken.
  std::string add(const std::string& suffix, std::shared_ptr<const ExternalSystem> system,
                  const std::string& output) {
    const std::string given = make_name(instance_, a_.text("name"), suffix);
    std::string name = given.empty() ? fmt::format("sensor#{}", world_.loaded->sensors.size() + 1)
                                     : system_name(given);
    if (!world_.system_names.insert(name).second) {  // an actuator may have it
      name += ":sensor";
      if (!world_.system_names.insert(name).second) {
        a_.error("name", fmt::format("another sensor is named '{}'; names are unique", given));
        return "";
      }
    }
    world_.spec().systems.push_back({.name = name, .system = std::move(system)});
    world_.loaded->sensors.push_back({given, add_limits(name, output)});
    return name;
  }

  // For each copy of what is named: f(its full name) is the system, and `output` what it gives.
  void add_for(MjcfKind kind, const std::string& name, const std::string& output,
               const std::function<System(const std::string& full)>& f) {
    for_each_copy(&world_, instance_, element_, {{kind, name}}, [&](const std::string& suffix) {
      if (System system = f(resolve(world_, instance_, kind, name, suffix))) {
        add(suffix, std::move(system), output);
      }
    });
  }

  // What a sensor kind reads.
  struct Kind {
    const char *name, *output;
  };
  static const char* find(std::initializer_list<Kind> kinds, const std::string& kind) {
    for (const Kind& k : kinds) {
      if (kind == k.name) return k.output;
    }
    return nullptr;
  }

  bool read_joint_kind(const std::string& kind) {
    if (const char* output = find(
            {{"jointpos", "position"}, {"jointvel", "velocity"}, {"jointactuatorfrc", "effort"}},
            kind)) {
      add_for(MjcfKind::kJoint, a_.text("joint"), output, [&](const std::string& full) {
        return std::make_shared<JointSensor>(std::vector{full}, kind == "jointactuatorfrc");
      });
    } else if (const char* of_ball =
                   find({{"ballquat", "quaternion"}, {"ballangvel", "velocity"}}, kind)) {
      add_for(MjcfKind::kJoint, a_.text("joint"), of_ball, [&](const std::string& full) -> System {
        if (world_.joints[world_.joint_index.at(full)].data.type == JointType::kBall) {
          return std::make_shared<BallSensor>(full);
        }
        a_.error("joint", fmt::format("joint '{}' is no ball joint", full));
        return nullptr;
      });
    } else if (const char* of_subtree = find({{"subtreecom", "com"},
                                              {"subtreelinvel", "linvel"},
                                              {"subtreeangmom", "angmom"}},
                                             kind)) {
      add_for(MjcfKind::kBody, a_.text("body"), of_subtree, [](const std::string& full) {
        return std::make_shared<SubtreeSensor>(full);
      });
    } else if (kind == "clock") {
      add("", std::make_shared<TimeSignal>(), "out");
    } else {
      return false;
    }
    return true;
  }

  bool read_site_kind(const std::string& kind) {
    const char* output = find({{"gyro", "gyro"},
                               {"accelerometer", "accelerometer"},
                               {"velocimeter", "value"},
                               {"magnetometer", "value"},
                               {"force", "force"},
                               {"torque", "torque"},
                               {"touch", "normal"},
                               {"rangefinder", "distance"}},
                              kind);
    if (output == nullptr) return false;
    if (kind == "rangefinder" && !read_range_finder()) return true;
    add_for(MjcfKind::kSite, a_.text("site"), output, [&](const std::string& full) -> System {
      const MjcfPlace& place = world_.sites.at(full);
      const std::string& body = world_.body_name(place.body);
      if (kind == "force" || kind == "torque") {
        return std::make_shared<InteractionSensor>(body, place.X_B);
      }
      if (kind == "touch") return make_touch(place);
      if (kind == "rangefinder") return std::make_shared<RangeFinder>(body, place.X_B);
      if (kind == "velocimeter" || kind == "magnetometer") {
        return std::make_shared<FrameSensor>(
            FrameSensorParameters{.quantity = kind == "velocimeter" ? FrameQuantity::kOwnVelocity
                                                                    : FrameQuantity::kWorldVector,
                                  .body = body,
                                  .X_BP = place.X_B,
                                  .vector = world_.options.magnetic});
      }
      return std::make_shared<Imu>(body, place.X_B);
    });
    return true;
  }

  // Of a site, with the one number that is its distance.
  bool read_range_finder() {
    const bool plain = a_.has("site") && a_.text("data", "dist") == "dist";
    if (!plain) {
      world_.ignore(element_, "<rangefinder>: of a site, and with its distance alone");
      return false;
    }
    if (std::ranges::any_of(world_.surfaces, [&](const MjcfSurface& s) {
          return world_.geometry(s).shape.kind == ShapeKind::kHalfSpace;
        })) {
      a_.report(Severity::kApproximated, "", "<rangefinder>: planes have no borders");
    }
    return true;
  }

  System make_touch(const MjcfPlace& place) {
    const bool touches = place.body >= 0 && !world_.spec().bodies[place.body].geometries.empty();
    if (!touches) {
      world_.ignore(element_, "<touch>: nothing of its body can be touched");
      return nullptr;
    }
    a_.report(Severity::kApproximated, "", "<touch>: of all contacts of the body, not of the site");
    return std::make_shared<ContactForceSensor>(
        ContactForceParameters{.body = world_.body_name(place.body)});
  }

  bool read_length_kind(const std::string& kind) {
    if (const char* output = find({{"tendonpos", "length"}, {"tendonvel", "velocity"}}, kind)) {
      add_for(MjcfKind::kTendon, a_.text("tendon"), output, [&](const std::string& full) {
        return std::make_shared<LengthSensor>(world_.tendons.at(full).transmission);
      });
      return true;
    }
    const char* output = find({{"actuatorpos", "length"}, {"actuatorvel", "velocity"}}, kind);
    if (output == nullptr && kind != "actuatorfrc") return false;
    const std::string actuator =
        system_name(make_name(instance_, a_.text("actuator"), instance_.suffixes.front()));
    const auto drive = world_.drives.find(actuator);
    if (drive == world_.drives.end()) {
      world_.ignore(element_, fmt::format("<{}>: there is no actuator '{}', or it was left out",
                                          kind, a_.text("actuator")));
    } else if (output != nullptr) {
      add("", std::make_shared<LengthSensor>(drive->second.transmission, drive->second.gear),
          output);
    } else {
      add_force(actuator, drive->second.offset);
    }
    return true;
  }

  // The force of the law, and of the middle of its range where that is a system of its own.
  void add_force(const std::string& actuator, bool offset) {
    const std::string name =
        add("", std::make_shared<LinearBlock>(make_sum(std::vector(offset ? 2 : 1, 1.0))), "out");
    if (name.empty()) return;
    auto& wires = world_.spec().wires;
    wires.push_back({actuator + ":force", name + (offset ? ".in0" : "")});
    if (offset) wires.push_back({actuator + ":offset", name + ".in1"});
  }

  bool read_frame_kind(const std::string& kind) {
    static const std::map<std::string, FrameQuantity> kQuantities{
        {"framepos", FrameQuantity::kPosition},
        {"framequat", FrameQuantity::kQuaternion},
        {"framexaxis", FrameQuantity::kXAxis},
        {"frameyaxis", FrameQuantity::kYAxis},
        {"framezaxis", FrameQuantity::kZAxis},
        {"framelinvel", FrameQuantity::kLinearVelocity},
        {"frameangvel", FrameQuantity::kAngularVelocity},
        {"framelinacc", FrameQuantity::kLinearAcceleration},
        {"frameangacc", FrameQuantity::kAngularAcceleration},
    };
    const auto found = kQuantities.find(kind);
    if (found == kQuantities.end()) return false;
    const std::optional<MjcfKind> object = frame_kind("objtype");
    const bool relative = a_.has("reftype") || a_.has("refname");
    const std::optional<MjcfKind> reference = relative ? frame_kind("reftype") : object;
    if (!object || !reference) {
      world_.ignore(element_, fmt::format("<{}>: of sites, bodies and geoms alone", kind));
      return true;
    }
    const bool turned = kind == "framequat" || kind.ends_with("axis");
    if ((turned && a_.text("objtype") == "body") || a_.text("reftype") == "body") {
      a_.report(Severity::kApproximated, "",
                fmt::format("<{}>: in the axes of the body, not of its inertia", kind));
    }
    const std::string name = a_.text("objname"), ref = a_.text("refname");
    std::vector<MjcfReference> references{{*object, name}};
    if (relative) references.push_back({*reference, ref});
    for_each_copy(&world_, instance_, element_, references, [&](const std::string& suffix) {
      const auto place = [&](MjcfKind k, const char* type, const std::string& of) {
        return find_frame(k, a_.text(type), resolve(world_, instance_, k, of, suffix));
      };
      const MjcfPlace P = place(*object, "objtype", name);
      FrameSensorParameters p{
          .quantity = found->second, .body = world_.body_name(P.body), .X_BP = P.X_B};
      if (relative) {
        const MjcfPlace R = place(*reference, "reftype", ref);
        p.reference = world_.body_name(R.body);
        p.X_AR = R.X_B;
      }
      add(suffix, std::make_shared<FrameSensor>(p), "value");
    });
    return true;
  }

  std::optional<MjcfKind> frame_kind(const char* attribute) const {
    const std::string type = a_.text(attribute);
    if (type == "site") return MjcfKind::kSite;
    if (type == "geom") return MjcfKind::kGeom;
    if (type == "body" || type == "xbody") return MjcfKind::kBody;
    return std::nullopt;
  }

  MjcfPlace find_frame(MjcfKind kind, const std::string& type, const std::string& full) {
    if (kind == MjcfKind::kSite) return world_.sites.at(full);
    if (kind == MjcfKind::kGeom) {
      const MjcfSurface& s = world_.surfaces[world_.geom_index.at(full)];
      return {s.body, world_.geometry(s).X_BG};
    }
    const auto found = world_.body_index.find(full);
    if (found == world_.body_index.end()) return {};
    MjcfPlace place{.body = found->second};
    const auto& inertia = world_.spec().bodies[place.body].inertia;
    if (type == "body" && inertia) place.X_B.p = inertia->com;  // xbody: the frame itself
    return place;
  }

  const MjcfInstance& instance_;
  const XmlElement& element_;
  MjcfWorld& world_;
  const Attributes a_;
  double noise_ = 0, cutoff_ = 0;
};

}  // namespace

void read_sensor_section(const MjcfInstance& instance, MjcfWorld* world) {
  for_each_in_section(instance, "sensor", [&](const XmlElement& child) {
    SensorReader(instance, child, world).read();
  });
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <sensor>: those of joints and frames become systems of the library, whose outputs are listed in
// LoadedModel::sensors.
#include "systems/library/sensors.h"

#include <fmt/format.h>

#include "loaders/mjcf/world.h"

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
    if (a_.number("noise", 0) != 0) a_.ignore({"noise"}, "sensors have no noise of their own");
    if (a_.number("cutoff", 0) != 0) a_.ignore({"cutoff"}, "readings are not cut off");
    a_.ignore({"delay", "nsample", "interp", "interval"}, "readings are not delayed");
    if (kind == "jointpos" || kind == "jointvel" || kind == "jointactuatorfrc") {
      read_joint(kind == "jointpos" ? "position" : (kind == "jointvel" ? "velocity" : "effort"));
    } else if (kind == "gyro" || kind == "accelerometer") {
      read_site(kind, true);
    } else if (kind == "velocimeter") {
      a_.report(Severity::kApproximated, "", "<velocimeter>: twist along the world's axes");
      read_site("twist", false);
    } else if (kind == "framepos" || kind == "framequat") {
      read_frame("pose", "7 numbers, quaternion and position");
    } else if (kind == "framelinvel" || kind == "frameangvel") {
      read_frame("twist", "6 numbers, angular and linear");
    } else {
      world_.ignore(element_, fmt::format("<{}>: not known among sensors", kind));
    }
  }

 private:
  void add(const std::string& suffix, std::shared_ptr<const ExternalSystem> system,
           const std::string& output) {
    const std::string given = make_name(instance_, a_.text("name"), suffix);
    std::string name = given.empty() ? fmt::format("sensor#{}", world_.loaded->sensors.size() + 1)
                                     : system_name(given);
    if (!world_.system_names.insert(name).second) {  // an actuator may have it
      name += ":sensor";
      if (!world_.system_names.insert(name).second) {
        a_.error("name", fmt::format("another sensor is named '{}'; names are unique", given));
        return;
      }
    }
    world_.spec().systems.push_back({.name = name, .system = std::move(system)});
    world_.loaded->sensors.push_back({given, name + "." + output});
  }

  void read_joint(const std::string& output) {
    const std::string joint = a_.text("joint");
    for_each_copy(
        &world_, instance_, element_, {{MjcfKind::kJoint, joint}}, [&](const std::string& suffix) {
          add(suffix,
              std::make_shared<JointSensor>(
                  std::vector{resolve(world_, instance_, MjcfKind::kJoint, joint, suffix)},
                  output == "effort"),
              output);
        });
  }

  void read_site(const std::string& output, bool imu) {
    const std::string site = a_.text("site");
    for_each_copy(&world_, instance_, element_, {{MjcfKind::kSite, site}},
                  [&](const std::string& suffix) {
                    const MjcfPlace& place =
                        world_.sites.at(resolve(world_, instance_, MjcfKind::kSite, site, suffix));
                    const std::string& body = world_.body_name(place.body);
                    if (imu) {
                      add(suffix, std::make_shared<Imu>(body, place.X_B), output);
                    } else {
                      add(suffix, std::make_shared<BodySensor>(body, place.X_B), output);
                    }
                  });
  }

  void read_frame(const std::string& output, const std::string& numbers) {
    const std::string type = a_.text("objtype"), name = a_.text("objname");
    const MjcfKind kind = type == "site"   ? MjcfKind::kSite
                          : type == "geom" ? MjcfKind::kGeom
                                           : MjcfKind::kBody;
    if (type != "site" && type != "body" && type != "xbody" && type != "geom") {
      world_.ignore(element_, fmt::format("<{}>: of sites, bodies and geoms alone", element_.name));
      return;
    }
    a_.ignore({"reftype", "refname"}, "readings are in the world");
    a_.report(Severity::kApproximated, "", fmt::format("<{}>: gives {}", element_.name, numbers));
    for_each_copy(&world_, instance_, element_, {{kind, name}}, [&](const std::string& suffix) {
      const MjcfPlace place =
          find_frame(kind, type, resolve(world_, instance_, kind, name, suffix));
      add(suffix, std::make_shared<BodySensor>(world_.body_name(place.body), place.X_B), output);
    });
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
};

}  // namespace

void read_sensor_section(const MjcfInstance& instance, MjcfWorld* world) {
  for_each_in_section(instance, "sensor", [&](const XmlElement& child) {
    SensorReader(instance, child, world).read();
  });
}

}  // namespace cenic::detail

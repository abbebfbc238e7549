// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <tendon>: fixed ones, and spatial ones that go straight from one site to another.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"
#include "systems/library/body_forces.h"

namespace cenic::detail {
namespace {

class TendonReader {
 public:
  TendonReader(const MjcfInstance& instance, const XmlElement& element, MjcfWorld* world)
      : instance_(instance),
        element_(element),
        world_(*world),
        a_(instance.document->attributes(element, "", world->diagnostics)),
        data_(read_tendon_data(a_, instance.document->compiler)) {}

  void read() {
    std::vector<MjcfReference> references;
    for (const auto& child : element_.children) {
      const Attributes part(*child, world_.diagnostics);
      if (child->name == "joint") {
        references.push_back({MjcfKind::kJoint, part.text("joint")});
        coefficients_.push_back(part.number("coef", 1));
      } else if (child->name == "site") {
        references.push_back({MjcfKind::kSite, part.text("site")});
      } else if (child->name == "geom" || child->name == "pulley") {
        mark_read(*child);
        straight_ = false;
      }
    }
    for_each_copy(&world_, instance_, element_, references, [&](const std::string& suffix) {
      MjcfTendon tendon{.element = &element_,
                        .data = data_,
                        .fixed = element_.name == "fixed",
                        .straight = straight_};
      if (tendon.fixed ? !add_joints(references, suffix, &tendon)
                       : !add_points(references, suffix, &tendon)) {
        return;
      }
      tendon.data.name = make_name(instance_, data_.name, suffix);
      report(tendon);
      add_spring(tendon);
      const std::string key = tendon.data.name.empty()
                                  ? fmt::format("tendon#{}", world_.tendons.size() + 1)
                                  : tendon.data.name;
      if (!world_.tendons.try_emplace(key, std::move(tendon)).second) {
        a_.error("name", fmt::format("another tendon is named '{}'; names are unique", key));
      }
    });
  }

 private:
  bool add_joints(const std::vector<MjcfReference>& references, const std::string& suffix,
                  MjcfTendon* tendon) {
    for (std::size_t i = 0; i < references.size(); ++i) {
      const std::string full =
          resolve(world_, instance_, MjcfKind::kJoint, references[i].name, suffix);
      const int joint = world_.joint_index.at(full);
      const JointType type = world_.joints[joint].data.type;
      if (type != JointType::kHinge && type != JointType::kSlide) {
        a_.error("", fmt::format("joint '{}' of the tendon is no hinge or slide", full));
        return false;
      }
      tendon->parts.push_back({full, coefficients_[i]});
      tendon->part_joints.push_back(joint);
    }
    return true;
  }

  bool add_points(const std::vector<MjcfReference>& references, const std::string& suffix,
                  MjcfTendon* tendon) {
    for (const MjcfReference& r : references) {
      tendon->points.push_back(
          world_.sites.at(resolve(world_, instance_, MjcfKind::kSite, r.name, suffix)));
    }
    return true;
  }

  void report(const MjcfTendon& tendon) {
    if (data_.limited) a_.report(Severity::kIgnored, "range", "range: tendons have no limits");
    if (data_.frictionloss != 0) a_.ignore({"frictionloss"}, "tendons have no friction");
    if (data_.armature != 0) a_.ignore({"armature"}, "tendons have no inertia");
    if (!tendon.fixed && (!tendon.straight || tendon.points.size() != 2)) {
      world_.report(element_, Severity::kIgnored,
                    "<spatial>: tendons that bend or wrap are not known");
    }
  }

  // At the start, which is also where a spring rests unless the file says otherwise.
  double calc_length(const MjcfTendon& tendon) const {
    double length = 0;
    for (std::size_t i = 0; i < tendon.parts.size(); ++i) {
      length += tendon.parts[i].coefficient * world_.joints[tendon.part_joints[i]].data.ref;
    }
    if (tendon.points.size() == 2) {
      const MjcfPlace &P = tendon.points[0], &Q = tendon.points[1];
      length = norm(world_.pose(P.body) * P.X_B.p - world_.pose(Q.body) * Q.X_B.p);
    }
    return length;
  }

  void add_spring(const MjcfTendon& tendon) {
    const double k = world_.options.springs ? data_.stiffness : 0;
    const double d = world_.options.dampers ? data_.damping : 0;
    if (k == 0 && d == 0) return;
    const double rest = data_.springlength[0] < 0 ? calc_length(tendon) : data_.springlength[0];
    if (k != 0 && data_.springlength[0] != data_.springlength[1]) {
      a_.report(Severity::kApproximated, "springlength",
                "springlength: the spring has no slack, it rests at the first length");
    }
    const std::string name = fmt::format(
        "{}:spring", tendon.data.name.empty() ? fmt::format("tendon#{}", world_.tendons.size() + 1)
                                              : system_name(tendon.data.name));
    if (tendon.fixed) {
      world_.spec().systems.push_back(
          {.name = name,
           .system = std::make_shared<ActuatorModel>(ActuatorParameters{.tendon = tendon.parts,
                                                                        .gain = {},
                                                                        .bias = {k * rest, -k, -d},
                                                                        .has_input = false})});
    } else if (tendon.straight && tendon.points.size() == 2) {
      world_.spec().systems.push_back(
          {.name = name,
           .system = std::make_shared<SpringDamper>(
               SpringDamperParameters{.a = world_.body_name(tendon.points[0].body),
                                      .b = world_.body_name(tendon.points[1].body),
                                      .p_AP = tendon.points[0].X_B.p,
                                      .p_BQ = tendon.points[1].X_B.p,
                                      .rest_length = rest,
                                      .stiffness = k,
                                      .damping = d})});
    }
  }

  const MjcfInstance& instance_;
  const XmlElement& element_;
  MjcfWorld& world_;
  const Attributes a_;
  const TendonData data_;
  std::vector<double> coefficients_;
  bool straight_ = true;
};

}  // namespace

std::string system_name(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

void read_tendon_section(const MjcfInstance& instance, MjcfWorld* world) {
  for_each_in_section(instance, "tendon", [&](const XmlElement& child) {
    if (child.name == "fixed" || child.name == "spatial") {
      TendonReader(instance, child, world).read();
    }
  });
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mjcf/families.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "loaders/mjcf/actuator_data.h"

namespace cenic::detail {
namespace {

constexpr int kMany = 1'000'000;

template <std::size_t N>
std::array<double, N> read_array(const Attributes& a, const char* name,
                                 const std::array<double, N>& fallback) {
  const std::vector<double> list = a.numbers_over(name, {fallback.begin(), fallback.end()});
  std::array<double, N> result{};
  std::ranges::copy(list, result.begin());
  return result;
}

unsigned read_mask(const Attributes& a, const char* name) {
  const std::optional<double> value = a.number(name);
  if (!value) return 1;
  if (*value < -2147483648.0 || *value > 4294967295.0) {
    a.error(name, fmt::format("{} is {}; give a number of 32 bits", name, *value));
    return 1;
  }
  return static_cast<unsigned>(static_cast<std::int64_t>(*value));
}

}  // namespace

MjcfContact read_contact_parameters(const Attributes& a) {
  MjcfContact c;
  c.condim = a.integer("condim", c.condim);
  if (c.condim != 1 && c.condim != 3 && c.condim != 4 && c.condim != 6) {
    a.error("condim", fmt::format("condim is {}; give 1, 3, 4 or 6", c.condim));
  }
  c.priority = a.integer("priority", 0);
  c.solmix = a.number("solmix", 1);
  c.solref = read_array(a, "solref", c.solref);
  c.solimp = read_array(a, "solimp", c.solimp);
  return c;
}

GeomData read_geom_data(const Attributes& a, const MjcfCompiler& compiler, Diagnostics* d) {
  GeomData g;
  g.name = a.text("name");
  g.mesh = a.text("mesh");
  g.hfield = a.text("hfield");
  g.material = a.text("material");
  g.type = static_cast<GeomType>(a.keyword(
      "type",
      {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf"},
      static_cast<int>(GeomType::kSphere)));
  g.size = a.numbers("size", 1, 3);
  g.fromto = a.numbers("fromto", 6, 6);
  g.X = read_pose(a, compiler, d);
  g.contype = read_mask(a, "contype");
  g.conaffinity = read_mask(a, "conaffinity");
  g.group = a.integer("group", 0);
  g.mass = a.number("mass");
  g.density = a.number("density", g.density);
  g.fitscale = a.number("fitscale", 1);
  g.rgba = a.numbers("rgba", 4, 4);
  g.surface_velocity = a.numbers("surfacevel", 3, 6);
  g.contact = read_contact_parameters(a);
  g.contact.friction = read_array(a, "friction", g.contact.friction);
  a.accept({"class"});
  a.ignore({"user"}, "data of the user");
  a.ignore({"margin", "gap"}, "contacts are seen before they happen, whatever the margin");
  a.approximate({"fluidshape", "fluidcoef"}, "a medium acts on the box of the body's inertia");
  a.ignore({"adhesion"}, "surfaces do not adhere");
  if (a.flag("shellinertia", false)) {
    a.report(Severity::kApproximated, "shellinertia", "shellinertia: taken as solid");
  }
  return g;
}

double read_polynomial(const Attributes& a, const char* name, std::vector<double>* more) {
  *more = a.numbers(name, 1, 8);
  if (more->empty()) return 0;
  const double first = more->front();
  more->erase(more->begin());
  while (!more->empty() && more->back() == 0) {
    more->pop_back();
  }
  return first;
}

bool read_limited(const Attributes& a, const char* name, const char* range,
                  const MjcfCompiler& compiler) {
  const int word = a.keyword(name, {"false", "true", "auto"}, 2);
  if (word < 2) return word == 1;
  const std::vector<double> given = a.numbers(range, 2, 2);
  return compiler.autolimits && !given.empty() && (given[0] != 0 || given[1] != 0);
}

double read_margin(const Attributes& a, bool limited, const std::array<double, 2>& range) {
  const double margin = a.number("margin", 0);
  if (!limited) return 0;
  if (range[0] > range[1]) {
    a.error("range", "range: its first number is above the second; swap them");
    return 0;
  }
  return std::min(margin, 0.5 * (range[1] - range[0]));
}

JointData read_joint_data(const Attributes& a, const MjcfCompiler& compiler) {
  JointData j;
  j.name = a.text("name");
  j.type = static_cast<JointType>(
      a.keyword("type", {"free", "ball", "slide", "hinge"}, static_cast<int>(JointType::kHinge)));
  j.pos = a.vector("pos", {});
  j.axis = a.vector("axis", j.axis);
  if (!(norm(j.axis) > 1e-14)) {
    a.error("axis", "axis is zero; give a direction");
    j.axis = {0, 0, 1};
  }
  j.stiffness = read_polynomial(a, "stiffness", &j.more_stiffness);
  j.damping = read_polynomial(a, "damping", &j.more_damping);
  j.armature = a.number("armature", 0);
  j.frictionloss = a.number("frictionloss", 0);
  j.springdamper = a.numbers("springdamper", 2, 2);
  const bool turns = j.type == JointType::kHinge || j.type == JointType::kBall;
  const auto to_si = [&](double x) {
    return turns ? compiler.angle(x) : x;
  };
  j.ref = to_si(a.number("ref", 0));
  j.springref = to_si(a.number("springref", 0));
  j.limited = read_limited(a, "limited", "range", compiler);
  j.range = read_array(a, "range", j.range);
  for (double& r : j.range) {
    r = to_si(r);
  }
  j.margin = read_margin(a, j.limited, j.range);
  j.limited = j.limited && j.range[0] <= j.range[1];
  j.force_limited = read_limited(a, "actuatorfrclimited", "actuatorfrcrange", compiler);
  j.force_range = read_array(a, "actuatorfrcrange", j.force_range);
  a.accept({"group", "class"});
  a.ignore({"user"}, "data of the user");
  j.limit = read_soft_parameters(a, "solreflimit", "solimplimit");
  a.ignore({"solreffriction", "solimpfriction"}, "dry friction is rigid below its threshold");
  if (a.flag("actuatorgravcomp", false)) {
    a.report(Severity::kIgnored, "actuatorgravcomp",
             "actuatorgravcomp: the compensation of gravity is no actuator's");
  }
  return j;
}

void mark_default_attributes(const MjcfDocument& document) {
  Diagnostics scratch;
  for (const auto& [class_name, c] : document.defaults.classes()) {
    for (const auto& [family, elements] : c.elements) {
      for (const XmlElement* element : elements) {
        const Attributes a(*element, &scratch);
        if (family == "geom") {
          read_geom_data(a, document.compiler, &scratch);
        } else if (family == "joint") {
          read_joint_data(a, document.compiler);
        } else if (family == "actuator") {
          ActuatorData data;
          read_actuator_data(a, document.compiler, &data);
        } else if (family == "tendon") {
          read_tendon_data(a, document.compiler);
        } else if (family == "pair") {
          read_contact_parameters(a);
          a.numbers("friction", 1, kMany);
          mark_read(*element);
        } else {  // for the eye, or read with the elements that use it
          mark_read(*element);
        }
      }
    }
  }
}

}  // namespace cenic::detail

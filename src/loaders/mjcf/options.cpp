// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <option>: gravity, and switches; how MuJoCo steps and solves has no meaning here.
#include "loaders/mjcf/options.h"

#include <cmath>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"
#include "systems/library/medium.h"

namespace cenic::detail {
namespace {

constexpr const char* kTuning = "the accuracy that is asked for decides";

void read_flags(const Attributes& a, MjcfOptions* options, ModelSpec* spec) {
  MjcfOptions& o = *options;
  const auto on = [&](const char* name) {
    return a.keyword(name, {"disable", "enable"}, 1) == 1;
  };
  const bool constraints = on("constraint"), passive = on("passive");
  o.contacts = o.contacts && constraints && on("contact");
  o.limits = o.limits && constraints && on("limit");
  o.equality = o.equality && constraints && on("equality");
  o.dry_friction = o.dry_friction && constraints && on("frictionloss");
  o.springs = o.springs && passive && on("spring");
  o.dampers = o.dampers && passive && on("damper");
  o.actuation = o.actuation && on("actuation");
  o.clamp_ctrl = o.clamp_ctrl && on("clampctrl");
  o.gravity = o.gravity && on("gravity");
  if (!on("filterparent")) spec->filter_parent_child = false;
  a.ignore({"warmstart", "refsafe", "sensor", "energy", "fwdinv", "invdiscrete", "multiccd",
            "island", "eulerdamp", "autoreset", "nativeccd", "midphase", "sleep"},
           kTuning);
  o.sensor_noise = a.keyword("sensornoise", {"disable", "enable"}, o.sensor_noise ? 1 : 0) == 1;
  if (a.keyword("override", {"disable", "enable"}, 0) == 1) {
    a.report(Severity::kIgnored, "override", "override: contacts keep their own parameters");
  }
}

}  // namespace

MjcfOptions read_options(const XmlElement& root, ModelSpec* spec, Diagnostics* diagnostics) {
  MjcfOptions o;
  for (const auto& section : root.children) {
    if (section->name != "option") continue;
    const Attributes a(*section, diagnostics);
    spec->gravity = a.vector("gravity", spec->gravity);
    o.timestep = a.number("timestep", o.timestep);
    if (!(o.timestep > 0)) a.error("timestep", "timestep: give a positive number");
    a.ignore({"timestep", "apirate", "integrator", "jacobian", "solver", "iterations", "tolerance",
              "ls_iterations", "ls_tolerance", "noslip_iterations", "noslip_tolerance",
              "mpr_iterations", "mpr_tolerance", "ccd_iterations", "ccd_tolerance", "impratio",
              "sdf_iterations", "sdf_initpoints", "sleep_tolerance"},
             kTuning);
    if (a.keyword("cone", {"pyramidal", "elliptic"}, 1) == 0) {
      a.report(Severity::kApproximated, "cone", "cone: friction cones are round");
    }
    a.ignore({"o_margin", "o_solref", "o_solimp", "o_friction"}, "nothing is overridden");
    o.density = a.number("density", o.density);
    o.viscosity = a.number("viscosity", o.viscosity);
    o.wind = a.vector("wind", o.wind);
    o.magnetic = a.vector("magnetic", o.magnetic);
    a.ignore({"actuatorgroupdisable"}, "all actuators act");
    for (const auto& child : section->children) {
      if (child->name == "flag") read_flags(Attributes(*child, diagnostics), &o, spec);
    }
  }
  if (!o.gravity) spec->gravity = {};
  return o;
}

void add_medium(const MjcfOptions& o, ModelSpec* spec) {
  if (!(o.density > 0) && !(o.viscosity > 0)) return;
  if (!o.springs && !o.dampers) return;  // passive forces are off
  const std::vector<double> masses = calc_tree_masses(*spec);
  for (std::size_t b = 0; b < masses.size(); ++b) {
    const BodySpec& body = spec->bodies[b];
    if (!std::isfinite(masses[b]) || !body.inertia || !(body.inertia->mass > 0)) continue;
    MediumParameters p{
        .body = body.name, .density = o.density, .viscosity = o.viscosity, .wind = o.wind};
    set_inertia_box(body.inertia->mass, body.inertia->com, body.inertia->I_com, &p);
    spec->systems.push_back(
        {.name = system_name(body.name) + ":medium", .system = std::make_shared<Medium>(p)});
  }
}

}  // namespace cenic::detail

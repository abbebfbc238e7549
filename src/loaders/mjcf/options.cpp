// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <option>: gravity, and switches; how MuJoCo steps and solves has no meaning here.
#include <fmt/format.h>

#include "loaders/mjcf/world.h"

namespace cenic::detail {
namespace {

constexpr const char* kTuning = "the accuracy that is asked for decides";

void read_flags(const Attributes& a, MjcfWorld* world) {
  MjcfOptions& o = world->options;
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
  if (!on("gravity")) world->spec().gravity = {};
  if (!on("filterparent")) world->spec().filter_parent_child = false;
  a.ignore({"warmstart", "refsafe", "sensor", "energy", "fwdinv", "invdiscrete", "multiccd",
            "island", "eulerdamp", "autoreset", "nativeccd", "midphase", "sleep", "sensornoise"},
           kTuning);
  if (a.keyword("override", {"disable", "enable"}, 0) == 1) {
    a.report(Severity::kIgnored, "override", "override: contacts keep their own parameters");
  }
}

}  // namespace

void read_options(const MjcfDocument& document, MjcfWorld* world) {
  for (const auto& section : document.root->children) {
    if (section->name != "option") continue;
    const Attributes a(*section, world->diagnostics);
    world->spec().gravity = a.vector("gravity", world->spec().gravity);
    a.ignore({"timestep", "apirate", "integrator", "jacobian", "solver", "iterations", "tolerance",
              "ls_iterations", "ls_tolerance", "noslip_iterations", "noslip_tolerance",
              "mpr_iterations", "mpr_tolerance", "ccd_iterations", "ccd_tolerance", "impratio",
              "sdf_iterations", "sdf_initpoints", "sleep_tolerance"},
             kTuning);
    if (a.keyword("cone", {"pyramidal", "elliptic"}, 1) == 0) {
      a.report(Severity::kApproximated, "cone", "cone: friction cones are round");
    }
    a.ignore({"o_margin", "o_solref", "o_solimp", "o_friction"}, "nothing is overridden");
    if (a.number("density", 0) != 0 || a.number("viscosity", 0) != 0) {
      a.ignore({"density", "viscosity", "wind"}, "there is no medium");
    }
    for (const char* name : {"density", "viscosity", "wind", "magnetic"}) {
      a.has(name);
    }
    a.ignore({"actuatorgroupdisable"}, "all actuators act");
    for (const auto& child : section->children) {
      if (child->name == "flag") read_flags(Attributes(*child, world->diagnostics), world);
    }
  }
}

}  // namespace cenic::detail

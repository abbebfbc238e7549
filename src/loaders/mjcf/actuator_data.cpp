// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mjcf/actuator_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include <fmt/format.h>

#include "loaders/mjcf/families.h"

namespace cenic::detail {
namespace {

constexpr int kMostParameters = 20;

template <std::size_t N>
void read_over(const Attributes& a, const char* name, std::array<double, N>* values) {
  const std::vector<double> given = a.numbers(name, 1, kMostParameters);
  for (std::size_t i = 0; i < std::min(N, given.size()); ++i) {
    (*values)[i] = given[i];
  }
}

// A word is the attribute `name`'s, or follows from the range: the nearest element that has either.
void read_range(const Attributes& a, const char* limited, const char* range,
                const MjcfCompiler& compiler, bool* is_limited, std::array<double, 2>* values) {
  const std::vector<double> given = a.numbers(range, 2, 2);
  if (!given.empty()) *values = {given[0], given[1]};
  if (a.has(limited) || !given.empty()) *is_limited = read_limited(a, limited, range, compiler);
}

void read_general(const Attributes& a, ActuatorData* d) {
  using D = ActuatorData;
  d->dynamics = a.keyword(
      "dyntype", {"none", "integrator", "filter", "filterexact", "muscle", "user", "dcmotor"},
      d->dynamics);
  d->gain = a.keyword("gaintype", {"fixed", "affine", "muscle", "user", "dcmotor"}, d->gain);
  d->bias = a.keyword("biastype", {"none", "affine", "muscle", "user", "dcmotor"}, d->bias);
  read_over(a, "dynprm", &d->dynprm);
  read_over(a, "gainprm", &d->gainprm);
  read_over(a, "biasprm", &d->biasprm);
  const bool plain =
      d->dynamics <= D::kFilterExact && d->gain <= D::kAffine && d->bias <= D::kAffineBias;
  if (!plain && !d->is_muscle()) {
    d->unsupported = "DC motors, types of the user and muscles in part are not known";
  }
}

void read_position(const Attributes& a, ActuatorData* d, bool integrated) {
  const double kp = a.number("kp", d->gainprm[0]);
  const double kv = a.number("kv", -d->biasprm[2]);
  d->gain = ActuatorData::kFixed;
  d->bias = ActuatorData::kAffineBias;
  d->gainprm = {kp};
  d->biasprm = {0, -kp, -kv};
  d->dampratio = a.number("dampratio", d->dampratio);
  if (a.has("kv")) d->dampratio = 0;
  d->inheritrange = a.number("inheritrange", d->inheritrange);
  if (integrated) {
    d->dynamics = ActuatorData::kIntegrator;
  } else if (const auto time = a.number("timeconst")) {
    d->dynprm[0] = *time;
    d->dynamics = *time > 0 ? ActuatorData::kFilterExact : ActuatorData::kNone;
  }
}

void read_muscle(const Attributes& a, ActuatorData* d) {
  using D = ActuatorData;
  if (!d->is_muscle()) {
    d->dynprm = {0.01, 0.04};
    d->gainprm = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
  }
  d->dynamics = D::kMuscle, d->gain = D::kMuscleGain, d->bias = D::kMuscleBias;
  read_over(a, "timeconst", &d->dynprm);
  d->dynprm[2] = a.number("tausmooth", d->dynprm[2]);
  read_over(a, "range", &d->gainprm);
  int i = 2;
  for (const char* name : {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"}) {
    d->gainprm[i] = a.number(name, d->gainprm[i]);
    ++i;
  }
  d->biasprm = d->gainprm;
}

// A word of `input` for each control; ranges hold where they are given.
void read_pid(const Attributes& a, ActuatorData* d) {
  using D = ActuatorData;
  d->dynamics = D::kNone, d->gain = D::kFixed, d->bias = D::kNoBias;
  PidServo pid = d->pid.value_or(PidServo{.kp = 1});
  pid.kp = a.number("kp", pid.kp);
  pid.kv = a.number("kv", pid.kv);
  pid.ki = a.number("ki", pid.ki);
  d->dampratio = a.has("kv") ? 0 : a.number("dampratio", d->dampratio);
  d->inheritrange = a.number("inheritrange", d->inheritrange);
  // Zero: without a limit.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (const auto most = a.number("imax")) pid.integral_limit = *most > 0 ? *most : kInfinity;
  if (const auto rate = a.number("slewmax")) pid.slew = *rate > 0 ? *rate : kInfinity;
  if (a.has("input")) {
    std::istringstream words(a.text("input"));
    d->position_input = pid.velocity_input = pid.feedforward_input = false;
    for (std::string word; words >> word;) {
      if (word == "pos") {
        d->position_input = true;
      } else if (word == "vel") {
        pid.velocity_input = true;
      } else if (word == "ff") {
        pid.feedforward_input = true;
      } else {
        a.error("input", fmt::format("input: '{}' is none of pos, vel and ff", word));
      }
    }
  } else if (!d->pid) {
    pid.velocity_input = true;
  }
  const auto read_ends = [&](const char* name, double* lower, double* upper) {
    const std::vector<double> ends = a.numbers(name, 2, 2);
    if (ends.empty() || (ends[0] == 0 && ends[1] == 0)) return false;
    *lower = ends[0], *upper = ends[1];
    return true;
  };
  read_ends("velrange", &pid.velocity_min, &pid.velocity_max);
  read_ends("ffrange", &pid.feedforward_min, &pid.feedforward_max);
  if (read_ends("posrange", &d->ctrlrange[0], &d->ctrlrange[1])) d->ctrllimited = true;
  d->pid = pid;
}

void read_cylinder(const Attributes& a, ActuatorData* d) {
  d->dynamics = ActuatorData::kFilter;
  d->gain = ActuatorData::kFixed;
  d->bias = ActuatorData::kAffineBias;
  d->dynprm[0] = a.number("timeconst", d->dynprm[0]);
  read_over(a, "bias", &d->biasprm);
  d->gainprm[0] = a.number("area", d->gainprm[0]);
  if (const auto diameter = a.number("diameter")) {
    d->gainprm[0] = std::numbers::pi / 4 * *diameter * *diameter;
  }
}

// A voltage u drives the current (u − K l̇)/R, and that the force K i. Two motor constants, of
// torque and of voltage, count by their geometric mean.
void read_dcmotor(const Attributes& a, ActuatorData* d) {
  const std::vector<double> constants = a.numbers("motorconst", 1, 2);
  const double resistance = a.number("resistance", 0);
  double constant = constants.empty() ? 0 : constants.front();
  if (constants.size() == 2) constant = std::sqrt(constants[0] * constants[1]);
  if (!(constant > 0) || !(resistance > 0)) {
    d->unsupported = "a DC motor is known by its motorconst and its resistance, both positive";
    return;
  }
  d->dynamics = ActuatorData::kNone;
  d->gain = ActuatorData::kFixed;
  d->bias = ActuatorData::kAffineBias;
  d->gainprm = {constant / resistance};
  d->biasprm = {0, 0, -constant * constant / resistance};
  a.approximate({"inductance"}, "the current follows the voltage at once");
  a.ignore({"nominal", "cogging", "saturation", "thermal", "lugre", "controller", "input"},
           "not known of DC motors");
}

}  // namespace

void read_actuator_data(const Attributes& a, const MjcfCompiler& compiler, ActuatorData* d) {
  using D = ActuatorData;
  const std::string& kind = a.element().name;
  read_range(a, "ctrllimited", "ctrlrange", compiler, &d->ctrllimited, &d->ctrlrange);
  read_range(a, "forcelimited", "forcerange", compiler, &d->forcelimited, &d->forcerange);
  read_range(a, "actlimited", "actrange", compiler, &d->actlimited, &d->actrange);
  read_over(a, "gear", &d->gear);
  a.accept({"name", "class", "group", "joint", "jointinparent", "tendon", "site", "refsite", "body",
            "cranksite", "slidersite", "cranklength"});
  a.ignore({"user"}, "data of the user");
  read_over(a, "lengthrange", &d->lengthrange);
  if (kind == "plugin") {
    a.accept({"actdim", "plugin", "instance"});
  } else {
    a.ignore({"actdim"}, "an activation is one number");
  }
  std::vector<double> more;
  d->damping = a.has("damping") ? read_polynomial(a, "damping", &more) : d->damping;
  d->armature = a.number("armature", d->armature);
  if (!more.empty()) {
    a.report(Severity::kApproximated, "damping", "damping: its first coefficient alone is taken");
  }
  a.ignore({"actearly"}, "there is no time step by which it could be late");
  a.ignore({"delay", "nsample", "interp"}, "controls are not delayed");
  if (kind != "pid") d->pid.reset();
  if (kind == "general" || kind == "plugin") {
    d->unsupported.clear();
    read_general(a, d);
  } else if (kind == "motor") {
    d->unsupported.clear();
    d->dynamics = D::kNone, d->gain = D::kFixed, d->bias = D::kNoBias;
    d->gainprm = {1}, d->biasprm = {};
  } else if (kind == "position" || kind == "intvelocity") {
    d->unsupported.clear();
    read_position(a, d, kind == "intvelocity");
  } else if (kind == "velocity") {
    d->unsupported.clear();
    const double kv = a.number("kv", d->gainprm[0]);
    d->dynamics = D::kNone, d->gain = D::kFixed, d->bias = D::kAffineBias;
    d->gainprm = {kv}, d->biasprm = {0, 0, -kv};
  } else if (kind == "damper") {
    d->unsupported.clear();
    d->dynamics = D::kNone, d->gain = D::kAffine, d->bias = D::kNoBias;
    d->gainprm = {0, 0, -a.number("kv", 1)};
    d->biasprm = {};
  } else if (kind == "cylinder") {
    d->unsupported.clear();
    read_cylinder(a, d);
  } else if (kind == "muscle") {
    d->unsupported.clear();
    read_muscle(a, d);
  } else if (kind == "adhesion") {
    d->unsupported.clear();
    d->dynamics = D::kNone, d->gain = D::kFixed, d->bias = D::kNoBias;
    d->gainprm = {a.number("gain", 1)}, d->biasprm = {};
  } else if (kind == "pid") {
    d->unsupported.clear();
    read_pid(a, d);
  } else if (kind == "dcmotor") {
    d->unsupported.clear();
    read_dcmotor(a, d);
  } else {
    d->unsupported = fmt::format("actuators of the kind <{}> are not known", kind);
  }
  if (!d->unsupported.empty()) mark_read(a.element());
}

double calc_critical_damping(const ActuatorData& d, double kp, double inertia) {
  return 2 * d.dampratio * std::sqrt(kp * inertia / (d.gear[0] * d.gear[0]));
}

ActuatorParameters make_law(const ActuatorData& d, double inertia, bool clamp_ctrl) {
  using D = ActuatorData;
  ActuatorParameters p;
  p.gear = d.gear[0];
  std::copy_n(d.gainprm.begin(), 3, p.gain.begin());
  std::copy_n(d.biasprm.begin(), 3, p.bias.begin());
  if (d.gain == D::kFixed) p.gain[1] = p.gain[2] = 0;
  if (d.bias == D::kNoBias) p.bias = {};
  if (d.dampratio > 0 && p.gear != 0) p.bias[2] = -calc_critical_damping(d, p.gain[0], inertia);
  p.has_input = d.position_input || !d.pid;
  if (d.dynamics == D::kIntegrator) p.dynamics = ActuatorDynamics::kIntegrator;
  if (d.dynamics == D::kFilter || d.dynamics == D::kFilterExact) {
    p.dynamics = ActuatorDynamics::kFilter;
    p.time_constant = d.dynprm[0];
  }
  if (d.actlimited && p.dynamics != ActuatorDynamics::kNone) {
    p.activation_min = d.actrange[0];
    p.activation_max = d.actrange[1];
  }
  if (d.ctrllimited && clamp_ctrl) {
    p.ctrl_min = d.ctrlrange[0];
    p.ctrl_max = d.ctrlrange[1];
  }
  return p;
}

TendonData read_tendon_data(const Attributes& a, const MjcfCompiler& compiler) {
  TendonData t;
  t.name = a.text("name");
  t.limited = read_limited(a, "limited", "range", compiler);
  const std::vector<double> range = a.numbers("range", 2, 2);
  if (!range.empty()) t.range = {range[0], range[1]};
  t.margin = read_margin(a, t.limited, t.range);
  t.limited = t.limited && t.range[0] <= t.range[1];
  t.stiffness = read_polynomial(a, "stiffness", &t.more_stiffness);
  t.damping = read_polynomial(a, "damping", &t.more_damping);
  t.frictionloss = a.number("frictionloss", 0);
  t.armature = a.number("armature", 0);
  const std::vector<double> spring = a.numbers("springlength", 1, 2);
  if (spring.size() == 1) t.springlength = {spring[0], spring[0]};
  if (spring.size() == 2) t.springlength = spring;
  a.accept({"class", "group"});
  a.ignore({"user"}, "data of the user");
  a.ignore({"width", "material", "rgba"}, "tendons are not drawn");
  t.limit = read_soft_parameters(a, "solreflimit", "solimplimit");
  t.force_limited = read_limited(a, "actuatorfrclimited", "actuatorfrcrange", compiler);
  read_over(a, "actuatorfrcrange", &t.force_range);
  a.ignore({"solreffriction", "solimpfriction"}, "not known of tendons");
  return t;
}

}  // namespace cenic::detail

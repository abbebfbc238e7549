// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "convex/solver.h"
#include "core/error.h"
#include "integrators/baselines/baselines.h"

namespace cenic {
namespace {

// Points closer than this fraction of the accuracy are contacts. Measured on hard clutter at 1e-3:
// a tenth needs 8 % fewer iterations than none, and no more contacts to speak of; a Newton's cradle
// gains no energy.
constexpr double kProximity = 0.1;
// A constraint that is off by this many times the accuracy still returns in one step: full step and
// halves then differ by 1 % of it, which leaves room for several rows and lever arms.
constexpr double kRecoverAtOnce = 3;

struct Switch {
  const char* name;
  bool IntegratorOptions::*member;
  const char* description;
};
constexpr Switch kSwitches[] = {
    {"islands", &IntegratorOptions::islands,
     "solve trees coupled by contacts or constraints on their own"},
    {"error_unit_tolerance", &IntegratorOptions::error_unit_tolerance,
     "solver tolerance in units of the error norm"},
    {"wolfe_line_search", &IntegratorOptions::wolfe_line_search,
     "line search to a tenth of the slope, not exact"},
    {"friction_majorant", &IntegratorOptions::friction_majorant,
     "contacts about to stick do not stop the line search"},
    {"affine_line_search", &IntegratorOptions::affine_line_search,
     "trials of the line search cost no Jacobian product"},
    {"exponential_map", &IntegratorOptions::exponential_map, "rotations by the exponential map"},
    {"size_weighted_norm", &IntegratorOptions::size_weighted_norm,
     "rotations count by the displacement they cause"},
    {"speculative_contacts", &IntegratorOptions::speculative_contacts,
     "contacts that close within the step take part"},
    {"face_bias", &IntegratorOptions::face_bias,
     "no chatter between contact of faces and of edges"},
    {"pi_controller", &IntegratorOptions::pi_controller,
     "proportional-integral control of the step size"},
    {"implicit_gyroscopics", &IntegratorOptions::implicit_gyroscopics,
     "gyroscopic torques at the end of the step"},
    {"contact_inertia", &IntegratorOptions::contact_inertia,
     "contacts of jointed bodies feel what hangs on them"},
    {"extrapolate", &IntegratorOptions::extrapolate,
     "second order where the contacts did not change"},
    {"third_order", &IntegratorOptions::third_order,
     "third order in calm motion, where that is cheaper"},
    {"local_steps", &IntegratorOptions::local_steps,
     "islands that need shorter steps take them on their own"},
    {"simd_assembly", &IntegratorOptions::simd_assembly,
     "contact Jacobians and Hessians eight numbers at a time"},
    {"reuse_hessian", &IntegratorOptions::reuse_hessian,
     "keep factorisations between iterations and steps"},
    {"dense", &IntegratorOptions::dense, "factorise each island as one dense matrix"},
};

struct Number {
  const char* name;
  double IntegratorOptions::*member;
  const char* description;
};
constexpr Number kNumbers[] = {
    {"newton_fraction", &IntegratorOptions::newton_fraction,
     "tolerance of the solver, over the accuracy"},
    {"gradient_fraction", &IntegratorOptions::gradient_fraction, "likewise, of an accepted guess"},
    {"kappa", &IntegratorOptions::kappa,
     "likewise, of the published rule (error_unit_tolerance=false)"},
    {"friction_regularization", &IntegratorOptions::friction_regularization,
     "sigma: slip at which friction is full, over its scale"},
    {"min_step", &IntegratorOptions::min_step, "smallest step, s; 0: what rounding allows"},
};

}  // namespace

DynamicsOptions IntegratorOptions::dynamics() const {
  return {.contact = {.speculative = speculative_contacts,
                      .proximity = fixed_step > 0 ? 0 : kProximity * accuracy,
                      .face_bias = face_bias,
                      .quadrature = quadrature},
          .islands = islands,
          .implicit_gyroscopics = implicit_gyroscopics,
          .contact_inertia = contact_inertia,
          .friction_regularization = friction_regularization,
          .recovery = {.distance = std::min(kRecoverAtOnce * accuracy, 1e-3)},
          .external = external};
}

SolverOptions IntegratorOptions::solver() const {
  SolverOptions o;
  o.rule = error_unit_tolerance ? ToleranceRule::kErrorUnits : ToleranceRule::kScaled;
  o.newton_fraction = newton_fraction;
  o.gradient_fraction = gradient_fraction;
  o.kappa = kappa;
  o.bound_velocities = error_norm == ErrorNorm::kState;
  o.exact_line_search = !wolfe_line_search;
  o.friction_majorant = friction_majorant;
  o.affine_line_search = affine_line_search;
  o.simd_assembly = simd_assembly;
  o.reuse_hessian = reuse_hessian;
  o.dense = dense;
  return o;
}

const std::vector<std::string>& list_integrators() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list{"cenic", "cenic-paper", "cenic-trapezoid"};
    for (const Baseline& baseline : list_baselines()) {
      list.emplace_back(baseline.name);
    }
    return list;
  }();
  return names;
}

IntegratorOptions make_integrator_options(const std::string& name) {
  IntegratorOptions o;
  o.name = name;
  if (name == "cenic") return o;
  if (name == "cenic-paper") {
    for (bool IntegratorOptions::*part :
         {&IntegratorOptions::islands, &IntegratorOptions::error_unit_tolerance,
          &IntegratorOptions::wolfe_line_search, &IntegratorOptions::friction_majorant,
          &IntegratorOptions::exponential_map, &IntegratorOptions::size_weighted_norm,
          &IntegratorOptions::speculative_contacts, &IntegratorOptions::face_bias,
          &IntegratorOptions::pi_controller, &IntegratorOptions::implicit_gyroscopics,
          &IntegratorOptions::contact_inertia, &IntegratorOptions::extrapolate,
          &IntegratorOptions::third_order, &IntegratorOptions::local_steps}) {
      o.*part = false;
    }
    o.friction_regularization = 1e-3;
    o.external = ExternalTreatment::kDiagonal;
    return o;
  }
  if (name == "cenic-trapezoid") {
    o.extrapolate = o.third_order = o.local_steps = false;
    o.implicit_gyroscopics = false;  // the mean of both ends takes their place
    return o;
  }
  if (find_baseline(name) != nullptr) {
    o.pi_controller = false;
    return o;
  }
  const char* reason = name == "cvode" ? ": cenic was built without SUNDIALS" : "";
  throw Error(fmt::format("unknown integrator '{}'{}; choose one of {}", name, reason,
                          fmt::join(list_integrators(), ", ")));
}

std::vector<OptionInfo> list_option_infos(const IntegratorOptions& defaults) {
  std::vector<OptionInfo> infos;
  for (const Switch& s : kSwitches) {
    infos.push_back({s.name, defaults.*s.member ? "true" : "false", s.description});
  }
  for (const Number& n : kNumbers) {
    infos.push_back({n.name, fmt::format("{:g}", defaults.*n.member), n.description});
  }
  return infos;
}

void set_option(IntegratorOptions* options, const std::string& name, const std::string& value) {
  for (const Switch& s : kSwitches) {
    if (name != s.name) continue;
    if (value != "true" && value != "false" && value != "1" && value != "0") {
      throw Error(fmt::format("integrator.{} is '{}'; give true or false", name, value));
    }
    options->*s.member = value == "true" || value == "1";
    return;
  }
  for (const Number& n : kNumbers) {
    if (name != n.name) continue;
    double x = 0;
    const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), x);
    if (status != std::errc() || end != value.data() + value.size() || !std::isfinite(x) || x < 0) {
      throw Error(
          fmt::format("integrator.{} is '{}'; give a number that is not negative", name, value));
    }
    options->*n.member = x;
    return;
  }
  std::string known;
  for (const OptionInfo& option : list_option_infos({})) {
    known += (known.empty() ? "" : ", ") + option.name;
  }
  throw Error(fmt::format("unknown option integrator.{}; known are {}", name, known));
}

void set_external_option(IntegratorOptions* options, const std::string& name,
                         const std::string& value) {
  if (name != "treatment") {
    throw Error(fmt::format("unknown option external.{}; known is treatment", name));
  }
  for (const ExternalTreatment t :
       {ExternalTreatment::kImplicit, ExternalTreatment::kDiagonal, ExternalTreatment::kExplicit}) {
    if (value != to_string(t)) continue;
    options->external = t;
    return;
  }
  throw Error(
      fmt::format("external.treatment is '{}'; give implicit, diagonal or explicit", value));
}

void set_quadrature(IntegratorOptions* options, const std::string& value) {
  for (const SurfaceQuadrature q :
       {SurfaceQuadrature::kReduced, SurfaceQuadrature::kPolygons, SurfaceQuadrature::kCentroid}) {
    if (value != to_string(q)) continue;
    options->quadrature = q;
    return;
  }
  throw Error(
      fmt::format("hydroelastic.quadrature is '{}'; give reduced, polygons or centroid", value));
}

std::vector<std::pair<std::string, std::string>> list_option_values(const IntegratorOptions& o) {
  const auto text = [](double x) {
    return fmt::format("{}", x);
  };
  std::vector<std::pair<std::string, std::string>> values{
      {"integrator", o.name},
      {"accuracy", text(o.accuracy)},
      {"max_step", text(o.max_step)},
      {"fixed_step", text(o.fixed_step)},
      {"error_norm", o.error_norm == ErrorNorm::kState ? "state" : "position"},
      {"error_weights", fmt::format("{}", fmt::join(o.error_weights, " "))},
      {"external.treatment", to_string(o.external)},
      {"quadrature", to_string(o.quadrature)}};
  for (const Switch& s : kSwitches) {
    values.emplace_back(s.name, o.*s.member ? "true" : "false");
  }
  for (const Number& n : kNumbers) {
    values.emplace_back(n.name, text(o.*n.member));
  }
  return values;
}

void validate(const IntegratorOptions& o) {
  const auto positive = [](const char* what, double x) {
    if (!(x > 0) || !std::isfinite(x)) {
      throw Error(fmt::format("{} is {}; give a positive number", what, x));
    }
  };
  positive("accuracy", o.accuracy);
  positive("max_step", o.max_step);
  if (o.accuracy < 1e-13) {
    throw Error(fmt::format("accuracy is {}; below 1e-13 there is only roundoff", o.accuracy));
  }
  if (o.fixed_step != 0) {
    positive("step", o.fixed_step);
    if (o.fixed_step > o.max_step) {
      throw Error(
          fmt::format("step {} s is larger than max_step {} s; lower the step or raise max_step",
                      o.fixed_step, o.max_step));
    }
  }
  if (!(o.min_step >= 0) || o.min_step > o.max_step) {
    throw Error(fmt::format("min_step is {} s; give a number between 0 and max_step {} s",
                            o.min_step, o.max_step));
  }
  positive("newton_fraction", o.newton_fraction);
  positive("gradient_fraction", o.gradient_fraction);
  if (o.threads < 1 || o.threads > 256) {
    throw Error(fmt::format("threads is {}; give a number from 1 to 256", o.threads));
  }
  for (const double w : o.error_weights) {
    if (!(w >= 0) || !std::isfinite(w)) {
      throw Error(fmt::format("an error weight is {}; weights are finite and not negative", w));
    }
  }
}

}  // namespace cenic

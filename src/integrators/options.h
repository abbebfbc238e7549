// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the user may choose about the integration. `cenic` is the default configuration;
// `cenic-paper` is step doubling as published, on the same kernels (docs/method.md names the two
// additions: implicit joint springs and dry friction). Every difference between the two is a
// switch.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dynamics/options.h"
#include "multibody/multibody.h"

namespace cenic {

struct SolverOptions;

enum class ErrorNorm {
  kPosition,  // coordinates alone, weighted by size (default)
  kState,     // coordinates and velocities
};

struct IntegratorOptions {
  std::string name = "cenic";
  double accuracy = 1e-3;  // bound of the local error of a step, see docs/accuracy.md
  double max_step = 0.1;   // s
  double min_step = 0;     // s; never below 1e-14 max(1, t)
  double fixed_step = 0;   // s; > 0: no error control
  ErrorNorm error_norm = ErrorNorm::kPosition;
  std::vector<double> error_weights{};  // S, metres per unit of each velocity (nv); empty: by
                                        // coordinate type and size
  int threads = 1;

  // Switches; docs/method.md says what each is for and what it measured.
  bool islands = true;  // solve trees coupled by contacts or constraints on their own
  // Newton stops in units of the error norm, not of scene-wide momentum.
  bool error_unit_tolerance = true;
  bool wolfe_line_search = true;   // line search to a tenth of the slope instead of exact
  bool friction_majorant = true;   // contacts about to stick do not stop the line search
  bool affine_line_search = true;  // trials cost no Jacobian product and no Hessian
  bool exponential_map = true;     // rotations by the exponential map
  // Rotations count by the displacement they cause; false: raw coordinates.
  bool size_weighted_norm = true;
  bool speculative_contacts = true;  // contacts that close within the step
  bool face_bias = true;             // no chatter between face and edge contact
  bool pi_controller = true;         // proportional-integral step-size control
  bool implicit_gyroscopics = true;  // fast spinning bodies gain no energy
  bool contact_inertia = true;       // contacts of jointed bodies feel what they hang on
  bool extrapolate = true;     // second order where the contacts did not change during the step
  bool third_order = true;     // a third column of extrapolation where that is cheaper
  bool local_steps = true;     // islands that need shorter steps than most take them on their own
  bool simd_assembly = true;   // contact Jacobians and Hessians eight numbers at a time
  bool reuse_hessian = false;  // keep factorisations between iterations, solves and steps
  bool dense = false;          // dense factorisation
  ExternalTreatment external = ExternalTreatment::kImplicit;   // of external systems
  SurfaceQuadrature quadrature = SurfaceQuadrature::kReduced;  // of hydroelastic contact
  double newton_fraction = 0.1;  // solver tolerance as a fraction of the accuracy
  double gradient_fraction = 0.01;
  double kappa = 1e-3;  // the same of the paper's tolerance (error_unit_tolerance off)
  // The paper's reference: 1e-3; smaller creeps less at long steps.
  double friction_regularization = 3e-4;

  DynamicsOptions dynamics() const;
  SolverOptions solver() const;
  RotationUpdate rotation_update() const {
    return exponential_map ? RotationUpdate::kExponential : RotationUpdate::kNormalized;
  }
};

// Names of the integrators: "cenic", "cenic-paper", "cenic-trapezoid", then the baselines.
const std::vector<std::string>& list_integrators();
// Throws Error for an unknown name.
IntegratorOptions make_integrator_options(const std::string& name);
// Sets a switch or number by its name, e.g. ("islands", "false"); throws Error for an unknown name
// or a bad value.
void set_option(IntegratorOptions* options, const std::string& name, const std::string& value);
struct OptionInfo {
  std::string name, value, description;
};
std::vector<OptionInfo> list_option_infos(const IntegratorOptions& defaults);
// The same for external systems: ("treatment", "implicit" | "diagonal" | "explicit").
void set_external_option(IntegratorOptions* options, const std::string& name,
                         const std::string& value);
// The quadrature of contact surfaces: "reduced", "polygons" or "centroid".
void set_quadrature(IntegratorOptions* options, const std::string& value);
// Every option that the results depend on, as text: (name, value), shortest numbers that read back.
std::vector<std::pair<std::string, std::string>> list_option_values(
    const IntegratorOptions& options);
// Throws Error when a value makes no sense, naming it.
void validate(const IntegratorOptions& options);

}  // namespace cenic

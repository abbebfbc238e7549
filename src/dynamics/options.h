// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What may be chosen about the forces of a step.
#pragma once

#include "convex/constraint_law.h"
#include "geometry/hydroelastic/surface_quadrature.h"

namespace cenic {

struct ContactOptions {
  bool speculative = true;  // include points that close their gap within the horizon
  // Speculative points also when they do not close but are nearer than this, m: a body that is hit
  // during the step must not be driven into the one it nearly touches.
  double proximity = 0;
  bool face_bias = true;                                       // see ManifoldOptions
  SurfaceQuadrature quadrature = SurfaceQuadrature::kReduced;  // of hydroelastic contact
};

// Of external systems; in the terms of external_forces.h.
enum class ExternalTreatment {
  kImplicit,  // C the positive part of the symmetric part of G
  kDiagonal,  // C = max(0, diag G), as in the paper
  kExplicit,  // C = 0, everything at the start of the step
};
const char* to_string(ExternalTreatment treatment);

struct DynamicsOptions {
  ContactOptions contact;
  bool islands = true;               // false: one problem for the whole scene
  bool implicit_gyroscopics = true;  // torques w × I w of single bodies at the end of the step
  bool contact_inertia = true;  // contacts of jointed bodies feel their inertia, not a link's mass
  double friction_regularization = 3e-4;  // see ConvexProblem
  Recovery recovery{};                    // of violated constraints
  ExternalTreatment external = ExternalTreatment::kImplicit;
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What a step says of its contacts and constraints.
#pragma once

#include "dynamics/contact_point.h"
#include "geometry/hydroelastic/surface_counters.h"
#include "math/spatial.h"
#include "multibody/constraints.h"

namespace cenic {

// A contact with the force the solver applied.
struct ContactReport {
  ContactPoint point;
  Vec3 force_B_W;   // on B at p_WC, N (mean over the step that was solved last)
  Vec3 torque_B_W;  // likewise: of torsional and rolling friction, N m
  Vec3 slip_W;      // of B's surface on A's at the end of that step, moving surfaces included, m/s
};

// No more than its force, in the contact's own frame C (make_contact_frame()), as the solver has
// it; the point is that of whoever reports, until the next step.
struct ContactForce {
  const ContactPoint* point = nullptr;
  Vec3 force_B_C;
};
inline const ContactPoint& get_point(const ContactReport& report) { return report.point; }
inline const ContactPoint& get_point(const ContactForce& force) { return *force.point; }

// A constraint with the force the solver applied.
struct ConstraintReport {
  int constraint = -1;                 // of Model::constraints
  int rows = 0;                        // see num_rows()
  double error[kMaxConstraintRows]{};  // g at the start of the step, m or rad
  double force[kMaxConstraintRows]{};  // multiplier of each row, N or N m
  Spatial F_B_W{};  // the same as moment and force on B at p_WC (not for couplers)
  Vec3 p_WC{};
};

}  // namespace cenic

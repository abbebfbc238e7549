// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The potential of hydroelastic contact. For reports and tests: steps never need it.
#pragma once

#include "geometry/hydroelastic/pressure_field.h"
#include "math/rigid_transform.h"

namespace cenic {

// U(X_MN) = ∫ min(p_M, p_N) dV over the overlap of M and N, J; with a rigid one of the two, ∫ p of
// the other. The elastic force and torque are −dU/dq: p = 0 on both surfaces, so U changes only by
// what the contact surface sweeps, p n dA (divergence theorem). Exact for the fields as they are
// tiled; a compliant ball on a half space has the closed forms that its forces have, too
// (add_ball_points). Either may be the rigid one, or a half space; zero when both are.
double calc_overlap_energy(const PressureField& M, const PressureField& N,
                           const RigidTransform& X_MN);

}  // namespace cenic

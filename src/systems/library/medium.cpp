// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/medium.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "math/symmetric_eigen.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {

void set_inertia_box(double mass, const Vec3& com, const Mat3& I_com, MediumParameters* medium) {
  std::array<double, 9> A{}, V{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      A[3 * i + j] = 0.5 * (I_com(i, j) + I_com(j, i));
    }
  }
  diagonalize_symmetric(3, A.data(), V.data());
  const Vec3 x{V[0], V[1], V[2]}, y{V[3], V[4], V[5]};
  medium->X_BI = {Mat3::from_columns(x, y, cross(x, y)), com};
  // I_x = m/3 (r_y² + r_z²)
  const double sum = A[0] + A[4] + A[8];
  for (int i = 0; i < 3; ++i) {
    medium->half_sizes[i] = std::sqrt(1.5 * std::max(0.0, sum - 2 * A[4 * i]) / mass);
  }
}

void Medium::declare(Ports* ports) const {
  detail::check_finite("X_BI", p_.X_BI);
  detail::check_finite("half_sizes", p_.half_sizes);
  detail::check_not_negative("density", p_.density);
  detail::check_not_negative("viscosity", p_.viscosity);
  detail::check_finite("wind", p_.wind);
  ports->push_body(p_.body);
  ports->depends_on_time = false;
}

// Velocities against the medium and forces along the axes of the box, and −∂force/∂velocity.
struct Medium::Drag {
  Mat3 R_WI;
  Vec3 arm;  // from the body's origin to the box, world axes
  Spatial force, slope;
};

Medium::Drag Medium::calc_drag(const SystemInput& in) const {
  Drag drag;
  const RigidTransform& X_WB = in.X_WB(0);
  drag.R_WI = X_WB.R * p_.X_BI.R;
  drag.arm = X_WB.R * p_.X_BI.p;
  const Spatial V = shift_motion(in.V_WB(0), drag.arm);
  const Vec3 w = transpose_times(drag.R_WI, V.w), v = transpose_times(drag.R_WI, V.v - p_.wind);
  const Vec3& r = p_.half_sizes;
  const double mean = (r.x + r.y + r.z) / 3;
  for (int i = 0; i < 3; ++i) {
    const double rj = r[(i + 1) % 3], rk = r[(i + 2) % 3];
    const double linear = 6 * std::numbers::pi * p_.viscosity * mean;
    const double angular = 8 * std::numbers::pi * p_.viscosity * mean * mean * mean;
    const double quadratic = 2 * p_.density * rj * rk * std::fabs(v[i]);
    const double spin =
        0.5 * p_.density * r[i] * (std::pow(rj, 4) + std::pow(rk, 4)) * std::fabs(w[i]);
    drag.force.v[i] = -(linear + quadratic) * v[i];
    drag.force.w[i] = -(angular + spin) * w[i];
    drag.slope.v[i] = linear + 2 * quadratic;
    drag.slope.w[i] = angular + 2 * spin;
  }
  return drag;
}

void Medium::evaluate(const SystemInput& in, SystemOutput* out) const {
  const Drag drag = calc_drag(in);
  const Vec3 force = drag.R_WI * drag.force.v;
  out->F[0] = {drag.R_WI * drag.force.w + cross(drag.arm, force), force};
}

bool Medium::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const Drag drag = calc_drag(in);
  const std::span<const Spatial> columns = in.calc_body_jacobian(0);
  for (int d = 0; d < static_cast<int>(columns.size()); ++d) {
    const Spatial V = shift_motion(columns[d], drag.arm);
    const Vec3 w = transpose_times(drag.R_WI, V.w), v = transpose_times(drag.R_WI, V.v);
    Vec3 f, g;
    for (int i = 0; i < 3; ++i) {
      f[i] = -drag.slope.v[i] * v[i];
      g[i] = -drag.slope.w[i] * w[i];
    }
    const Vec3 force = drag.R_WI * f, torque = drag.R_WI * g + cross(drag.arm, force);
    for (int i = 0; i < 3; ++i) {
      (*J)(J->F(0, i), J->v(d)) = torque[i];
      (*J)(J->F(0, 3 + i), J->v(d)) = force[i];
    }
  }
  return true;
}

}  // namespace cenic

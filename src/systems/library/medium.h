// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Medium: air or water around a body, as MuJoCo's inertia-based fluid model has it. The body counts
// as the box with half sizes r of its inertia, at its centre of mass; with v and w its velocities
// against the medium along the axes of the box, density ρ, viscosity β and r̄ the mean of r,
//
//   f_i = −6 π β r̄ v_i − 2 ρ r_j r_k |v_i| v_i
//   g_i = −8 π β r̄³ w_i − ½ ρ r_i (r_j⁴ + r_k⁴) |w_i| w_i
#pragma once

#include <string>
#include <tuple>

#include "math/spatial.h"
#include "model/external_system.h"

namespace cenic {

struct MediumParameters {
  std::string body{};
  RigidTransform X_BI{};  // the box
  Vec3 half_sizes{};      // r, m
  double density = 0;     // ρ, kg/m³
  double viscosity = 0;   // β, Pa s
  Vec3 wind{};            // velocity of the medium in world, m/s
};

// The box whose mass and inertia are those given: pose in the body and half sizes.
void set_inertia_box(double mass, const Vec3& com, const Mat3& I_com, MediumParameters* medium);

class Medium : public ExternalSystem {
 public:
  explicit Medium(MediumParameters parameters) : p_(std::move(parameters)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  // By the velocities alone.
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  struct Drag;
  Drag calc_drag(const SystemInput& in) const;
  MediumParameters p_;
};

}  // namespace cenic

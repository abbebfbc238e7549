// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Forces on bodies that are not joints, contacts or constraints.
#pragma once

#include <functional>
#include <string>
#include <tuple>

#include "math/spatial.h"
#include "model/external_system.h"
#include "model/model_spec.h"

namespace cenic {

// Between the point P of A and the point Q of B, either of which may be the world's.
struct SpringDamperParameters {
  std::string a{}, b{kWorldName};
  Vec3 p_AP{}, p_BQ{};
  double rest_length = 0;  // m
  double stiffness = 0;    // N/m
  double damping = 0;      // N s/m
};

// Pulls P and Q together by k (l − l₀) + d l̇ along the line between them; along x where they
// coincide.
class SpringDamper : public ExternalSystem {
 public:
  explicit SpringDamper(SpringDamperParameters parameters) : p_(std::move(parameters)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  // Exact at rest; in motion without how the axes of joints turn the velocities of P and Q.
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  struct Line;
  Line calc_line(const SystemInput& in) const;
  SpringDamperParameters p_;
};

// A force at the point P of a body and a torque, along the axes of the world or of the body.
struct BodyForceParameters {
  std::string body{};
  Vec3 p_BP{};
  Spatial F{};  // torque and force
  bool body_axes = false;
  std::function<Spatial(double t)> script{};  // instead of F
};

class BodyForce : public ExternalSystem {
 public:
  explicit BodyForce(BodyForceParameters parameters) : p_(std::move(parameters)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  Spatial calc_force_at_origin(const SystemInput& in) const;
  BodyForceParameters p_;
};

}  // namespace cenic

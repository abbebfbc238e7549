// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Adhesion: a body draws everything that its geometries touch towards itself, as MuJoCo's actuator
// of that name.
#pragma once

#include <limits>
#include <string>
#include <tuple>

#include "model/external_system.h"

namespace cenic {

struct AdhesionParameters {
  std::string body{};
  double gain = 1;  // N per unit of the input
  double ctrl_min = 0;
  double ctrl_max = std::numeric_limits<double>::infinity();
  double gap = 1e-3;  // what is nearer than that is touched, m
};

// The input `ctrl` times the gain is a force that is shared among the points of contact, along
// their normals: on the body, and opposite on what it touches. Each counts in full when it touches,
// and less the nearer it is to the gap; the force fades where there is no full one. Output `force`.
class Adhesion : public ExternalSystem {
 public:
  explicit Adhesion(AdhesionParameters parameters) : p_(std::move(parameters)) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;
  // None: the force depends on where bodies are as contacts do, but is not stiff.
  bool differentiate(const SystemInput& in, SystemJacobian* jacobian) const override;
  auto parameters() const { return std::tie(p_); }

 private:
  AdhesionParameters p_;
};

}  // namespace cenic

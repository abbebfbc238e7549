// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A spring from a point of a body to a point that the user moves.
#pragma once

#include <memory>
#include <string>

#include "model/external_system.h"
#include "model/model.h"
#include "model/model_spec.h"

namespace cenic {

// Pulls the point P of the body towards its input `target`, a point of the world.
class MouseSpring : public ExternalSystem {
 public:
  MouseSpring(std::string body, const Vec3& p_BP, double stiffness, double damping)
      : body_(std::move(body)), p_BP_(p_BP), stiffness_(stiffness), damping_(damping) {}
  void declare(Ports* ports) const override;
  void evaluate(const SystemInput& in, SystemOutput* out) const override;

 private:
  std::string body_;
  Vec3 p_BP_;
  double stiffness_, damping_;
};

// The HeldInput that says where the spring pulls to.
inline constexpr const char* kMouseTarget = "mouse target";

// As suits the mass of the body's tree, N/m.
double calc_mouse_stiffness(const Model& model, int body);

// The same world with a spring at the point P of a body that moves.
std::shared_ptr<const Model> add_mouse_spring(const ModelSpec& spec, const Model& model, int body,
                                              const Vec3& p_BP, const Vec3& target);

// The state of a world in one that has the same bodies and joints: systems are matched by name, and
// start anew where they are not in both.
State convert_state(const Model& from, const State& state, const Model& to);

}  // namespace cenic

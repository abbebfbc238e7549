// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Contacts at any state, for energies of frames that the integrator did not know.
#pragma once

#include <memory>

#include "dynamics/step_dynamics.h"
#include "sim/simulator.h"

namespace cenic {

class ContactQuery {
 public:
  explicit ContactQuery(const Model& model) : model_(model) {}  // the model must outlive it

  // By the rules of a simulation of the model.
  const StepDynamics& at(const State& state, const Simulator& sim) {
    if (!dynamics_) dynamics_ = std::make_unique<StepDynamics>(model_);
    PhaseTicks unused;
    dynamics_->build_geometry(state, sim.options().dynamics(), &unused);
    return *dynamics_;
  }

 private:
  const Model& model_;
  std::unique_ptr<StepDynamics> dynamics_;  // most runs need none
};

}  // namespace cenic

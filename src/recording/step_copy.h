// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A step on its way from the simulation to whoever makes frames of it.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/archive.h"
#include "recording/recording.h"
#include "sim/simulator.h"

namespace cenic {

// What a step left behind. It goes from one core to another, where each byte costs: contacts have
// the 32 bits that files keep of them, but for the normal, which makes the frame of their force.
struct StepCopy {
  struct Contact {
    int geometry_a = -1, geometry_b = -1;
    Vec3 nhat_AB_W;
    std::array<float, 3> point_W{}, force_B_C{};
    float penetration = 0;
  };

  bool whole = false;  // false: only `step` counts
  // Where a run goes on, or ended between two frames: only `after` and contacts count.
  bool stands = false;
  // It begins where the copy in the same place ended, which was whole; sampled states may differ.
  bool follows = false;
  State before{}, after{};
  StepPath path{};  // for frames within the step; take() leaves it alone
  RecordedStep step{};
  // Elastic energy at both ends, J, without that of contact surfaces, where the integrator knew it.
  std::optional<double> energy_before{}, energy_after{};
  std::vector<Contact> contacts{};  // that touch or carry a force
  Measurements measurements{};      // when some system reads them

  void take(const StepEvent& event, const Simulator& sim, std::vector<ContactForce>* scratch);
  // The same without where it came from.
  void take_end(const StepEvent& event, const Simulator& sim, std::vector<ContactForce>* scratch);
  void take_step(const StepEvent& event, const Simulator& sim);
  // No step, but where the simulation stands.
  void take_standing(const Simulator& sim, std::vector<ContactForce>* scratch);

  // To one block of bytes and back, for the way to another thread. What follows says where it came
  // from by what was exchanged before it.
  void exchange(Archive* archive);

 private:
  void take_contacts(const Simulator& sim, std::vector<ContactForce>* scratch);
};

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Runs a scene of free bodies in MuJoCo, as a peer: same masses, shapes, initial state and
// friction; MuJoCo's own contact model and default solver.
#pragma once

#include "model/model_spec.h"

namespace cenic {

struct PeerRun {
  double wall_seconds = 0;
  double max_penetration = 0;
  double kinetic_energy = 0;  // at the end, J
};

// contact_time: the time constant of all contacts, s (the first number of solref, which MuJoCo
// keeps at two steps or more); 0: MuJoCo's default. Throws Error when the scene has something this
// exporter does not know (joints, meshes).
PeerRun run_mujoco(const ModelSpec& spec, double timestep, double duration,
                   double contact_time = 0);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Mass, centre of mass and inertia of a body of the spec. Private to the model module.
#pragma once

#include "model/model_spec.h"
#include "model/problems.h"
#include "model/topology.h"

namespace cenic::detail {

// About the body's origin in body axes: as given, else the sum of density times the solid of each
// geometry.
SpatialInertia calc_body_inertia(const BodySpec& body);

// Reports a negative mass, or an inertia that no distribution of mass has.
void check_inertia(const BodySpec& body, Problems* problems);

// Reports the joints that move no mass and have no armature: their acceleration would not be
// defined.
void check_moved_mass(const ModelSpec& spec, const Topology& topology, Problems* problems);

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Checks of single entries of a ModelSpec: names and numbers. Private to the model module.
#pragma once

#include "model/model_spec.h"
#include "model/problems.h"
#include "model/topology.h"

namespace cenic::detail {

// Names: no body without one, none twice, none called 'world'.
void check_names(const ModelSpec& spec, Problems* problems);

// Numbers of the world, of each body, its geometries and its joints.
void check_numbers(const ModelSpec& spec, Problems* problems);

// One joint of one body (validate_joint.cpp).
void check_joint(const BodySpec& body, int joint, Problems* problems);

// Names and numbers of the constraints, and whether there is something between their sides to
// constrain; the last needs the topology, null when there is none (validate_constraint.cpp).
void check_constraints(const ModelSpec& spec, const Topology* topology, Problems* problems);

// Stiffness is positive, infinite for rigid, and what is rigid has no damping.
void check_compliance(const std::string& who, const char* what, double stiffness, double damping,
                      Problems* problems);

}  // namespace cenic::detail

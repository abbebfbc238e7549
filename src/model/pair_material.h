// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What two materials make of a contact.
#pragma once

#include "model/model.h"

namespace cenic {

// Springs in series; friction by the rule of the two sides; dissipation weighted by the other
// side's stiffness, so that the softer side, which deforms more, counts more.
PairMaterial combine_materials(const Material& a, const Material& b);
// Of the geometries a and b, with what a ContactPair gives. Between pressure fields the moduli are
// the stiffnesses.
PairMaterial combine_materials(const Model& model, int a, int b);

// What a ContactPair gives for the geometries a and b; nullptr: nothing.
const PairMaterial* find_pair_material(const Model& model, int a, int b);

// The part of the deformation that B takes, 0 to 1: a contact point is where both surfaces meet.
double calc_share_of_b(const Material& a, const Material& b);

}  // namespace cenic

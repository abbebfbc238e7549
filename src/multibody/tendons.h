// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Kinematics of tendons: length, rate, and the row of the rate. No heap.
#pragma once

#include <span>

#include "model/model.h"
#include "multibody/multibody.h"

namespace cenic {

double calc_tendon_length(const Model& model, const Kinematics& kin, std::span<const double> q,
                          int index);
// l̇; needs the velocities.
double calc_tendon_rate(const Model& model, const Kinematics& kin, std::span<const double> v,
                        int index);
// J[i] += scale ∂l̇/∂v_i, i over the velocities of `tree`. No effect when the tree is none of the
// tendon's.
void add_tendon_row(const Model& model, const Kinematics& kin, int index, int tree, double scale,
                    double* J);
// l̈ at v̇ = 0, which is J̇ v, of a tendon without obstacles; needs the velocities.
double calc_tendon_bias(const Model& model, const Kinematics& kin, std::span<const double> v,
                        int index);
// What is left to the limits, negative beyond them: l − lower and upper − l.
void calc_tendon_gaps(const Model& model, const Kinematics& kin, std::span<const double> q,
                      int tendon, double* gap_lower, double* gap_upper);

}  // namespace cenic

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How each JointKind is laid out: its coordinates and the links it is made of. Private to the model
// module.
#pragma once

#include <span>
#include <vector>

#include "model/model.h"

namespace cenic::detail {

// One link of a joint.
struct Mobilizer {
  MobilizerKind kind = MobilizerKind::kFixed;
  Vec3 axis_F;  // zero: the JointSpec's own axis
};

// The links of a joint, from the parent outwards.
std::span<const Mobilizer> mobilizers_of(JointKind kind);

int num_positions(MobilizerKind kind);
int num_velocities(MobilizerKind kind);
int num_positions(JointKind kind);
int num_velocities(JointKind kind);

// Where the quaternion of a joint starts among its coordinates: 0 for ball and free, −1: it has
// none.
int quaternion_start(JointKind kind);

// The coordinates `given`, with a unit quaternion, or the zero configuration when none are given.
std::vector<double> complete_positions(JointKind kind, const std::vector<double>& given);

}  // namespace cenic::detail

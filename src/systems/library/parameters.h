// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the systems of the library share: checks of their parameters, joints to drive, and vectors
// in and out of signals. An Error says what is wrong; the model adds which system it is.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "math/spatial.h"
#include "model/external_system.h"

namespace cenic::detail {

// Entry i of a list with one entry for each velocity or one for all.
inline double entry(const std::vector<double>& list, int i) {
  return list[list.size() == 1 ? 0 : i];
}
void check_list(const char* what, const std::vector<double>& list, int n);

void check_finite(const char* what, std::span<const double> numbers);
void check_finite(const char* what, const Vec3& a);
void check_finite(const char* what, const RigidTransform& pose);
inline void check_finite(const char* what, double number) { check_finite(what, {&number, 1}); }
void check_gains(const char* what, const std::vector<double>& list, int n);
// Finite and greater than zero.
void check_positive(const char* what, double number);
// Finite and not negative.
void check_not_negative(const char* what, double number);
// Of a signal: at least one number.
void check_size(const char* what, int size);

// Reads the joints and drives each of their velocities within ± its limit.
void drive_joints(const std::vector<std::string>& joints, const std::vector<double>& effort_limits,
                  Ports* ports);

// tau = −g(q) over the joints read, g the generalised forces of gravity.
void compensate_gravity(const SystemInput& in, std::span<double> tau);

inline Vec3 load(std::span<const double> from) { return {from[0], from[1], from[2]}; }
inline Quat load_quaternion(std::span<const double> from) {
  return {from[0], from[1], from[2], from[3]};
}
inline void store(const Vec3& a, std::span<double> to) { to[0] = a.x, to[1] = a.y, to[2] = a.z; }

}  // namespace cenic::detail

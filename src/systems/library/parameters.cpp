// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/parameters.h"

#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "systems/system_io.h"

namespace cenic::detail {

void check_list(const char* what, const std::vector<double>& list, int n) {
  if (list.size() != 1 && static_cast<int>(list.size()) != n) {
    throw Error(fmt::format("{} has {} numbers for {} joints; give one for all or one for each",
                            what, list.size(), n));
  }
}

void check_finite(const char* what, std::span<const double> numbers) {
  for (const double x : numbers) {
    if (!std::isfinite(x)) throw Error(fmt::format("{} holds {}; give finite numbers", what, x));
  }
}

void check_finite(const char* what, const Vec3& a) {
  check_finite(what, std::initializer_list<double>{a.x, a.y, a.z});
}

void check_finite(const char* what, const RigidTransform& pose) {
  check_finite(what, pose.p);
  for (const Vec3& row : pose.R.row) {
    check_finite(what, row);
  }
}

void check_gains(const char* what, const std::vector<double>& list, int n) {
  check_list(what, list, n);
  check_finite(what, list);
}

void check_positive(const char* what, double number) {
  if (std::isfinite(number) && number > 0) return;
  throw Error(fmt::format("{} is {}; give a number greater than zero", what, number));
}

void check_not_negative(const char* what, double number) {
  if (std::isfinite(number) && number >= 0) return;
  throw Error(fmt::format("{} is {}; give zero or a positive number", what, number));
}

void check_size(const char* what, int size) {
  if (size < 1) throw Error(fmt::format("{} is {}; give at least one", what, size));
}

void drive_joints(const std::vector<std::string>& joints, const std::vector<double>& effort_limits,
                  Ports* ports) {
  if (joints.empty()) throw Error("drives no joint; name at least one");
  const int first = ports->num_velocities();
  for (const std::string& joint : joints) {
    ports->read_joint(joint);
  }
  const int n = ports->num_velocities() - first;
  check_list("effort_limits", effort_limits, n);
  for (int i = 0; i < n; ++i) {
    ports->efforts.push_back({ports->velocities[first + i], entry(effort_limits, i)});
    if (!(ports->efforts.back().limit >= 0)) {
      throw Error("an effort limit is negative; give zero or a positive number");
    }
  }
}

void compensate_gravity(const SystemInput& in, std::span<double> tau) {
  in.calc_gravity(tau);
  for (double& t : tau) {
    t = -t;
  }
}

}  // namespace cenic::detail

// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/problems.h"

#include <cmath>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic::detail {

namespace {

// RᵀR may differ from 1 by this much: single-precision files pass, scaled or sheared matrices do
// not.
constexpr double kRotationTolerance = 1e-5;

bool is_rotation(const Mat3& R) {
  const Mat3 E = transpose(R) * R - Mat3::identity();
  double largest = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      largest = std::fmax(largest, std::fabs(E(i, j)));
    }
  }
  return largest <= kRotationTolerance && determinant(R) > 0;
}

}  // namespace

void Problems::add(const std::string& who, const std::string& text) {
  lines_.push_back(who + ": " + text);
}

bool Problems::check_finite(const std::string& who, const char* what, double value) {
  if (std::isfinite(value)) return true;
  add(who, fmt::format("{} is {}; give a finite number", what, value));
  return false;
}

bool Problems::check_finite(const std::string& who, const char* what, const Vec3& value) {
  if (is_finite(value)) return true;
  add(who, fmt::format("{} is ({}, {}, {}); give finite numbers", what, value.x, value.y, value.z));
  return false;
}

bool Problems::check_not_negative(const std::string& who, const char* what, double value) {
  if (std::isfinite(value) && value >= 0) return true;
  add(who, fmt::format("{} is {}; give zero or a positive number", what, value));
  return false;
}

bool Problems::check_pose(const std::string& who, const char* what, const RigidTransform& X) {
  const bool finite =
      is_finite(X.p) && is_finite(X.R.row[0]) && is_finite(X.R.row[1]) && is_finite(X.R.row[2]);
  if (!finite) {
    add(who, fmt::format("{} holds a number that is not finite; give a finite pose", what));
  } else if (!is_rotation(X.R)) {
    add(who, fmt::format("the matrix of {} is not a rotation; make its columns unit, orthogonal "
                         "and right-handed",
                         what));
  } else {
    return true;
  }
  return false;
}

void Problems::raise(const std::string& model_name) const {
  if (lines_.empty()) return;
  std::string text = fmt::format("model '{}' has {} problem{}:", model_name, lines_.size(),
                                 lines_.size() == 1 ? "" : "s");
  for (const std::string& line : lines_) {
    text += "\n  " + line;
  }
  throw Error(text);
}

}  // namespace cenic::detail
